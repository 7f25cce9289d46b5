import BenchmarkSupport
import DifferentialSync
import OrderedCollections

/// The keyed diff against what one writes with the ordered types.
enum OrderedDiffSuite {
    /// The lists of a diff.
    struct Lists {
        var add: [TextRecord] = []
        var delete: [TextRecord] = []
        var replace: [TextRecord] = []
    }

    static func run(_ runner: inout Runner, sizes: [Int]) {
        for count in sizes {
            for shape in [Workload<TextRecord>.Shape.identical, .kept, .half, .shuffled] {
                let workload = "\(TextRecord.keyName), \(shape.rawValue)"
                guard runner.wants(suite: "diff", workload: workload) else { continue }
                let data = Workload<TextRecord>(shape, count: count)
                runner.run(
                    Line(
                        suite: "diff", workload: workload, count: count, divisor: data.count,
                        contestants: contestants(data)))
            }
        }
    }

    static func contestants(_ data: Workload<TextRecord>) -> [Contestant] {
        let (wins, loses) = (data.wins, data.loses)
        let keptWins = orderedDictionary(of: wins)
        let keptLoses = orderedDictionary(of: loses)
        let summary = { (add: Int, delete: Int, replace: Int) in
            "\(add) added, \(delete) deleted, \(replace) replaced"
        }
        let ours = { (diff: Diff<TextRecord>?) in
            summary(diff?.add.count ?? 0, diff?.delete.count ?? 0, diff?.replace.count ?? 0)
        }
        let theirs = { (lists: Lists) in summary(lists.add.count, lists.delete.count, lists.replace.count) }
        return [
            Contestant("unchecked keys", .ours, summary: ours) {
                uncheckedDiff(wins: wins, loses: loses, primaryKey: \.id)
            },
            Contestant("checked keys", .ours, summary: ours) {
                unfailing { try diff(wins: wins, loses: loses, primaryKey: \.id) }
            },
            Contestant("OrderedDictionary, made for the diff", .peer, summary: theirs) {
                lists(wins: orderedDictionary(of: wins), loses: orderedDictionary(of: loses))
            },
            Contestant("OrderedDictionary, kept by the app", .peer, summary: theirs) {
                lists(wins: keptWins, loses: keptLoses)
            },
            Contestant("OrderedSet, whole elements", .peer) {
                let (new, old) = (OrderedSet(wins), OrderedSet(loses))
                return (new.subtracting(old), old.subtracting(new))
            },
            Contestant("whole elements", .ours) { diff(wins: wins, loses: loses) },
        ]
    }

    private static func orderedDictionary(of records: [TextRecord]) -> OrderedDictionary<String, TextRecord> {
        OrderedDictionary(uniqueKeysWithValues: records.lazy.map { ($0.id, $0) })
    }

    private static func lists(
        wins: OrderedDictionary<String, TextRecord>, loses: OrderedDictionary<String, TextRecord>
    ) -> Lists {
        var lists = Lists()
        for (key, new) in wins {
            guard let old = loses[key] else {
                lists.add.append(new)
                continue
            }
            if old != new { lists.replace.append(new) }
        }
        for (key, old) in loses where wins[key] != old { lists.delete.append(old) }
        return lists
    }
}
