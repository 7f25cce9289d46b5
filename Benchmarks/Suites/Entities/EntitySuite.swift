import BenchmarkSupport
import Foundation
import SyncPersistence

/// JSON synced into an SQLite file, against SQLite's own functions with records that are there already.
enum EntitySuite {
    static let name = "entities"

    static func run(_ runner: inout Runner, sizes: [Int]) {
        for count in sizes where (1_000...300_000).contains(count) {
            for shape in JSONPayload.Shape.allCases where runner.wants(suite: name, workload: shape.rawValue) {
                runner.run(
                    Line(
                        suite: name, workload: "import of \(shape.rawValue)", count: count,
                        contestants: importers(shape, count: count)))
            }
        }
    }

    private static func importers(_ shape: JSONPayload.Shape, count: Int) -> [Contestant] {
        let payload = JSONPayload(shape, count: count)
        let edited = JSONPayload(shape, count: count, editedEvery: 100).data
        var store = EntityStore(payload.data)
        let records = store.records()
        store = EntityStore()
        var raw: RawEntities?
        let known = EntityStore(payload.data)
        var turn = 0
        return [
            Contestant(
                "raw inserts", .bound,
                prepare: {
                    store = EntityStore()
                    store.close()
                    raw = RawEntities(path: store.path)
                }
            ) { raw?.store(records) },
            Contestant(
                "first import", .ours,
                prepare: {
                    raw = nil
                    store = EntityStore()
                }
            ) { store.sync(payload.data) },
            Contestant("the same again", .peer, prepare: { known.sync(payload.data) }) { known.sync(payload.data) },
            Contestant("1 % changed", .peer, prepare: { turn += 1 }) {
                known.sync(turn % 2 == 0 ? payload.data : edited)
            },
        ]
    }

    static let targets: [Target] = [100_000].flatMap { count in
        JSONPayload.Shape.allCases.map { "import of \($0.rawValue)" }.flatMap { workload -> [Target] in
            [
                .atMost(1.6, times: "raw inserts", "first import", in: workload, count: count),
                .atMost(0.1, times: "first import", "the same again", in: workload, count: count),
                .atMost(0.2, times: "first import", "1 % changed", in: workload, count: count),
            ]
        }
    }
}
