import BenchmarkSupport
import DifferentialSync

/// The keyed diff.
enum DiffSuite {
    static let name = "diff"

    static func run<Record: JobRecord>(_: Record.Type, _ runner: inout Runner, sizes: [Int]) {
        for count in sizes {
            for shape in Workload<Record>.Shape.allCases {
                let workload = title(Record.self, shape)
                guard runner.wants(suite: name, workload: workload) else { continue }
                let data = Workload<Record>(shape, count: count)
                runner.run(
                    Line(
                        suite: name, workload: workload, count: count, divisor: data.count,
                        contestants: contestants(data)))
            }
        }
    }

    static func title<Record: JobRecord>(_: Record.Type, _ shape: Workload<Record>.Shape) -> String {
        "\(Record.keyName), \(shape.rawValue)"
    }

    static func contestants<Record: JobRecord>(_ data: Workload<Record>) -> [Contestant] {
        let (wins, loses, pairs) = (data.wins, data.loses, data.pairs)
        let summary = { (add: Int, delete: Int, replace: Int) in "\(add) added, \(delete) deleted, \(replace) replaced"
        }
        let ours = { (diff: Diff<Record>?) in
            summary(diff?.add.count ?? 0, diff?.delete.count ?? 0, diff?.replace.count ?? 0)
        }
        let theirs = { (lists: Peers.Lists<Record>) in
            summary(lists.add.count, lists.delete.count, lists.replace.count)
        }
        var contestants = [
            Contestant("compare each pair once", .bound) { bound(wins, loses, pairs) },
            Contestant("unchecked keys", .ours, summary: ours) {
                Record.uncheckedDiff(wins: wins, loses: loses)
            },
            Contestant("checked keys", .ours, summary: ours) {
                Record.checkedDiff(wins: wins, loses: loses)
            },
            Contestant("dictionary of records", .peer, summary: theirs) {
                Peers.dictionaryOfRecords(wins: wins, loses: loses)
            },
            Contestant("dictionary of indices", .peer, summary: theirs) {
                Peers.dictionaryOfIndices(wins: wins, loses: loses)
            },
        ]
        // Quadratic in the changes, or in the elements: only where they end.
        if data.count <= 110_000 && data.shape != .half {
            contestants.append(
                Contestant("DS", .peer, summary: theirs) { Peers.differentialSync(wins: wins, loses: loses) })
        }
        if data.count <= 1_100 || (data.count <= 11_000 && (data.shape == .identical || data.shape == .kept)) {
            contestants.append(Contestant("CollectionDifference", .peer) { wins.difference(from: loses) })
        }
        return contestants
    }

    /// One pass over pairs that are known.
    @inline(never)
    private static func bound<Record: JobRecord>(
        _ wins: [Record], _ loses: [Record], _ pairs: [(win: Int, lose: Int)]
    ) -> Int {
        var different = 0
        wins.withUnsafeBufferPointer { wins in
            loses.withUnsafeBufferPointer { loses in
                pairs.withUnsafeBufferPointer { pairs in
                    for index in 0..<pairs.count where wins[pairs[index].win] != loses[pairs[index].lose] {
                        different += 1
                    }
                }
            }
        }
        return different
    }

    // MARK: Targets

    static let targets: [Target] = [100_000, 1_000_000].flatMap { count in
        targets(TextRecord.self, count, kept: 15, checked: 3.5, shuffled: 2.5)
            + targets(IntegerRecord.self, count, kept: 6, checked: 2, shuffled: 2)
    }

    private static func targets<Record: JobRecord>(
        _: Record.Type, _ count: Int, kept keptFactor: Double, checked checkedFactor: Double,
        shuffled shuffledFactor: Double
    ) -> [Target] {
        let kept = title(Record.self, .kept)
        let half = title(Record.self, .half)
        let shifted = title(Record.self, .shifted)
        let shuffled = title(Record.self, .shuffled)
        let bound = "compare each pair once"
        let dictionary = "dictionary of records"
        // Beyond that DS takes minutes.
        let quadratic = Target.atLeast(50, timesAsFastAs: "DS", "unchecked keys", in: kept, count: count)
        return (count == 100_000 ? [quadratic] : []) + [
            .atMost(1.5, times: bound, "unchecked keys", in: kept, count: count),
            .atLeast(keptFactor, timesAsFastAs: dictionary, "unchecked keys", in: kept, count: count),
            .atLeast(checkedFactor, timesAsFastAs: dictionary, "checked keys", in: kept, count: count),
            .atLeast(shuffledFactor, timesAsFastAs: dictionary, "checked keys", in: shuffled, count: count),
            .atMost(2, times: bound, "unchecked keys", in: shifted, count: count),
            // Text is read twice, to be hashed and to be compared, and lies elsewhere in memory than its record.
            .atMost(
                Record.self == IntegerRecord.self ? 1.5 : 2, times: bound, "unchecked keys", in: shuffled, count: count),
            .atMost(3, times: bound, "unchecked keys", in: half, count: count),
            .memory(atMost: 4, "unchecked keys", in: kept, count: count),
            .memory(atMost: 4, "unchecked keys", in: half, count: count),
            .memory(atMost: 24, "checked keys", in: kept, count: count),
            .memory(atMost: 24, "checked keys", in: shuffled, count: count),
        ]
    }
}
