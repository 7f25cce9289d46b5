#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The coded form of a value, which every coder decodes unchanged.
///
/// It is the form of ``taggedJSON``.
///
/// Null, truth values, integers, doubles with a fraction, text and arrays are coded as themselves. Every other value is
/// a container with one key, the tag:
///
/// | value | as JSON |
/// |---|---|
/// | a ``double(_:)`` without a fraction | `{"double":3}`; `"inf"`, `"-inf"` and `"nan"` if it is not finite |
/// | ``decimal(_:)`` | `{"decimal":"1.5"}`, or `"nan"` |
/// | ``bytes(_:)`` | `{"bytes":"AQID"}`, base64 |
/// | ``date(_:)`` | `{"date":788918400.5}`, seconds since the beginning of 2001 in UTC |
/// | ``uuid(_:)`` | `{"uuid":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"}` |
/// | ``url(_:)`` | `{"url":"https://example.org/"}` |
/// | ``object(_:)`` | `{"object":["name",1,"other",2]}`, names and values alternate |
///
/// To read and write JSON of any form, use ``init(json:options:)-(String,_)`` and ``json-swift.property``.
extension Value: Codable {
    /// Encodes the value in the form above.
    ///
    /// - Throws: `EncodingError` if arrays and objects are nested more than ``JSONOptions/maximumDepthLimit`` levels
    ///   deep, because encoders are recursive; and the errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array, .object:
            // An object adds two steps to the path: its tag and its index in the list.
            if encoder.codingPath.count > 2 * JSONOptions.maximumDepthLimit {
                throw EncodingError.invalidValue(
                    self,
                    EncodingError.Context(
                        codingPath: encoder.codingPath,
                        debugDescription: "arrays and objects are more than \(JSONOptions.maximumDepthLimit) deep in "
                            + "each other: encode a value that is not nested so deep"))
            }
        default: break
        }
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .integer(let value): try value.encode(to: encoder)
        case .double(let value):
            if value.hasFraction { try value.encode(to: encoder) } else { try encode(.double, value, to: encoder) }
        case .decimal(let value): try encode(.decimal, DecimalDigits(value).text, to: encoder)
        case .string(let value): try value.encode(to: encoder)
        case .bytes(let value): try encode(.bytes, value.base64EncodedString(), to: encoder)
        case .date(let value): try encode(.date, value.timeIntervalSinceReferenceDate, to: encoder)
        case .uuid(let value): try encode(.uuid, value.uuidString, to: encoder)
        case .url(let value): try encode(.url, value.absoluteString, to: encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let object):
            var container = encoder.container(keyedBy: JSONTag.self)
            var members = container.nestedUnkeyedContainer(forKey: .object)
            for member in object.members {
                try members.encode(member.name)
                try members.encode(member.value)
            }
        }
    }

    /// Encodes a container with a tag and its text.
    private func encode(_ tag: JSONTag, _ text: String, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONTag.self)
        try container.encode(text, forKey: tag)
    }

    /// Encodes a container with a tag and its number, or with text if the number is not finite.
    private func encode(_ tag: JSONTag, _ double: Double, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONTag.self)
        if let text = JSONTag.text(for: double) {
            try container.encode(text, forKey: tag)
        } else {
            try container.encode(double, forKey: tag)
        }
    }
}

extension Value {
    /// Decodes a value from its coded form.
    ///
    /// - Throws: `DecodingError` for any other form.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: JSONTag.self) {
            self = try Self.decodeTag(container, decoder)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [Value] = []
            while !container.isAtEnd { elements.append(try container.decode(Value.self)) }
            self = .array(elements)
        } else {
            self = try Self.decodeScalar(decoder.singleValueContainer())
        }
    }

    /// Decodes null, a truth value, a number or text.
    ///
    /// It tries integers before doubles, because a coder reads a whole number as both.
    private static func decodeScalar(_ container: any SingleValueDecodingContainer) throws -> Value {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        if let value = try? container.decode(Double.self) { return .double(value) }
        return .string(try container.decode(String.self))
    }

    /// Decodes the content of a tag.
    ///
    /// - Throws: `DecodingError` if the container has no tag or several, or if the content does not match the tag.
    private static func decodeTag(
        _ container: KeyedDecodingContainer<JSONTag>, _ decoder: any Decoder
    ) throws -> Value {
        guard container.allKeys.count == 1, let tag = container.allKeys.first else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "expected one of the tags "
                        + JSONTag.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")))
        }
        switch tag {
        case .double: return .double(try decodeDouble(container, tag))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: try decodeDouble(container, tag)))
        case .object: return .object(try decodeMembers(container.nestedUnkeyedContainer(forKey: tag)))
        case .decimal, .bytes, .uuid, .url:
            guard let value = tag.value(of: try container.decode(String.self, forKey: tag)) else {
                throw DecodingError.dataCorruptedError(
                    forKey: tag, in: container, debugDescription: "expected \(tag.content)")
            }
            return value
        }
    }

    /// Decodes a number, or the text for a number that is not finite.
    private static func decodeDouble(
        _ container: KeyedDecodingContainer<JSONTag>, _ tag: JSONTag
    ) throws -> Double {
        if let double = try? container.decode(Double.self, forKey: tag) { return double }
        guard let double = JSONTag.double(for: try container.decode(String.self, forKey: tag)) else {
            throw DecodingError.dataCorruptedError(
                forKey: tag, in: container, debugDescription: "expected \(tag.content)")
        }
        return double
    }

    /// Decodes an object from an array in which names and values alternate.
    ///
    /// - Throws: `DecodingError` if a name is repeated.
    private static func decodeMembers(_ container: any UnkeyedDecodingContainer) throws -> ValueObject {
        var container = container
        var (names, values): ([String], [Value]) = ([], [])
        while !container.isAtEnd {
            names.append(try container.decode(String.self))
            values.append(try container.decode(Value.self))
        }
        if ValueObject.firstDuplicate(in: names) != nil {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "expected names that are unique in their object")
        }
        return ValueObject(distinct: names, values)
    }
}
