/// An exploration of every order in which edits, messages and faults can follow each other, up to a number of faults.
///
/// Both ends are values over synchronous storages, so each state can be continued in every possible way. States are
/// visited breadth-first, and each only once. From each state the devices must agree in the end, and nothing may be
/// lost: the first script that breaks a rule has as few steps as possible.
///
/// ```swift
/// let edits: [SimulationOperation] = [.update(device: 0, record: 0, number: 5), .delete(device: 1, record: 0)]
/// var exploration = StoreExploration(simulator, start: start, edits: edits)
/// exploration.faults = [.lose(message: 0), .crash(device: 0)]
/// let result = await exploration.run()
/// ```
public struct StoreExploration: Sendable {
    /// The devices, the service and the policies.
    public var simulator: StoreSimulator

    /// What happens before the exploration begins.
    public var start: SimulationScript

    /// The edits, of which each may happen at any time, once.
    public var edits: [SimulationOperation]

    /// The faults that may happen at any time; those of messages may happen to each message.
    public var faults: [SimulationOperation] = []

    /// The most faults in one script.
    public var mostFaults = 1

    /// The most cycles that each device begins, before all devices synchronize until they are at rest.
    public var mostCycles = 1

    /// The most states that are visited.
    public var mostStates = Int.max

    /// Creates an exploration without faults.
    ///
    /// - Parameters:
    ///   - simulator: The devices, the service and the policies.
    ///   - start: What happens before the exploration begins.
    ///   - edits: The edits, of which each may happen at any time, once.
    public init(_ simulator: StoreSimulator, start: SimulationScript, edits: [SimulationOperation]) {
        self.simulator = simulator
        self.start = start
        self.edits = edits
    }

    /// What an exploration has found.
    public struct Result: Sendable, CustomStringConvertible {
        /// The number of different states.
        public internal(set) var stateCount = 0

        /// The number of steps between them.
        public internal(set) var stepCount = 0

        /// The number of different states of the stores from which all devices were synchronized.
        public internal(set) var restCount = 0

        /// The largest number of steps from the start.
        public internal(set) var depth = 0

        /// Whether all states were visited.
        public internal(set) var isComplete = true

        /// A shortest script that breaks a rule; nil if none does.
        public internal(set) var failure: SimulationRun?

        /// The counts, and the failure.
        public var description: String {
            let counts = "\(stateCount) states, \(stepCount) steps, \(restCount) states at rest, depth \(depth)"
            return counts + (isComplete ? "" : ", not complete") + (failure.map { "\n\($0)" } ?? "")
        }
    }
}

extension StoreExploration {
    /// Visits all states, or those up to the first that breaks a rule.
    public func run() async -> Result {
        var run = ExplorationRun(self)
        return await run.run()
    }
}

/// A state of an exploration.
private struct ExploredState: Sendable {
    /// The stores and messages.
    var world: SimulatedWorld
    /// The position among all visited states.
    var number = 0
    /// The edits that have happened.
    var edits: Set<Int> = []
    /// The number of faults so far.
    var faultCount = 0
    /// How many cycles each device has begun.
    var cycleCounts: [Int]

    /// A digest by which a state is recognized, with what may still happen to it.
    var digest: Int {
        var hasher = Hasher()
        hasher.combine(world.digest)
        hasher.combine(edits)
        hasher.combine(faultCount)
        hasher.combine(cycleCounts)
        return hasher.finalize()
    }
}

/// The states that an exploration has visited so far, and how each was reached.
///
/// A state is only kept until its successors are made. Of the others, the digest remains, and the step that led there.
private struct ExplorationRun {
    let exploration: StoreExploration
    var result = StoreExploration.Result()

    /// For each visited state, the one before, and the step between them.
    private var origins: [(before: Int, step: SimulationOperation)?] = []
    /// The digests of the visited states.
    private var visited: Set<Int> = []
    /// The states at rest from which all devices come to agree.
    ///
    /// Many states lead to the same states at rest, which are examined once.
    private var sound: Set<Int> = []

    init(_ exploration: StoreExploration) { self.exploration = exploration }

    /// Visits the states level by level, each level one step from the one before.
    ///
    /// The first failure is therefore one with as few steps as possible.
    mutating func run() async -> StoreExploration.Result {
        var world = SimulatedWorld(exploration.simulator, exploration.start)
        for operation in exploration.start.operations { await world.apply(operation) }
        let start = ExploredState(world: world, cycleCounts: Array(repeating: 0, count: world.devices.count))
        guard await visit(start, from: nil) != nil else { return result }
        var frontier = [start]
        while !frontier.isEmpty {
            var next: [ExploredState] = []
            for state in frontier {
                for (step, following) in successors(of: state) {
                    var following = following
                    await following.world.apply(step)
                    result.stepCount += 1
                    if let state = await visit(following, from: (state.number, step)) { next.append(state) }
                    if result.failure != nil { return result }
                    if result.stateCount >= exploration.mostStates {
                        result.isComplete = false
                        return result
                    }
                }
            }
            frontier = next
            if !next.isEmpty { result.depth += 1 }
        }
        return result
    }

