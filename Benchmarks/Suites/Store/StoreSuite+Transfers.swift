import BenchmarkSupport
import Foundation
import StoreSync
import SyncPersistence

/// Transfers of all records from one store to another, which has none.
extension StoreSuite {
    static func downloads(count: Int) -> Line {
        let payload = JSONPayload(.nested, count: count)
        let server = EntityStore(payload.data)
        let service = SyncService(server.file.adapter, account: "account")
        // The first handshake of a service begins its history.
        EntityStore().synchronize(with: service)
        var store = EntityStore()
        return Line(
            suite: name, workload: download, count: count, payloadBytes: payload.data.count, rounds: 3,
            contestants: [
                Contestant(importer, .peer, prepare: { store = EntityStore() }) { store.sync(payload.data) },
                Contestant(
                    "first download", .ours, prepare: { store = EntityStore() },
                    counting: {
                        perRecord(4 * count) { (EntityStore(), EntityStore(payload.data)) }
                    }
                ) {
                    let outcome = store.synchronize(with: service)
                    precondition(outcome.isSynced && outcome.pulledCount == 4 * count)
                    withExtendedLifetime(server) {}
                    return outcome.pulledCount
                },
            ])
    }

    static func uploads(count: Int) -> Line {
        let records = EntityStore(JSONPayload(.nested, count: count).data).records()
        var (device, server) = (EntityStore(), EntityStore())
        func write(_ store: EntityStore, _ origin: ChangeSet.Origin) {
            var changes = ChangeSet(origin: origin)
            for record in records { changes.put(record) }
            store.file.adapter.commitNow(changes)
        }
        return Line(
            suite: name, workload: upload, count: count, rounds: 3,
            contestants: [
                Contestant(
                    changeSets, .bound,
                    prepare: {
                        (device, server) = (EntityStore(), EntityStore())
                        beginHistory(of: SyncService(server.file.adapter, account: "account"))
                    }
                ) {
                    write(device, .local)
                    write(server, .agreed)
                },
                Contestant(
                    changeSetsWithoutHistory, .peer,
                    prepare: { (device, server) = (EntityStore(), EntityStore()) }
                ) {
                    write(device, .local)
                    write(server, .agreed)
                },
                Contestant(
                    "upload", .ours,
                    prepare: {
                        (device, server) = (EntityStore(), EntityStore())
                        write(device, .local)
                    },
                    counting: {
                        perRecord(records.count) {
                            let stores = (EntityStore(), EntityStore())
                            write(stores.0, .local)
                            return stores
                        }
                    }
                ) {
                    let outcome = device.synchronize(with: SyncService(server.file.adapter, account: "account"))
                    precondition(outcome.isSynced && outcome.pushedCount == records.count)
                },
            ])
    }

    /// Counts the statements of a first cycle of new stores for each record.
    private static func perRecord(
        _ count: Int, _ makeStores: () -> (device: EntityStore, server: EntityStore)
    ) -> [Tally] {
        let meter = StatementMeter.shared
        meter.start()
        defer { meter.stop() }
        let stores = makeStores()
        let service = SyncService(stores.server.file.adapter, account: "account")
        beginHistory(of: service)
        func counts() -> (Int, Int) {
            (meter.count(of: stores.device.file.path), meter.count(of: stores.server.file.path))
        }
        let before = counts()
        stores.device.synchronize(with: service)
        let after = counts()
        return [
            Tally(Tally.deviceStatementsPerRecord, Double(after.0 - before.0) / Double(count)),
            Tally(Tally.serviceStatementsPerRecord, Double(after.1 - before.1) / Double(count)),
        ]
    }

    /// Makes the first handshake of a service, which begins the history of its store.
    private static func beginHistory(of service: SyncService) {
        _ = unfailing {
            try blocking {
                try await service.handshake(
                    HandshakeRequest(device: "first", cursor: nil, lastPush: nil, entities: [:], scope: nil))
            }
        }
    }
}
