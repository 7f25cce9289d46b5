import BenchmarkSupport
import DifferentialSync
import DifferentialSyncTesting

/// Applying a diff of few changes to many elements.
enum MergeSuite {
    static let name = "merge"

    /// How many additions, deletions and replacements there are, of each: some, and one in a hundred.
    static func changeCounts(of count: Int) -> [Int] {
        count > 10_000 ? [100, count / 100] : [count / 100]
    }

    static func title<Record: JobRecord>(_: Record.Type, changes: Int) -> String {
        "\(Record.keyName), 3 × \(grouped(changes)) changes"
    }

    static func run<Record: JobRecord>(_: Record.Type, _ runner: inout Runner, sizes: [Int]) {
        for count in sizes {
            for changes in changeCounts(of: count) {
                let workload = title(Record.self, changes: changes)
                guard runner.wants(suite: name, workload: workload) else { continue }
                runner.run(
                    Line(
                        suite: name, workload: workload, count: count,
                        contestants: contestants(Record.self, count: count, changes: changes)))
            }
        }
    }

    static func contestants<Record: JobRecord>(_: Record.Type, count: Int, changes: Int) -> [Contestant] {
        var generator = SeededGenerator(seed: UInt64(count))
        let elements = (0..<count).map { _ in Record.random(using: &generator) }
        let touched = Array(elements.shuffled(using: &generator).prefix(2 * changes))
        let list =
            touched.prefix(changes).map { Change.delete($0.copied()) }
            + touched.suffix(changes).map { Change.replace(old: $0.copied(), new: $0.edited()) }
            + (0..<changes).map { _ in Change.add(Record.random(using: &generator)) }
        let diff = Diff(list)
        let lists = Peers.Lists(add: diff?.add ?? [], delete: diff?.delete ?? [], replace: diff?.replace ?? [])
        let summary = { (merged: [Record]) in
            "\(merged.count) elements, of which \(merged.count { $0.revision == 1 }) edited"
        }
        let positions = Dictionary(uniqueKeysWithValues: elements.indices.map { (elements[$0].id, $0) })
        let places = (diff?.changes ?? []).compactMap { change in
            change.old.flatMap { positions[$0.id] }.map { Place(position: $0, old: change.old, new: change.new) }
        }.sorted { $0.position < $1.position }
        var inPlace = elements
        let back = diff?.inverted()
        var collection = unfailing { try JournaledCollection(elements, primaryKey: { $0.id }) }
        var contestants = [
            Contestant("copy of the array", .bound) { elements.withUnsafeBufferPointer { Array($0) } },
            Contestant("copy, places of changes known", .bound, summary: summary) {
                copy(elements, changing: places, adding: lists.add)
            },
            Contestant("merge", .ours, summary: summary) {
                Record.merged(into: elements, applying: diff)
            },
            Contestant("in place, there and back", .ours) {
                Record.merge(into: &inPlace, applying: diff)
                Record.merge(into: &inPlace, applying: back)
            },
            Contestant("journaled collection, there and back", .ours) {
                unfailing {
                    try collection.merge(remoteChanges: diff, policy: .remoteWins)
                    try collection.merge(remoteChanges: back, policy: .remoteWins)
                }
            },
            Contestant("dictionary of changes", .peer, summary: summary) {
                Peers.dictionaryMerge(into: elements, lists)
            },
        ]
        if count <= 10_000 {
            contestants.append(
                Contestant("DS", .peer, summary: summary) { Peers.differentialSyncMerge(into: elements, lists) })
        }
        return contestants
    }

    /// Where an element stands that is deleted or replaced.
    struct Place<Record> {
        let position: Int
        let old: Record?
        let new: Record?
    }

    /// What a merge has to do besides finding the changed elements: the copy, and a look at each of them.
    @inline(never)
    static func copy<Record: JobRecord>(
        _ elements: [Record], changing places: [Place<Record>], adding additions: [Record]
    ) -> [Record] {
        var result: [Record] = []
        result.reserveCapacity(elements.count + additions.count)
        elements.withUnsafeBufferPointer { elements in
            var start = 0
            for place in places {
                result.append(contentsOf: UnsafeBufferPointer(rebasing: elements[start..<place.position]))
                if place.old == elements[place.position], let new = place.new { result.append(new) }
                start = place.position + 1
            }
            result.append(contentsOf: UnsafeBufferPointer(rebasing: elements[start...]))
        }
        return result + additions
    }

    static let targets: [Target] =
        [100_000, 1_000_000].flatMap { count in
            changeCounts(of: count).flatMap { changes in
                [title(TextRecord.self, changes: changes), title(IntegerRecord.self, changes: changes)].flatMap {
                    [
                        // Of many changes, reading them alone costs more than half a copy.
                        Target.atMost(
                            changes <= 100 ? 1.5 : 2.5, times: "copy of the array", "merge", in: $0, count: count),
                        .atMost(1.75, times: "copy, places of changes known", "merge", in: $0, count: count),
                    ]
                }
            }
        }
        + [title(TextRecord.self, changes: 100), title(IntegerRecord.self, changes: 100)].map {
            Target.grows(atMost: 2, "journaled collection, there and back", in: $0, from: 100_000, to: 1_000_000)
        }
}
