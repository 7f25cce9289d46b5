/// An encoder that creates values from `Encodable` types, without intermediate text.
///
/// ```swift
/// struct Place: Codable, Equatable {
///     var name: String
///     var visited: Date?
/// }
///
/// let value = try ValueEncoder().encode(Place(name: "Oulu", visited: nil))  // {"name": "Oulu"}
/// let place = try ValueDecoder().decode(Place.self, from: value)
/// ```
///
/// The form is that of `JSONEncoder`, with three differences. Data, dates, UUIDs, URLs and decimals become
/// their own cases of ``Value``. Integers that do not fit in 64 bits with a sign become decimals. A ``Value`` inside is
/// kept unchanged. Members are in the order in which they were encoded.
public struct ValueEncoder: Sendable {
    /// Creates an encoder.
    public init() {}

    /// Encodes an instance of any type as a value.
    ///
    /// - Throws: `EncodingError` if it encodes nothing, or nests more than 512 containers; and the errors of its type.
    /// - Complexity: O(*n*) for *n* values in it
    public func encode(_ value: some Encodable) throws -> Value {
        // Text, numbers and UUIDs, such as most keys, need no place to be encoded into.
        if let native = (value as? any ValueConvertible)?.nativeValue { return native }
        return try encode(value, EncodingOutcome())
    }

    /// Encodes a value to show which members it writes.
    ///
    /// Absent members are null, and a ``Value`` has its coded form.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isSorted: Whether the elements of sets, and of dictionaries whose keys are not text, are sorted within an
    ///     object. Then equal collections have equal surveys, and no array is one of them.
    package func survey(_ value: some Encodable, isSorted: Bool = false) throws -> Survey {
        let outcome = EncodingOutcome(isSurvey: true, isSorted: isSorted)
        return Survey(try encode(value, outcome), outcome)
    }

    /// Encodes a value with null for the absent members of the outermost object.
    ///
    /// The elements of sets, and of dictionaries whose keys are not text, are sorted.
    ///
    /// - Throws: As ``encode(_:)``.
    package func encodeWithAbsent(_ value: some Encodable) throws -> Survey {
        let outcome = EncodingOutcome(isSorted: true, marksAbsent: true)
        return Survey(try encode(value, outcome), outcome)
    }

    /// An encoded value, and what the encoding has shown of its type.
    package struct Survey {
        /// The encoded value, with null for absent members.
        package let value: Value
        /// Whether it contains a set, or a dictionary whose keys are not text.
        package let hasUnorderedParts: Bool
        /// Whether the members of the outermost object are native values, or collections of native values.
        ///
        /// A member of any other type, such as an enumeration, may be read as another value than the stored one.
        package let hasOnlyNativeMembers: Bool

        fileprivate init(_ value: Value, _ outcome: EncodingOutcome) {
            self.value = value
            hasUnorderedParts = outcome.hasUnorderedParts
            hasOnlyNativeMembers = outcome.hasOnlyNativeMembers
        }
    }

    /// Encodes a value with the settings of an outcome.
    ///
    /// - Throws: `EncodingError` if it encodes nothing, or if the outcome has the path of a container that is too deep.
    private func encode(_ value: some Encodable, _ outcome: EncodingOutcome) throws -> Value {
        let place = EncodingPlace(depth: 0, outcome)
        try place.encode(value, at: [])
        guard let encoded = place.value else {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: [], debugDescription: "\(type(of: value)) encodes nothing"))
        }
        if let path = outcome.tooDeep {
            throw EncodingError.invalidValue(value, EncodingPlace.tooDeep(path))
        }
        return encoded
    }
}

/// The state of one encoding, and an error that can only be thrown at its end.
final class EncodingOutcome {
    /// Whether the encoding shows which members are written; see `ValueEncoder.survey(_:isSorted:)`.
    let isSurvey: Bool
    /// Whether unordered collections are sorted.
    let isSorted: Bool
    /// Whether absent members of the outermost object are null.
    let marksAbsent: Bool
    /// Whether an unordered collection was encoded in a survey.
    var hasUnorderedParts = false
    /// Whether all members of the outermost object so far have native values, or collections of native values.
    var hasOnlyNativeMembers = true
    /// The path of the first container that is too deep.
    var tooDeep: [any CodingKey]?

