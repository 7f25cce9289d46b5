import DifferentialSync
import SyncPersistence

/// One sync, within one transaction.
///
/// A sync processes one object after the other, each with the objects nested in it: attributes first, then
/// relationships. Connections to later objects are made at the end, and so are deletions.
final class SyncRun {
    let transaction: WriteTransaction
    let request: SyncRequest
    let mapping: Mapping
    let mapper: ObjectMapper
    let reader: PayloadReader
    let reports: SyncReports
    let cancellation: Cancellation

    /// The changes that may be made for the list that is processed.
    var operations: SyncOperations

    /// The records that objects without a key stand for.
    private(set) lazy var objectParts = ObjectParts(self)

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

    /// New records that lack something mandatory, by root and key.
    var drafts: [RecordID: Draft] = [:]

    /// Connections with records that were not there.
    var deferred: [Connection] = []

    /// What they say something of, and how many of them do not count for that any more, as something else was said since.
    var outdated: [Statement: Int] = [:]

    /// Records that are no longer listed by their owner, and where that was left out.
    var departures: [Departure: Leaving] = [:]
    var departureCount = 0

    /// How many records wait for others from earlier payloads to be linked with, once that has been asked for.
    var waitingOwners: Int64?

    /// The relationships that the current object specifies; nil while no links wait for records.
    var spoken: Set<String>?

    /// Connections of which some records are missing after all, and which ones.
    var waiting: [(connection: Connection, owner: Record, missing: [Value])] = []

    /// The records that the remote has deleted, and of which links were changed here.
    var deleted: [Record] = []

    /// The records that links may have waited for.
    var arrivals: [Arrival] = []

    /// What relationships lead to without what was changed here.
    let knownLinks: KnownLinks

    /// The records, by their roots, that were changed here and of which the payload says something else than the shadow.
    var edits: [RecordID] = []

    /// The ordered relationships that were changed here and of which the payload has another order.
    var reordered: [Reordering] = []
    var orders: Set<Statement> = []

    /// Whether changes that were made here are merged with those of the payload at the end.
    var mergesEdits = false

    /// The records, by their roots, whose deletion a change made here stands against, and those below them.
    var keptBack: Set<RecordID> = []

    /// The records that their owners no longer lead to, and that a change made here may keep.
    var restorable: [(departure: Departure, leaving: Leaving)] = []

    /// The records that the payload deletes and that are still here.
    var undeleted: [RecordID] = []

    /// What the payload states of records that the remote did not have before, as far as is known.
    var stated: [RecordID: StatedSlots] = [:]

    init(_ request: SyncRequest, in transaction: WriteTransaction, _ cancellation: Cancellation) {
        (self.request, self.transaction, self.cancellation) = (request, transaction, cancellation)
        operations = request.operations
        mapping = Mapping(transaction.schema, request.options)
        reports = SyncReports(request.options)
        mapper = ObjectMapper(mapping: mapping, reports: reports)
        reader = PayloadReader(mapper, request.options, cancellation)
        implicitKeys = ImplicitKeys(in: transaction)
        knownLinks = KnownLinks(in: transaction)
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

    /// A new record that lacks something mandatory, and where it stands.
    struct Draft {
        var record: Record
        let map: EntityMap
        let place: Place
    }

    /// What an object says of a record, by the root of its hierarchy, and one of its relationships.
    struct Statement: Hashable {
        let id: RecordID
        let relationship: String
    }

    /// A record that is no longer listed by its owner, and the slot in which one of them names the other.
    struct Departure: Hashable {
        let id: RecordID
        let slot: String
        let owner: Value
    }

    /// Where a record was left out, and what led to it.
    struct Leaving {
        /// How many others were left out before.
        let number: Int
        let map: EntityMap
        /// The entity of the owner, and the relationship.
        let entity: String
        let relationship: RelationshipMap
        let place: Place
    }
}

extension SyncRun.Statement {
    init(_ connection: Connection) { self.init(id: connection.id, relationship: connection.relationship.name) }
}

extension SyncRun {
    /// The origin of the changes.
    var origin: ChangeSet.Origin { request.options.origin }

    /// Whether some operations are allowed for the list that is processed.
    func allows(_ operations: SyncOperations) -> Bool { self.operations.contains(operations) }

    /// Whether the operations allow new links.
    var mayConnect: Bool { !operations.isDisjoint(with: [.insertRelationships, .updateRelationships]) }

    /// Adds a report.
    ///
    /// - Throws: ``SyncError`` if the sync is strict.
    func report(_ report: SyncReport) throws { try reports.add(report) }
}

extension SyncRun {
    /// Returns the record with a primary key, as the origin of the payload knows it, or its draft.
    func record(_ map: EntityMap, _ key: Value) throws -> Record? {
        if !drafts.isEmpty, let draft = drafts[RecordID(map.shape.root, key)] { return draft.record }
        return try transaction.known(key, in: map.shape, to: origin)
    }

    /// Whether a record exists that the origin of the payload does not know: one that was inserted locally, or one that the
    /// remote has deleted and that is kept as a local change.
    func isHere(_ map: EntityMap, _ key: Value) throws -> Bool {
        guard try origin == .remote && transaction.mayHaveEntries(of: map.shape) else { return false }
        return try transaction.record(RecordID(map.shape.root, key)) != nil
    }

    /// Whether a record that the origin of the payload knows was deleted locally, so that nothing can be connected with it.
    func isGone(_ map: EntityMap, _ key: Value) throws -> Bool {
        try origin == .remote && transaction.isDeletedHere(key, in: map.shape)
    }

    /// Whether a record is not stored yet because a mandatory value is missing.
    func isDraft(_ record: Record) -> Bool {
        !drafts.isEmpty && drafts[RecordID(record.shape.root, record.key)] != nil
    }
}
