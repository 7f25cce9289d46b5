package import DifferentialSync

/// A conversion between elements of an app's own type and records of an entity.
///
/// ``PersistenceAdapter/collection(of:entity:formerly:)`` uses one for any codable type, and
/// ``PersistenceAdapter/recordCollection(of:)`` one for unconverted records. A custom coding is for a type that is not
/// codable, or whose coding keys are not the names of the entity's properties:
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

    /// Returns a key as the primary key of a record.
    private let valueOfKey: @Sendable (Key) throws -> Value
    /// Returns the record of an element with a key.
    private let encode: Encoder
    /// Returns the element of a record and of the keys that it is linked with.
    private let decode: @Sendable (Record, RelatedKeys?) throws -> Element
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

    /// Creates a coding of elements that are stored in their records alone.
    init(
        entity: String, key: @escaping @Sendable (Element) -> Key, value: @escaping @Sendable (Key) throws -> Value,
        encode: @escaping @Sendable (Element, inout Record) throws -> Void,
        decode: @escaping @Sendable (Record) throws -> Element, members: MemberReading,
        adopt: (@Sendable (MemberAdoption) -> MemberAdoption.Result?)?
    ) {
        self.init(
            entity: entity, key: key, value: value,
            encoding: { element, _, stored, shape in
                var record = stored ?? Record(shape, [:])
                try encode(element, &record)
                return ElementForm(record: record)
            },
            decoding: { record, _ in try decode(record) }, members: members, adopt: adopt)
    }

    /// Returns the form of an element with a key, over a stored record or as a new one of a shape.
    typealias Encoder = @Sendable (_ element: Element, _ key: Value, _ stored: Record?, Shape) throws -> ElementForm

    /// Creates a coding of elements that also have keys of related records.
    ///
    /// - Parameters:
    ///   - encode: Sets the values of an element's record, and returns what is not stored in the record.
    ///   - decode: Returns the element of a record; without related keys, throws for a type that has some.
    init(
        entity: String, key: @escaping @Sendable (Element) -> Key, value: @escaping @Sendable (Key) throws -> Value,
        encoding encode: @escaping Encoder,
        decoding decode: @escaping @Sendable (Record, RelatedKeys?) throws -> Element, members: MemberReading,
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

/// Returns the keys of the records that a relationship of an element's record leads to.
package typealias RelatedKeys = (String) throws -> [Value]

/// The keys of the records that an element is connected with by a relationship that its record does not store.
struct ElementLinks: Equatable {
    /// The relationship in the schema.
    let relationship: String
    /// The keys of the linked records, in the order of the element.
    let keys: [Value]
}

/// The form in which a store keeps an element.
struct ElementForm {
    /// The record of the element.
    var record: Record
    /// The links that the record does not store.
    var links: [ElementLinks] = []
    /// Whether the record depends on the element alone, and keeps nothing of the stored record.
    var isWhole = false
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
    /// - Throws: ``PersistenceError`` if the record has another key than the element, or if the type has the keys of a
    ///   relationship that the record does not store; otherwise the coding's error for an element that cannot be
    ///   stored.
    /// - Complexity: O(size of the element and of the stored record)
    public func record(of element: Element, over stored: Record? = nil, shape: Shape) throws -> Record {
        let form = try form(of: element, over: stored, shape: shape)
        if let links = form.links.first { throw LinkedElement.error(links.relationship, of: entity) }
        return form.record
    }

    /// Returns the record that stores an element, and the links that the record does not store.
    ///
    /// See ``record(of:over:shape:)``.
    ///
    /// - Parameter key: The primary key of the element's record, if it is known; otherwise it is encoded again.
    func form(of element: Element, over stored: Record?, shape: Shape, key: Value? = nil) throws -> ElementForm {
        let key = try key ?? keyValue(of: element)
        let form = try encode(element, key, stored, shape)
        if form.record.key != key {
            throw PersistenceError(
                .wrongType, "the coding has made a record of it that has another key", id: RecordID(entity, key))
        }
        return form
    }

    /// Whether elements are stored as JSON.
    var hasMembers: Bool {
        switch members {
        case .everything, .content: true
        case .attributes, .columns: false
        }
    }

    /// Whether elements may have keys of related records that their own records do not store.
    var mayHaveLinks: Bool { if case .columns = members { true } else { false } }

    /// Requires that elements are stored in their records alone.
    ///
    /// - Throws: ``PersistenceError`` for a type that has keys of other records, if the entity has a record.
    func requireRecordsAlone(in transaction: ReadTransaction) throws {
        guard mayHaveLinks else { return }
        let stored = try transaction.records(Query(entity, limit: 1)).first
        let record = try stored ?? transaction.journal(of: entity).first?.base
        do {
            _ = try record.map(element)
        } catch let error where error.code == .unknownName {
            throw error
        } catch {}
    }

    /// Returns the record of an element that undoes an edit, in the notation of the shadow.
    ///
    /// A value that the element has not changed keeps its stored form.
    ///
    /// - Parameters:
    ///   - base: The record in the shadow.
    ///   - record: The record of the element.
    ///   - stored: The record that it replaces.
    ///   - element: The element.
    /// - Complexity: O(size of the records)
    func restoring(
        _ base: Record, in record: Record, over stored: Record, of element: Element
    ) throws -> Record {
        guard base.shape == record.shape else { return record }
        var restored = record
        switch members {
        case .attributes: break
        case .everything: restored["content"] = base["content"]
        case .content:
            let own = try self.record(of: element, shape: record.shape)
            guard let new = record.jsonContent, let former = base.jsonContent, let own = own.jsonContent else { break }
            let content = new.restoring(former, over: stored.jsonContent, of: own)
            if content == former {
                restored["content"] = base["content"]
            } else if content != new {
                restored["content"] = .string(try content.json(.sortedNames))
            }
        case .columns(let membersRead, _):
            for case .member(let name) in membersRead(base)?.parts.keys ?? [:].keys {
                if record[name] != stored[name] { restored[name] = base[name] }
            }
        }
        return restored
    }

    /// Returns the members that the type reads of two versions of a record; nil if they are unknown.
    ///
    /// - Parameter related: Returns the keys of related records.
    func membersRead(
        of local: Record, and remote: Record, _ related: @escaping RelatedKeys
    ) -> MemberMerge.Reads? {
        switch members {
        case .content(let membersRead):
            guard let local = local.jsonContent, let remote = remote.jsonContent else { return nil }
            return MemberMerge.Reads(local: membersRead(local), remote: membersRead(remote))
        case .columns(_, let membersRead):
            return MemberMerge.Reads(local: membersRead(local, related), remote: membersRead(remote, related))
        case .everything, .attributes: return nil
        }
    }

    /// Whether elements reveal which members their type reads.
    var looksAtElements: Bool {
        switch members {
        case .content, .columns: true
        case .everything, .attributes: false
        }
    }

    /// Whether the JSON of a record may have members that the record which it replaces has not. O(length of both)
    func mayHaveNewMembers(_ record: Record, over stored: Record) -> Bool {
        guard case .content = members, case .string(let new) = record["content"],
            case .string(let old) = stored["content"]
        else { return false }
        return JSONLockstep.editedMembers(of: new, over: old) == nil
    }

    /// Returns the element that a record keeps.
    ///
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/unreadable`` if no element can be read from
    ///   the record, and with the code ``PersistenceError/Code/unknownName`` if the type has a property that the entity
    ///   or the record lacks. The record is kept unchanged.
    public func element(of record: Record) throws(PersistenceError) -> Element { try element(of: record, nil) }

    /// Returns the element that a record keeps, with the present keys of the records that it is connected with.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - transaction: The transaction in which the connected records are found.
    /// - Throws: As ``element(of:)``; the error of a store that cannot be read.
    public func element(of record: Record, in transaction: ReadTransaction) throws(PersistenceError) -> Element {
        try element(of: record) { try transaction.related(record.id, $0) }
    }

    /// Returns the element of a record and of related keys.
    package func element(of record: Record, _ related: RelatedKeys?) throws(PersistenceError) -> Element {
        let element: Element
        let key: Value
        do {
            element = try decode(record, related)
            key = try keyValue(of: element)
        } catch {
            let passed: [PersistenceError.Code] = [.unreadable, .unknownName, .ioFailure, .locked, .closed]
            if let error = error as? PersistenceError, passed.contains(error.code) { throw error }
            throw RecordCoding.unreadable(record.id, CodingReason(error).description)
        }
        if key != record.key { throw RecordCoding.unreadable(record.id, "its content has another key") }
        return element
    }

    /// Returns a conflict as elements, without a base if that cannot be read.
    ///
    /// - Parameters:
    ///   - conflict: The versions of the record.
    ///   - related: Returns the keys of related records for a version.
    /// - Throws: ``PersistenceError`` if a side cannot be read as an element.
    package func elements(
        _ conflict: Conflict<Record>, _ related: (Record) -> (String) throws -> [Value]
    ) throws -> Conflict<Element> {
        Conflict(
            base: conflict.base.flatMap { try? element(of: $0, related($0)) },
            local: try conflict.local.map { try element(of: $0, related($0)) },
            remote: try conflict.remote.map { try element(of: $0, related($0)) })
    }

    /// Returns the error for a record from which no element can be read, with the remedies.
    private static func unreadable(_ id: RecordID, _ reason: String) -> PersistenceError {
        PersistenceError(
            .unreadable,
            "no \(Element.self) can be read from it: \(reason). It stays as it is; read it by the type that it was "
                + "stored with, or replace it by 'upsert', or remove it",
            id: id)
    }
}

extension Record {
    /// The value of its JSON; nil if it has none.
    var jsonContent: Value? {
        guard case .string(let text) = self["content"] else { return nil }
        return try? Value(json: text, options: .exact)
    }
}
