/// The counts of a coordinator's work since its creation.
public struct SyncCounters: Hashable, Sendable {
    /// How many cycles it has begun.
    public internal(set) var cycles = 0

    /// How many cycles and batches of processors have failed.
    public internal(set) var failures = 0

    /// How many changes of others were stored.
    public internal(set) var pulled = 0

    /// How many local changes the remote has accepted.
    public internal(set) var pushed = 0

    /// How many records processors are done with.
    public internal(set) var processed = 0
}
