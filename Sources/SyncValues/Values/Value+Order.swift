#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// Returns the order of this value and another, by which stores sort and filters compare.
    ///
    /// Values are ordered by kind first: null, truth values, numbers, text, bytes, dates, UUIDs, URLs,
    /// arrays, objects. Within a kind, they are ordered by content:
    /// - false before true;
    /// - numbers by size without rounding, whether integer, double or decimal: `.integer(1)`, `.double(1)` and
    ///   `.decimal(1)` are the same; NaN comes after all numbers;
    /// - text and URLs by UTF-8 bytes, which is the order of Unicode scalars; bytes and UUIDs by bytes;
    /// - arrays by their first elements that differ; a shorter array comes before a longer one that begins with it;
    /// - objects like arrays of their members sorted by name, where a name counts before its value.
    ///
    /// The order is a strict weak ordering. Equal values are the same in it. Values that are the same but not equal
    /// differ only in the cases of their numbers.
    ///
    /// - Complexity: O(*n*) for values of size *n*, O(*m* log *m*) for objects of *m* members
    package func order(to other: Value) -> ValueOrder {
        switch (self, other) {
        case (.null, .null): .same
        case (.bool(let left), .bool(let right)): ValueOrder(left ? 1 : 0, right ? 1 : 0)
        case (.integer(let left), .integer(let right)): ValueOrder(left, right)
        case (.integer(let left), .double(let right)): ValueOrder(number: left, right)
        case (.integer(let left), .decimal(let right)): DecimalDigits(left).order(to: DecimalDigits(right))
        case (.double(let left), .double(let right)): ValueOrder(number: left, right)
        case (.double(let left), .decimal(let right)): DecimalDigits(right).order(to: left).reversed
        case (.decimal(let left), .decimal(let right)): DecimalDigits(left).order(to: DecimalDigits(right))
        case (.double, .integer), (.decimal, .integer), (.decimal, .double): other.order(to: self).reversed
        case (.string(let left), .string(let right)): ValueOrder(text: left, right)
        case (.bytes(let left), .bytes(let right)):
            left.withUnsafeBytes { left in right.withUnsafeBytes { right in ValueOrder(bytes: left, right) } }
        case (.date(let left), .date(let right)):
            ValueOrder(number: left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
        case (.uuid(let left), .uuid(let right)):
            withUnsafeBytes(of: left.uuid) { left in
                withUnsafeBytes(of: right.uuid) { right in ValueOrder(bytes: left, right) }
            }
        case (.url(let left), .url(let right)): ValueOrder(text: left.absoluteString, right.absoluteString)
        case (.array, .array), (.object, .object): ValuePairs.order(self, other)
        default: ValueOrder(rank, other.rank)
        }
    }

    /// Whether the first value comes before the second by ``order(to:)``.
    ///
    /// It is a predicate for sorting.
    package static func areInIncreasingOrder(_ left: Value, _ right: Value) -> Bool {
        left.order(to: right) == .ascending
    }

    /// The position of the value's kind among the kinds.
    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .integer, .double, .decimal: 2
        case .string: 3
        case .bytes: 4
        case .date: 5
        case .uuid: 6
        case .url: 7
        case .array: 8
        case .object: 9
        }
    }
}
