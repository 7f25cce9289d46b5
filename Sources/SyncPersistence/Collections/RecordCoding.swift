/// A conversion between elements of an app's own type and records of an entity.
///
/// ``PersistenceAdapter/collection(of:entity:formerly:)`` uses one for any codable type, and
/// ``PersistenceAdapter/recordCollection(of:)`` one for unconverted records. A custom coding gives each property an
/// attribute, so that filters can use it:
///
/// ```swift
/// let coding = RecordCoding<Note, Int>(
///     entity: "Note", key: \.id, value: { .integer(Int64($0)) },
///     encode: { note, record in
///         record["id"] = .integer(Int64(note.id))
///         record["text"] = .string(note.text)
///     },
///     decode: { record in try Note(record) })
/// let notes = PersistentCollection(in: store, coding: coding)
/// ```
public struct RecordCoding<Element: Sendable, Key: Sendable>: Sendable {
    /// The name of the entity.
    public let entity: String

    /// The key of an element.
    public let key: @Sendable (Element) -> Key

    private let valueOfKey: @Sendable (Key) throws -> Value
    private let encode: @Sendable (Element, inout Record) throws -> Void
    private let decode: @Sendable (Record) throws -> Element
    /// How an element reveals the members that its type reads.
    let members: MemberReading

    /// Adds new members of the remote to local changes; nil for documents, which have all members.
    let adopt: (@Sendable (MemberAdoption) -> MemberAdoption.Result?)?

    /// Creates a coding of the given parts.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - key: Returns the key of an element.
    ///   - value: Returns a key as the primary key of a record. Keys are the same if these values are equal.
    ///   - encode: Sets the values of an element's record, which is the stored one or a new one with defaults. A value
    ///     that it does not set is kept.
    ///   - decode: Returns the element of a record.
    public init(
        entity: String, key: @escaping @Sendable (Element) -> Key, value: @escaping @Sendable (Key) throws -> Value,
        encode: @escaping @Sendable (Element, inout Record) throws -> Void,
        decode: @escaping @Sendable (Record) throws -> Element
    ) {
        self.init(
            entity: entity, key: key, value: value, encode: encode, decode: decode, members: .attributes,
            adopt: { $0.adoptingAttributes(of: entity) })
    }

    /// Creates a coding with the members that an element's type reads.
    init(
        entity: String, key: @escaping @Sendable (Element) -> Key, value: @escaping @Sendable (Key) throws -> Value,
        encode: @escaping @Sendable (Element, inout Record) throws -> Void,
        decode: @escaping @Sendable (Record) throws -> Element, members: MemberReading,
        adopt: (@Sendable (MemberAdoption) -> MemberAdoption.Result?)?
    ) {
        self.entity = entity
        self.key = key
        valueOfKey = value
        self.encode = encode
        self.decode = decode
        self.members = members
        self.adopt = adopt
    }
}

extension RecordCoding {
    /// Returns a key as the primary key of a record.
    ///
    /// - Throws: The coding's error for a key that cannot be stored.
    public func value(of key: Key) throws -> Value { try valueOfKey(key) }

    /// Returns the primary key of an element's record.
    ///
    /// - Throws: The coding's error for a key that cannot be stored.
    public func keyValue(of element: Element) throws -> Value { try valueOfKey(key(element)) }

    /// Returns the ID of the record for the element with a key.
    func id(of key: Key) throws -> RecordID { RecordID(entity, try value(of: key)) }

    /// Returns the record that stores an element.
    ///
    /// It is equal to the stored record if the element does not differ from that.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - stored: The record to replace; nil for a new element. Values that the coding neither reads nor writes are
    ///     kept: other attributes, and members of its JSON.
    ///   - shape: The shape of a new record.
    /// - Throws: ``PersistenceError`` if the record has another key than the element; otherwise the coding's error for
    ///   an element that cannot be stored.
    /// - Complexity: O(size of the element and of the stored record)
    public func record(of element: Element, over stored: Record? = nil, shape: Shape) throws -> Record {
        var record = stored ?? Record(shape, [:])
        try encode(element, &record)
        let key = try keyValue(of: element)
        if record.key != key {
            throw PersistenceError(
                .wrongType, "the coding has made a record of it that has another key", id: RecordID(entity, key))
        }
        return record
    }

    /// Whether elements are stored as JSON.
    var hasMembers: Bool { if case .attributes = members { false } else { true } }

    /// Whether elements reveal which members their type reads.
    var looksAtElements: Bool { if case .content = members { true } else { false } }

    /// Whether the JSON of a record may have members that the record which it replaces has not. O(length of both)
    func mayHaveNewMembers(_ record: Record, over stored: Record) -> Bool {
        guard looksAtElements, case .string(let new) = record["content"], case .string(let old) = stored["content"]
        else { return false }
        return !JSONLockstep.isEdit(new, of: old)
    }

    /// The element that a record keeps.
    ///
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/unreadable`` if no element can be read from
    ///   the record. The record is kept unchanged.
    public func element(of record: Record) throws(PersistenceError) -> Element {
        let element: Element
        let key: Value
        do {
            element = try decode(record)
            key = try keyValue(of: element)
        } catch {
            if let error = error as? PersistenceError, error.code == .unreadable { throw error }
            throw RecordCoding.unreadable(record.id, CodingReason(error).description)
        }
        if key != record.key { throw RecordCoding.unreadable(record.id, "its content has another key") }
        return element
    }

    /// Returns the error of the first version from which no element can be read; nil if there is none.
    func fault(in versions: [Record?]) -> PersistenceError? {
        for case let version? in versions {
            do throws(PersistenceError) {
                _ = try element(of: version)
            } catch {
                return error
            }
        }
        return nil
    }

    private static func unreadable(_ id: RecordID, _ reason: String) -> PersistenceError {
        PersistenceError(
            .unreadable,
            "no \(Element.self) can be read from it: \(reason). It stays as it is; read it by the type that it was "
                + "stored with, or replace it by 'upsert', or remove it",
            id: id)
    }
}
