import BenchmarkSupport
import DifferentialSync
import DifferentialSyncTesting
import OrderedCollections

/// Applying a diff to a collection that keeps its keys at hand.
enum OrderedMergeSuite {
    static func run(_ runner: inout Runner, sizes: [Int]) {
        for count in sizes {
            let workload = "\(TextRecord.keyName), 3 × 100 changes, there and back"
            guard runner.wants(suite: "merge", workload: workload) else { continue }
            runner.run(
                Line(
                    suite: "merge", workload: workload, count: count, divisor: 1,
                    contestants: contestants(count: count)))
        }
    }

    static func contestants(count: Int) -> [Contestant] {
        var generator = SeededGenerator(seed: UInt64(count))
        let records = (0..<count).map { _ in TextRecord.random(using: &generator) }
        let touched = Array(records.shuffled(using: &generator).prefix(200))
        let there = Diff(
            touched.prefix(100).map { Change.delete($0) }
                + touched.suffix(100).map { Change.replace(old: $0, new: $0.edited()) }
                + (0..<100).map { _ in Change.add(TextRecord.random(using: &generator)) })
        let back = there?.inverted()
        var collection = unfailing { try JournaledCollection(records, primaryKey: { $0.id }) }
        var dictionary = OrderedDictionary(uniqueKeysWithValues: records.lazy.map { ($0.id, $0) })
        return [
            Contestant("JournaledCollection", .ours) {
                unfailing {
                    try collection.merge(remoteChanges: there, policy: .remoteWins)
                    try collection.merge(remoteChanges: back, policy: .remoteWins)
                }
            },
            Contestant("OrderedDictionary", .peer) {
                apply(there, to: &dictionary)
                apply(back, to: &dictionary)
            },
        ]
    }

    /// Neither a journal nor a check of old values: a removal moves all that stands behind it.
    private static func apply(_ diff: Diff<TextRecord>?, to records: inout OrderedDictionary<String, TextRecord>) {
        for change in diff?.changes ?? [] {
            switch change {
            case .add(let new), .replace(_, let new): records[new.id] = new
            case .delete(let old): records[old.id] = nil
            }
        }
    }
}
