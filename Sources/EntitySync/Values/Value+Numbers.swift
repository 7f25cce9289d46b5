import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The value of a remote as a number.
///
/// Text is a number if it has the form of a JSON number, without white space.
extension Value {
    /// The truth value of `true` or `false`, of 1 or 0, or of text of these.
    var truth: Bool? {
        switch self {
        case .bool(let value): value
        case .string("true"), .string("1"): true
        case .string("false"), .string("0"): false
        case .integer, .double, .decimal: integer.flatMap { $0 == 0 ? false : $0 == 1 ? true : nil }
        default: nil
        }
    }

    /// The integer of a number without a fraction, of its text, or of a truth value (1 or 0).
    var integer: Int64? {
        switch self {
        case .bool(let value): value ? 1 : 0
        case .integer(let value): value
        case .double(let value): Int64(exactly: value)
        case .decimal(let value): value.exactInteger
        case .string(let text): Self.integer(text)
        default: nil
        }
    }

    /// Returns the integer of the text of a number; nil if it has a fraction or too many digits.
    private static func integer(_ text: String) -> Int64? {
        // Every integer of 64 bits is a decimal. A double may have been rounded to an integer.
        switch Value(number: text, readsDecimals: true) {
        case .integer(let value): value
        case .decimal(let value): value.exactInteger
        default: nil
        }
    }

    /// The double nearest to the number.
    var double: Double? {
        switch self {
        case .bool(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        case .double(let value): value.isFinite ? value : nil
        case .decimal(let value): value.nearestDouble
        case .string(let text): Value(number: text)?.double
        default: nil
        }
    }

    /// The decimal that is exactly the number.
    ///
    /// For a double, it is the decimal of its shortest digits.
    var exactDecimal: Decimal? {
        switch self {
        case .bool(let value): value ? 1 : 0
        case .integer(let value): Decimal(value)
        case .double(let value): Decimal(shortest: value)
        case .decimal(let value): value.isNaN ? nil : value
        case .string(let text): Value(number: text, readsDecimals: true).flatMap { Self.decimal($0) }
        default: nil
        }
    }

    /// Returns the decimal of a number in text; nil if no decimal is exactly that number.
    private static func decimal(_ number: Value) -> Decimal? {
        if case .double = number { nil } else { number.exactDecimal }
    }

    /// The text.
    ///
    /// A number becomes its digits, and a truth value becomes 1 or 0. Other values become their JSON text if they have
    /// one.
    var text: String? {
        switch self {
        case .string(let text): text
        case .bool(let value): value ? "1" : "0"
        case .integer(let value): String(value)
        case .double(let value): value.isFinite ? integer.map { String($0) } ?? value.description : nil
        case .decimal(let value): value.isNaN ? nil : value.exactText
        case .uuid(let value): value.uuidString
        case .url(let value): value.absoluteString
        case .date(let value): value.internetText
        case .bytes(let value): value.base64EncodedString()
        case .null, .array, .object: nil
        }
    }
}
