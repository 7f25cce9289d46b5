#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SyncPersistence

extension PropertyReading {
    /// Returns the default value of an attribute; null if it has none.
    ///
    /// Xcode writes the default of a date as seconds since 2001 in `defaultDateTimeInterval`, and all other defaults
    /// as text in `defaultValueString`.
    ///
    /// It reports a default that is skipped or converted, and a fault for text of another type.
    func defaultValue(_ type: AttributeType, _ log: inout FindingLog) -> Value {
        let name = type == .date ? "defaultDateTimeInterval" : "defaultValueString"
        let other = type == .date ? "defaultValueString" : "defaultDateTimeInterval"
        if let attribute = element.attribute(other) {
            log.notice(
                attribute.position, subject,
                "'\(other)' is passed over: the default of an attribute of type \(type.rawValue) is "
                    + "'\(name)'")
        }
        guard let attribute = element.attribute(name) else { return .null }
        let text = attribute.value
        if type == .bytes || type == .json {
            log.notice(
                attribute.position, subject,
                "'\(name)' is passed over: an attribute of type \(type.rawValue) has no default in a model")
            return .null
        }
        if let value = PropertyReading.value(text, type) { return value }
        if let value = PropertyReading.meant(text, type) {
            log.notice(
                attribute.position, subject,
                "the default '\(text)' is read as \(value): an attribute of type \(type.rawValue) has no such value, and "
                    + "Xcode takes it")
            return value
        }
        log.fault(
            attribute.position, subject,
            "the default '\(text)' is not of type \(type.rawValue): correct the default or the type")
        return .null
    }

    /// Returns the value of a text for a type; nil if the text is not of the type.
    ///
    /// For example, `YES`, `true` and `1` are true. A date is a number of seconds since 2001, in the years 0 to 9999.
    private static func value(_ text: String, _ type: AttributeType) -> Value? {
        switch type {
        case .integer: return Int64(text).map { .integer($0) }
        case .double: return number(text).flatMap { Double($0) }.flatMap { $0.isFinite ? .double($0) : nil }
        case .date:
            return number(text).flatMap { Double($0) }.flatMap {
                Date.internetRange.contains($0) ? .date(Date(timeIntervalSinceReferenceDate: $0)) : nil
            }
        case .decimal: return number(text).flatMap { Decimal(exactly: $0) }.map { .decimal($0) }
        case .bool:
            switch text {
            case "YES", "true", "1": return true
            case "NO", "false", "0": return false
            default: return nil
            }
        case .string: return .string(text)
        case .uuid: return UUID(uuidString: text).map { .uuid($0) }
        case .url: return URL(string: text).map { .url($0) }
        case .bytes, .json: return nil
        }
    }

    /// Returns the value that Xcode reads from text of another type; nil for other text.
    ///
    /// | text | type | value |
    /// |---|---|---|
    /// | `3.0` | integer | 3 |
    /// | `YES` | integer, double, decimal | 1 |
    /// | more digits than a decimal has | decimal | the rounded number |
    /// | `1.0` | truth value | true |
    private static func meant(_ text: String, _ type: AttributeType) -> Value? {
        switch type {
        case .integer:
            if case .bool(let isTrue)? = value(text, .bool) { return isTrue ? 1 : 0 }
            return number(text).flatMap { Double($0) }.flatMap { Int64(exactly: $0) }.map { .integer($0) }
        case .double, .decimal:
            if case .bool(let isTrue)? = value(text, .bool) { return value(isTrue ? "1" : "0", type) }
            return type == .decimal ? number(text).flatMap { Decimal(string: $0) }.map { .decimal($0) } : nil
        case .bool:
            guard let number = number(text).flatMap({ Double($0) }), number == 0 || number == 1 else { return nil }
            return .bool(number == 1)
        default: return nil
        }
    }

    /// Returns the text if it is a number; nil otherwise.
    ///
    /// Of the initializers of numbers, those of Swift accept more texts, and those of Foundation fewer.
    private static func number(_ text: String) -> String? {
        text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/) == nil ? nil : text
    }
}
