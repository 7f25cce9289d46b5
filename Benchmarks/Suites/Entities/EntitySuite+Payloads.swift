import BenchmarkSupport
import SyncPersistence

extension EntitySuite {
    static let export = "export of objects with 3 children"

    static func workload(of shape: JSONPayload.Shape) -> String { "import of \(shape.rawValue)" }

    static func imports(_ shape: JSONPayload.Shape, count: Int) -> Line {
        let payload = JSONPayload(shape, count: count).data
        let edited = JSONPayload(shape, count: count, editedEvery: 100).data
        let known = EntityStore(payload)
        let records = known.records()
        var store = EntityStore()
        var raw: RawInserts?
        return Line(
            suite: name, workload: workload(of: shape), count: count, payloadBytes: payload.count,
            contestants: [
                Contestant(
                    "raw inserts", .bound,
                    prepare: {
                        store = EntityStore()
                        store.file.close()
                        raw = RawInserts(path: store.file.path, schema: EntityStore.schema)
                    }
                ) { raw?.store(records) },
                Contestant(
                    "first import", .ours,
                    prepare: {
                        raw = nil
                        store = EntityStore()
                    }
                ) { store.sync(payload) },
                Contestant("the same again", .peer, prepare: { known.sync(payload) }) {
                    precondition(known.sync(payload) == 0)
                },
                Contestant("1 % changed", .peer, prepare: { known.sync(payload) }) {
                    precondition(known.sync(edited) == (count + 99) / 100)
                },
            ])
    }

    static func exports(count: Int) -> Line {
        let store = EntityStore(JSONPayload(.nested, count: count).data)
        let value = store.exportedValue()
        return Line(
            suite: name, workload: export, count: count,
            contestants: [
                Contestant("rows read, and bytes written", .bound, summary: { (bytes: [UInt8]) in "\(bytes.count)" }) {
                    precondition(store.readAll() > 0)
                    return unfailing { try value.jsonBytes() }
                },
                Contestant("exportJSON", .ours, summary: { (bytes: [UInt8]) in "\(bytes.count)" }) { store.export() },
            ])
    }
}
