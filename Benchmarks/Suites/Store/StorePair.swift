import BenchmarkSupport
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import StoreSync
import SyncPersistence

/// A device and a service over SQLite files, with the same records: items with three children each.
final class StorePair {
    let device: EntityStore
    let server: EntityStore
    let service: SyncService
    private var generator = SeededGenerator(seed: 1)
    private var round: Int64 = 1_000_000
    private let keys: [Value]

    /// Fills the service, and downloads everything to the device.
    init(_ payload: JSONPayload) {
        (device, server) = (EntityStore(), EntityStore(payload.data))
        service = SyncService(server.file.adapter, account: "account")
        let adapter = server.file.adapter
        keys = unfailing { try blocking { try await adapter.read { try $0.keys(of: "Child") } } }
        sync()
    }

    /// Runs a cycle; returns its outcome.
    @discardableResult
    func sync() -> StoreOutcome {
        let (adapter, service) = (device.file.adapter, service)
        return unfailing { try blocking { try await adapter.synchronize(with: service) } }
    }

    /// Edits one attribute of so many records at each end, and different ones.
    func edit(_ count: Int) {
        round += 1
        var picked = Set<Int>()
        while picked.count < 2 * count { picked.insert(Int.random(in: keys.indices, using: &generator)) }
        let (positions, value) = (Array(picked), Value.integer(round))
        func commit(_ store: EntityStore, _ positions: ArraySlice<Int>, _ origin: ChangeSet.Origin) {
            var changes = ChangeSet(origin: origin)
            for position in positions { changes.update(RecordID("Child", keys[position]), ["position": value]) }
            let (adapter, all) = (store.file.adapter, changes)
            unfailing { _ = try blocking { try await adapter.commit(all) } }
        }
        commit(device, positions[..<count], .local)
        commit(server, positions[count...], .agreed)
    }
}
