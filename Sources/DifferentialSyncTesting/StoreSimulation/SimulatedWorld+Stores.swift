import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Makes a step that copies, restores, prunes or extends a store.
    mutating func applyToStores(_ operation: SimulationOperation) async {
        switch operation {
        case .backUp(let device):
            await change(.device(self.device(device))) { try await $0.backUp() }
        case .restore(let device): await restore(self.device(device))
        case .clone(let device): await clone(self.device(device))
        case .backUpService: await change(.service) { try await $0.backUp() }
        case .restoreService: await restoreService()
        case .prune(let number):
            let server = hasRelay && !number.isMultiple(of: 2) ? SimulatedPlace.relay : .service
            await changeStore(of: server) { store in
                try await store.write { try $0.apply(.forgettingHistory(through: $0.historySequence)) }
            }
            let disk = self[server]
            if disk.isRestored { ledger.forgiveDeletions(forgottenBy: disk.content, in: copies) }
        case .grow(let device):
            let device = self.device(device)
            crash(device)
            let (schema, growth) = (devices[device].disk.content.schema, simulator.growth)
            await change(.device(device)) { disk in _ = try await disk.withStore { try await $0.add(growth) } }
            if devices[device].disk.content.schema != schema { report.count(.schemaChange) }
        case .growService:
            let (schema, growth) = (service.disk.content.schema, simulator.growth)
            await changeStore(of: .service) { try await $0.add(growth) }
            if service.disk.content.schema != schema { report.count(.schemaChange) }
        default: break
        }
    }

    /// Changes the store of the service or the relay.
    ///
    /// The store does not fail then. A failure that is due occurs at the next request.
    private mutating func changeStore(
        of server: SimulatedPlace, _ body: (SimulatedStore) async throws -> Void
    ) async {
        do {
            try await withServer(server, failing: false) { try await body($0.store) }
        } catch {
            report.addFault(.error, "the store of a service throws \(error)")
        }
    }

    /// Adds a device with a copy of another device's store, as after moving to a new phone.
    ///
    /// Both have the same identifier at first, which the service notices by the second push.
    private mutating func clone(_ origin: Int) async {
        guard devices.count < 5 else { return }
        let copy = devices.count
        report.log("device \(origin) is cloned as device \(copy)")
        report.count(.clonedDevice)
        var clone = devices[origin].clone
        do {
            try await clone.disk.copyFile(of: &devices[origin].disk, name: "\(copy + 1)")
        } catch {
            report.addFault(.error, "a store in a file cannot be copied: \(error)")
        }
        devices.append(clone)
        ledger.addForgetting()
        ledger.addCopied(clone.disk.content.newRecords)
    }
}

extension ChangeSet {
    /// Returns a change set that removes tombstones up to a number.
    fileprivate static func forgettingHistory(through sequence: Int64) -> ChangeSet {
        var changes = ChangeSet()
        changes.forgetHistory(through: sequence)
        return changes
    }
}
