import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncCoordination
import SyncPersistence

/// Devices whose stores are synchronized by coordinators, in virtual time, with one service.
///
/// The coordinators, the devices, the service and everything under way between them are values, so that all follows
/// from a seed. Nothing calls for a cycle: coordinators receive commits, notifications, signals of the app, and the
/// time.
struct CoordinatedWorld: Sendable {
    /// Something that happens at a time.
    enum Event: Sendable {
        /// A message arrives at the service, or at the device.
        case arrives(SimulatedMessage)
        /// The network reports that a request has had no response.
        case givesUp(device: Int, number: Int)
        /// A process receives an event, or takes note of its cancellation.
        case signal(coordinator: Int, process: Int, CoordinatorState.Event)
        case cancels(coordinator: Int, process: Int, run: Int)
        case step(Step)
    }

    /// Something that a person, a program or the world outside does.
    enum Step: Sendable {
        case edit(SimulationOperation)
        case kill(coordinator: Int)
        case stop(coordinator: Int)
        case start(coordinator: Int)
        case connect(coordinator: Int, Bool)
        case activate(coordinator: Int, Bool)
        case suspend(coordinator: Int, Bool)
        case revoke(coordinator: Int)
        case answer(ServiceMode)
        case heal
    }

    /// How the service answers.
    enum ServiceMode: Hashable, Sendable {
        case normally
        case later(wish: Int?)
        case throttled(wish: Int?)
    }

    let settings: CoordinatorSettings
    let planted: PlantedFault?

    /// Whether notifications are lost, so that the coordinators poll.
    let losesNotifications: Bool

    var world: SimulatedWorld
    var coordinators: [SimulatedCoordinator]
    var queue = EventQueue<Event>()
    var now = Duration.zero
    var generator: SeededGenerator
    var mode = ServiceMode.normally
    var isHealed = false

    /// When a store has last changed.
    var lastChange = Duration.zero

    /// How many events there were.
    private(set) var eventCount = 0

    init(seed: UInt64, planted: PlantedFault? = nil, isTraced: Bool = false) throws {
        generator = SeededGenerator(seed: seed)
        self.planted = planted
        losesNotifications = generator.happens(0.5)
        var settings = CoordinatorSettings()
        if losesNotifications { settings.pollInterval = .seconds(Int.random(in: 30...200, using: &generator)) }
        self.settings = settings
        let policies = [
            SyncPolicies(.keepEdits(otherwise: .remoteWins)), SyncPolicies(.localWins), SyncPolicies(.remoteWins),
            SyncPolicies(.leaveOpen),
        ]
        let sizes = [1, 2, 3, 100]
        let script = SimulationScript(
            devices: Int.random(in: 2...4, using: &generator),
            policies: Int.random(in: 0..<policies.count, using: &generator),
            pageRecords: sizes.randomElement(using: &generator) ?? 1,
            pushRecords: sizes.randomElement(using: &generator) ?? 1, operations: [])
        let simulator = StoreSimulator(schema: try PhotoWorld.schema(), policies: policies)
        world = SimulatedWorld(simulator, script, isTraced: isTraced)
        world.allowsSeveralCycles = true
        coordinators = []
        for device in world.devices.indices { world.devices[device].disk.commits = [] }
        // Sometimes two processes have one store.
        let shared = generator.happens(0.3) ? [Int.random(in: world.devices.indices, using: &generator)] : []
        for (number, device) in (Array(world.devices.indices) + shared).enumerated() {
            coordinators.append(
                SimulatedCoordinator(
                    device: device, state: CoordinatorState(settings: settings, canRenew: true),
                    generator: SeededGenerator(seed: seed &* 8 &+ UInt64(number)), pace: Pace(settings)))
        }
        addSteps()
    }

    mutating func log(_ text: @autoclosure () -> String) { world.report.log("\(now): \(text())") }

    mutating func addFault(_ rule: SimulationFault.Rule, _ text: String) {
        world.report.addFault(rule, "\(now): \(text)")
    }

    /// Returns a random time up to a number of milliseconds.
    mutating func random(_ milliseconds: Int) -> Duration {
        .milliseconds(Int.random(in: 0...milliseconds, using: &generator))
    }
}

