/// The members of an object that is being decoded.
struct ObjectDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let object: ValueObject
    /// The decoder of the object.
    private let decoder: PlaceDecoder
    /// The position of each name; nil for objects with at most 16 members.
    private let positions: [Value: Int]?

    /// Creates the container of an object.
    init(_ object: ValueObject, in decoder: PlaceDecoder) {
        self.object = object
        self.decoder = decoder
        positions =
            object.names.count <= 16
            ? nil
            : Dictionary(uniqueKeysWithValues: zip(object.names.lazy.map { .string($0) }, object.names.indices))
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    /// The keys of the members that the type knows.
    ///
    /// If reads are recorded, each of these members counts as read.
    var allKeys: [Key] {
        let keys = object.names.compactMap { Key(stringValue: $0) }
        if let reads = decoder.reads {
            reads.markNamesAsListed(keys.first)
            for key in keys { _ = reads.part(key) }
        }
        return keys
    }

    /// Returns whether the object has a member, and records the check.
    func contains(_ key: Key) -> Bool {
        decoder.reads?.markOptional(key)
        return value(key) != nil
    }

    /// Whether a member is null.
    func decodeNil(forKey key: Key) throws -> Bool { try member(key).value.isNull }

    /// Decodes a member.
    func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
        try member(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    /// Returns the decoder of the superclass.
    ///
    /// Its value is null if the object has none for it.
    func superDecoder() -> any Decoder { decoder.inside(value(PathKey.super) ?? .null, PathKey.super) }

    /// Returns the decoder of the superclass under a key.
    ///
    /// Its value is null if the object has no member for it.
    func superDecoder(forKey key: Key) -> any Decoder { decoder.inside(value(key) ?? .null, key) }

    /// Returns the value under a key, and records the member as read; nil if there is none.
    ///
    /// - Complexity: O(1) on average
    private func value(_ key: some CodingKey) -> Value? {
        _ = decoder.reads?.part(key)
        guard let positions else { return object[key.stringValue] }
        return positions[.string(key.stringValue)].map { object.values[$0] }
    }

    /// Returns the decoder of a member.
    ///
    /// - Throws: `DecodingError.keyNotFound` if the object has none with the key.
    private func member(_ key: Key) throws -> PlaceDecoder {
        if let value = value(key) { return decoder.inside(value, key) }
        throw DecodingError.keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "there is no member '\(key.stringValue)'"))
    }
}

/// The elements of an array that is being decoded.
struct ArrayDecodingContainer: UnkeyedDecodingContainer {
    private let elements: [Value]
    /// The decoder of the array.
    private let decoder: PlaceDecoder
    /// The position of the next element.
    private(set) var currentIndex = 0

    /// Creates the container of an array, at its first element.
    init(_ elements: [Value], in decoder: PlaceDecoder) {
        self.elements = elements
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    /// Whether all elements were decoded.
    var isAtEnd: Bool { currentIndex == elements.count }

    /// Returns whether the next element is null, and skips it if so.
    mutating func decodeNil() throws -> Bool {
        let isNull = try next(Never?.self).value.isNull
        if isNull { currentIndex += 1 }
        return isNull
    }

    /// Decodes the next element, and moves behind it if that succeeds.
    mutating func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
        try pass(type) { try $0.decode(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try pass(KeyedDecodingContainer<Nested>.self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try pass((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try pass((any Decoder).self) { $0 } }

    /// Decodes the next element and moves behind it.
    private mutating func pass<Result>(
        _ type: any Any.Type, _ decode: (PlaceDecoder) throws -> Result
    ) throws -> Result {
        let result = try decode(next(type))
        currentIndex += 1
        return result
    }

    /// Returns the decoder of the next element, without moving behind it.
    ///
    /// - Throws: `DecodingError.valueNotFound` at the end of the array.
    private func next(_ type: any Any.Type) throws -> PlaceDecoder {
        let key = PathKey(index: currentIndex)
        if currentIndex < elements.count { return decoder.inside(elements[currentIndex], key) }
        throw DecodingError.valueNotFound(
            type,
            .init(
                codingPath: codingPath + [key],
                debugDescription: "expected one more element, and the array has only \(elements.count)"))
    }
}
