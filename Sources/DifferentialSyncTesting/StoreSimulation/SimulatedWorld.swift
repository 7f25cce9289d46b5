import DifferentialSync
import StoreSync
import SyncPersistence

/// A state of a simulation: all stores, all messages on their way, and what users have done.
///
/// It is a value, so that a simulation can return to an earlier state.
///
/// One step of a script is one call of ``apply(_:)``. Nothing else happens in between: neither a clock nor a thread
/// changes a world.
package struct SimulatedWorld: Sendable {
    /// The schema, the service and the policies, which are the same in all states.
    let simulator: StoreSimulator
    /// What the stores and servers of all states share.
    let environment: SimulationEnvironment

    /// The devices by their numbers; clones are added at the end.
    package var devices: [SimulatedDevice]
    package internal(set) var service: SimulatedServiceState
    /// The messages on their way.
    package var network = SimulatedNetwork()
    /// The edits that must be found in the end, and the deletions that must not be undone.
    var ledger = EditLedger()

    /// The broken rules, the trace and the counts of events so far.
    package var report: SimulationReport

    /// Whether a store can have several cycles in progress, of which one continues.
    package var allowsSeveralCycles = false

    /// Whether the first device is the service of others.
    let hasRelay: Bool

    /// Creates the world before the first step of a script: all stores are empty.
    package init(_ simulator: StoreSimulator, _ script: SimulationScript, isTraced: Bool = false) {
        self.simulator = simulator
        environment = SimulationEnvironment(simulator, script)
        let content = InMemoryContent(schema: simulator.schema)
        devices = Array(repeating: SimulatedDevice(content), count: max(script.devices, 1))
        service = SimulatedServiceState(content)
        report = SimulationReport(isTraced: isTraced)
        hasRelay = script.hasRelay && devices.count > 2
        for device in devices.indices.dropFirst(2) {
            devices[device].isBehindRelay = hasRelay && device.isMultiple(of: 2)
        }
        for device in devices.indices where !script.scopes.isEmpty {
            devices[device].scope = scope(script.scopes[device % script.scopes.count])
        }
    }

    /// The copies of records in all stores and pages.
    var copies: SimulatedCopies {
        SimulatedCopies(devices: devices, served: service.disk.content, messages: network.messages)
    }

    /// Returns the position of a device for a number of a script.
    func device(_ number: Int) -> Int { number.wrapped(devices.count) }

    /// Returns the position of a scope for a number of a script; nil for all records.
    private func scope(_ number: Int) -> Int? {
        let number = number.wrapped(environment.scopes.count + 1)
        return number == 0 ? nil : number - 1
    }
}

extension SimulatedWorld {
    /// Makes one step.
    package mutating func apply(_ operation: SimulationOperation) async {
        switch operation {
        case .insert(let device, _, _), .update(let device, _, _), .delete(let device, _),
            .connect(let device, _, _, _), .disconnect(let device, _, _):
            await edit(self.device(device), operation)
        case .resolve(let device, _, _), .release(let device), .discard(let device, _):
            await applyToLists(of: self.device(device), operation)
        case .begin(let device): await begin(self.device(device))
        case .deliver(let message):
            if let message = network.take(message) { await deliver(message) }
        case .lose(let message):
            if let message = network.take(message) {
                report.log("lost: \(message)")
                if !message.isCopy { report.count(message.isRequest ? .lostRequest : .lostAnswer) }
            }
        case .duplicate(let message): network.duplicate(message)
        case .giveUp(let device): await giveUp(self.device(device))
        case .crash(let device):
            let device = self.device(device)
            report.log("device \(device) crashes")
            if devices[device].cycle != nil { report.count(.crash) }
            crash(device)
            await reopenFile(of: device)
        case .fail(let device, let failure): devices[self.device(device)].disk.failure = failure
        case .failService(let failure): service.disk.failure = failure
        case .throttle(let requests): service.throttledCount = max(requests, 0)
        case .refuse(let refuses): service.refuses = refuses
        case .changeAccount(let device, let isOther):
            crash(self.device(device))
            devices[self.device(device)].isElsewhere = isOther
        case .changeScope(let device, let position):
            crash(self.device(device))
            devices[self.device(device)].scope = scope(position)
            devices[self.device(device)].left = []
            devices[self.device(device)].hasChangedScope = true
            // In another scope, a device is a new one, without its pushes.
            ledger.addForgetting()
        default: await applyToStores(operation)
        }
    }

    /// Ends the program of a device.
    mutating func crash(_ device: Int) {
        devices[device].crash()
        removeUnawaitedAnswers()
    }

    /// Removes the answers for which no device waits: it could not receive them.
    private mutating func removeUnawaitedAnswers() {
        network.keepAnswers { devices[$0.device].awaits($0) }
    }
}

