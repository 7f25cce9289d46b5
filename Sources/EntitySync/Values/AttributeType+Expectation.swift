import SyncPersistence

extension AttributeType {
    /// What a remote's value has to be, in words, for reports.
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
}
