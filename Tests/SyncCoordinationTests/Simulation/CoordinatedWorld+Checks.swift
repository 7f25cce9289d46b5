import DifferentialSyncTesting
import StoreSync
import SyncCoordination
import SyncPersistence

extension CoordinatedWorld {
    /// Whether there was time for each coordinator to begin a cycle after the last change, and nothing is under way.
    var hasSettled: Bool {
        now > lastChange + .seconds(60) + (settings.pollInterval ?? .zero) * 2 && isAtRest
    }

    /// Whether all faults are healed, and nothing is under way.
    private var isAtRest: Bool {
        isHealed && coordinators.allSatisfy { $0.state.isDone && $0.state.isIdle(at: now) && $0.state.isStill }
            && !queue.all.contains { event in
                switch event {
                case .arrives, .signal, .cancels, .step: true
                case .givesUp: false
                }
            }
    }

    /// What the coordinators show.
    var statusText: String {
        coordinators.indices.map { "\($0): \(coordinators[$0].state.status(at: now))" }.joined(separator: ", ")
    }

    /// Checks what must be true once everything has come to rest.
    mutating func checkRest() async {
        if !isAtRest { return addFault(.restless, "nothing happens any more: \(statusText)") }
        for number in coordinators.indices {
            world.devices[coordinators[number].device].outcome = coordinators[number].outcome
            if settings.pollInterval == nil, let wake = coordinators[number].state.nextWake {
                addFault(.restless, "coordinator \(number) wakes at \(wake)")
            }
        }
        world.checkRest()
        do {
            for number in coordinators.indices { try await checkStatus(of: number) }
            try checkFingerprints()
        } catch {
            addFault(.error, "the stores cannot be read: \(error)")
        }
    }

    /// Compares a status with the lists of the store.
    private mutating func checkStatus(of number: Int) async throws {
        let store = SimulatedStore(world.devices[coordinators[number].device].disk.content)
        let (conflicts, refused) = (try await store.openConflicts.count, try await store.refusedRecords.count)
        let status = coordinators[number].state.status(at: now)
        let isRight =
            switch status {
            case .idle(let date): date != nil && conflicts == 0 && refused == 0
            case .attention(conflicts, refused): true
            default: false
            }
        if !isRight {
            addFault(.restless, "coordinator \(number) is \(status), with \(conflicts) conflicts, \(refused) refused")
        }
    }

    /// Compares the fingerprints of the stores without unresolved changes.
    private mutating func checkFingerprints() throws {
        let served = try world.service.disk.content.read { try $0.fingerprint() }
        for number in coordinators.indices where coordinators[number].outcome?.isSynced ?? false {
            let device = coordinators[number].device
            if try world.devices[device].disk.content.read({ try $0.fingerprint() }) != served {
                addFault(.disagreement, "the fingerprint of device \(device) is not the service's")
            }
        }
    }
}
