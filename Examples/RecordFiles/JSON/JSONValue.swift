/// A JSON value.
///
/// A number is kept as it is written, so that none loses a digit; `1` and `1.0` are not equal.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([MemberName: JSONValue])

    /// Whether two values have the same text, scalar by scalar.
    ///
    /// Swift compares texts by their characters, so a file with `é` as one scalar would equal one with two.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

/// A record of a file, such as `["code": "AD-02", "name": "Canillo"]`.
package typealias Record = [MemberName: JSONValue]

extension JSONValue {
    /// What kind of value it is, for errors: `a string`.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON on one line, members by name.
    package var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let text): text
        case .string(let text): JSONValue.quoted(text)
        case .array(let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
        case .object(let members):
            "{"
                + members.keys.sorted().map { $0.quoted + ": \(members[$0] ?? .null)" }
                .joined(separator: ", ") + "}"
        }
    }

    /// The value as JSON over several lines, members by name, those that are named `first` before the others.
    package func indented(first: [MemberName] = [], by indentation: String = "") -> String {
        let inner = indentation + "  "
        switch self {
        case .null, .bool, .number, .string:
            return description
        case .array(let elements):
            if elements.isEmpty { return "[]" }
            let lines = elements.map { inner + $0.indented(first: first, by: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indentation)]"
        case .object(let members):
            if members.isEmpty { return "{}" }
            let leading = first.filter { members[$0] != nil }
            let names = leading + members.keys.filter { !leading.contains($0) }.sorted()
            let lines = names.map { name in
                inner + name.quoted + ": " + (members[name] ?? .null).indented(first: first, by: inner)
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
        }
    }

    /// The text in quotes, with everything escaped that JSON wants escaped or that a terminal would obey.
    package static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.properties.generalCategory == .control: quoted += "\\u" + hexadecimal(scalar.value)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// The number in four hexadecimal digits, or as many as it takes.
    package static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
