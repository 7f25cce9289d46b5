/// How far a sync has come.
///
/// ```swift
/// options.progress = { print("\($0.phase): \(Int($0.fraction * 100)) %") }
/// ```
public struct SyncProgress: Hashable, Sendable {
    /// What is being done.
    public let phase: SyncPhase

    /// How much the phase has done with: bytes of the payload while it is compared, or values where it is one; then its
    /// objects; in the end, records that it does not speak of.
    public let completed: Int

    /// How much there is.
    public let total: Int

    /// The part that is done of the phase, from 0 to 1; 1 where there is nothing to do.
    public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }
}

/// What a sync does, one after the other.
public enum SyncPhase: String, Hashable, Sendable, CaseIterable, Codable {
    /// The payload is read, and what is stored is compared with it.
    case comparing
    /// Objects are stored that are new.
    case inserting
    /// Records take over what their objects say.
    case updating
    /// Links are made whose other end came later, and what is gone is deleted.
    case finishing
}
