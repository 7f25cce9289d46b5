#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes of values what is `Decodable`, without going through text.
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
/// Data, dates, identifiers, locators and decimals are decoded from the cases that a ``Value`` has for them, and from
/// the forms of JSON: base64, text of RFC 3339, text, and numbers. Text is decoded from such cases too. An integer is
/// decoded from every number that is whole and fits.
public struct ValueDecoder: Sendable {
    /// What stands for bytes where something else than data, or text, is decoded from them.
    package var contentOfBytes: (@Sendable (Value) -> Value)?

    /// A decoder.
    public init() {}

    /// What a value stands for.
    ///
    /// - Throws: `DecodingError` if it stands for none of the type, or has more than 512 arrays and objects in each
    ///   other; and what the type throws.
    /// - Complexity: O(*n*) for *n* values in it
    public func decode<Content: Decodable>(_ type: Content.Type, from value: Value) throws -> Content {
        try PlaceDecoder(value: value, codingPath: [], settings: self, reads: nil).decode(type)
    }

    /// The members that a type reads of a JSON value, also where it cannot be decoded to the end.
    ///
    /// - Complexity: O(*n*) for *n* values in it
    func membersRead<Content: Decodable>(by type: Content.Type, of value: Value) -> MemberReads {
        let reads = MemberReads()
        _ = try? PlaceDecoder(value: value, codingPath: [], settings: self, reads: reads).decode(type)
        return reads
    }
}

/// The members of an object, or the elements of an array, that a type asks for while it is decoded.
final class MemberReads {
    private(set) var parts: [Value: MemberReads] = [:]

    /// Whether the members of an object are read.
    fileprivate(set) var isObject = false

    /// Whether the names of the members were asked for as a list: they are cases of an enumeration, or data.
    private(set) var listsNames = false

    /// Whether such names stand in the source of the type.
    private(set) var hasFixedNames = false

    /// Whether the parts are those of a ``Value``, and no members of a type.
    fileprivate(set) var isOpaque = false

    /// What is read of the member with a name; nil if it is not read.
    subscript(name: String) -> MemberReads? { parts[.string(name)] }

    /// What is read of the element at an index; nil if it is not read.
    subscript(index: Int) -> MemberReads? { parts[.integer(Int64(index))] }

    /// What is read of the part with a key, from now on.
    func part(_ key: any CodingKey) -> MemberReads {
        let name = (key as? PathKey)?.intValue.map { Value.integer(Int64($0)) } ?? .string(key.stringValue)
        if let part = parts[name] { return part }
        let part = MemberReads()
        parts[name] = part
        return part
    }

    /// Notes that all names were asked for, of which the given key is one.
    func noteNames(_ key: (any CodingKey)?) {
        listsNames = true
        if let key { hasFixedNames = Mirror(reflecting: key).displayStyle == .enum }
    }
}

/// What a type decodes itself from.
struct PlaceDecoder: Decoder {
    let value: Value
    let codingPath: [any CodingKey]
    let settings: ValueDecoder
    /// Where to note what is read; nil for nowhere.
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
    func decodeNil() -> Bool { value.isNull }

    func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
        if type == Value.self { reads?.isOpaque = true }
        guard let native = type as? any ValueConvertible.Type, !isNotedInParts(type) else {
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
    /// The decoder of a value within.
    func inside(_ value: Value, _ key: any CodingKey) -> PlaceDecoder {
        PlaceDecoder(value: value, codingPath: codingPath + [key], settings: settings, reads: reads?.part(key))
    }

    /// Whether a type is decoded as it is from JSON, where it has a case of its own otherwise: what is noted is for JSON.
    private func isNotedInParts(_ type: any Any.Type) -> Bool {
        reads != nil && (type == Value.self || type == Date.self)
    }

    /// The value, or where it is bytes, what stands for them.
    private var content: Value {
        if case .bytes = value, let contentOfBytes = settings.contentOfBytes { contentOfBytes(value) } else { value }
    }

    private func mismatch(_ type: any Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "expected \(expected), found \(value.kind)")
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension Value {
    /// What it is, in words.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .integer: "an integer"
        case .double, .decimal: "a number"
        case .string: "text"
        case .bytes: "bytes"
        case .date: "a date"
        case .uuid: "a UUID"
        case .url: "a URL"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
