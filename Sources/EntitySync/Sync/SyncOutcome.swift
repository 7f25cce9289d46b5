import SyncPersistence

/// What a sync has noted besides its changes.
struct SyncOutcome: Sendable {
    var reports: [SyncReport] = []
    var reportCount = 0
    var pendingCount = 0
    /// The records of objects without a key.
    var parts: [RecordID] = []
    var unknownKeys: [String: Set<String>] = [:]
    /// The entity of the payload's own objects, and the root of its hierarchy.
    var entity = ""
    var root = ""
    /// The keys of the records that they stand for, of those that were there before, and their digests.
    var present = KeyList()
    var presentDigests: [UInt64] = []
    var durations: [SyncPhase: Duration] = [:]

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
