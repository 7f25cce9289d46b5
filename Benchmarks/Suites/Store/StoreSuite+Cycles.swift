import BenchmarkSupport
import Foundation
import SQLitePersistence
import StoreSync
import SyncPersistence

/// Cycles of two stores that have the same records already.
extension StoreSuite {
    static func runCycles(_ runner: inout Runner, _ wanted: [String], count: Int) {
        let pair = StorePair(records: count)
        if wanted.contains(changes) {
            runner.run(
                Line(
                    suite: name, workload: changes, count: count, divisor: 1,
                    contestants: [
                        Contestant(
                            cycle, .ours, prepare: { pair.edit(50) }, counting: { pair.tallies(edits: 50) }
                        ) {
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
                    contestants: [
                        Contestant(cycle, .ours, counting: { pair.tallies(edits: 0) }) { pair.sync() }
                    ]))
        }
    }

    /// A service that 1,000 devices have polled and pushed to.
    static func manyDevices(count: Int) -> Line {
        let server = EntityStore(JSONPayload(.nested, count: max(count / 4, 1)).data)
        let (adapter, service) = (server.file.adapter, SyncService(server.file.adapter, account: "account"))
        let key = unfailing { try blocking { try await adapter.read { try $0.keys(of: "Child")[0] } } }
        let entities = Dictionary(
            uniqueKeysWithValues: EntityStore.schema.shapes.map { ($0.name, $0.slots.map(\.name)) })

        @Sendable func poll(_ device: String) async throws -> SyncCursor {
            var request = HandshakeRequest(device: device, cursor: nil, lastPush: nil, entities: entities, scope: nil)
            let greeting = try await service.handshake(request)
            request.cursor = SyncCursor(epoch: greeting.epoch, sequence: greeting.sequence)
            _ = try await service.handshake(request)
            let cursor = SyncCursor(epoch: greeting.epoch, sequence: greeting.sequence)
            return try await service.pull(PullRequest(device: device, cursor: cursor)).cursor
        }
        @Sendable func push(_ device: String) async throws {
            let text = ValueObject([ValueObject.Member(name: "text", value: .string("of \(device)"))])
            let request = PushRequest(
                device: device, name: PushName(number: 1, name: device), base: try await poll(device),
                mutations: [Mutation(RecordID("Child", key), .update(text))])
            let outcomes = try await service.push(request).outcomes
            precondition(outcomes.allSatisfy { if case .accepted = $0 { true } else { false } })
        }
        unfailing { try blocking { try await push("device 0") } }
        let before = rowCount(inFileAt: server.file.path)
        unfailing { try blocking { for device in 1...1_000 { try await push("device \(device)") } } }
        let rows = rowCount(inFileAt: server.file.path) - before
        return Line(
            suite: name, workload: devices, count: count, divisor: 1,
            contestants: [
                Contestant(
                    Self.service, .ours,
                    counting: { [Tally(Tally.rowsPerDevice, Double(rows) / 1_000)] }
                ) {
                    withExtendedLifetime(server) { unfailing { try blocking { try await poll("device 500") } } }
                }
            ])
    }
}
