import SyncPersistence

extension AttributeType {
    /// The expected value, in words for reports.
    var expectation: String {
        switch self {
        case .bool: "true or false, also as 1 or 0, or either as text"
        case .integer: "an integer of 64 bits"
        case .double: "a number that a double holds"
        case .decimal: "a decimal number of up to 38 digits"
        case .string: "text, a number, true or false"
        case .bytes, .json: "a JSON value with at most \(Value.maximumJSONDepth) arrays and objects in each other"
        case .date: "a date, as text of ISO 8601 or in seconds, milliseconds or microseconds since 1970"
        case .uuid: "a UUID as text"
        case .url: "a URL as text"
        }
    }

    /// Returns the expected value in words, with the reason if an invalid value looks valid.
    func expectation(insteadOf remote: Value) -> String {
        if self == .string, case .bool = remote { return "text or a number, as a truth value is no key" }
        guard [.integer, .double, .decimal].contains(self) else { return expectation }
        if self == .decimal, remote.double != nil { return expectation + " and an exponent from -128 to 127" }
        guard case .string(let text) = remote else { return expectation }
        let digits = (text.hasPrefix("+") ? text.dropFirst() : text[...]).drop { $0 == "0" }
        let isNumber = digits != text && (Value(number: String(digits)) ?? Value(number: "0" + digits)) != nil
        return isNumber ? expectation + ", in text without a plus or zeros before it" : expectation
    }
}
