import SyncPersistence

/// What a sync has noted besides its changes.
struct SyncOutcome: Sendable {
    var reports: [SyncReport] = []
    var reportCount = 0
    var pendingCount = 0
    var clashes: [SyncClash] = []
    /// The records that stay as they are though the payload says something else, besides those that the commit lists.
    var heldBack: [RecordID] = []
    /// The records of objects without a key.
    var parts: [RecordID] = []
    var unknownKeys: [String: Set<String>] = [:]
    /// The records that the objects of the lists stand for, list by list.
    var own: [OwnRecords] = []
    var durations: [SyncPhase: Duration] = [:]

    /// The records that the objects of a list stand for.
    struct OwnRecords: Sendable {
        /// The entity that is synced into, and the root of its hierarchy.
        let entity: String
        let root: String
        /// The digests of the keys of the records that existed before.
        let digests: [UInt64]
    }

    /// How many unknown keys are listed of an entity.
    static let unknownKeyLimit = 100

    /// Notes the names of members that nothing is known of.
    mutating func noteUnknown(_ plan: Plan, of entity: String) {
        noteUnknown(plan.unknown.lazy.map { plan.example.names[$0] }, of: entity)
    }

    /// Notes names that nothing is known of.
    mutating func noteUnknown(_ names: some Sequence<String>, of entity: String) {
        var known = unknownKeys[entity] ?? []
        for name in names {
            if known.count == Self.unknownKeyLimit { break }
            known.insert(name)
        }
        unknownKeys[entity] = known
    }
}