    /// Creates the settings of one encoding.
    init(isSurvey: Bool = false, isSorted: Bool = false, marksAbsent: Bool = false) {
        self.isSurvey = isSurvey
        self.isSorted = isSorted
        self.marksAbsent = marksAbsent
    }

    /// Returns the value of an instance that needs no encoding; nil for others.
    func native(_ value: some Encodable) -> Value? {
        if isSurvey, value is Value { return nil }
        return (value as? any ValueConvertible)?.nativeValue
    }
}

/// The place of one value while it is encoded.
///
/// It is a class because containers are written after the encoder has returned them. A type may write to several nested
/// containers in turn.
final class EncodingPlace {
    /// The content so far.
    private var content = Content.nothing
    /// How many containers surround the place.
    let depth: Int
    /// The settings and results of the encoding, which all of its places share.
    let outcome: EncodingOutcome

    /// A value, or the place of a value that is still being encoded.
    enum Item {
        /// A finished value.
        case value(Value)
        /// The place of a value that is still being encoded.
        case place(EncodingPlace)
    }

    /// The content of a place: nothing yet, one value, or the parts of a container so far.
    private enum Content {
        case nothing
        case value(Value)
        case array([Item])
        case object(names: [String], items: [Item])
    }

    /// The places of nested objects and arrays, so that a repeated request continues the same one.
    private var nested: [Value: EncodingPlace] = [:]

    /// Creates an empty place within a number of containers.
    init(depth: Int, _ outcome: EncodingOutcome) {
        self.depth = depth
        self.outcome = outcome
    }

    /// How many containers may be nested, as in JSON text with the default options.
    static let maximumDepth = JSONOptions().depthLimit

    /// Returns the context of an error for containers that are nested too deep.
    static func tooDeep(_ path: [any CodingKey]) -> EncodingError.Context {
        EncodingError.Context(
            codingPath: path, debugDescription: "there are more than \(maximumDepth) arrays and objects in each other")
    }
}

extension EncodingPlace {
    /// The encoded value; nil if nothing was encoded.
    var value: Value? {
        switch content {
        case .nothing: nil
        case .value(let value): value
        case .array(let items): .array(items.map(\.value))
        case .object(let names, let items): .object(ValueObject(names: names, values: items.map(\.value)))
        }
    }

    /// Whether absent members are null.
    var marksAbsent: Bool { outcome.isSurvey || outcome.marksAbsent && depth == 0 }

    /// The number of elements so far.
    var count: Int {
        if case .array(let items) = content { items.count } else { 0 }
    }

    /// Sets `hasOnlyNativeMembers` to false if a member of the outermost object has another type.
    func checkMember<Content>(of type: Content.Type) {
        if depth == 0, outcome.hasOnlyNativeMembers, !isNative(type) { outcome.hasOnlyNativeMembers = false }
    }

    /// Sets the value, and replaces earlier content.
    func put(_ value: Value) { content = .value(value) }

    /// Encodes a value into this place.
    func encode(_ value: some Encodable, at path: [any CodingKey]) throws {
        if let native = outcome.native(value) { return put(native) }
        if depth >= Self.maximumDepth { throw EncodingError.invalidValue(value, Self.tooDeep(path)) }
        try value.encode(to: PlaceEncoder(place: self, codingPath: path))
        if outcome.isSurvey || outcome.isSorted, let collection = value as? any UnorderedCollection {
            markUnordered(collection)
        }
    }

    /// Begins an array, or continues it.
    ///
    /// - Precondition: Nothing but an array was encoded here before.
    func beginArray() {
        switch content {
        case .array: break
        case .nothing: content = .array([])
        default: preconditionFailure("a value that is no array has been encoded before: encode one or the other")
        }
    }

    /// Begins an object, or continues it.
    ///
    /// - Precondition: Nothing but an object was encoded here before.
    func beginObject() {
        switch content {
        case .object: break
        case .nothing:
            // Most objects have no more members, for which the arrays would grow several times.
            var (names, items): ([String], [Item]) = ([], [])
            names.reserveCapacity(8)
            items.reserveCapacity(8)
            content = .object(names: names, items: items)
        default: preconditionFailure("a value that is no object has been encoded before: encode one or the other")
        }
    }

    /// Appends an element; does nothing if no array was begun.
    func append(_ item: Item) {
        guard case .array(var items) = content else { return }
        // With two references to the items, the append would copy them.
        content = .nothing
        items.append(item)
        content = .array(items)
    }

