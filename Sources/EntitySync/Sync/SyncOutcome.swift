import SyncPersistence

/// What a sync has noted besides its changes.
struct SyncOutcome: Sendable {
    var reports: [SyncReport] = []
    var reportCount = 0
    var unknownKeys: [String: Set<String>] = [:]
    /// The records that the payload's own objects stand for.
    var roots: [RecordID] = []
    var durations: [SyncPhase: Duration] = [:]

    /// How many unknown keys are listed of an entity.
    static let unknownKeyLimit = 100

    /// Notes the names of members that nothing is known of.
    mutating func noteUnknown(_ plan: Plan, of entity: String) {
        var known = unknownKeys[entity] ?? []
        for member in plan.unknown {
            if known.count == Self.unknownKeyLimit { break }
            known.insert(plan.example.names[member])
        }
        unknownKeys[entity] = known
    }
}
