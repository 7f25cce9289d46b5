/// A promise about a ratio of two rows.
package struct Target: Sendable {
    let text: String
    let limit: Double
    let isUpperLimit: Bool
    /// Whether this platform can measure what the target is about.
    var isMeasurable = true

    let value: @Sendable ([Row]) -> Double?

    /// One contestant is at most so many times as slow as another.
    package static func atMost(
        _ limit: Double, times other: String, _ contestant: String, in workload: String, count: Int
    ) -> Target {
        Target(
            text: "\(workload), n = \(grouped(count)): \(contestant) ≤ \(fixed(limit, 2)) × \(other)", limit: limit,
            isUpperLimit: true
        ) { rows in
            ratio(contestant, other, in: workload, count: count, rows)
        }
    }

    /// One contestant is at least so many times as fast as another.
    package static func atLeast(
        _ limit: Double, timesAsFastAs other: String, _ contestant: String, in workload: String, count: Int
    ) -> Target {
        Target(
            text: "\(workload), n = \(grouped(count)): \(contestant) ≥ \(fixed(limit, 2)) × as fast as \(other)",
            limit: limit,
            isUpperLimit: false
        ) { rows in
            ratio(other, contestant, in: workload, count: count, rows)
        }
    }

    /// A contestant's whole cost is at most so many times that of a smaller collection.
    package static func grows(
        atMost limit: Double, _ contestant: String, in workload: String, from small: Int, to large: Int
    ) -> Target {
        Target(
            text: "\(workload): \(contestant) at n = \(grouped(large)) ≤ \(fixed(limit, 2)) × at n = \(grouped(small))",
            limit: limit, isUpperLimit: true
        ) { rows in
            guard let first = row(contestant, in: workload, count: small, rows),
                let last = row(contestant, in: workload, count: large, rows)
            else { return nil }
            return last.nanoseconds * Double(last.divisor) / (first.nanoseconds * Double(first.divisor))
        }
    }

    /// A contestant takes at most so many nanoseconds.
    package static func atMost(nanoseconds limit: Double, _ contestant: String, in workload: String, count: Int)
        -> Target
    {
        Target(
            text: "\(workload), n = \(grouped(count)): \(contestant) ≤ \(grouped(Int(limit))) ns", limit: limit,
            isUpperLimit: true
        ) { rows in
            row(contestant, in: workload, count: count, rows)?.nanoseconds
        }
    }

    /// What an element costs is at most so many times what it costs in a smaller collection.
    package static func costPerElement(
        growsAtMost limit: Double, _ contestant: String, in workload: String, from small: Int, to large: Int
    ) -> Target {
        Target(
            text: "\(workload): an element in \(grouped(large)) ≤ \(fixed(limit, 2)) × one in \(grouped(small))",
            limit: limit, isUpperLimit: true
        ) { rows in
            guard let first = row(contestant, in: workload, count: small, rows),
                let last = row(contestant, in: workload, count: large, rows)
            else { return nil }
            return last.nanoseconds / first.nanoseconds
        }
    }

    static func row(_ contestant: String, in workload: String, count: Int, _ rows: [Row]) -> Row? {
        rows.first { $0.contestant == contestant && $0.workload == workload && $0.count == count }
    }

    private static func ratio(
        _ contestant: String, _ other: String, in workload: String, count: Int, _ rows: [Row]
    ) -> Double? {
        guard let first = row(contestant, in: workload, count: count, rows),
            let second = row(other, in: workload, count: count, rows)
        else { return nil }
        return first.nanoseconds / second.nanoseconds
    }
}

extension Runner {
    /// Prints which targets are met, of those whose rows were measured.
    ///
    /// - Returns: Whether all of them are. Where everything was to be measured, a target without its rows is not met;
    ///   where only a part was, at least one target has to have them.
    package func check(_ targets: [Target]) -> Bool {
        var results: [(isMet: Bool, line: String)] = []
        for target in targets where target.isMeasurable {
            guard let value = target.value(rows) else {
                if options.isUnrestricted { results.append((false, "\(target.text): not measured")) }
                continue
            }
            let isMet = target.isUpperLimit ? value <= target.limit : value >= target.limit
            results.append(
                (isMet, "\(target.text): \(value < 1_000 || !value.isFinite ? fixed(value, 2) : grouped(Int(value)))"))
        }
        if targets.isEmpty { return false }
        print("targets")
        if results.isEmpty { print("  none of what was measured has one") }
        for (isMet, line) in results { print("  \(isMet ? "✓" : "✗") \(line)") }
        return !results.isEmpty && results.allSatisfy(\.isMet)
    }
}
