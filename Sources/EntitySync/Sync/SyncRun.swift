import DifferentialSync
import SyncPersistence

/// One sync, within one transaction.
///
/// A sync processes one object after the other, each with the objects nested in it: attributes first, then
/// relationships. Connections to later objects are made at the end, and so are deletions.
final class SyncRun {
    let transaction: any PayloadStore
    let request: SyncRequest
    let mapping: Mapping
    /// The reader of keys and attributes.
    let mapper: ObjectMapper
    /// The reader of lists and objects.
    let reader: PayloadReader
    let reports: SyncReports
    let cancellation: Cancellation

    /// The changes that may be made for the current list.
    var operations: SyncOperations

    /// The stored records and the drafts.
    let records: SyncRecords
    /// The local changes of the records.
    let edits: LocalEdits
    /// The links that wait for records of a later payload.
    let pendingLinks: PendingLinks
    /// The connections between the records of the payload.
    let settlement: LinkSettlement

    /// Finds and makes the records of objects without a key.
    private(set) lazy var objectParts = ObjectParts(self)

    private(set) lazy var linkReader = LinkReader(self)
    private(set) lazy var deleter = RecordDeleter(of: records, objectParts, edits, pendingLinks, reports)

    /// The primary keys of records whose entity has none of its own.
    var implicitKeys: ImplicitKeys

    /// The remaining tasks of the current object; the last element is processed next.
    var tasks: [SyncTask] = []
    /// The number of tasks of all objects so far.
    var taskCount = 0

    /// The tokens that the objects specify, and that the sync writes.
    let footprint = SyncFootprint()

    /// The statements about each record, to find contradictions.
    var statements = PayloadStatements()

    /// The records that the payload states to be deleted.
    var deletions = StatedDeletions()

    /// The results so far, except for the changes, the reports and the parts.
    var outcome = SyncOutcome()

    init(_ request: SyncRequest, in transaction: any PayloadStore, _ cancellation: Cancellation) {
        (self.request, self.transaction, self.cancellation) = (request, transaction, cancellation)
        operations = request.operations
        mapping = Mapping(transaction.schema, request.options)
        reports = SyncReports(isStrict: request.options.isStrict, limit: request.options.reportLimit)
        mapper = ObjectMapper(mapping: mapping, reports: reports)
        reader = PayloadReader(mapper, request.options, cancellation)
        implicitKeys = ImplicitKeys(in: transaction)
        records = SyncRecords(in: transaction, mapping, origin: request.options.origin)
        edits = LocalEdits(of: records, request.options.conflictPolicy)
        pendingLinks = PendingLinks(of: records)
        settlement = LinkSettlement(of: records, edits, pendingLinks, reports, request.options)
    }

    /// Returns the results, besides the changes of the transaction.
    func result() -> SyncOutcome {
        var outcome = outcome
        (outcome.reports, outcome.parts) = (reports.content, objectParts.ids)
        return outcome
    }

    /// Throws if an entity stores the elements of a collection.
    ///
    /// Otherwise marks it, so that no collection uses it.
    func requireRecords(of entity: String) throws {
        if try transaction.keepsElements(entity) {
            throw SyncError(
                .collection,
                "'\(entity)' keeps the elements of a collection, whose JSON only their type knows: sync into an "
                    + "entity of the schema")
        }
        try transaction.markForJSON(entity)
    }
}

extension SyncRun {
    /// The origin of the changes.
    var origin: ChangeSet.Origin { request.options.origin }

    /// Whether some operations are allowed for the list that is processed.
    func allows(_ operations: SyncOperations) -> Bool { self.operations.contains(operations) }
}
