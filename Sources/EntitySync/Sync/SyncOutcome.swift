import SyncPersistence

/// The results of a sync besides its changes.
struct SyncOutcome: Sendable {
    var reports = SyncReports.Content()
    var pendingCount = 0
    var clashes: [SyncClash] = []
    /// The records that keep a local change although the payload states something else, besides those of the commit.
    var heldBack: [RecordID] = []
    /// The records of objects without a key.
    var parts: [RecordID] = []
    /// The records of the objects of each list.
    var own: [OwnRecords] = []
    var durations: [SyncPhase: Duration] = [:]

    /// The records of the objects of a list.
    struct OwnRecords: Sendable {
        /// The entity that is synced into, and the root of its hierarchy.
        let entity: String
        let root: String
        /// The digests of the keys of the records that existed before.
        let digests: [UInt64]
    }
}
