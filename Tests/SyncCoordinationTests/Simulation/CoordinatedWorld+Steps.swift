import DifferentialSyncTesting
import StoreSync
import SyncCoordination
import SyncPersistence

extension CoordinatedWorld {
    /// Adds what happens until all faults are healed.
    mutating func addSteps() {
        var time = Duration.zero
        for number in coordinators.indices { queue.add(.step(.start(coordinator: number)), at: time + random(3_000)) }
        let count = Int.random(in: 15...45, using: &generator)
        for position in 1...count {
            time += random(generator.happens(0.1) ? 300_000 : 8_000)
            if generator.happens(0.6) {
                queue.add(.step(.edit(randomEdit(position))), at: time)
            } else {
                addFault(at: time)
            }
        }
        queue.add(.step(.heal), at: time + .seconds(60))
    }

    private mutating func random(below count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    private mutating func randomEdit(_ number: Int) -> SimulationOperation {
        let device = random(below: world.devices.count)
        switch random(below: 20) {
        case 0..<7: return .insert(device: device, entity: random(below: 3), number: number)
        case 7..<14: return .update(device: device, record: random(below: 6), number: number)
        case 14..<16: return .delete(device: device, record: random(below: 6))
        case 16..<18:
            return .connect(
                device: device, record: random(below: 6), relationship: random(below: 2), to: random(below: 4))
        case 18: return .disconnect(device: device, record: random(below: 6), relationship: random(below: 2))
        default: return .resolve(device: device, conflict: random(below: 3), by: .local)
        }
    }

    /// Adds a fault that ends after a while.
    private mutating func addFault(at time: Duration) {
        let number = random(below: coordinators.count)
        let place: StoreFailure = generator.happens(0.5) ? .beforeCommit : .afterCommit
        let end = time + random(generator.happens(0.3) ? 400_000 : 20_000)
        let wish = generator.happens(0.5) ? 1 + random(below: 200) : nil
        func add(_ step: Step, _ opposite: Step? = nil) {
            queue.add(.step(step), at: time)
            if let opposite { queue.add(.step(opposite), at: end) }
        }
        switch random(below: 14) {
        case 0..<2: add(.answer(.later(wish: wish)), .answer(.normally))
        case 2: add(.answer(.throttled(wish: wish)), .answer(.normally))
        case 3..<5: add(.kill(coordinator: number), .start(coordinator: number))
        case 5..<7: add(.stop(coordinator: number), .start(coordinator: number))
        case 7: add(.connect(coordinator: number, false), .connect(coordinator: number, true))
        case 8: add(.activate(coordinator: number, false), .activate(coordinator: number, true))
        case 9: add(.suspend(coordinator: number, true), .suspend(coordinator: number, false))
        case 10: add(.revoke(coordinator: number))
        case 11: add(.edit(.fail(device: coordinators[number].device, at: place)))
        case 12: add(.edit(.failService(at: place)))
        default: add(.edit(.refuse(true)), .edit(.refuse(false)))
        }
    }

    /// Lets a step happen.
    mutating func apply(_ step: Step) async {
        log("\(step)")
        switch step {
        case .edit(let operation):
            await world.apply(operation)
            for device in world.devices.indices { publishCommits(of: device, madeBy: nil) }
        case .kill(let number):
            coordinators[number].process += 1
            coordinators[number].isStarted = false
            coordinators[number].startsAgain = false
            coordinators[number].cycles = [:]
            coordinators[number].lastRun = nil
            coordinators[number].state = CoordinatorState(settings: settings, canRenew: true)
        case .stop(let number):
            coordinators[number].isStarted = false
            coordinators[number].startsAgain = false
            removeStreamElements(of: number)
            if planted == .stopsWithoutWaiting {
                coordinators[number].state = CoordinatorState(settings: settings, canRenew: true)
            } else {
                await handle(.stopRequested, by: number)
            }
        case .start(let number): await start(number)
        case .connect(let number, let isConnected):
            coordinators[number].isConnected = isConnected
            signal(.reachabilityChanged(isReachable: isConnected), to: number, after: random(500))
        case .activate(let number, let isActive):
            signal(.activityChanged(isActive: isActive), to: number, after: random(100))
        case .suspend(let number, let isSuspended):
            if !isSuspended { coordinators[number].pace.addReason() }
            await handle(isSuspended ? .suspended : .resumed, by: number)
        case .revoke(let number):
            if coordinators[number].canRevoke { coordinators[number].isAuthorized = false }
            coordinators[number].canRevoke = false
        case .answer(let mode): self.mode = mode
        case .heal: await heal()
        }
    }

    /// Removes what the streams of a coordinator would bring, which it no longer receives.
    private mutating func removeStreamElements(of number: Int) {
        queue.removeAll { event in
            guard case .signal(number, _, let event) = event else { return false }
            switch event {
            case .committed, .notified, .activityChanged, .reachabilityChanged: return true
            default: return false
            }
        }
    }

    /// Starts a coordinator, once its stop has ended.
    mutating func start(_ number: Int) async {
        if coordinators[number].isStarted { return }
        if planted != .stopsWithoutWaiting && !coordinators[number].state.isStill {
            coordinators[number].startsAgain = true
            return
        }
        coordinators[number].startsAgain = false
        coordinators[number].isStarted = true
        coordinators[number].pace.restart(at: now)
        await handle(.started, by: number)
        // The streams begin with the present state, as those of an app do.
        signal(.reachabilityChanged(isReachable: coordinators[number].isConnected), to: number, after: .zero)
    }

    /// Ends all faults.
    private mutating func heal() async {
        world.endFaults()
        isHealed = true
        queue.removeAll { event in
            // What is under way arrives, and no fault begins any more.
            if case .step = event { true } else { false }
        }
        mode = .normally
        lastChange = now
        for number in coordinators.indices {
            coordinators[number].isConnected = true
            await start(number)
            signal(.reachabilityChanged(isReachable: true), to: number, after: .zero)
            if sharesStore(number) { signal(.activityChanged(isActive: false), to: number, after: .zero) }
            signal(.activityChanged(isActive: true), to: number, after: .zero)
            coordinators[number].pace.addReason()
            await handle(.resumed, by: number)
        }
    }
}
