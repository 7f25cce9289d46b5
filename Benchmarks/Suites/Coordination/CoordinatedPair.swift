import BenchmarkSupport
import DifferentialSyncTesting
import SQLitePersistence
import SyncCoordination
import SyncPersistence

/// A device and a service over SQLite files with the same rows, and a coordinator of the device that begins no cycle by
/// itself.
final class CoordinatedPair {
    private let device = StoreFile(schema: BenchmarkRow.schema)
    private let server = StoreFile(schema: BenchmarkRow.schema)
    private let service: SyncService
    private let coordinator: SyncCoordinator
    private let events: AsyncStream<SyncEvent>
    private let count: Int
    private var generator = SeededGenerator(seed: 1)
    private var round = 0

    init(count: Int) {
        self.count = count
        service = SyncService(server.adapter, account: "account")
        device.adapter.commitNow(BenchmarkRow.insertions(count: count))
        var settings = CoordinatorSettings()
        (settings.quiet, settings.longestQuiet) = (.seconds(86_400), .seconds(86_400))
        let coordinator = SyncCoordinator(of: device.adapter, with: service, settings: settings)
        self.coordinator = coordinator
        events = unfailing {
            try blocking {
                await coordinator.start()
                await coordinator.waitUntilIdle()
                return await coordinator.events()
            }
        }
    }

    /// Edits so many rows of the device.
    func edit(_ count: Int) {
        round += 1
        var ids: Set<Int> = []
        while ids.count < count { ids.insert(Int.random(in: 0..<self.count, using: &generator)) }
        var changes = ChangeSet(origin: .local)
        for id in ids { changes.update(RecordID("Row", .integer(Int64(id))), ["text": .string("round \(round)")]) }
        device.adapter.commitNow(changes)
    }

    /// Runs a cycle without the coordinator.
    func cycle() -> StoreOutcome {
        let (adapter, service) = (device.adapter, service)
        return unfailing { try blocking { try await adapter.synchronize(with: service) } }
    }

    /// Lets the coordinator run a cycle, and waits for its end.
    ///
    /// The transaction that records the end for tools follows, and is no part of it: to wait until nothing is due would
    /// be to wait for the delay after an edit whose commit was received late.
    func coordinatedCycle() -> StoreOutcome {
        let (coordinator, events) = (coordinator, events)
        return unfailing {
            try blocking {
                await coordinator.syncNow()
                for await event in events { if case .cycleEnded(let outcome) = event { return outcome } }
                fatalError("the coordinator has ended")
            }
        }
    }
}
