import DifferentialSync

/// What a cycle with 100 changes costs in collections of different sizes: with a journal, and by comparing everything.
///
/// Costs are counted, not timed, so that each machine draws the same picture.
enum CostPicture {
    static let sizes = [1_000, 10_000, 100_000]

    static func draw() throws -> String {
        let journal = try sizes.map { twoDigits(try journalCost($0)) }
        let arrays = try sizes.map { twoDigits(try arrayCost($0)) }
        var svg = SVG(
            width: 760, height: 330,
            title:
                "A cycle with 100 changes costs the same in each size with a journal, and grows with the size without")
        svg.text("One cycle with 100 changes", x: 20, y: 28, size: 16, isBold: true)
        svg.text("keys read, keys hashed and records compared, counted", x: 20, y: 48, size: 13, style: .faint)
        let (left, bottom) = (90.0, 280.0)
        // From 100 to 1,000,000 operations, by powers of ten.
        for power in 2...6 {
            let y = bottom - Double(power - 2) * 52
            svg.line(x: left, y: y, toX: 560, toY: y)
            svg.text(label(power), x: left - 10, y: y + 5, size: 12, anchor: .end, style: .faint)
        }
        func points(_ costs: [Int]) -> [(x: Double, y: Double)] {
            costs.enumerated().map { position, cost in
                (left + 30 + Double(position) * 205, bottom - (logarithm(cost) - 2) * 52)
            }
        }
        for (position, size) in sizes.enumerated() {
            svg.text(
                label(String(size).count - 1), x: left + 30 + Double(position) * 205, y: bottom + 22, size: 12,
                anchor: .middle, style: .faint)
        }
        svg.text("records", x: left + 490, y: bottom + 22, size: 12, style: .faint)
        for (costs, style, name) in [
            (arrays, Style.bad, "comparing everything"), (journal, .accent, "with the journal"),
        ] {
            let points = points(costs)
            svg.curve(points, style: style)
            svg.text(name, x: 562, y: points[points.count - 1].y + 5, style: style, isBold: true)
        }
        return svg.file
    }

    /// The number without all digits after the second: which keys collide in a table differs from run to run.
    private static func twoDigits(_ value: Int) -> Int {
        var unit = 1
        while value / unit >= 100 { unit *= 10 }
        return value / unit * unit
    }

    /// The decimal logarithm, by linear interpolation between powers of ten.
    static func logarithm(_ value: Int) -> Double {
        var (power, rest) = (0.0, Double(max(1, value)))
        while rest >= 10 { (power, rest) = (power + 1, rest / 10) }
        return power + (rest - 1) / 9
    }

    private static func label(_ power: Int) -> String {
        ["1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"][power]
    }

    private static func records(_ size: Int, _ count: Count) -> [CountedRecord] {
        (0..<size).map { CountedRecord(id: $0, count: count) }
    }

    /// The positions of 100 changes, spread over the collection.
    private static func changed(_ size: Int) -> [Int] { (0..<100).map { $0 * (size / 100) } }

    private static func journalCost(_ size: Int) throws -> Int {
        let count = Count()
        var records = try JournaledCollection(records(size, count), primaryKey: \.key)
        count.total = 0
        for id in changed(size) { try records.update(CountedRecord(id: id, value: 1, count: count)) }
        let mark = records.shadowMark
        try records.acceptShadow(pushed: records.outgoingDiff, at: mark)
        return count.total
    }

    private static func arrayCost(_ size: Int) throws -> Int {
        let count = Count()
        let shadow = records(size, count)
        var client = shadow
        for id in changed(size) { client[id].value = 1 }
        count.total = 0
        _ = try synchronize(
            client: client, shadow: shadow, remote: shadow, primaryKey: \.key, policy: .leaveOpen)
        return count.total
    }
}
