import BenchmarkSupport
import DifferentialSync
import Foundation
import SQLitePersistence
import StoreSync
import SyncPersistence

/// Whole stores with a service, both over SQLite in one process.
enum StoreSuite {
    static let name = "store"
    static let changes = "50 + 50 changes of a store"
    static let poll = "poll of a store without changes"
    static let download = "first download of items with 3 children"
    static let upload = "upload of items with 3 children"

    static func run(_ runner: inout Runner, sizes: [Int]) {
        for count in sizes where (1_000...300_000).contains(count) {
            let wanted = [changes, poll].filter { runner.wants(suite: name, workload: $0) }
            if !wanted.isEmpty { runCycles(&runner, wanted, count: count) }
            if count > 100_000 { continue }
            if runner.wants(suite: name, workload: download) { runner.run(downloads(count: count)) }
            if runner.wants(suite: name, workload: upload) { runner.run(uploads(count: count)) }
        }
    }

    /// Four times as many records as items.
    private static func runCycles(_ runner: inout Runner, _ wanted: [String], count: Int) {
        let pair = StorePair(JSONPayload(.nested, count: count))
        if wanted.contains(changes) {
            runner.run(
                Line(
                    suite: name, workload: changes, count: count, divisor: 1,
                    contestants: [
                        Contestant("whole-store cycle", .ours, prepare: { pair.edit(50) }) {
                            let outcome = pair.sync()
                            precondition(outcome.isSynced && outcome.pulledCount == 50 && outcome.pushedCount == 50)
                            return outcome
                        }
                    ]))
        }
        if wanted.contains(poll) {
            runner.run(
                Line(
                    suite: name, workload: poll, count: count, divisor: 1,
                    contestants: [Contestant("whole-store cycle", .ours) { pair.sync() }]))
        }
    }

    private static func downloads(count: Int) -> Line {
        let payload = JSONPayload(.nested, count: count)
        let server = EntityStore(payload.data)
        let service = SyncService(server.file.adapter, account: "account")
        // The first handshake of a service begins its history.
        let first = EntityStore()
        synchronize(first, with: service)
        var store = EntityStore()
        return Line(
            suite: name, workload: download, count: count, payloadBytes: payload.data.count, rounds: 3,
            contestants: [
                Contestant("EntitySync's import", .peer, prepare: { store = EntityStore() }) {
                    store.sync(payload.data)
                },
                Contestant("first download", .ours, prepare: { store = EntityStore() }) {
                    let outcome = synchronize(store, with: service)
                    precondition(outcome.isSynced && outcome.pulledCount == 4 * count)
                    withExtendedLifetime(server) {}
                    return outcome.pulledCount
                },
            ])
    }

    private static func uploads(count: Int) -> Line {
        let records = EntityStore(JSONPayload(.nested, count: count).data).records()
        var (device, server) = (EntityStore(), EntityStore())
        func write(_ store: EntityStore, _ origin: ChangeSet.Origin) {
            var changes = ChangeSet(origin: origin)
            for record in records { changes.put(record) }
            let (adapter, all) = (store.file.adapter, changes)
            unfailing { _ = try blocking { try await adapter.commit(all) } }
        }
        return Line(
            suite: name, workload: upload, count: count, rounds: 3,
            contestants: [
                Contestant(
                    "change sets at both ends", .bound, prepare: { (device, server) = (EntityStore(), EntityStore()) }
                ) {
                    write(device, .local)
                    write(server, .agreed)
                },
                Contestant(
                    "upload", .ours,
                    prepare: {
                        (device, server) = (EntityStore(), EntityStore())
                        write(device, .local)
                    }
                ) {
                    let outcome = synchronize(device, with: SyncService(server.file.adapter, account: "account"))
                    precondition(outcome.isSynced && outcome.pushedCount == records.count)
                },
            ])
    }

    @discardableResult
    private static func synchronize(_ store: EntityStore, with service: SyncService) -> StoreOutcome {
        let adapter = store.file.adapter
        return unfailing { try blocking { try await adapter.synchronize(with: service) } }
    }

    static let targets: [Target] = [
        .grows(atMost: 1.5, "whole-store cycle", in: changes, from: 10_000, to: 300_000),
        .grows(atMost: 1.5, "whole-store cycle", in: poll, from: 10_000, to: 300_000),
        .atMost(1.5, times: "EntitySync's import", "first download", in: download, count: 100_000),
        .atMost(2, times: "change sets at both ends", "upload", in: upload, count: 100_000),
    ]
}
