import DifferentialSync
import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Adds the decisions of a device's policies or of its user to the ledger.
    ///
    /// It checks that each conflict is one: if one version was made from the other, there is nothing to decide.
    ///
    /// - Parameters:
    ///   - decisions: The decisions of a step.
    ///   - device: The device.
    ///   - before: What the device had stored before the step.
    mutating func add(_ decisions: [DecidedConflict], of device: Int, before: InMemoryContent) {
        for decision in decisions {
            report.log("device \(device) \(decision)")
            report.count(decision.result == nil ? .openConflict : .decision)
            // Behind a relay, a value may have been replaced before the service amends it.
            if !hasRelay, let slot = ledger.falseConflict(in: decision) {
                report.addFault(.falseConflict, "\(decision.id).\(slot): one value has replaced the other")
            }
            ledger.add(decision)
            if decision.conflict.local == nil && decision.result == nil {
                devices[device].openDeletions.insert(decision.id)
            }
        }
        do {
            try ledger.addConsequences(
                of: decisions, on: device, from: before, to: devices[device].disk.content,
                served: servedContent(of: device))
        } catch {
            report.addFault(.error, "the store cannot be read: \(error)")
        }
    }
}
