/// The encoder that a type encodes itself into.
///
/// It is also the container of a single value. It writes into the tree of places that `ValueEncoder` converts to a
/// value at the end.
struct PlaceEncoder: Encoder {
    /// The place that receives the value.
    let place: EncodingPlace
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Begins an object, or continues it.
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        place.beginObject()
        return KeyedEncodingContainer(ObjectEncodingContainer<Key>(place: place, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        place.beginArray()
        return ArrayEncodingContainer(place: place, codingPath: codingPath)
    }

    /// Returns this encoder, which is also the container of one value.
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension PlaceEncoder: SingleValueEncodingContainer {
    /// Encodes null, in the place of anything that was encoded before.
    func encodeNil() { place.put(.null) }

    func encode<Content: Encodable>(_ value: Content) throws {
        try place.encode(value, at: codingPath)
    }
}

/// The members of an object that is being encoded.
///
/// If a member is encoded twice, the last value counts.
struct ObjectEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    /// The place of the object.
    let place: EncodingPlace
    let codingPath: [any CodingKey]

    /// Encodes null as a member, whose type is unknown.
    func encodeNil(forKey key: Key) {
        place.checkMember(of: Never.self)
        place.append(.value(.null), named: key.stringValue)
    }

    func encode<Content: Encodable>(_ value: Content, forKey key: Key) throws {
        place.checkMember(of: Content.self)
        place.append(try place.item(value, at: codingPath + [key]), named: key.stringValue)
    }

    // Most members have one of these types. To look for their conformance takes a third of the time to encode one.
    func encode(_ value: String, forKey key: Key) { place.append(.value(value.nativeValue), named: key.stringValue) }
    func encode(_ value: Int, forKey key: Key) { place.append(.value(value.nativeValue), named: key.stringValue) }
    func encode(_ value: Double, forKey key: Key) { place.append(.value(value.nativeValue), named: key.stringValue) }
    func encode(_ value: Bool, forKey key: Key) { place.append(.value(value.nativeValue), named: key.stringValue) }

    /// Encodes a member.
    ///
    /// If it is absent, writes null where the encoding marks absent members, and nothing otherwise.
    fileprivate func encodeOrMark(_ value: (some Encodable)?, _ key: Key) throws {
        if let value {
            try encode(value, forKey: key)
        } else if place.marksAbsent {
            place.append(.value(.null), named: key.stringValue)
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(for: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(for: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder(for: PathKey.super) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(for: key) }

    /// Returns the encoder of the nested value under a key.
    private func encoder(for key: some CodingKey) -> PlaceEncoder {
        place.nestedEncoder(for: key, named: key.stringValue, at: codingPath)
    }
}

/// The members that may be absent, for which a survey writes null.
///
/// The protocol has one requirement for each of these types.
extension ObjectEncodingContainer {
    func encodeIfPresent<Content: Encodable>(_ value: Content?, forKey key: Key) throws {
        if value == nil { place.checkMember(of: Content.self) }
        try encodeOrMark(value, key)
    }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOrMark(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOrMark(value, key) }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodeOrMark(value, key) }
    @available(macOS 15, iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try encodeOrMark(value, key) }
}

/// The elements of an array that is being encoded.
struct ArrayEncodingContainer: UnkeyedEncodingContainer {
    /// The place of the array.
    let place: EncodingPlace
    let codingPath: [any CodingKey]

    var count: Int { place.count }

    /// Encodes null as the next element.
    func encodeNil() { place.append(.value(.null)) }

    func encode<Content: Encodable>(_ value: Content) throws {
        place.append(try place.item(value, at: codingPath + [PathKey(index: count)]))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nestedEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { nestedEncoder() }

    /// Returns the encoder of a new element.
    private func nestedEncoder() -> PlaceEncoder {
        place.nestedEncoder(for: PathKey(index: count), named: nil, at: codingPath)
    }
}
