/// The progress of a sync.
///
/// ```swift
/// options.progress = { print("\($0.phase): \(Int($0.fraction * 100)) %") }
/// ```
public struct SyncProgress: Hashable, Sendable {
    /// The current phase.
    public let phase: SyncPhase

    /// The number of units that the phase has completed.
    ///
    /// | Phase | Unit |
    /// | --- | --- |
    /// | comparing | bytes of the payload, or elements of a value |
    /// | inserting, updating | objects |
    /// | finishing | unlisted records |
    public let completed: Int

    /// The number of units in the phase.
    public let total: Int

    /// The completed fraction of the phase, from 0 to 1; 1 if there is nothing to do.
    public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }
}

/// The phases of a sync, in their order.
public enum SyncPhase: String, Hashable, Sendable, CaseIterable, Codable {
    /// The sync reads the payload and compares it with the stored records.
    case comparing
    /// The sync inserts the records of new objects.
    case inserting
    /// The sync updates existing records.
    case updating
    /// The sync makes deferred connections and deletes unlisted records.
    case finishing
}
