import BenchmarkSupport
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import StoreSync
import SyncPersistence

/// A device and a service over SQLite files, with the same records: items with three children each.
///
/// Their statements are counted.
final class StorePair {
    let device: EntityStore
    let server: EntityStore
    let service: SyncService
    private var generator = SeededGenerator(seed: 1)
    private var round = 1_000_000
    private var keys: [Value] = []

    /// The size of the last edits: the keys and the changed attributes as compact JSON.
    private var editedBytes = 0

    /// Creates a pair with a number of records; the device downloads them.
    init(records count: Int) {
        let payload = JSONPayload(.nested, count: max(count / 4, 1))
        StatementMeter.shared.start()
        (device, server) = (EntityStore(), EntityStore(payload.data))
        service = SyncService(server.file.adapter, account: "account")
        let adapter = server.file.adapter
        keys = unfailing { try blocking { try await adapter.read { try $0.keys(of: "Child") } } }
        sync()
        StatementMeter.shared.stop()
    }

    /// Runs a cycle; returns its outcome.
    @discardableResult
    func sync() -> StoreOutcome { device.synchronize(with: service) }

    /// Edits one attribute of so many records at each end, and different ones.
    func edit(_ count: Int) {
        round += 1
        editedBytes = 0
        var picked = Set<Int>()
        while picked.count < 2 * count { picked.insert(Int.random(in: keys.indices, using: &generator)) }
        let positions = picked.sorted()
        func commit(_ store: EntityStore, _ positions: ArraySlice<Int>, _ origin: ChangeSet.Origin) {
            var changes = ChangeSet(origin: origin)
            for position in positions {
                let text = Value.string("\(round) is the round in which this text was written")
                changes.update(RecordID("Child", keys[position]), ["text": text])
                let edited: Value = ["id": keys[position], "text": text]
                editedBytes += unfailing { try edited.json.utf8.count }
            }
            store.file.adapter.commitNow(changes)
        }
        commit(device, positions[..<count], .local)
        commit(server, positions[count...], .agreed)
    }

    /// Counts the statements and bytes of a cycle after as many edits at each end.
    func tallies(edits: Int) -> [Tally] {
        if edits > 0 { edit(edits) }
        let (meter, remote) = (StatementMeter.shared, MeasuredRemote(service))
        let before = (meter.count(of: device.file.path), meter.count(of: server.file.path))
        device.synchronize(with: remote)
        let after = (meter.count(of: device.file.path), meter.count(of: server.file.path))
        let (bytes, messages) = unfailing { try blocking { (await remote.bytes, await remote.messageCount) } }
        let allowed = 1.3 * Double(edits > 0 ? editedBytes : 0) + 300 * Double(messages)
        let total = Double(bytes.values.reduce(0, +))
        var tallies = [
            Tally(Tally.deviceStatements, after.0 - before.0), Tally(Tally.serviceStatements, after.1 - before.1),
            Tally("messages", messages), Tally(Tally.bytes, total), Tally(Tally.bytesByAllowed, total / allowed),
        ]
        if edits > 0 { tallies.append(Tally("bytes of the changed attributes as JSON", editedBytes)) }
        for (kind, count) in bytes.sorted(by: { $0.key < $1.key }) { tallies.append(Tally("bytes of \(kind)", count)) }
        return tallies
    }
}

extension EntityStore {
    /// Runs a cycle; returns its outcome.
    @discardableResult
    func synchronize(with remote: some Remote) -> StoreOutcome {
        let adapter = file.adapter
        return unfailing { try blocking { try await adapter.synchronize(with: remote) } }
    }
}

extension Tally {
    static let deviceStatements = "statements at the device"
    static let serviceStatements = "statements at the service"
    static let deviceStatementsPerRecord = "statements per record at the device"
    static let serviceStatementsPerRecord = "statements per record at the service"
    static let bytes = "bytes of all messages"
    static let bytesByAllowed = "bytes ÷ (1.3 × changed attributes + 300 × messages)"
    static let rowsPerDevice = "rows per known device"
}
