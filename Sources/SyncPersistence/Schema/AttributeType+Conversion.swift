#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AttributeType {
    /// Returns a value of another type as one of this type; nil if that is impossible.
    ///
    /// No digit is lost, except for those of a decimal that a floating-point number cannot represent.
    func converted(_ value: Value) -> Value? {
        if admits(value) { return value }
        switch self {
        case .bool: return AttributeType.truth(value).map { .bool($0) }
        case .integer: return AttributeType.integer(value).map { .integer($0) }
        case .double: return AttributeType.double(value).map { .double($0) }
        case .decimal: return AttributeType.decimal(value).map { .decimal($0) }
        case .string: return AttributeType.text(value).map { .string($0) }
        case .date, .uuid, .url:
            guard case .string(let text) = value else { return nil }
            return content(of: text)
        case .bytes, .json: return nil
        }
    }

    /// Returns a truth value for 0, 1, and their words; nil for other values.
    private static func truth(_ value: Value) -> Bool? {
        switch value {
        case .integer(0), .string("0"), .string("false"): false
        case .integer(1), .string("1"), .string("true"): true
        default: nil
        }
    }

    /// Returns an integer for a whole number or its text; nil if digits would be lost.
    private static func integer(_ value: Value) -> Int64? {
        switch value {
        case .bool(let isTrue): isTrue ? 1 : 0
        case .double(let number): Int64(exactly: number)
        case .decimal(let number): Int64(number.exactText)
        case .string(let text): Int64(text)
        default: nil
        }
    }

    /// Returns the nearest floating-point number; nil for text that is no number.
    private static func double(_ value: Value) -> Double? {
        let number: Double? =
            switch value {
            case .bool(let isTrue): isTrue ? 1 : 0
            case .integer(let integer): Double(exactly: integer)
            case .decimal(let decimal): Double(decimal.exactText)
            case .string(let text): Double(text)
            default: nil
            }
        return number.flatMap { $0.isNaN ? nil : $0 }
    }

    /// Returns a decimal with all digits of a number or its text; nil if no decimal has them.
    private static func decimal(_ value: Value) -> Decimal? {
        switch value {
        case .bool(let isTrue): isTrue ? 1 : 0
        case .integer(let integer): Decimal(exactly: "\(integer)")
        case .double(let number): Decimal(exactly: "\(number)")
        case .string(let text): Decimal(exactly: text)
        default: nil
        }
    }

    /// Returns the text of a scalar value; nil for bytes, arrays and objects.
    private static func text(_ value: Value) -> String? {
        switch value {
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .decimal(let number): number.exactText
        case .date(let date): date.internetText
        case .uuid(let uuid): uuid.uuidString
        case .url(let url): url.absoluteString
        default: nil
        }
    }

    /// Returns the date, UUID or locator that a text represents; nil for other text.
    private func content(of text: String) -> Value? {
        switch self {
        case .date:
            var text = text
            return text.withUTF8 { DateText.seconds(of: UnsafeRawBufferPointer($0)) }
                .map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .uuid: return UUID(text: text).map { .uuid($0) }
        default: return URL(exactly: text).map { .url($0) }
        }
    }
}
