import DifferentialSync
import StoreSync
import SyncPersistence

/// A state of a simulation: all stores, all messages on their way, and what users have done.
///
/// It is a value, so that a simulation can return to an earlier state.
///
/// A world arranges its parts, which own their state. It passes messages between devices and services, reports what
/// they do, and adds the changes of users to the ledger.
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
    /// The service of the account.
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
            await reopenFile(of: .device(device))
        case .fail(let device, let failure): devices[self.device(device)].disk.failure = failure
        case .failService(let failure): service.disk.failure = failure
        case .throttle(let requests): service.throttledCount = max(requests, 0)
        case .refuse(let refuses): service.refuses = refuses
        case .changeAccount(let device, let isOther):
            crash(self.device(device))
            devices[self.device(device)].isElsewhere = isOther
        case .changeScope(let device, let position):
            crash(self.device(device))
            devices[self.device(device)].changeScope(to: scope(position))
            // In another scope, a device is a new one, without its pushes.
            ledger.addForgetting()
        default: await applyToStores(operation)
        }
    }
}

extension SimulatedWorld {
    /// A digest of everything that decides what can happen next, and of what users have done.
    ///
    /// An exploration visits one of several states with the same digest. What only differs in the order of messages,
    /// or in their numbers, has the same digest, because any message can be delivered next.
    var digest: Int {
        var hasher = Hasher()
        for device in devices { device.hash(into: &hasher) }
        service.hash(into: &hasher)
        network.hash(into: &hasher, where: { devices[$0.device].awaits($0) })
        hasher.combine(ledger)
        return hasher.finalize()
    }
}
