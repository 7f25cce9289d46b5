import BenchmarkSupport
import EntitySync

extension EntitySuite {
    /// The numbers of objects whose relationships are synced, unless others are asked for.
    static let formSizes = [1_000, 10_000, 300_000]

    static func imports(_ form: RelationshipForm, count: Int) -> Line {
        let payload = form.payload(count: count)
        let known = form.known(count: count)
        var store = EntityStore()
        return Line(
            suite: name, workload: form.rawValue, count: count, payloadBytes: payload.count,
            rounds: count > 100_000 ? 3 : nil,
            contestants: [
                Contestant(
                    "first import", .ours,
                    prepare: {
                        store = EntityStore(schema: RelationshipForm.schema)
                        for (entity, payload) in known { store.sync(payload, into: entity) }
                    }
                ) { store.sync(payload, into: "Node", operations: .all.subtracting(.delete)) }
            ])
    }

    /// In 1,000 objects, what a transaction costs is a part of each; in 10,000 it hides no growth.
    static let formTargets: [Target] = RelationshipForm.allCases.flatMap { form -> [Target] in
        [1_000, 10_000].map { small in
            .costPerElement(growsAtMost: 1.5, "first import", in: form.rawValue, from: small, to: 300_000)
        }
    }
}
