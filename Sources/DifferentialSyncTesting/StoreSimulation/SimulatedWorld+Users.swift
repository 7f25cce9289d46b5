import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Makes a user's edit on a device, and adds its changes to the ledger.
    ///
    /// An edit that the schema does not allow has no effect. The store does not fail at an edit: failures are for the
    /// steps of cycles.
    mutating func edit(_ device: Int, _ operation: SimulationOperation) async {
        do {
            let outcome = try await devices[device].disk.withStore(failing: false, through: environment.deviceStorage) {
                try await $0.write { try operation.edit($0, on: device) }.result
            }
            if let change = outcome.result { report.log("device \(device) edits: \(change.text)") }
            ledger.add(outcome.commits, on: device, in: copies)
        } catch {
            report.log("device \(device) may not edit: \(error)")
        }
    }

    /// Makes a user's step with what a device lists, and adds its decision and its changes to the ledger.
    ///
    /// A step that comes too late, because the conflict has changed, has no effect.
    mutating func applyToLists(of device: Int, _ operation: SimulationOperation) async {
        let before = devices[device].disk.content
        var decision: DecidedConflict?
        var commits: [Commit] = []
        do {
            (decision, commits) = try await devices[device].disk.withStore(failing: false) {
                try await operation.applyToLists(of: $0)
            }
        } catch is ConflictError {
            report.log("a conflict of device \(device) has changed")
        } catch let error as PersistenceError {
            report.log("device \(device) may not do that: \(error)")
        } catch {
            report.addFault(.error, "a list of device \(device) throws \(error)")
        }
        if let decision { add([decision], of: device, before: before) }
        ledger.add(commits, on: device, in: copies, isRestoring: true)
    }
}

extension ChangeSet.Operation {
    /// The change in a line of a trace.
    fileprivate var text: String {
        if case .put(let record) = self { return "put \(StoreDump.text(record))" }
        return "\(self)"
    }
}
