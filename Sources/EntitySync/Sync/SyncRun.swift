import DifferentialSync
import SyncPersistence

/// One sync, within one transaction.
///
/// Objects are taken one after the other, each with all that stands in it: attributes first, then what it is connected
/// with. What has to wait for later objects, or must not happen before they have been seen, is done at the end.
final class SyncRun {
    let transaction: WriteTransaction
    /// What is asked for the list at hand, and which changes of it may be made.
    var request: SyncRequest
    var operations: SyncOperations
    let mapping: Mapping
    let cancellation: Cancellation

    var outcome = SyncOutcome()

    /// What is still to be done for the object at hand, the next last.
    var tasks: [SyncTask] = []

    /// How many things have been done.
    var taskCount = 0

    /// New records that lack something mandatory, by root and key.
    var drafts: [RecordID: Draft] = [:]

    /// Connections with records that were not there.
    var deferred: [Connection] = []

    /// What they say something of, and how many of them do not count for that any more, as something else was said since.
    var outdated: [Statement: Int] = [:]

    /// Records that are no longer listed by their owner, and where that was left out.
    var departures: [Departure: Leaving] = [:]
    var departureCount = 0

    /// Where the lists of the payload are.
    var layout = PayloadLayout()

    /// What the objects so far specify, and what the sync has written.
    var footprint = SyncFootprint()

    /// How many objects of the payload itself were of no entity that the schema has for them.
    var misfitCount = 0

    /// The empty objects in the map of a list that name no record.
    var hollow: [Place] = []

    /// The primary keys given to new records whose entity has none of its own, by entity and what tells them apart.
    var countedKeys: [RecordID: Value] = [:]

    /// Which objects specify the same record.
    var statements = PayloadStatements()

    /// How many records wait for others from earlier payloads to be linked with, once that has been asked for.
    var waitingOwners: Int64?

    /// The relationships of which the object that is filled in says what can be used and may take the place of
    /// what was said before, as long as links wait.
    var spoken: Set<String>?

    /// Connections of which some records are missing after all, and which ones.
    var waiting: [(connection: Connection, owner: Record, missing: [Value])] = []

    /// The records that the remote has deleted, and of which links were changed here.
    var deleted: [Record] = []

    /// The records of which the payload says that they are deleted.
    var told: [ToldDeletion] = []

    /// The parent of the list at hand, and the relationship that leads to it.
    var scopeParent: (record: Record, relationship: String)?

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
        self.request = request
        operations = request.operations
        self.transaction = transaction
        self.cancellation = cancellation
        mapping = Mapping(transaction.schema, request.options)
        knownLinks = KnownLinks(in: transaction)
    }

    /// Checks that the entity of the request keeps records, not the elements of a collection, and that the options
    /// name what is in the schema.
    func requireRecords() throws {
        try mapping.requireConstants()
        try mapping.requireRelationships()
        try mapping.requireFallbacks()
        try requireRecords(of: request.entity)
    }

    /// Checks that an entity keeps records, and stores that it does where a collection would take it for its own.
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
    var origin: ChangeSet.Origin { request.options.origin }

    func allows(_ operations: SyncOperations) -> Bool { self.operations.contains(operations) }

    /// Whether records may be connected that were not.
    var mayConnect: Bool { !operations.isDisjoint(with: [.insertRelationships, .updateRelationships]) }

    /// Notes what cannot be used, and goes on.
    ///
    /// - Throws: ``SyncError`` if the sync is strict.
    func report(_ report: SyncReport) throws {
        if request.options.isStrict {
            throw SyncError(.strict, "\(report). Nothing has been stored, as the sync is strict", report: report)
        }
        outcome.reportCount += 1
        if outcome.reports.count < request.options.reportLimit { outcome.reports.append(report) }
    }
}

extension SyncRun {
    /// The record with a primary key, as far as the origin of the payload knows it; a draft if there is none yet.
    func record(_ map: EntityMap, _ key: Value) throws -> Record? {
        if !drafts.isEmpty, let draft = drafts[RecordID(map.shape.root, key)] { return draft.record }
        return try transaction.known(key, in: map.shape, to: origin)
    }

    /// Whether there is a record that the origin of the payload does not know: one made here, or one that the remote has
    /// deleted and that is held back.
    func isHere(_ map: EntityMap, _ key: Value) throws -> Bool {
        guard try origin == .remote && transaction.mayHaveEntries(of: map.shape) else { return false }
        return try transaction.record(RecordID(map.shape.root, key)) != nil
    }

    /// Whether a record that the origin of the payload knows was deleted here, so that nothing can be connected with it.
    func isGone(_ map: EntityMap, _ key: Value) throws -> Bool {
        try origin == .remote && transaction.isDeletedHere(key, in: map.shape)
    }

    /// Whether a record waits for what it lacks.
    func isDraft(_ record: Record) -> Bool {
        !drafts.isEmpty && drafts[RecordID(record.shape.root, record.key)] != nil
    }

    /// The primary key of the record that is told apart by a key; a new one if there is no such record.
    func storedKey(_ map: EntityMap, _ key: Value) throws -> Value {
        if map.isKeyPrimary { return key }
        let id = RecordID(map.shape.root, key)
        if let known = countedKeys[id] { return known }
        let found = try transaction.records(Query(map.shape.name, where: map.filter(key: key), limit: 1)).first
        let stored = try found?.key ?? transaction.adoptingKey(Record(map.shape, slots: map.defaults)).key
        countedKeys[id] = stored
        return stored
    }
}

extension EntityMap {
    /// The records with a key, where that is not the primary key.
    func filter(key: Value) -> Filter {
        let values: [Value] = if keyParts.count > 1, case .array(let parts) = key { parts } else { [key] }
        let parts: [Filter] = zip(keyParts, values).map {
            .comparison(path: attributes[$0].definition.name, .equal, $1)
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    /// The values that make a key.
    func key(of parts: [Value]) -> Value { parts.count == 1 ? parts[0] : .array(parts) }
}
