import SyncPersistence

/// The objects that are to be synced, in whatever form they are given.
protocol Payload: AnyObject {
    /// How many bytes there are; 0 where there are values already.
    var byteCount: Int { get }

    /// How many bytes there are, or values.
    var size: Int { get }

    /// Whether the elements are those of an array: one element may be the payload itself otherwise.
    ///
    /// It is known once the elements have been read.
    var isArray: Bool { get }

    /// Hands over the elements in their order, and what tells each apart, without reading more of them than that.
    ///
    /// - Parameter memory: What the elements are expected to be.
    /// - Throws: `JSONError` if the payload is no list of JSON values.
    func forEachElement(
        _ map: EntityMap, _ run: SyncRun, _ memory: PayloadMemory?,
        _ body: (PayloadElement, PayloadKey) throws -> Void
    ) throws

    /// Reads an element.
    ///
    /// - Throws: `JSONError` if it is no JSON value.
    func value(of element: PayloadElement) throws -> Value

    /// Whether a path has led to one object instead of a list.
    ///
    /// It is known once the elements have been read.
    var isOneObject: Bool { get }

    /// Where an element stands in what was given to be synced.
    func place(of index: Int) -> Place

    /// The names of the elements, if they stand in a map.
    ///
    /// Those of the elements that have been read are known.
    var names: [String] { get }

    /// The name of an element in a map; nil for one that stands in none.
    func name(of index: Int) -> String?

    /// Where names stand that an object of the element has twice that was read last, as paths from the element.
    var duplicateNames: [String] { get }

    /// Reads all of it in its order, to find out what is wrong with it first.
    ///
    /// - Throws: `JSONError`, if it is no list of JSON values.
    func check(_ map: EntityMap, _ run: SyncRun) throws
}

extension Payload {
    func name(of index: Int) -> String? { names.indices.contains(index) ? names[index] : nil }
}

/// One element of a payload.
struct PayloadElement {
    /// Where it stands among the others.
    let index: Int
    /// Where it begins, and how long it is, in bytes; nothing where it is a value already.
    var offset = 0
    var length = 0
    /// What tells its content from others.
    let digest: UInt64
    /// How many bytes after its beginning the value of its key begins; 0 where that is not known.
    var keyOffset: UInt32 = 0
    /// Whether it is an object.
    let isObject: Bool
}

/// What tells an element apart.
enum PayloadKey {
    /// The key that was read.
    case read(SyncRun.ObjectKey)
    /// That of the expected entry, by the digest of the key.
    case expected(entry: Int, digest: UInt64)
}

/// Values that are to be synced.
final class PayloadOfValues: Payload {
    private var values: [Value]
    private let seed: UInt64
    let isArray: Bool
    private(set) var isOneObject: Bool
    private(set) var names: [String] = []
    let byteCount = 0
    var size: Int { values.count }
    private let places: ElementPlaces
    /// The places of the values, where they do not stand in one list.
    private var scattered: [Place] = []

    /// Values from several places.
    init(_ values: [(value: Value, place: Place)], isOneObject: Bool, seed: UInt64) {
        self.values = values.map(\.value)
        scattered = values.map(\.place)
        (isArray, self.isOneObject, places) = (true, isOneObject, ElementPlaces())
        self.seed = seed
    }

    init(_ payload: Value, seed: UInt64) {
        if case .array(let elements) = payload {
            (values, isArray) = (elements, true)
        } else {
            (values, isArray) = ([payload], false)
        }
        (isOneObject, places) = (false, ElementPlaces())
        self.seed = seed
    }

    /// The list that a path leads to.
    init(_ payload: Value, inner: [String], seed: UInt64, places: ElementPlaces) {
        if case .array(let elements) = payload {
            values = inner.isEmpty ? elements : elements.map { $0.inner(at: inner) }
            isArray = true
        } else {
            (values, isArray) = ([payload], false)
        }
        isOneObject = !isArray
        self.seed = seed
        self.places = places
    }

    func forEachElement(
        _ map: EntityMap, _ run: SyncRun, _ memory: PayloadMemory?,
        _ body: (PayloadElement, PayloadKey) throws -> Void
    ) throws {
        if !isArray, case .object(let object)? = values.first, !map.isRecord(object) {
            (values, names, isOneObject) = (object.values, object.names, false)
        }
        for (index, value) in values.enumerated() {
            let key = try run.rootKey(of: value, named: name(of: index), at: place(of: index), map)
            var digest = value.digest(seed: seed)
            if let name = name(of: index) { digest = digest.combined(with: name) }
            try body(
                PayloadElement(index: index, digest: digest, isObject: map.takes(value, inMap: name(of: index) != nil)),
                .read(key))
        }
    }

    var duplicateNames: [String] { [] }

    func place(of index: Int) -> Place {
        scattered.indices.contains(index)
            ? scattered[index] : places.place(of: index, name(of: index), isOneObject: isOneObject)
    }

    func value(of element: PayloadElement) -> Value { values[element.index] }

    func check(_ map: EntityMap, _ run: SyncRun) {}
}

extension UInt64 {
    /// The digest of an element as that of one under a name in a map.
    func combined(with name: String) -> UInt64 {
        var digest = ContentDigest(seed: self)
        digest.combine(name)
        return digest.finalize()
    }
}
