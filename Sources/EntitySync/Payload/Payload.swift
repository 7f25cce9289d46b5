import SyncPersistence

/// A list of objects to sync, from any source.
protocol Payload: AnyObject {
    /// The number of bytes, or of values if they are parsed.
    var size: Int { get }

    /// Whether the elements are those of an array or a map; otherwise one element may be the payload itself.
    ///
    /// It is known once the elements have been read.
    var isArray: Bool { get }

    /// Calls `body` with each element and its key, in order, and parses as little as possible.
    ///
    /// - Parameter memory: The remembered payload, which this one is expected to repeat.
    /// - Throws: `JSONError` if the payload is not a list of JSON values.
    func forEachElement(
        _ keys: ElementKeys, _ memory: PayloadMemory?, _ body: (PayloadElement, PayloadKey) throws -> Void
    ) throws

    /// Parses an element.
    ///
    /// - Throws: `JSONError` if it is not a JSON value.
    func value(of element: PayloadElement) throws -> Value

    /// Parses the key of an element that ``forEachElement(_:_:_:)`` has found; nil if all of the element must be parsed.
    ///
    /// - Throws: `JSONError` if it is not a JSON value.
    func key(of element: PayloadElement, _ map: EntityMap) throws -> Value?

    /// Whether a path leads to one object instead of a list.
    ///
    /// It is known once the elements have been read.
    var isOneObject: Bool { get }

    /// Whether a page has elements and none can be used, or an element was left out that may mean any record.
    ///
    /// It is known once the elements have been read.
    var mayLackElements: Bool { get }

    /// Returns the place of an element in the whole payload.
    func place(of index: Int) -> Place

    /// The names of the elements if they are members of a map.
    ///
    /// Only the names of elements read so far are known.
    var names: [String] { get }

    /// Returns the name of an element in a map; nil for other elements.
    func name(of index: Int) -> String?

    /// The paths of names that occur twice in an object of the last parsed element, from that element.
    var duplicateNames: [String] { get }

    /// Parses all elements in their order, to report the first error.
    ///
    /// - Throws: `JSONError` if the payload is not a list of JSON values.
    func check(_ keys: ElementKeys) throws
}

extension Payload {
    /// False, because one page without a usable element is no list.
    var mayLackElements: Bool { false }

    /// Returns nil, because the element must be parsed for its key.
    func key(of element: PayloadElement, _ map: EntityMap) throws -> Value? { nil }

    /// Returns the key of an element that was a member of a map; nil for an element of an array.
    func name(of index: Int) -> String? { names.indices.contains(index) ? names[index] : nil }
}

/// One element of a payload.
struct PayloadElement {
    /// Its index in the list.
    var index: Int
    /// The offset in bytes; 0 for a parsed value.
    var offset = 0
    /// The length in bytes; 0 for a parsed value.
    var length = 0
    /// The digest of its content.
    let digest: UInt64
    /// The offset of the key within the element, in bytes; 0 if it is unknown.
    var keyOffset: UInt32 = 0
    /// Whether it is an object, and no value or array in place of one.
    let isObject: Bool
    /// Whether it is an object without members, in a map.
    var isEmptyInMap = false
}

/// The key of an element.
enum PayloadKey {
    /// A key that was parsed.
    case read(ObjectKey)
    /// A primary key that was found and not parsed, as the token of the record and the digest of the key.
    case found(token: UInt64, digest: UInt64)
    /// The key of the expected entry of the payload memory, as a digest.
    case expected(entry: Int, digest: UInt64)
}

/// A list of parsed values.
final class PayloadOfValues: Payload {
    /// The elements of the list.
    private var values: [Value]
    /// The seed for digests of elements.
    private let seed: UInt64
    /// Whether the list was an array, not a map or one object.
    let isArray: Bool
    /// Whether the payload is one object instead of a list.
    private(set) var isOneObject: Bool
    /// Whether a page has elements and none can be used, or an element was left out that may mean any record.
    let mayLackElements: Bool
    /// The keys of the elements, if they were members of a map.
    private(set) var names: [String] = []
    /// The number of elements.
    var size: Int { values.count }
    /// The places of the values if they come from one list.
    private let places: ElementPlaces
    /// The places of the values if they do not come from one list.
    private var scattered: [Place] = []

    /// Creates a payload of values from several places.
    init(
        _ values: [(value: Value, place: Place)], isOneObject: Bool, mayLackElements: Bool = false, seed: UInt64
    ) {
        self.values = values.map(\.value)
        scattered = values.map(\.place)
        (isArray, self.isOneObject, places) = (true, isOneObject, ElementPlaces())
        self.mayLackElements = mayLackElements
        self.seed = seed
    }

    /// Creates a payload of the list that a path leads to.
    ///
    /// - Parameter places: The places of its objects; nil for a whole payload.
    init(_ payload: Value, inner: [String] = [], seed: UInt64, places: ElementPlaces? = nil) {
        if case .array(let elements) = payload {
            values = inner.isEmpty ? elements : elements.map { $0.inner(at: inner) }
            isArray = true
        } else {
            (values, isArray) = ([payload], false)
        }
        isOneObject = places != nil && !isArray
        mayLackElements = false
        self.seed = seed
        self.places = places ?? ElementPlaces()
    }

    /// Passes the elements with their keys, and their digests if there is a memory to compare them with.
    func forEachElement(
        _ keys: ElementKeys, _ memory: PayloadMemory?, _ body: (PayloadElement, PayloadKey) throws -> Void
    ) throws {
        if !isArray, case .object(let object)? = values.first, !keys.map.isRecord(object) {
            (values, names, isOneObject) = (object.values, object.names, false)
        }
        for (index, value) in values.enumerated() {
            let name = name(of: index)
            let key = try keys.key(of: value, named: name, at: place(of: index))
            var digest = value.digest(seed: seed)
            if let name { digest = digest.combined(with: name) }
            try body(
                PayloadElement(
                    index: index, digest: digest, isObject: keys.map.takes(value, inMap: name != nil),
                    isEmptyInMap: name != nil && value.isEmptyObject),
                .read(key))
        }
    }

    /// Always empty, because values have no repeated names.
    var duplicateNames: [String] { [] }

    /// Returns the place of an element, from which reports make a path.
    func place(of index: Int) -> Place {
        scattered.indices.contains(index)
            ? scattered[index] : places.place(of: index, name(of: index), isOneObject: isOneObject)
    }

    /// Returns an element, which needs no parsing here.
    func value(of element: PayloadElement) -> Value { values[element.index] }

    /// Does nothing, because values are well-formed.
    func check(_ keys: ElementKeys) {}
}

extension Value {
    /// Whether it is an object without members.
    var isEmptyObject: Bool { if case .object(let object) = self { object.names.isEmpty } else { false } }
}

extension UInt64 {
    /// Returns the digest of an element with its name in a map.
    func combined(with name: String) -> UInt64 {
        var digest = ContentDigest(seed: self)
        digest.combine(name)
        return digest.finalize()
    }
}
