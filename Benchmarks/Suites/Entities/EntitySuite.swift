import BenchmarkSupport
import EntitySync
import Foundation
import SyncPersistence

/// JSON synced into an SQLite file, against SQLite's own functions with records that are there already.
enum EntitySuite {
    static let name = "entities"
    static let export = "export of objects with 3 children"
    static let stream = "a file with 1 % changed"

    static func run(_ runner: inout Runner, sizes: [Int]) {
        for count in sizes where (1_000...300_000).contains(count) {
            for shape in JSONPayload.Shape.allCases
            where runner.wants(suite: name, workload: "import of \(shape.rawValue)") {
                runner.run(
                    Line(
                        suite: name, workload: "import of \(shape.rawValue)", count: count,
                        contestants: importers(shape, count: count)))
            }
            if runner.wants(suite: name, workload: export) {
                runner.run(Line(suite: name, workload: export, count: count, contestants: exporters(count: count)))
            }
            if runner.wants(suite: name, workload: stream) {
                runner.run(Line(suite: name, workload: stream, count: count, contestants: streams(count: count)))
            }
            for form in RelationshipForm.allCases where runner.wants(suite: name, workload: form.rawValue) {
                runner.run(
                    Line(suite: name, workload: form.rawValue, count: count, contestants: [former(form, count: count)]))
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

    private static func exporters(count: Int) -> [Contestant] {
        let store = EntityStore(JSONPayload(.nested, count: count).data)
        let value = store.exportedValue()
        return [
            Contestant("rows read, and bytes written", .bound, summary: { (bytes: [UInt8]) in "\(bytes.count)" }) {
                precondition(store.readAll() > 0)
                return unfailing { try value.jsonBytes() }
            },
            Contestant("exportJSON", .ours, summary: { (bytes: [UInt8]) in "\(bytes.count)" }) { store.export() },
        ]
    }

    /// Memory beyond what changes shows in the column of the peak.
    private static func streams(count: Int) -> [Contestant] {
        let payload = JSONPayload(.nested, count: count)
        let store = EntityStore(payload.data)
        let files = [payload.data, JSONPayload(.nested, count: count, editedEvery: 100).data].map { data in
            let path = store.path + ".\(data.count).json"
            unfailing { try data.write(to: URL(fileURLWithPath: path)) }
            return path
        }
        var turn = 0
        return [
            Contestant("sync(contentsOfFile:)", .ours, prepare: { turn += 1 }) { store.sync(file: files[turn % 2]) }
        ]
    }

    private static func former(_ form: RelationshipForm, count: Int) -> Contestant {
        let payload = form.payload(count: count)
        let known = form.known(count: count)
        var store = EntityStore()
        return Contestant(
            "first import", .ours,
            prepare: {
                store = EntityStore(schema: RelationshipForm.schema)
                for (entity, payload) in known { store.sync(payload, into: entity) }
            }
        ) { store.sync(payload, into: "Node", operations: .all.subtracting(.delete)) }
    }

    static let targets: [Target] =
        grown
        + [100_000].flatMap { count in
            JSONPayload.Shape.allCases.map { "import of \($0.rawValue)" }.flatMap { workload -> [Target] in
                [
                    .atMost(1.6, times: "raw inserts", "first import", in: workload, count: count),
                    .atMost(0.1, times: "first import", "the same again", in: workload, count: count),
                    .atMost(0.2, times: "first import", "1 % changed", in: workload, count: count),
                ]
            }
        }

    private static let grown: [Target] =
        [.atMost(2, times: "rows read, and bytes written", "exportJSON", in: export, count: 100_000)]
        + RelationshipForm.allCases.map { form in
            .grows(atMost: 150, "first import", in: form.rawValue, from: 1_000, to: 100_000)
        }
}