    /// Appends a member; the last one with a name counts.
    func append(_ item: Item, named name: String) {
        guard case .object(var names, var items) = content else { return }
        content = .nothing
        names.append(name)
        items.append(item)
        content = .object(names: names, items: items)
    }

    /// Returns the encoder of a nested container.
    ///
    /// A container that would be too deep is not part of the result. Its path is kept, and the encoding fails at the
    /// end, because the functions of `Encoder` that return containers cannot throw.
    ///
    /// - Parameters:
    ///   - key: The key of the container, for coding paths.
    ///   - name: The name of a member; nil for an element of an array.
    ///   - path: The coding path of this place.
    func nestedEncoder(for key: any CodingKey, named name: String?, at path: [any CodingKey]) -> PlaceEncoder {
        if depth == 0 { outcome.hasOnlyNativeMembers = false }
        if depth >= Self.maximumDepth {
            outcome.tooDeep = outcome.tooDeep ?? path
            return PlaceEncoder(place: EncodingPlace(depth: depth, outcome), codingPath: path)
        }
        if let name, let place = nested[.string(name)] { return PlaceEncoder(place: place, codingPath: path + [key]) }
        let place = EncodingPlace(depth: depth + 1, outcome)
        if let name {
            nested[.string(name)] = place
            append(.place(place), named: name)
        } else {
            append(.place(place))
        }
        return PlaceEncoder(place: place, codingPath: path + [key])
    }

    /// Returns the item for a nested value.
    ///
    /// - Throws: `EncodingError` if it is nested too deep; and the errors of its type.
    func item(_ value: some Encodable, at path: @autoclosure () -> [any CodingKey]) throws -> Item {
        if let native = outcome.native(value) { return .value(native) }
        let place = EncodingPlace(depth: depth + 1, outcome)
        try place.encode(value, at: path())
        // A value that encodes nothing is an object without members, as for JSONEncoder.
        return .value(place.value ?? [:])
    }
}

extension EncodingPlace.Item {
    /// The encoded value; an empty object for a place that received nothing.
    fileprivate var value: Value {
        switch self {
        case .value(let value): value
        case .place(let place): place.value ?? [:]
        }
    }
}

/// A type of the standard library that is encoded as its parts.
private protocol Composite {
    /// Whether all parts have native types, or are themselves composed of such.
    static var hasNativeParts: Bool { get }
}

extension Optional: Composite {
    fileprivate static var hasNativeParts: Bool { isNative(Wrapped.self) }
}

extension Array: Composite {
    fileprivate static var hasNativeParts: Bool { isNative(Element.self) }
}

extension Set: Composite {
    fileprivate static var hasNativeParts: Bool { isNative(Element.self) }
}

extension Dictionary: Composite {
    fileprivate static var hasNativeParts: Bool { isNative(Key.self) && isNative(Value.self) }
}

/// Whether a type is native, or composed of native types.
private func isNative<Content>(_ type: Content.Type) -> Bool {
    type is any ValueConvertible.Type || (type as? any Composite.Type)?.hasNativeParts == true
}

/// A collection whose elements are encoded as an array in an arbitrary order.
private protocol UnorderedCollection {
    /// How many consecutive elements of the array belong together: 1 for a set, and 2 for the keys and values of a
    /// dictionary.
    var stride: Int { get }
}

extension Set: UnorderedCollection {
    fileprivate var stride: Int { 1 }
}

extension Dictionary: UnorderedCollection {
    fileprivate var stride: Int { 2 }
}

extension EncodingPlace {
    /// Marks that an unordered collection was encoded, and sorts its array if requested.
    ///
    /// - Complexity: O(*n* log *n*) for *n* elements if they are sorted
    private func markUnordered(_ collection: some UnorderedCollection) {
        guard case .array(let items) = content else { return }
        outcome.hasUnorderedParts = true
        guard outcome.isSorted else { return }
        let stride = collection.stride
        let values = items.map(\.value)
        let groups = Swift.stride(from: 0, to: values.count, by: stride).map { start in
            let group = Array(values[start..<min(start + stride, values.count)])
            return (text: Value.array(group).taggedJSON, group: group)
        }
        let sorted = groups.sorted { $0.text < $1.text }.flatMap(\.group)
        content =
            outcome.isSurvey
            ? .object(names: ["sync.unordered"], items: [.value(.array(sorted))])
            : .array(sorted.map { .value($0) })
    }
}
