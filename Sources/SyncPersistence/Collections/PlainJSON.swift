#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A JSON value that is coded as plain JSON, not in the coded form of `Value`.
struct PlainJSON: Codable {
    /// The decoded or encoded value.
    let value: Value

    /// Creates the plain form of a value.
    init(_ value: Value) { self.value = value }

    /// The members of an object.
    ///
    /// - Throws: `DecodingError` if the value is not an object.
    var object: ValueObject {
        get throws {
            if case .object(let object) = value { return object }
            throw DecodingError.typeMismatch(
                ValueObject.self, .init(codingPath: [], debugDescription: "an object is expected"))
        }
    }
}

extension PlainJSON {
    /// Decodes any JSON: tries an object first, then an array, then a scalar value.
    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: PathKey.self) {
            let keys = members.allKeys
            value = .object(
                ValueObject(
                    names: keys.map(\.stringValue),
                    values: try keys.map { try members.decode(PlainJSON.self, forKey: $0).value }))
        } else if var elements = try? decoder.unkeyedContainer() {
            var values: [Value] = []
            while !elements.isAtEnd { values.append(try elements.decode(PlainJSON.self).value) }
            value = .array(values)
        } else {
            value = try PlainJSON.scalar(decoder.singleValueContainer())
        }
    }

    /// Decodes a scalar value; the first type that fits counts, from null to text.
    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> Value {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        if let value = try? container.decode(Double.self) {
            // A decimal has all digits; a number that is too large for a decimal is read as a double.
            let decimal = try? container.decode(Decimal.self)
            return decimal.map { $0.isNaN ? .double(value) : Value.decimal($0).canonicalNumber } ?? .double(value)
        }
        return .string(try container.decode(String.self))
    }

    /// Encodes the value without the marks of its cases.
    func encode(to encoder: any Encoder) throws {
        switch value {
        case .array(let values):
            var elements = encoder.unkeyedContainer()
            for value in values { try elements.encode(PlainJSON(value)) }
        case .object(let object):
            var members = encoder.container(keyedBy: PathKey.self)
            for member in object.members {
                try members.encode(PlainJSON(member.value), forKey: PathKey(member.name))
            }
        case .double(let number): try encode(number, to: encoder)
        case .decimal(let number): try encode(number, to: encoder)
        default: try value.encode(to: encoder)
        }
    }

    /// Encodes a scalar value.
    private func encode(_ content: some Encodable, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(content)
    }
}
