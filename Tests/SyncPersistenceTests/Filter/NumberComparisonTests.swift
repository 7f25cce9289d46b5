import Foundation
import TestSupport
import Testing

import SyncPersistence

struct NumberComparisonTests {
    private static let limit = Int64(1) << 53

    private static let integers: [Value] = [
        .integer(.min), .integer(.min + 1), .integer(-limit - 1), -7, -1, 0, 1, 7, .integer(limit),
        .integer(limit + 1), .integer(.max - 1), .integer(.max),
    ]

    private static let doubles: [Value] = [
        -Double.infinity, -1e300, -0x1p63, -9_007_199_254_740_994, -1.5, -1, -0.0, 0, .leastNonzeroMagnitude, 0.1, 1,
        1.5, 7, 0x1p53, 9_007_199_254_740_994, 0x1p63, 1e300, .infinity,
    ].map { .double($0) }

    private static let decimals: [Value] = [
        "-1e100", "-9223372036854775809", "-9223372036854775808", "-1.5", "-1", "0", "0.1", "0.3", "1", "1.5", "7",
        "9007199254740993", "9223372036854775807.5", "9223372036854775808", "1e100",
    ].map { .decimal(Decimal(string: $0)!) }

    /// Each value of the attribute against each number, as the exact order of numbers has it.
    private func check(_ attribute: String, _ values: [Value], _ numbers: [Value]) throws {
        for number in numbers {
            for comparison in Filter.Comparison.allCases {
                let filter = Filter.comparison(path: attribute, comparison, number)
                let bound = try BoundFilter(filter, of: Staff.person, in: Staff.schema)
                for value in values {
                    let order = value.order(to: number)
                    let expected =
                        switch comparison {
                        case .equal: order == .same
                        case .notEqual: order != .same
                        case .less: order == .ascending
                        case .lessOrEqual: order != .descending
                        case .greater: order == .descending
                        case .greaterOrEqual: order != .ascending
                        }
                    let holds = bound.holds(for: Record(Staff.person, [attribute: value]))
                    #expect(holds == expected, "\(value) \(comparison) \(number)")
                }
                #expect(!bound.holds(for: Record(Staff.person, [:])))
                #expect(bound.comparesLikeWithLike, "\(bound)")
            }
            let membership = Filter.membership(path: attribute, [number])
            let bound = try BoundFilter(membership, of: Staff.person, in: Staff.schema)
            for value in values {
                let holds = bound.holds(for: Record(Staff.person, [attribute: value]))
                #expect(holds == (value.order(to: number) == .same), "\(value) in \(number)")
            }
        }
    }

    @Test func integersCompareExactlyWithDoublesAndDecimals() throws {
        try check("integer", Self.integers, Self.integers + Self.doubles + Self.decimals)
    }

    @Test func doublesCompareExactlyWithIntegersAndDecimals() throws {
        try check("double", Self.doubles, Self.integers + Self.doubles + Self.decimals)
    }

    @Test func decimalsCompareExactlyWithIntegers() throws {
        try check("decimal", Self.decimals, Self.integers + Self.decimals)
    }

    @Test(arguments: [
        (9.99, "9.99"), (0.1, "0.1"), (-0.3, "-0.3"), (0.0, "0"), (-0.0, "0"), (1e100, "1e100"), (1e-100, "1e-100"),
        (5e-7, "0.0000005"), (123456789012345680.0, "123456789012345680"), (1.0 / 3, "0.3333333333333333"),
        (-1.7976931348623156e50, "-1.7976931348623156e50"),
    ])
    func doubleComparesWithDecimalsAsItsShortestDecimalForm(double: Double, decimal: String) throws {
        #expect(Decimal(shortest: double) == Decimal(string: decimal))
        let filter = Field("decimal") == .double(double)
        let record = Record(Staff.person, ["decimal": .decimal(Decimal(string: decimal)!)])
        #expect(try BoundFilter(filter, of: Staff.person, in: Staff.schema).holds(for: record))
    }

    @Test(arguments: [1.1e100, 0.9e-100, .infinity])
    func doubleOutsideTheDecimalRangeIsRefused(double: Double) {
        for double in [double, -double] {
            #expect(throws: PersistenceError.self) {
                try BoundFilter(Field("decimal") < .double(double), of: Staff.person, in: Staff.schema)
            }
        }
    }

    @Test(arguments: ["integer", "double", "decimal"])
    func notANumberIsRefusedAsAnOperand(attribute: String) {
        for value in [Value.double(.nan), .decimal(.nan)] {
            #expect(throws: PersistenceError.self) {
                try BoundFilter(Field(attribute) == value, of: Staff.person, in: Staff.schema)
            }
        }
    }
}

extension BoundFilter {
    /// Whether each value is of the kind that stands at the end of its path.
    var comparesLikeWithLike: Bool {
        switch self {
        case .comparison(let path, _, let value): path.types[0].admits(value)
        case .not(let filter): filter.comparesLikeWithLike
        default: true
        }
    }
}