extension CoordinatedWorld {
    /// Lets everything happen, heals all faults, and lets time pass until nothing is left to do.
    mutating func run() async {
        while world.report.faults.isEmpty, !hasSettled, let time = nextTime {
            if time > Self.longest { return addFault(.restless, "the devices do not come to rest: \(statusText)") }
            eventCount += 1
            if eventCount > Self.mostEvents { return addFault(.restless, "too many events: \(statusText)") }
            now = max(now, time)
            if queue.nextTime.map({ $0 <= now }) ?? false, let event = queue.removeFirst() {
                await handle(event)
            } else {
                await wake()
            }
        }
        if world.report.faults.isEmpty { await checkRest() }
    }

    private static let longest = Duration.seconds(40_000)
    private static let mostEvents = 100_000

    /// The time of the next event; nil if nothing happens any more.
    private var nextTime: Duration? {
        ([queue.nextTime] + coordinators.map { wakeTime(of: $0) }).compactMap { $0 }.min()
    }

    private func wakeTime(of coordinator: SimulatedCoordinator) -> Duration? {
        planted == .forgotRetries && !coordinator.cycles.values.contains { !$0.isAbandoned }
            && coordinator.pace.isPaused
            ? nil : coordinator.state.nextWake
    }

    /// Reports the time to the coordinators that wait for it.
    private mutating func wake() async {
        for number in coordinators.indices {
            guard let time = wakeTime(of: coordinators[number]), time <= now else { continue }
            await handle(.timePassed, by: number)
            if let time = coordinators[number].state.nextWake, time <= now {
                addFault(.restless, "coordinator \(number) wants to wake at \(time) again")
            }
        }
    }

    private mutating func handle(_ event: Event) async {
        switch event {
        case .arrives(let message): await receive(message)
        case .givesUp(let device, let number):
            for (coordinator, run) in runs(of: device, waitingFor: number) {
                await step(coordinator, run) { await $0.giveUp(device) }
            }
        case .signal(let number, let process, let event):
            if coordinators[number].process == process { await receive(event, by: number) }
        case .cancels(let number, let process, let run):
            guard coordinators[number].process == process, coordinators[number].cycles[run]?.awaited != nil else {
                return
            }
            log("coordinator \(number): run \(run) is cancelled")
            end(number, run, .cancelled)
        case .step(let step): await apply(step)
        }
    }

    /// Whether another process has the same store.
    func sharesStore(_ number: Int) -> Bool {
        coordinators.count { $0.device == coordinators[number].device } > 1
    }

    private func isReason(_ event: CoordinatorState.Event, for number: Int) -> Bool {
        switch event {
        case .committed(let sequence, _):
            coordinators[number].foreignCommits.contains(sequence) || sharesStore(number)
        default: true
        }
    }

    /// Passes an event that was under way to a coordinator.
    private mutating func receive(_ event: CoordinatorState.Event, by number: Int) async {
        let isRunning = coordinators[number].cycles.values.contains { !$0.isAbandoned }
        switch event {
        case .committed, .notified:
            if !coordinators[number].isStarted { return }
            if isReason(event, for: number) { coordinators[number].pace.addReason() }
            if planted == .losesWakeUps && isRunning { return }
        case .activityChanged(let isActive):
            if !coordinators[number].isStarted { return }
            if isActive { coordinators[number].pace.addHurry(at: now) }
        case .reachabilityChanged(let isReachable):
            if !coordinators[number].isStarted { return }
            if isReachable { coordinators[number].pace.addHurry(at: now) }
        case .renewedAuthorization(let succeeded):
            if succeeded {
                coordinators[number].isAuthorized = true
                coordinators[number].pace.addReason()
            }
        case .ended(_, let run, let result):
            guard coordinators[number].lastRun == run else { break }
            coordinators[number].lastRun = nil
            coordinators[number].cycles[run] = nil
            coordinators[number].pace.end(result, at: now)
            if case .cycle(let outcome) = result {
                coordinators[number].outcome = outcome
                if outcome.failure == nil { coordinators[number].canRevoke = true }
            }
        default: break
        }
        await handle(event, by: number)
        if case .committed = event, planted == .typingEndsWaits, isReason(event, for: number) {
            await handle(.requested, by: number)
        }
    }
}
