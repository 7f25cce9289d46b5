import DifferentialSyncTesting
import StoreSync
import SyncCoordination

/// A coordinator of a simulation, as a value, with the runs that it has begun.
struct SimulatedCoordinator: Sendable {
    /// The device whose store it synchronizes.
    let device: Int

    var state: CoordinatorState
    var generator: SeededGenerator

    /// The number of the process; signals for an earlier one are lost.
    var process = 0

    /// Whether it was started, and neither stopped nor killed since.
    var isStarted = false

    /// Whether it is started again once a stop has ended.
    var startsAgain = false

    /// The cycles in progress by the numbers of their runs.
    var cycles: [Int: SimulatedCycle] = [:]

    /// The number of the run whose end it awaits; nil if there is none.
    var lastRun: Int?

    /// When the last commit arrives of those that the store has published.
    var streamEnd = Duration.zero

    /// When the last notification arrives that was sent.
    var noticeEnd = Duration.zero

    /// The commits that were not made by its own cycles.
    var foreignCommits: Set<Int64> = []

    /// Whether the service accepts the authorization.
    var isAuthorized = true

    /// Whether a cycle has succeeded since the service has last revoked the authorization.
    var canRevoke = false

    /// Whether messages and notifications reach the device.
    var isConnected = true

    var pace: Pace

    /// What the last complete cycle has reported.
    var outcome: StoreOutcome?
}

/// A cycle in progress.
struct SimulatedCycle: Sendable {
    var cycle: StoreCycle?

    /// The number of the request whose response it waits for.
    var awaited: Int?

    var digest = 0

    /// When the last progress arrives that was reported.
    var progressEnd = Duration.zero

    var isCancelled = false

    /// Whether the coordinator no longer waits for its end.
    var isAbandoned = false
}

/// Events in the order of their times, and of their insertion at the same time.
struct EventQueue<Event: Sendable>: Sendable {
    /// The first event is the last element.
    private var events: [(time: Duration, event: Event)] = []

    /// The time of the first event; nil if there is none.
    var nextTime: Duration? { events.last?.time }

    var all: [Event] { events.map(\.event) }

    mutating func add(_ event: Event, at time: Duration) {
        events.insert((time, event), at: events.firstIndex { $0.time <= time } ?? events.count)
    }

    mutating func removeFirst() -> Event? { events.popLast()?.event }

    mutating func removeAll(where isRemoved: (Event) -> Bool) { events.removeAll { isRemoved($0.event) } }
}
