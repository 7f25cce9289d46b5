import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Replaces a device's store by its last copy.
    ///
    /// Edits that only the lost store had are forgiven. Deletions that only the copy does not know may be undone.
    mutating func restore(_ device: Int) async {
        guard let backup = devices[device].disk.backup else { return }
        report.log("device \(device) is restored")
        report.count(.restoredDevice)
        ledger.addForgetting()
        let new = Set(backup.newRecords)
        ledger.addCopied(new)
        crash(device)
        let lost = devices[device].disk.content
        devices[device].lastPush = [:]
        await change(.device(device)) { try await $0.restore() }
        if hasRelay && SimulatedPlace.device(device) == .relay { return await beginEpoch(at: .relay, instead: lost) }
        ledger.forgiveLost(by: device, sendingAgain: new, in: copies)
    }

    /// Replaces the service's store by its last copy, and begins another epoch, as its operator must.
    mutating func restoreService() async {
        guard service.disk.backup != nil else { return }
        report.log("the service is restored")
        report.count(.restoredService)
        ledger.addForgetting()
        let lost = service.disk.content
        await change(.service) { try await $0.restore() }
        await beginEpoch(at: .service, instead: lost)
    }

    /// Begins an epoch of the service or the relay, and forgives what its copy does not have.
    ///
    /// - Parameters:
    ///   - server: The restored store.
    ///   - lost: What was stored there before.
    private mutating func beginEpoch(at server: SimulatedPlace, instead lost: InMemoryContent) async {
        let begin = simulator.beginEpoch
        self[server].failure = nil
        do {
            try await withServer(server) { try await begin($0.service) }
        } catch {
            report.addFault(.error, "no epoch begins: \(error)")
        }
        if server == .service { ledger.addUndone(from: lost, to: service.disk.content) }
        ledger.forgiveLost(with: lost, in: copies)
    }
}
