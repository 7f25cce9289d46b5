#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A decoder that creates `Decodable` types from values, without intermediate text.
///
/// ```swift
/// struct Point: Decodable {
///     var x: Int
///     var time: Date
/// }
///
/// let point = try ValueDecoder().decode(Point.self, from: ["x": 3, "time": "2026-01-31T12:00:00Z"])
/// ```
///
/// Data, dates, UUIDs, URLs and decimals are decoded from their own cases of ``Value``. They are also decoded
/// from their JSON forms: base64, text of RFC 3339, text, and numbers. Text is decoded from these cases too. An integer
/// is decoded from every whole number that fits.
public struct ValueDecoder: Sendable {
    /// The function that replaces bytes where a type other than data or text is decoded from them.
    package var contentOfBytes: (@Sendable (Value) -> Value)?

    /// Creates a decoder.
    public init() {}

    /// Decodes a type from a value.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - value: A value that ``ValueEncoder`` has made, or that was read from JSON.
    /// - Throws: `DecodingError` if the value does not represent the type, or nests more than 512 arrays and objects;
    ///   and the errors of the type.
    /// - Complexity: O(*n*) for *n* values in it
    public func decode<Content: Decodable>(_ type: Content.Type, from value: Value) throws -> Content {
        try PlaceDecoder(value: value, codingPath: [], settings: self, reads: nil).decode(type)
    }

    /// Returns the members that a type reads of a JSON value, even if decoding fails.
    ///
    /// - Complexity: O(*n*) for *n* values in it
    package func membersRead<Content: Decodable>(by type: Content.Type, of value: Value) -> MemberReads {
        let reads = MemberReads()
        _ = try? PlaceDecoder(value: value, codingPath: [], settings: self, reads: reads).decode(type)
        return reads
    }
}

/// The members of an object, or the elements of an array, that a type reads while it is decoded.
///
/// They form a tree like that of the value. They distinguish the members that belong to the type from others, which a
/// save keeps unchanged.
package final class MemberReads {
    /// The reads of each part that is read, by its name or index.
    package private(set) var parts: [Value: MemberReads] = [:]

    /// Whether the members of an object are read.
    package fileprivate(set) var isObject = false

    /// Whether the names of the members were listed: they are cases of an enumeration, or data.
    package private(set) var listsNames = false

    /// Whether the listed names are fixed in the source of the type.
    package private(set) var hasFixedNames = false

    /// Whether the parts belong to a ``Value``, and are not members of a type.
    package fileprivate(set) var isOpaque = false

    /// The decoded types, each once.
    package private(set) var types: [any Any.Type] = []

    /// Whether the type checks if the member exists.
    package private(set) var isOptional = false

    /// Records that a type is decoded.
    func addType(_ type: any Any.Type) {
        if !types.contains(where: { $0 == type }) { types.append(type) }
    }

    /// Records that the type checks if a member with a key exists.
    func markOptional(_ key: any CodingKey) { part(key).isOptional = true }

    /// The reads of the member with a name; nil if it is not read.
    package subscript(name: String) -> MemberReads? { parts[.string(name)] }

    /// The reads of the element at an index; nil if it is not read.
    package subscript(index: Int) -> MemberReads? { parts[.integer(Int64(index))] }

    /// Returns the reads of the part with a key, and marks the part as read.
    func part(_ key: any CodingKey) -> MemberReads {
        let name = (key as? PathKey)?.intValue.map { Value.integer(Int64($0)) } ?? .string(key.stringValue)
        if let part = parts[name] { return part }
        let part = MemberReads()
        parts[name] = part
        return part
    }

    /// Marks that all names were listed.
    ///
    /// The given key is one of them.
    func markNamesAsListed(_ key: (any CodingKey)?) {
        listsNames = true
        if let key { hasFixedNames = Mirror(reflecting: key).displayStyle == .enum }
    }
}

/// The decoder that a type decodes itself from.
///
/// It is also the container of a single value.
struct PlaceDecoder: Decoder {
    /// The value at the coding path.
    let value: Value
    let codingPath: [any CodingKey]
    /// The decoder with its options.
    let settings: ValueDecoder
    /// Where reads are marked; nil if they are not.
    let reads: MemberReads?
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = content else { throw mismatch([String: Value].self, "an object") }
        reads?.isObject = true
        return KeyedDecodingContainer(ObjectDecodingContainer<Key>(object, in: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = content else { throw mismatch([Value].self, "an array") }
        return ArrayDecodingContainer(elements, in: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension PlaceDecoder: SingleValueDecodingContainer {
    /// Whether the value is null.
    func decodeNil() -> Bool { value.isNull }

    /// Decodes a type directly from its own case if it has one, otherwise by its `Decodable` conformance.
    ///
    /// - Throws: `DecodingError` if the value does not represent the type or is nested too deep; and the errors of the
    ///   type.
    func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
        if type == Value.self { reads?.isOpaque = true }
        reads?.addType(type)
        guard let native = type as? any ValueConvertible.Type, !isDecodedFromJSON(type) else {
            if codingPath.count >= EncodingPlace.maximumDepth {
                let problem = EncodingPlace.tooDeep(codingPath).debugDescription
                throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: problem))
            }
            return try type.init(from: self)
        }
        do {
            let isWhole = type == Value.self || type == Data.self
            if let decoded = try native.init(native: isWhole ? value : content) as? Content { return decoded }
        } catch ValueConversionFault.content(let expected) {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "expected \(expected)"))
        } catch {}
        throw mismatch(type, "a \(type)")
    }
}

extension PlaceDecoder {
    /// Returns the decoder of a part.
    func inside(_ value: Value, _ key: any CodingKey) -> PlaceDecoder {
        PlaceDecoder(value: value, codingPath: codingPath + [key], settings: settings, reads: reads?.part(key))
    }

    /// Whether a type is decoded from its JSON form instead of its own case, because reads are marked for JSON.
    private func isDecodedFromJSON(_ type: any Any.Type) -> Bool {
        reads != nil && (type == Value.self || type == Date.self)
    }

    /// The value, or the replacement of bytes.
    private var content: Value {
        if case .bytes = value, let contentOfBytes = settings.contentOfBytes { contentOfBytes(value) } else { value }
    }

    /// Returns the error for a value of an unexpected kind, or for null.
    private func mismatch(_ type: any Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "expected \(expected), found \(value.kind)")
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension Value {
    /// The kind of the value, in words that do not tell doubles and decimals apart.
    fileprivate var kind: String {
        switch self {
        case .double, .decimal: "a number"
        default: phrase
        }
    }
}
