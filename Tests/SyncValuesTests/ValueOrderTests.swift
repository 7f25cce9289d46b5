import DifferentialSyncTesting
import Foundation
import SyncValues
import TestSupport
import Testing

struct ValueOrderTests {
    /// Values from the first to the last; those of one row are the same.
    static let rows: [[Value]] = [
        [.null],
        [.bool(false)], [.bool(true)],
        [.double(-.infinity)],
        [.decimal(Decimal(string: "-9223372036854775809")!)],
        [.integer(.min), .double(-0x1p63), .decimal(Decimal(Int64.min))],
        [.double(-9_223_372_036_854_774_784)],
        [-1, -1.0], [-0.5, .decimal(Decimal(string: "-0.5")!)],
        [0, 0.0, -0.0, .decimal(0)],
        [.double(.leastNonzeroMagnitude)], [.decimal(Decimal(string: "1e-128")!)],
        [.decimal(Decimal(string: "0.1")!)],
        // The double is 0.1000000000000000055511151231257827…
        [.decimal(Decimal(string: "0.1000000000000000055511151231257827")!)], [0.1],
        [.decimal(Decimal(string: "0.1000000000000000055511151231257828")!)],
        [.decimal(Decimal(string: "1.25")!), 1.25], [.decimal(Decimal(string: "1.5")!), 1.5],
        [.integer(9_007_199_254_740_992), .double(0x1p53)],
        [.integer(9_007_199_254_740_993), .decimal(Decimal(string: "9007199254740993")!)],
        [.integer(.max)], [.double(0x1p63), .decimal(Decimal(string: "9223372036854775808")!)],
        [.double(1e100)], [.decimal(Decimal(string: "1e101")!)],
        [.decimal(Decimal.greatestFiniteMagnitude)], [.double(.greatestFiniteMagnitude)], [.double(.infinity)],
        [.double(.nan), .decimal(.nan)],
        [""], ["\u{0}"], ["12345678"], ["123456788x"], ["123456789"], ["B"], ["a"], ["ab"], ["b"],
        ["e\u{301}"], ["\u{E9}"], ["\u{FFFF}"], ["\u{10000}"],
        [.bytes(Data())], [.bytes(Data([0]))], [.bytes(Data([0, 255]))], [.bytes(Data([1]))],
        [.date(Date(timeIntervalSinceReferenceDate: -1))], [.date(Date(timeIntervalSinceReferenceDate: 1))],
        [.date(Date(timeIntervalSinceReferenceDate: .nan))],
        [.uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255)))],
        [.uuid(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))],
        [.url(URL(string: "a:b")!)], [.url(URL(string: "b:a")!)],
        [[]], [[.null]], [[.null, .null]], [[1], [1.0]], [[1, 2]], [[2]], [["a"]], [[[]]],
        [[:]], [["a": 1], ["a": 1.0]], [["a": 1, "b": 2], ["b": 2, "a": 1.0]], [["a": 2]], [["b": 1]],
    ]

    @Test func itIsAsDocumented() {
        let places = Self.rows.enumerated().flatMap { row in row.element.map { (row.offset, $0) } }
        for (row, value) in places {
            for (otherRow, other) in places {
                let expected: ValueOrder = row < otherRow ? .ascending : row > otherRow ? .descending : .same
                #expect(value.order(to: other) == expected, "\(value) and \(other)")
            }
        }
    }

    @Test func itIsAStrictWeakOrderingOfTrickyValues() {
        Self.checkLaws(trickyValues + Self.rows.joined(), "tricky values")
    }

    @Test func itIsAStrictWeakOrderingOfRandomValues() {
        let seed = SeededGenerator.testSeed(1)
        var generator = SeededGenerator(seed: seed)
        let values = (0..<(isFullScale ? 400 : 100)).map { _ in generator.value() }
        Self.checkLaws(values, "seed \(seed)")
    }

    /// Antisymmetry and transitivity, of being less and of being the same, for all triples; and agreement with `==`.
    static func checkLaws(_ values: [Value], _ comment: Comment) {
        let orders = values.map { left in values.map { right in left.order(to: right) } }
        var isLawful = true
        for a in values.indices {
            for b in values.indices {
                let order = orders[a][b]
                isLawful = isLawful && orders[b][a] == order.reversed && (a != b || order == .same)
                if values[a] == values[b] {
                    #expect(order == .same, "\(values[a]), \(values[b]), \(comment)")
                    #expect(values[a].hashValue == values[b].hashValue, "\(values[a]), \(values[b]), \(comment)")
                } else if values[a].kind == values[b].kind, values[a].isScalar {
                    #expect(order != .same, "\(values[a]), \(values[b]), \(comment)")
                }
                for c in values.indices where orders[b][c] == order {
                    isLawful = isLawful && orders[a][c] == order
                }
            }
        }
        #expect(isLawful, comment)
    }

    @Test func sortedByItNullsComeFirst() {
        let values: [Value] = ["b", 2, .null, 1.5, "a", .bool(true), 1]
        #expect(values.sorted(by: Value.areInIncreasingOrder) == [.null, .bool(true), 1, 1.5, 2, "a", "b"])
    }

    @Test func decimalsAreOrderedAsFoundationHasThem() {
        let seed = SeededGenerator.testSeed(2)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 100_000 : 2_000) {
            let left = generator.decimal()
            let right = generator.happens(0.2) ? left + generator.decimal() : generator.decimal()
            let expected: ValueOrder = left < right ? .ascending : right < left ? .descending : .same
            #expect(Value.decimal(left).order(to: .decimal(right)) == expected, "\(left), \(right), seed \(seed)")
        }
    }

    @Test func integersAndDoublesAreOrderedAsDecimalsAre() {
        let seed = SeededGenerator.testSeed(3)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 100_000 : 2_000) {
            let integer = Int64(truncatingIfNeeded: generator.next()) >> Int.random(in: 0..<64, using: &generator)
            let double =
                Double(integer &+ Int64.random(in: -2...2, using: &generator)) + (generator.happens(0.5) ? 0.5 : 0)
            let expected = Value.decimal(Decimal(integer)).order(to: .double(double))
            #expect(
                Value.integer(integer).order(to: .double(double)) == expected, "\(integer), \(double), seed \(seed)")
        }
    }
}

extension Value {
    /// The name of the case.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .integer: "integer"
        case .double: "double"
        case .decimal: "decimal"
        case .string: "string"
        case .bytes: "bytes"
        case .date: "date"
        case .uuid: "uuid"
        case .url: "url"
        case .array: "array"
        case .object: "object"
        }
    }

    /// Whether it holds no other values.
    var isScalar: Bool { kind != "array" && kind != "object" }
}