    /// Visits a state, unless it was visited before.
    ///
    /// - Returns: The state with its position; nil for one that was visited before.
    private mutating func visit(
        _ state: ExploredState, from origin: (before: Int, step: SimulationOperation)?
    ) async -> ExploredState? {
        guard visited.insert(state.digest).inserted else { return nil }
        var state = state
        state.number = origins.count
        origins.append(origin)
        result.stateCount += 1
        if !state.world.report.faults.isEmpty {
            await fail(at: state, ending: [])
        } else if await !isSound(state.world) {
            await fail(at: state, ending: state.world.interruption)
        }
        return state
    }

    /// Returns the steps that are possible in a state, with what they count for.
    ///
    /// A device that waits for an answer cannot begin a cycle. It gives up only if the answer was lost, because giving
    /// up earlier is a delay of the answer.
    private func successors(of state: ExploredState) -> [(SimulationOperation, ExploredState)] {
        var successors: [(SimulationOperation, ExploredState)] = []
        func add(_ step: SimulationOperation, _ change: (inout ExploredState) -> Void = { _ in }) {
            var following = state
            change(&following)
            successors.append((step, following))
        }
        let world = state.world
        let messages = world.network.messages.indices
        for (position, edit) in exploration.edits.enumerated() where !state.edits.contains(position) {
            add(edit) { $0.edits.insert(position) }
        }
        for message in messages { add(.deliver(message: message)) }
        for device in world.devices.indices {
            if world.devices[device].cycle == nil, state.cycleCounts[device] < exploration.mostCycles {
                add(.begin(device: device)) { $0.cycleCounts[device] += 1 }
            } else if let awaited = world.devices[device].awaited, !world.network.has(awaited, of: device) {
                add(.giveUp(device: device))
            }
        }
        if state.faultCount == exploration.mostFaults { return successors }
        for fault in exploration.faults {
            switch fault {
            case .lose:
                for message in messages { add(.lose(message: message)) { $0.faultCount += 1 } }
            case .duplicate:
                for message in messages { add(.duplicate(message: message)) { $0.faultCount += 1 } }
            case .crash(let device) where world.devices[device].cycle == nil: continue
            case .restore(let device) where world.devices[device].disk.backup == nil: continue
            case .restoreService where world.service.disk.backup == nil: continue
            default: add(fault) { $0.faultCount += 1 }
            }
        }
        return successors
    }

    /// Whether all devices come to agree, if all messages of a state are lost and all programs end.
    private mutating func isSound(_ world: SimulatedWorld) async -> Bool {
        var world = world
        world.interrupt()
        var path: [Int] = []
        var turn = 0
        var quietTurns = 0
        while true {
            var hasher = Hasher()
            hasher.combine(world.digest)
            hasher.combine(turn)
            hasher.combine(quietTurns)
            let state = hasher.finalize()
            if sound.contains(state) { break }
            path.append(state)
            if quietTurns > world.devices.count {
                world.checkRest()
                if !world.report.faults.isEmpty { return false }
                break
            }
            let before = world.restDigests
            guard await world.finishCycle(of: turn), world.report.faults.isEmpty, path.count < 100 else { return false }
            quietTurns = world.restDigests == before ? quietTurns + 1 : 0
            turn = (turn + 1) % world.devices.count
        }
        result.restCount += path.isEmpty ? 0 : 1
        sound.formUnion(path)
        return true
    }

    /// Makes the script that leads to a state, and runs it once more with a trace.
    private mutating func fail(at state: ExploredState, ending: [SimulationOperation]) async {
        var steps = ending
        var number = state.number
        while let origin = origins[number] {
            steps.insert(origin.step, at: 0)
            number = origin.before
        }
        var script = exploration.start
        script.operations += steps
        result.failure = await exploration.simulator.run(script)
    }
}

extension SimulatedWorld {
    /// The steps that lose all messages and end all programs.
    fileprivate var interruption: [SimulationOperation] {
        network.messages.map { _ in .lose(message: 0) } + devices.indices.map { .crash(device: $0) }
    }

    /// Loses all messages, and ends all programs and all faults.
    fileprivate mutating func interrupt() {
        network.takeAll()
        for device in devices.indices { crash(device) }
        endFaults()
    }
}
