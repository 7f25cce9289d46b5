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
    let mapper: ObjectMapper
    let reader: PayloadReader
    let reports: SyncReports
    let cancellation: Cancellation

    /// The changes that may be made for the list that is processed.
    var operations: SyncOperations

    /// The stored records and drafts, their local changes, and their links.
    let records: SyncRecords
    let edits: LocalEdits
    let pendingLinks: PendingLinks
    let settlement: LinkSettlement

    /// The records that objects without a key stand for.
    private(set) lazy var objectParts = ObjectParts(self)

    private(set) lazy var linkReader = LinkReader(self)
    private(set) lazy var deleter = RecordDeleter(of: records, objectParts, edits, pendingLinks, reports)

    /// The primary keys of records whose entity has none of its own.
    var implicitKeys: ImplicitKeys

    /// What remains to be done for the current object, the next last, and how much has been done.
    var tasks: [SyncTask] = []
    var taskCount = 0

    /// What the objects so far specify, and what the sync has written.
    let footprint = SyncFootprint()

    /// Which objects specify the same record.
    var statements = PayloadStatements()

    /// The records that the payload states to be deleted.
    var deletions = StatedDeletions()

    /// The results so far, besides the changes of the transaction, the reports and the parts.
    var outcome = SyncOutcome()

    init(_ request: SyncRequest, in transaction: any PayloadStore, _ cancellation: Cancellation) {
        (self.request, self.transaction, self.cancellation) = (request, transaction, cancellation)
        operations = request.operations
        mapping = Mapping(transaction.schema, request.options)
        reports = SyncReports(request.options)
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

    /// Checks that an entity stores records, not the elements of a collection, and marks it so that no collection uses it.
    func requireRecords(of entity: String) throws {
        if try transaction.keepsElements(entity) {
            throw SyncError(
                .collection,
                "'\(entity)' keeps the elements of a collection, whose JSON only their type knows: sync into an "
                    + "entity of the schema")
        }
        try transaction.noteJSON(in: entity)
    }
}

extension SyncRun {
    /// The origin of the changes.
    var origin: ChangeSet.Origin { request.options.origin }

    /// Whether some operations are allowed for the list that is processed.
    func allows(_ operations: SyncOperations) -> Bool { self.operations.contains(operations) }
}
