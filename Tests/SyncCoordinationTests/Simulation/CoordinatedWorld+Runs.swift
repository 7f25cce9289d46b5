import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncCoordination
import SyncPersistence

extension CoordinatedWorld {
    /// Lets a coordinator handle an event, and performs the actions, as the actor does.
    mutating func handle(_ event: CoordinatorState.Event, by number: Int) async {
        let moment = Moment(
            elapsed: now, date: Date(timeIntervalSinceReferenceDate: Double(now.components.seconds)))
        var coordinator = coordinators[number]
        let actions = coordinator.state.handle(event, at: moment, using: &coordinator.generator)
        coordinators[number] = coordinator
        for action in actions {
            if case .begin(_, let run, _) = action {
                await begin(number, run)
            } else if case .cancel(_, let run, let isAbandoned) = action {
                cancel(number, run, isAbandoned: isAbandoned)
            } else if case .renewAuthorization = action, planted != .losesRenewals {
                signal(.renewedAuthorization(succeeded: true), to: number, after: random(3_000))
            } else if case .report(let event) = action {
                log("coordinator \(number): \(event)")
            }
        }
        if coordinators[number].startsAgain && coordinators[number].state.isStill { await start(number) }
    }

    private mutating func begin(_ number: Int, _ run: Int) async {
        if coordinators[number].cycles.values.contains(where: { !$0.isAbandoned }) {
            addFault(.restless, "coordinator \(number) begins a cycle during another")
        }
        if let complaint = coordinators[number].pace.begin(at: now) {
            addFault(.restless, "coordinator \(number): \(complaint)")
        }
        log("coordinator \(number): run \(run) begins")
        coordinators[number].lastRun = run
        coordinators[number].cycles[run] = SimulatedCycle()
        let device = coordinators[number].device
        await step(number, run) { await $0.begin(device) }
    }

    /// Cancels a run, which takes note of that after a while, or does not at all.
    private mutating func cancel(_ number: Int, _ run: Int, isAbandoned: Bool) {
        guard coordinators[number].cycles[run] != nil else { return }
        coordinators[number].cycles[run]?.isCancelled = true
        if isAbandoned {
            log("coordinator \(number): run \(run) is abandoned")
            coordinators[number].cycles[run]?.isAbandoned = true
            coordinators[number].lastRun = nil
            coordinators[number].pace.end(.failed(RunFailure(reason: .timedOut)), at: now)
        }
        if generator.happens(0.7) {
            queue.add(
                .cancels(coordinator: number, process: coordinators[number].process, run: run), at: now + random(500))
        }
    }

    /// The runs that wait for the response to a request.
    func runs(of device: Int, waitingFor number: Int) -> [(coordinator: Int, run: Int)] {
        coordinators.indices.filter { coordinators[$0].device == device }.flatMap { coordinator in
            coordinators[coordinator].cycles.filter { $0.value.awaited == number }.map { (coordinator, $0.key) }
        }
    }

    /// Makes a step of a run's cycle, and passes on what follows from it.
    mutating func step(_ number: Int, _ run: Int, _ body: (inout SimulatedWorld) async -> Void) async {
        guard var running = coordinators[number].cycles[run] else { return }
        let device = coordinators[number].device
        world.devices[device].cycle = running.cycle
        world.devices[device].awaited = running.awaited
        world.devices[device].cycleDigest = running.digest
        world.devices[device].outcome = nil
        world.devices[device].error = nil
        await body(&world)
        running.cycle = world.devices[device].cycle
        running.awaited = world.devices[device].awaited
        running.digest = world.devices[device].cycleDigest
        world.devices[device].cycle = nil
        world.devices[device].awaited = nil
        let (outcome, error) = (world.devices[device].outcome, world.devices[device].error)
        let commits = publishCommits(of: device, madeBy: number)
        // A step that fails reports no progress, even if its commit was stored.
        if error == nil, planted != .forgetsOwnCommits {
            let progress = CoordinatorState.Event.progressed(lane: 0, run: run, fraction: nil, commit: commits.last)
            running.progressEnd = max(running.progressEnd, now + random(20))
            signal(progress, to: number, at: running.progressEnd)
        }
        // Its commits may arrive before the progress, while no other cycle runs.
        if running.isAbandoned { coordinators[number].pace.addReason() }
        coordinators[number].cycles[run] = running
        if let outcome {
            let isCancelled = running.isCancelled && outcome.failure != nil
            end(number, run, isCancelled ? .cancelled : .cycle(outcome))
        } else if let error {
            end(number, run, .failed(RunFailure(error)))
        }
        sendMessages(of: number)
    }

    /// Ends a run; the coordinator receives the result after the progress.
    mutating func end(_ number: Int, _ run: Int, _ result: RunResult) {
        guard let running = coordinators[number].cycles[run] else { return }
        if running.isAbandoned {
            coordinators[number].cycles[run] = nil
        } else {
            // The run stays until the coordinator knows of its end.
            coordinators[number].cycles[run]?.cycle = nil
            coordinators[number].cycles[run]?.awaited = nil
        }
        signal(.ended(lane: 0, run: run, result), to: number, at: max(running.progressEnd, now))
    }

    /// Lets the coordinators of a device's store receive its commits, in their order; returns their numbers.
    @discardableResult
    mutating func publishCommits(of device: Int, madeBy author: Int?) -> [Int64] {
        let commits = (world.devices[device].disk.commits ?? []).filter { !$0.isEmpty }
        world.devices[device].disk.commits = []
        for commit in commits {
            if !commit.changes.isEmpty { lastChange = now }
            let kind: CoordinatorState.CommitKind =
                !commit.changes.isEmpty ? .records : commit.metadata.isEmpty ? .other : .metadata
            let owners = coordinators.indices.filter { coordinators[$0].device == device }
            let first = author ?? owners.first { coordinators[$0].isStarted }
            for number in owners {
                // A process does not always notice the commits of another.
                if number != first && !isHealed && generator.happens(0.5) { continue }
                let time = max(coordinators[number].streamEnd, now + random(author == nil ? 10 : 50))
                coordinators[number].streamEnd = time
                if !coordinators[number].isStarted { continue }
                signal(.committed(sequence: commit.sequence, kind), to: number, at: time)
                if author != number { coordinators[number].foreignCommits.insert(commit.sequence) }
            }
        }
        return commits.map(\.sequence)
    }

    mutating func signal(_ event: CoordinatorState.Event, to number: Int, after delay: Duration) {
        signal(event, to: number, at: now + delay)
    }

    mutating func signal(_ event: CoordinatorState.Event, to number: Int, at time: Duration) {
        queue.add(.signal(coordinator: number, process: coordinators[number].process, event), at: time)
    }
}
