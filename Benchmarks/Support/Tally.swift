/// A number that is counted in one more run of a contestant, such as that of its statements.
package struct Tally: Codable, Sendable {
    package let name: String
    package let value: Double

    package init(_ name: String, _ value: Double) { (self.name, self.value) = (name, value) }

    package init(_ name: String, _ value: Int) { self.init(name, Double(value)) }
}

extension Target {
    /// A contestant counts at most so many.
    package static func atMost(
        _ limit: Double, _ tally: String, of contestant: String, in workload: String, count: Int
    ) -> Target {
        Target(
            text: "\(workload), n = \(grouped(count)): \(tally) ≤ \(fixed(limit, 2))", limit: limit, isUpperLimit: true
        ) { rows in
            row(contestant, in: workload, count: count, rows)?.tally(tally)
        }
    }

    /// A contestant counts at most so many times what it counts for a smaller collection.
    package static func grows(
        atMost limit: Double, _ tally: String, of contestant: String, in workload: String,
        from small: Int, to large: Int
    ) -> Target {
        Target(
            text: "\(workload): \(tally) at n = \(grouped(large)) ≤ \(fixed(limit, 2)) × at n = \(grouped(small))",
            limit: limit, isUpperLimit: true
        ) { rows in
            guard let first = row(contestant, in: workload, count: small, rows)?.tally(tally),
                let last = row(contestant, in: workload, count: large, rows)?.tally(tally)
            else { return nil }
            return last / first
        }
    }
}

extension Row {
    func tally(_ name: String) -> Double? { tallies.first { $0.name == name }?.value }
}
