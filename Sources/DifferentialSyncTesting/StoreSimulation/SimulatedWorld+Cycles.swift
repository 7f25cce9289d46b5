import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Begins a device's cycle; a cycle that waits for a lost message ends instead.
    package mutating func begin(_ device: Int) async {
        if let awaited = devices[device].awaited {
            if !network.has(awaited, of: device) { await giveUp(device) }
            return
        }
        report.log("device \(device) begins")
        devices[device].begin(in: environment)
        await step(device) { try $0.begin(in: $1) }
    }

    /// Ends a device's wait for an answer, as if the network had failed.
    ///
    /// An answer that arrives later has no effect.
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
                of: message, from: devices[message.device], isEarly: network.hasOlderRequest(than: message))
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
            devices[device].receive(answer)
            await step(device) { try $0.received(answer, in: $1) }
            if case .pull(let page) = answer { addDeletions(of: page, on: device) }
        }
    }

    /// Ends the program of a device, which loses its cycle and keeps what it has stored.
    mutating func crash(_ device: Int) {
        devices[device].crash()
        removeUnawaitedAnswers()
    }

    /// Removes the answers for which no device waits: it could not receive them.
    private mutating func removeUnawaitedAnswers() {
        network.keepAnswers { devices[$0.device].awaits($0) }
    }

    /// Makes a step of a device's cycle, and sends what it requests.
    ///
    /// If the store fails, the program of the device ends, as after an error that it cannot handle.
    private mutating func step(
        _ device: Int, _ body: @escaping @Sendable (inout StoreCycle, WriteTransaction) throws -> StoreCycle.Step
    ) async {
        let before = devices[device].disk.content
        guard let outcome = await devices[device].step(names: "\(device)/", in: environment, body) else { return }
        add(outcome.decisions, of: device, before: before)
        switch outcome.result {
        case .success(let step): send(step, from: device)
        case .failure(let error):
            if error is SimulatedFailure {
                report.log("the store of device \(device) fails")
                report.count(.deviceStoreFailure)
            } else if isExpected(error, on: device) {
                report.log("the cycle of device \(device) ends: \(error)")
                report.count(.accountChange)
            } else {
                report.addFault(.error, "a step of device \(device) throws \(error)")
            }
            crash(device)
            await reopenFile(of: .device(device))
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
            if let last = devices[device].addPush(message), message.name.number < last {
                report.addFault(.goesBack, "device \(device) sends push \(message.name.number) after \(last)")
            }
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
