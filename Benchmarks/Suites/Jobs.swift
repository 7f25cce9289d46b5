import BenchmarkSupport
import DifferentialSync

/// The library's jobs as an app calls them, on its own type and with `\.id`: in generic code Swift evaluates such a key
/// path at run time, which costs several times as much as a diff.
protocol JobRecord: BenchmarkRecord {
    static func uncheckedDiff(wins: [Self], loses: [Self]) -> Diff<Self>?
    static func checkedDiff(wins: [Self], loses: [Self]) -> Diff<Self>?
    static func merged(into elements: [Self], applying diff: Diff<Self>?) -> [Self]
    static func merge(into elements: inout [Self], applying diff: Diff<Self>?)
}

extension TextRecord: JobRecord {
    static func uncheckedDiff(wins: [TextRecord], loses: [TextRecord]) -> Diff<TextRecord>? {
        DifferentialSync.uncheckedDiff(wins: wins, loses: loses, primaryKey: \.id)
    }

    static func checkedDiff(wins: [TextRecord], loses: [TextRecord]) -> Diff<TextRecord>? {
        unfailing { try diff(wins: wins, loses: loses, primaryKey: \.id) }
    }

    static func merged(into elements: [TextRecord], applying diff: Diff<TextRecord>?) -> [TextRecord] {
        DifferentialSync.merge(into: elements, applying: diff, primaryKey: \.id) { _, _ in true }
    }

    static func merge(into elements: inout [TextRecord], applying diff: Diff<TextRecord>?) {
        DifferentialSync.merge(into: &elements, applying: diff, primaryKey: \.id) { _, _ in true }
    }
}

extension IntegerRecord: JobRecord {
    static func uncheckedDiff(wins: [IntegerRecord], loses: [IntegerRecord]) -> Diff<IntegerRecord>? {
        DifferentialSync.uncheckedDiff(wins: wins, loses: loses, primaryKey: \.id)
    }

    static func checkedDiff(wins: [IntegerRecord], loses: [IntegerRecord]) -> Diff<IntegerRecord>? {
        unfailing { try diff(wins: wins, loses: loses, primaryKey: \.id) }
    }

    static func merged(into elements: [IntegerRecord], applying diff: Diff<IntegerRecord>?) -> [IntegerRecord] {
        DifferentialSync.merge(into: elements, applying: diff, primaryKey: \.id) { _, _ in true }
    }

    static func merge(into elements: inout [IntegerRecord], applying diff: Diff<IntegerRecord>?) {
        DifferentialSync.merge(into: &elements, applying: diff, primaryKey: \.id) { _, _ in true }
    }
}
