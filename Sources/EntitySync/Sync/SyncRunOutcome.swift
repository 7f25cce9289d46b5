import SyncPersistence

/// The results of a sync besides its changes.
struct SyncRunOutcome: Sendable {
    /// The reports, up to the limit, and their number.
    var reports = SyncReports.Content()
    /// The entities of the lists that delete nothing because they cannot be read completely.
    var incompleteLists: Set<String> = []
    /// The number of links that wait for records of a later payload.
    var pendingCount = 0
    /// The conflicts between the payload and local changes.
    var clashes: [SyncClash] = []
    /// The records that did not change although the payload states something else.
    ///
    /// The commit lists others in `heldBack`; ``SyncResult/heldBack`` has both.
    var heldBack: [RecordID] = []
    /// The records of objects without a key.
    var parts: [RecordID] = []
    /// The records that the objects of each list identify.
    var own: [OwnRecords] = []
    /// The time that each phase took.
    var durations: [SyncPhase: Duration] = [:]

    /// The records that the objects of a list identify.
    struct OwnRecords: Sendable {
        /// The name of the entity.
        let entity: String
        /// The name of the root of the entity's hierarchy.
        let root: String
        /// The digests of the keys of the records that existed before.
        let digests: [UInt64]
    }
}
