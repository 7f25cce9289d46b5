import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// The value in a few words for reports: `the text "12abc"`, `the number 12.5`, `an object`, `null`.
    ///
    /// Text is cut after 60 characters, and invisible characters are escaped.
    var finding: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "the number \(value)"
        case .double(let value): value.isInfinite ? "a number that no double holds" : "the number \(value)"
        case .decimal(let value): "the number \(value.exactText)"
        case .string(let value): "the text \(value.quoted(limit: 60))"
        case .bytes(let value): value.count == 1 ? "1 byte" : "\(value.count) bytes"
        case .date(let value): "the date \(value.internetText ?? "\(value.timeIntervalSinceReferenceDate)")"
        case .uuid(let value): "the UUID \(value.uuidString)"
        case .url(let value): "the URL \(value.absoluteString.quoted(limit: 60))"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension String {
    /// Returns the text in quotes on one line, cut after a number of Unicode scalars.
    ///
    /// Quotes, backslashes and invisible characters are escaped, so that no text can end the quotes, break the line or
    /// change the direction of the text after it.
    func quoted(limit: Int) -> String {
        var quoted = "\""
        var rest = unicodeScalars[...]
        for scalar in rest.prefix(limit) {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case " ": quoted += " "
            default:
                if scalar.isVisible {
                    quoted.unicodeScalars.append(scalar)
                } else {
                    quoted += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                }
            }
            rest.removeFirst()
        }
        return quoted + (rest.isEmpty ? "\"" : "…\"")
    }
}

extension Unicode.Scalar {
    /// Whether it is visible on its own.
    fileprivate var isVisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator, .nonspacingMark, .enclosingMark:
            false
        default: !properties.isDefaultIgnorableCodePoint
        }
    }
}

extension Value {
    /// Whether it is an object.
    var isObject: Bool { if case .object = self { true } else { false } }
    /// Whether it is an array.
    var isArray: Bool { if case .array = self { true } else { false } }
}
