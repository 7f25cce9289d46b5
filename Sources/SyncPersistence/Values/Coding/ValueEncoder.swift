/// Makes values of what is `Encodable`, without going through text.
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
/// It has the form that `JSONEncoder` gives, with three differences: data, dates, identifiers, locators and decimals
/// become the cases that a ``Value`` has for them; so do the integers that 64 bits with a sign do not hold, as decimals;
/// and a ``Value`` inside stands for itself. Members are in the order in which they were encoded.
public struct ValueEncoder: Sendable {
    /// An encoder.
    public init() {}

    /// The value that stands for another of any type.
    ///
    /// - Throws: `EncodingError` if it encodes nothing, or holds more than 512 containers in each other; and what its
    ///   type throws.
    /// - Complexity: O(*n*) for *n* values in it
    public func encode(_ value: some Encodable) throws -> Value {
        try encode(value, EncodingOutcome())
    }

    /// Encodes a value to show which members it writes: absent ones are null, and a ``Value`` has its coded form.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isSorted: Whether the elements of sets, and of dictionaries whose keys are no text, are sorted, so that
    ///     equal ones have equal surveys.
    func survey(_ value: some Encodable, isSorted: Bool = false) throws -> Survey {
        let outcome = EncodingOutcome(isSurvey: true, isSorted: isSorted)
        return Survey(value: try encode(value, outcome), hasUnorderedParts: outcome.hasUnorderedParts)
    }

    /// What a survey has found.
    struct Survey {
        /// All that was encoded, with null for absent members.
        let value: Value
        /// Whether there is a set in it, or a dictionary whose keys are no text.
        let hasUnorderedParts: Bool
    }

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

/// What is found out while a value is encoded, and can be thrown at its end only.
final class EncodingOutcome {
    /// Whether the encoding shows which members are written; see ``ValueEncoder/survey(_:isSorted:)``.
    let isSurvey: Bool
    /// Whether collections without an order are sorted.
    let isSorted: Bool
    /// Whether a collection without an order was encoded in a survey.
    var hasUnorderedParts = false
    /// The path of the first container that is too deep.
    var tooDeep: [any CodingKey]?

    init(isSurvey: Bool = false, isSorted: Bool = false) {
        self.isSurvey = isSurvey
        self.isSorted = isSorted
    }

    /// The value that stands for another without being encoded.
    func native(_ value: some Encodable) -> Value? {
        if isSurvey, value is Value { return nil }
        return (value as? any ValueConvertible)?.nativeValue
    }
}

/// Where one value is put while it is encoded.
final class EncodingPlace {
    /// What has been put there.
    private var content = Content.nothing
    /// How many containers are around it.
    let depth: Int
    let outcome: EncodingOutcome

    /// A value, or the place where one is still being put.
    enum Item {
        case value(Value)
        case place(EncodingPlace)
    }

    private enum Content {
        case nothing
        case value(Value)
        case array([Item])
        case object(names: [String], items: [Item])
    }

    /// The places of nested objects and arrays, so that asking for one twice goes on with it.
    private var nested: [Value: EncodingPlace] = [:]

    init(depth: Int, _ outcome: EncodingOutcome) {
        self.depth = depth
        self.outcome = outcome
    }

    static let maximumDepth = JSONOptions().depthLimit

    static func tooDeep(_ path: [any CodingKey]) -> EncodingError.Context {
        EncodingError.Context(
            codingPath: path, debugDescription: "there are more than \(maximumDepth) arrays and objects in each other")
    }
}

extension EncodingPlace {
    /// What has been put here; nil for nothing.
    var value: Value? {
        switch content {
        case .nothing: nil
        case .value(let value): value
        case .array(let items): .array(items.map(\.value))
        case .object(let names, let items): .object(ValueObject(names: names, values: items.map(\.value)))
        }
    }

    /// How many elements have been put here.
    var count: Int {
        if case .array(let items) = content { items.count } else { 0 }
    }

    func put(_ value: Value) { content = .value(value) }

    /// Puts what a value encodes here.
    func encode(_ value: some Encodable, at path: [any CodingKey]) throws {
        if let native = outcome.native(value) { return put(native) }
        if depth >= Self.maximumDepth { throw EncodingError.invalidValue(value, Self.tooDeep(path)) }
        try value.encode(to: PlaceEncoder(place: self, codingPath: path))
        if outcome.isSurvey, let collection = value as? any UnorderedCollection { noteElements(of: collection) }
    }

    /// Makes an array of what is here.
    func beginArray() {
        switch content {
        case .array: break
        case .nothing: content = .array([])
        default: preconditionFailure("a value that is no array has been encoded before: encode one or the other")
        }
    }

    /// Makes an object of what is here.
    func beginObject() {
        switch content {
        case .object: break
        case .nothing: content = .object(names: [], items: [])
        default: preconditionFailure("a value that is no object has been encoded before: encode one or the other")
        }
    }

    func append(_ item: Item) {
        guard case .array(var items) = content else { return }
        content = .nothing
        items.append(item)
        content = .array(items)
    }

    /// Adds a member; the last one with a name counts.
    func append(_ item: Item, named name: String) {
        guard case .object(var names, var items) = content else { return }
        content = .nothing
        names.append(name)
        items.append(item)
        content = .object(names: names, items: items)
    }

    /// The encoder of a container within; one that would be too deep encodes into nothing.
    func nestedEncoder(for key: any CodingKey, named name: String?, at path: [any CodingKey]) -> PlaceEncoder {
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

    /// The item for a value within.
    func item(_ value: some Encodable, at path: @autoclosure () -> [any CodingKey]) throws -> Item {
        if let native = outcome.native(value) { return .value(native) }
        let place = EncodingPlace(depth: depth + 1, outcome)
        try place.encode(value, at: path())
        // What encodes nothing is an object without members, as for JSONEncoder.
        return .value(place.value ?? [:])
    }
}

extension EncodingPlace.Item {
    fileprivate var value: Value {
        switch self {
        case .value(let value): value
        case .place(let place): place.value ?? [:]
        }
    }
}

/// A collection whose elements are encoded as an array in an order that means nothing.
private protocol UnorderedCollection {
    /// How many elements of the array belong together.
    var stride: Int { get }
}

extension Set: UnorderedCollection {
    fileprivate var stride: Int { 1 }
}

extension Dictionary: UnorderedCollection {
    fileprivate var stride: Int { 2 }
}

extension EncodingPlace {
    /// Sorts what a collection without an order has put here, if that is an array and it is to be sorted.
    private func noteElements(of collection: some UnorderedCollection) {
        guard case .array(let items) = content else { return }
        outcome.hasUnorderedParts = true
        guard outcome.isSorted else { return }
        let stride = collection.stride
        let values = items.map(\.value)
        let groups = Swift.stride(from: 0, to: values.count, by: stride).map { start in
            let group = Array(values[start..<min(start + stride, values.count)])
            return (text: Value.array(group).taggedJSON, group: group)
        }
        content = .array(groups.sorted { $0.text < $1.text }.flatMap(\.group).map { .value($0) })
    }
}
