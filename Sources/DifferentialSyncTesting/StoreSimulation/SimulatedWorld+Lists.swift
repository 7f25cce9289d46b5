import DifferentialSync
import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Makes a user's step with a conflict or a refused change that a device lists.
    ///
    /// The steps use the same public functions as an app: `resolve(_:with:)`, `releaseRefused(_:)` and
    /// `discardLocalChange(of:)`.
    mutating func applyToLists(_ operation: SimulationOperation) async {
        switch operation {
        case .resolve(let device, let conflict, let choice):
            await change(self.device(device)) { store in
                let conflicts = try await store.openConflicts
                if conflicts.isEmpty { return nil }
                let chosen = conflicts[conflict.wrapped(conflicts.count)]
                let resolution: Resolution<Record> = choice == .local ? .local : .remote
                try await store.resolve(chosen, with: resolution)
                return DecidedConflict(chosen.versions, resolution)
            }
        case .release(let device):
            await change(self.device(device)) { store in
                for refused in try await store.refusedRecords { try await store.releaseRefused(refused.id) }
                return nil
            }
        case .discard(let device, let record):
            await change(self.device(device)) { store in
                let refused = try await store.refusedRecords
                if !refused.isEmpty {
                    try await store.discardLocalChange(of: refused[record.wrapped(refused.count)].id)
                }
                return nil
            }
        default: break
        }
    }

    /// Runs a step on a device's store, and adds its decision and its changes to the ledger.
    ///
    /// A step that comes too late, because the conflict has changed, has no effect.
    private mutating func change(
        _ device: Int, _ body: (SimulatedStore) async throws -> DecidedConflict?
    ) async {
        let before = devices[device].disk.content
        var decision: DecidedConflict?
        var commits: [Commit] = []
        do {
            (decision, commits) = try await devices[device].disk.withStore(failing: false, body)
        } catch is ConflictError {
            report.log("a conflict of device \(device) has changed")
        } catch let error as PersistenceError {
            report.log("device \(device) may not do that: \(error)")
        } catch {
            report.addFault(.error, "a list of device \(device) throws \(error)")
        }
        if let decision { add([decision], of: device, before: before) }
        add(commits, of: device, isRestoring: true)
    }
}
