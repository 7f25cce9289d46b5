import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Value {
    /// The value as plain JSON, in the form of its `taggedJSON`: every case that JSON does not have is an object with
    /// one tag.
    var taggedForm: Value {
        switch self {
        case .null, .bool, .integer, .string: self
        case .double(let number):
            number.isFinite && number.rounded(.towardZero) != number
                ? self
                : Self.tag(
                    "double", number.isFinite ? self : .string(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf"))
        case .array(let elements): .array(elements.map(\.taggedForm))
        case .object(let object):
            Self.tag("object", .array(object.members.flatMap { [.string($0.name), $0.value.taggedForm] }))
        case .decimal, .bytes, .date, .uuid, .url:
            // The text of a scalar is short, and its form stands in one place.
            (try? Value(json: taggedJSON)) ?? .null
        }
    }

    private static func tag(_ name: String, _ content: Value) -> Value {
        .object(ValueObject(distinct: [name], [content]))
    }

    /// Creates the value of a tagged form; nil for an object that is no tag with its content.
    init?(taggedForm form: Value) {
        switch form {
        case .array(let elements):
            var values: [Value] = []
            values.reserveCapacity(elements.count)
            for element in elements {
                guard let value = Value(taggedForm: element) else { return nil }
                values.append(value)
            }
            self = .array(values)
        case .object(let object):
            guard object.members.count == 1 else { return nil }
            if object.names[0] == "object", case .array(let parts) = object.values[0] {
                guard parts.count.isMultiple(of: 2) else { return nil }
                var members: [ValueObject.Member] = []
                for position in stride(from: 0, to: parts.count, by: 2) {
                    guard case .string(let name) = parts[position], let value = Value(taggedForm: parts[position + 1])
                    else { return nil }
                    members.append(ValueObject.Member(name: name, value: value))
                }
                self = .object(ValueObject(members))
                return
            }
            guard let text = try? form.json, let value = try? Value(taggedJSON: text) else { return nil }
            self = value
        default: self = form
        }
    }
}
