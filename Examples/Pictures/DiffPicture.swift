import DifferentialSync

/// What a diff costs by this library and by a dictionary of the records.
enum DiffPicture {
    static let size = 10_000

    static func draw() throws -> String {
        let count = Count()
        let old = (0..<size).map { CountedRecord(id: $0, count: count) }
        var new = old
        for position in stride(from: 0, to: size, by: 100) { new[position].value = 1 }
        let rows = try [
            ("uncheckedDiff", cost(count) { _ = uncheckedDiff(wins: new, loses: old, primaryKey: \.key) }),
            ("diff", cost(count) { _ = try diff(wins: new, loses: old, primaryKey: \.key) }),
            ("a dictionary", cost(count) { _ = dictionaryDiff(old, new) }),
        ]
        var svg = SVG(
            width: 760, height: 200,
            title: "Operations for each record of a diff: " + rows.map { "\($0.0) \($0.1)" }.joined(separator: ", "))
        svg.text("A diff of 10,000 records, 1 % changed", x: 20, y: 28, size: 16, isBold: true)
        svg.text(
            "keys read, keys hashed and records compared, for each record", x: 20, y: 48, size: 13, style: .faint)
        let longest = rows.map(\.1).max() ?? 1
        for (position, row) in rows.enumerated() {
            let y = 72 + Double(position) * 40
            svg.text(row.0, x: 150, y: y + 19, anchor: .end)
            let width = max(2, 500 * row.1 / longest)
            svg.rectangle(x: 164, y: y, width: width, height: 28, radius: 4, style: position < 2 ? .accent : .faint)
            svg.text("\(row.1)", x: 174 + width, y: y + 19, isBold: true)
        }
        return svg.file
    }

    /// The operations for each record, to one digit.
    private static func cost(_ count: Count, _ body: () throws -> Void) rethrows -> Double {
        count.total = 0
        try body()
        return (Double(count.total) / Double(size) * 10).rounded() / 10
    }

    private static func dictionaryDiff(_ old: [CountedRecord], _ new: [CountedRecord]) -> Int {
        var known: [CountedKey: CountedRecord] = [:]
        known.reserveCapacity(old.count)
        for record in old { known[record.key] = record }
        var (changes, found) = (0, 0)
        for record in new {
            if let before = known[record.key] {
                found += 1
                if before != record { changes += 1 }
            } else {
                changes += 1
            }
        }
        return changes + known.count - found
    }
}
