import BenchmarkSupport
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import StoreSync
import SyncPersistence

/// How much a store grows by a push that has no response yet.
enum FlightSize {
    /// A service that receives no push.
    private struct DeafRemote: ForwardingRemote {
        let base: SyncService

        func push(_ request: PushRequest) async throws -> PushResponse { throw RemoteError.later() }
    }

    /// All records are edited, and sent in one push.
    static func line(count: Int) -> Line {
        Line(
            suite: StoreSuite.name, workload: StoreSuite.flight, count: count, rounds: 1,
            contestants: [
                .bytes("without a push", .bound) { bytes(count, isSent: false) },
                .bytes("push in flight", .ours) { bytes(count, isSent: true) },
            ])
    }

    private static func bytes(_ count: Int, isSent: Bool) -> Int {
        let (device, server) = (EntityStore(), EntityStore())
        let limits = SyncLimits(pushRecords: count, bytes: 1 << 30)
        let service = SyncService(server.file.adapter, account: "account", limits: limits)
        func write(_ letter: Character) {
            var changes = ChangeSet()
            for number in 0..<count {
                let values: [String: Value] = [
                    "id": .string("item \(number)"), "note": .string(String(repeating: letter, count: 1_000)),
                ]
                changes.put(unfailing { try Record("Item", in: EntityStore.schema, values) })
            }
            device.file.adapter.commitNow(changes)
        }
        write("a")
        precondition(device.synchronize(with: service).pushedCount == count)
        write("b")
        if isSent {
            let outcome = device.synchronize(with: DeafRemote(base: service))
            precondition(outcome.failure != nil && outcome.pushedCount == 0)
        }
        device.file.close()
        let attributes = unfailing { try FileManager.default.attributesOfItem(atPath: device.file.path) }
        return (attributes[.size] as? Int) ?? 0
    }
}
