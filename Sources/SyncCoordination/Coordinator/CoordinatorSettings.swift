/// The delays and sizes of a coordinator.
public struct CoordinatorSettings: Hashable, Sendable {
    /// How long a coordinator waits after a change for further ones, before it begins.
    public var quiet: Duration = .milliseconds(500)

    /// How long a coordinator waits at most from the first of several changes.
    public var longestQuiet: Duration = .seconds(5)

    /// The delays after failures of the remote, the network or the store.
    public var retries = RetrySchedule(first: .seconds(2), longest: .seconds(300))

    /// The delays after the remote has received too many requests.
    public var throttledRetries = RetrySchedule(first: .seconds(20), longest: .seconds(900))

    /// The delays after an answer that is not of the protocol.
    ///
    /// It may be the page of a proxy, which soon is gone, or one of a service that is newer than the app. Each such answer makes
    /// the next delay longer, until another run succeeds or fails for another reason.
    public var incompatibleRetries = RetrySchedule(first: .seconds(60), longest: .seconds(86_400))

    /// The delays while another process synchronizes the store.
    public var busyRetries = RetrySchedule(first: .seconds(2), longest: .seconds(30))

    /// How long a cycle may take without a response of the remote.
    public var cycleTimeout: Duration = .seconds(180)

    /// How long a processor may take for a batch.
    public var processorTimeout: Duration = .seconds(600)

    /// The time from a cycle to the next one while nothing happens, for a remote without notifications; nil for none.
    ///
    /// `ObjectRemote` and `RESTRemote` do not tell of the changes of other devices. Without an interval, these arrive with
    /// the next local change or signal of activity.
    public var pollInterval: Duration?

    /// The most records that a processor receives at once.
    public var processorBatch = 100

    /// Creates the usual settings.
    public init() {}
}