extension SimulatedWorld {
    /// Begins a device's cycle; a cycle that waits for a lost message ends instead.
    package mutating func begin(_ device: Int) async {
        if let awaited = devices[device].awaited {
            if !network.has(awaited, of: device) { await giveUp(device) }
            return
        }
        report.log("device \(device) begins")
        devices[device].cycle = environment.makeCycle(scope: devices[device].scope)
        devices[device].isCycleElsewhere = devices[device].isElsewhere && devices[device].disk.content.hasAccount
        await step(device) { try $0.begin(in: $1) }
    }

    /// Ends a device's wait for an answer.
    package mutating func giveUp(_ device: Int) async {
        guard devices[device].awaited != nil else { return }
        report.log("device \(device) gives up")
        devices[device].awaited = nil
        await step(device) { try $0.failed(.later(), in: $1) }
    }

    /// Makes a message arrive: a request is answered at once, and the answer is on its way then.
    ///
    /// An answer for which the device no longer waits is lost.
    package mutating func deliver(_ message: SimulatedMessage) async {
        switch message.body {
        case .request(let request):
            report.countArrival(
                of: message, from: devices[message.device], isEarly: network.isOvertaken(by: message))
            guard let answer = await answer(request, in: message) else {
                report.count(.lostAnswer)
                return report.log("no answer: \(message)")
            }
            report.log("\(message) → \(answer)")
            report.count(answer, to: request, of: devices[message.device])
            if case .pull(let page) = answer { checkScope(of: page, for: message.device) }
            network.send(answer, to: message)
            removeUnawaitedAnswers()
        case .answer(let answer):
            let device = message.device
            guard devices[device].awaits(message) else { return }
            report.log("arrives: \(message)")
            devices[device].awaited = nil
            var hasher = Hasher()
            hasher.combine(devices[device].cycleDigest)
            hasher.combine(answer)
            devices[device].cycleDigest = hasher.finalize()
            await step(device) { cycle, transaction in
                switch answer {
                case .handshake(let response): try cycle.received(response, in: transaction)
                case .pull(let response): try cycle.received(response, in: transaction)
                case .push(let response): try cycle.received(response, in: transaction)
                case .failed(let error): try cycle.failed(error, in: transaction)
                }
            }
            if case .pull(let page) = answer { addDeletions(of: page, on: device) }
        }
    }

    /// Makes a step of a device's cycle in one transaction.
    ///
    /// If the store fails, the program of the device ends, as after an error that it cannot handle.
    private mutating func step(
        _ device: Int, _ body: @escaping @Sendable (inout StoreCycle, WriteTransaction) throws -> StoreCycle.Step
    ) async {
        guard let cycle = devices[device].cycle.map(Locked.init) else { return }
        _ = environment.takeDecisions()
        let before = devices[device].disk.content
        environment.setNames("\(device)/", count: devices[device].nameCount)
        let outcome: Result<StoreCycle.Step, any Error>
        do {
            let step = try await devices[device].disk.withStore(through: simulator.deviceStorage) { store in
                try await store.write { transaction in try cycle.withLock { try body(&$0, transaction) } }.result
            }.result
            outcome = .success(step)
        } catch {
            outcome = .failure(error)
        }
        devices[device].nameCount = environment.nameCount
        let decisions = environment.takeDecisions()
        switch outcome {
        case .success(let step):
            add(decisions, of: device, before: before)
            devices[device].cycle = cycle.current
            send(step, from: device)
        case .failure(let error):
            devices[device].error = error
            if let failure = error as? SimulatedFailure {
                if case .afterCommit = failure.failure { add(decisions, of: device, before: before) }
                report.log("the store of device \(device) fails")
                report.count(.deviceStoreFailure)
            } else if isExpected(error, on: device) {
                report.log("the cycle of device \(device) ends: \(error)")
                report.count(.accountChange)
            } else {
                report.addFault(.error, "a step of device \(device) throws \(error)")
            }
            crash(device)
            await reopenFile(of: device)
        }
    }

    /// Whether a step may throw an error: for a service of another account, or because another cycle has continued.
    private func isExpected(_ error: any Error, on device: Int) -> Bool {
        devices[device].isCycleElsewhere && error is KeptApartError
            || allowsSeveralCycles && (error as? PersistenceError)?.code == .cycleOvertaken
    }

    /// Sends the request of a step, or keeps the outcome of a cycle that has ended.
    private mutating func send(_ step: StoreCycle.Step, from device: Int) {
        let request: SimulatedMessage.Request
        switch step {
        case .handshake(let message): request = .handshake(message)
        case .pull(let message): request = .pull(message)
        case .push(let message):
            request = .push(message)
            let last = devices[device].lastPush[message.device] ?? 0
            if message.name.number < last {
                report.addFault(.goesBack, "device \(device) sends push \(message.name.number) after \(last)")
            }
            devices[device].lastPush[message.device] = message.name.number
        case .finished(let outcome):
            report.log("device \(device) has finished: pulled \(outcome.pulledCount), pushed \(outcome.pushedCount)")
            devices[device].crash()
            devices[device].outcome = outcome
            return
        }
        devices[device].awaited = network.send(
            request, from: device, isElsewhere: devices[device].isCycleElsewhere)
    }
}
