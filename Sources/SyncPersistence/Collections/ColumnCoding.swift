/// The conversion between elements of a codable type and the attributes and relationships of an entity.
///
/// A type names the properties by its coding keys. Properties that it does not name are kept untouched.
struct ColumnCoding<Element: Codable & Identifiable & Sendable>: Sendable where Element.ID: Codable & Sendable {
    /// The shape of the entity's records.
    private let shape: Shape
    /// The properties by the names that a type has for them.
    private let properties: [String: ColumnProperty]

    /// The primary key, as a property of the type.
    private let keyProperty: ColumnProperty

    /// The members of the type; nil before an element was encoded or decoded.
    private let known = Locked<KnownMembers?>(nil)

    /// The names of the properties that other records store.
    private let linked: Set<String>

    /// The positions of all slots; nil if a record may need more than the values of its element.
    private let positions: Set<Int>?

    /// The name of the entity, for errors.
    private var entity: String { shape.name }

    /// Creates the coding for an entity of a schema.
    ///
    /// - Complexity: O(number of properties)
    init(_ shape: Shape, in schema: Schema) {
        self.shape = shape
        properties = ColumnProperty.properties(of: shape, in: schema)
        linked = Set(properties.filter(\.value.isLinked).keys)
        let hasHeirs = schema.shapes.contains { $0 !== shape && $0.inherits(shape.name) }
        let hasInternalSlots = shape.slots.contains(where: \.isInternal)
        // Other elements of a batch may change exclusive references, unless theirs are compared with the stored ones before.
        let mayNeedMore = hasHeirs || hasInternalSlots || shape.hasExclusiveReferences
        positions = mayNeedMore ? nil : Set(shape.slots.indices)
        let types = shape.keySlots.flatMap { shape.slots[$0].columnTypes }
        keyProperty = ColumnProperty(name: "id", types: types, place: .slot("id", at: 0))
    }

    /// Returns the primary key of the record of an element with an identifier.
    ///
    /// The parts of a composite key are members of the identifier with the names of the attributes, or the elements of
    /// an array.
    func key(_ id: Element.ID) throws -> Value {
        let encoded: Value
        do {
            encoded = try ValueEncoder().encode(id)
        } catch {
            throw PersistenceError(
                .wrongType, "an id cannot be encoded: \(CodingReason(error))", id: RecordID(entity, .string("\(id)")),
                property: "id")
        }
        var value = encoded
        if shape.keySlots.count > 1, case .object(let parts) = encoded {
            value = .array(shape.keySlots.map { parts[shape.slots[$0].name] ?? .null })
        }
        if let key = keyProperty.stored(value) { return key }
        let names = shape.keySlots.map { "'\(shape.slots[$0].name)'" }
        throw PersistenceError(
            .wrongType,
            "the key of '\(entity)' is \(names.joined(separator: ", ")), of the type "
                + "\(keyProperty.types.map(\.rawValue).joined(separator: ", ")), and the id of the type is encoded as "
                + "\(encoded.typeName): give it that type",
            id: RecordID(entity, .string("\(id)")), property: "id")
    }
}

extension ColumnCoding {
    /// Returns the form of an element with a key, over a stored record or as a new one of a shape.
    func encode(_ element: Element, _ key: Value, over stored: Record?, as newShape: Shape) throws -> ElementForm {
        var form = ElementForm(record: stored ?? Record(newShape, [:]))
        let id = RecordID(form.record.entity, key)
        setKey(key, of: &form.record)
        let (members, areNative) = try members(of: element, id)
        let known = try addMembers(members.names, id)
        let isOwnShape = form.record.shape === shape
        let keySlots = form.record.shape.keySlots
        form.isWhole = known.setsAllValues && known.absent.isEmpty && areNative
        var changed: [ChangedMember] = []
        func add(_ value: Value, _ name: String, _ target: KnownMembers.Target) throws {
            let property = target.property
            guard let position = isOwnShape ? target.position : property.position(in: form.record.shape) else {
                guard let keys = property.keys(value) else { throw mismatch(value, property, id) }
                return form.links.append(ElementLinks(relationship: property.name, keys: keys))
            }
            guard let new = property.stored(value) else { throw mismatch(value, property, id) }
            if !property.isExact(value), !value.isNull { form.isWhole = false }
            if form.record.values[position] == new || new.isNull && keySlots.contains(position) { return }
            if stored == nil { return form.record.values[position] = new }
            changed.append(ChangedMember(name: name, encoded: value, stored: new, position: position))
        }
        for position in members.names.indices {
            try add(members.values[position], members.names[position], known.targets[position])
        }
        for name in known.absent {
            if let property = properties[name] { try add(.null, name, KnownMembers.Target(property, in: shape)) }
        }
        if let stored, !changed.isEmpty { set(changed, in: &form.record, of: members, over: stored) }
        if form.isWhole { form.isWhole = keepsNulls(of: form.record) }
        return form
    }

    /// Sets the values of members that differ from the stored ones, unless the type reads these as the members.
    ///
    /// A type may read another value than the stored one: a default instead of null, a fallback for an unknown case, or
    /// another notation. The stored value stays until an element changes what is read.
    private func set(
        _ changed: [ChangedMember], in record: inout Record, of members: ValueObject, over stored: Record
    ) {
        let former = self.members(readOf: stored)
        let unread = record
        for member in changed where former.map({ $0[member.name] ?? .null }) != member.encoded {
            record.values[member.position] = member.stored
        }
        if changed.allSatisfy({ record.values[$0.position] == $0.stored }) { return }
        // A type may read one member from several values.
        let copy = self.members(readOf: record)
        let isReadBack = members.members.allSatisfy { member in
            properties[member.name]?.isLinked == true || copy?[member.name] == member.value
        }
        if isReadBack { return }
        record = unread
        for member in changed { record.values[member.position] = member.stored }
    }

    /// Whether the type reads null as nothing in each attribute, and not as a default.
    ///
    /// - Complexity: O(1) after the first call, which reads an element for each attribute
    private func keepsNulls(of record: Record) -> Bool {
        if let keepsNulls = known.current?.keepsNulls { return keepsNulls }
        let keepsNulls = properties.allSatisfy { name, property in
            guard let position = property.position(in: shape), !shape.keySlots.contains(position) else { return true }
            var record = record
            record.values[position] = .null
            return members(readOf: record)?[name]?.isNull ?? true
        }
        known.withLock { $0?.keepsNulls = keepsNulls }
        return keepsNulls
    }

    /// Sets the slots of the primary key; a composite key has several.
    private func setKey(_ key: Value, of record: inout Record) {
        guard case .array(let parts) = key, record.shape.keySlots.count == parts.count else {
            record.values[record.shape.keySlots[0]] = key
            return
        }
        for (slot, part) in zip(record.shape.keySlots, parts) { record.values[slot] = part }
    }

    /// Returns the members of an encoded element, with null for absent ones, and whether all have native types.
    private func members(of element: Element, _ id: RecordID) throws -> (ValueObject, areNative: Bool) {
        let reason: String
        do {
            let survey = try ValueEncoder().encodeWithAbsent(element)
            if case .object(let object) = survey.value { return (object, survey.hasOnlyNativeMembers) }
            reason = "it is encoded without coding keys, which name its properties"
        } catch {
            reason = "it cannot be encoded: \(CodingReason(error))"
        }
        throw PersistenceError(.wrongType, reason, id: id)
    }

    /// Returns the members of the element that the type reads of a record alone; nil if it reads none.
    private func members(readOf record: Record) -> ValueObject? {
        guard let element = try? decode(record, { _ in [] }) else { return nil }
        return try? members(of: element, record.id).0
    }

    /// Adds the names of an element's members to those of the type, and returns them.
    ///
    /// Elements that encode the same members as the latest one, as most do, cost no lookup.
    ///
    /// - Throws: ``PersistenceError`` for a name that is not that of a property.
    @discardableResult
    private func addMembers(_ names: [String], _ id: RecordID) throws -> KnownMembers {
        var members = known.current ?? KnownMembers()
        if members.latest == names { return members }
        members.targets = try names.map { name in
            guard let property = properties[name] else { throw unknown(name, id) }
            return KnownMembers.Target(property, in: shape)
        }
        members.names.formUnion(names)
        members.latest = names
        members.absent = members.names.subtracting(names).sorted()
        let set = members.names.compactMap { properties[$0]?.position(in: shape) }
        members.setsAllValues = positions?.isSubset(of: set) ?? false
        let current = members
        known.withLock { known in
            var merged = current
            merged.names.formUnion(known?.names ?? [])
            merged.read = known?.read ?? []
            merged.keepsNulls = known?.keepsNulls
            known = merged
        }
        return members
    }

    /// Returns the error for a coding key that is no property, with the names of all properties.
    private func unknown(_ name: String, _ id: RecordID) -> PersistenceError {
        PersistenceError(
            .unknownName,
            "'\(entity)' has no property '\(name)', which is a coding key of \(Element.self): it has "
                + "\(properties.keys.sorted().joined(separator: ", ")). Name one of these in the type's CodingKeys, or "
                + "add the property to the schema",
            id: id, property: name)
    }

    /// Returns the error for a value that a property cannot store, with the types that it can.
    private func mismatch(_ value: Value, _ property: ColumnProperty, _ id: RecordID) -> PersistenceError {
        var expected = property.types.map(\.rawValue).joined(separator: ", ")
        if property.place == .links(isToMany: true) { expected = "an array of keys (\(expected))" }
        return PersistenceError(
            .wrongType, "it holds \(expected), and \(Element.self) encodes \(value.typeName), which it cannot store",
            id: id, property: property.name)
    }
}

extension ColumnCoding {
    /// Returns the element of a record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - related: Returns the keys of related records; nil if they are not known, so that the type must have none.
    func decode(_ record: Record, _ related: RelatedKeys?) throws -> Element {
        let known = known.current
        // Links cost a query each, so those that the type does not use are not read.
        let unread = linked.filter { related == nil || known?.uses($0) == false }
        let element: Element
        do {
            element = try decode(record, related, unread: unread)
        } catch let error as DecodingError {
            guard let name = error.member, unread.contains(name) else { throw error }
            guard related != nil else { throw LinkedElement.error(name, of: entity) }
            self.known.withLock { _ = $0?.read.insert(name) }
            return try decode(record, related, unread: [])
        }
        if known == nil { try addMembers(members(of: element, record.id).0.names, record.id) }
        if related == nil, let link = linkedName { throw LinkedElement.error(link, of: entity) }
        return element
    }

    /// Returns the element of a record, with ``unreadLink`` as the value of some linked properties.
    private func decode(_ record: Record, _ related: RelatedKeys?, unread: Set<String>) throws -> Element {
        do {
            return try ValueDecoder().decode(Element.self, from: .object(object(of: record, related, unread)))
        } catch DecodingError.keyNotFound(let key, let context)
            where context.codingPath.isEmpty && properties[key.stringValue] == nil
        {
            throw unknown(key.stringValue, record.id)
        }
    }

    /// Returns the properties of a record as an object that an element is decoded from.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - related: Returns the keys of related records.
    ///   - unread: The names of linked properties whose links are not read, because each of them costs a query.
    private func object(of record: Record, _ related: RelatedKeys?, _ unread: Set<String>) throws -> ValueObject {
        var (names, values): ([String], [Value]) = ([], [])
        names.reserveCapacity(properties.count)
        values.reserveCapacity(properties.count)
        for (name, property) in properties {
            names.append(name)
            if let position = property.position(in: record.shape) {
                values.append(record.values[position])
            } else if unread.contains(name) {
                values.append(unreadLink)
            } else {
                let keys = try related?(property.name) ?? []
                values.append(property.place == .links(isToMany: true) ? .array(keys) : keys.first ?? .null)
            }
        }
        return ValueObject(distinct: names, values)
    }

    /// The name of a property that the type has and the record does not store; nil if there is none.
    private var linkedName: String? { known.current?.names.sorted().first { properties[$0]?.isLinked == true } }

    /// Returns the members that the type has of a record; nil if no element can be read.
    func members(of record: Record) -> MemberTree? {
        if known.current == nil, (try? decode(record) { _ in [] }) == nil { return nil }
        var members = MemberTree()
        members.isObject = true
        for name in known.current?.names ?? [] {
            guard let property = properties[name], !property.isLinked else { continue }
            members.parts[.member(property.name)] = MemberTree(kinds: Set(property.types.map(\.rawValue)))
        }
        return members
    }

    /// Returns the members that the type reads of a record, also within JSON.
    ///
    /// - Parameter related: Returns the keys of related records.
    func membersRead(of record: Record, _ related: RelatedKeys?) -> MemberTree {
        let unread = linked.filter { known.current?.uses($0) == false }
        guard let properties = try? object(of: record, related, unread) else { return MemberTree() }
        return MemberTree(ValueDecoder().membersRead(by: Element.self, of: .object(properties)))
    }
}

/// The value of links that are not read.
///
/// No key and no list of keys can be decoded from it, so a type that uses the links fails to decode.
private let unreadLink = Value.object(ValueObject(distinct: ["sync.unread"], [.null]))

extension DecodingError {
    /// The member of the element that could not be decoded; nil for the element itself.
    fileprivate var member: String? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.first?.stringValue
        @unknown default: nil
        }
    }
}

/// The members that a type has encoded or decoded.
private struct KnownMembers {
    /// The names of all members that were encoded.
    var names: Set<String> = []
    /// The names of the linked members that were decoded and may not have been encoded.
    var read: Set<String> = []
    /// The names of the latest element's members.
    var latest: [String] = []
    /// The properties of the latest element's members, in the order of their names.
    var targets: [Target] = []
    /// The names that the latest element has not encoded.
    var absent: [String] = []
    /// Whether the members are all that records of the entity have.
    var setsAllValues = false
    /// Whether the type reads null as nothing in each attribute; nil if that is not known.
    var keepsNulls: Bool?

    /// A property, and its slot in records of the entity itself; nil if other records store it.
    struct Target: Sendable {
        let property: ColumnProperty
        let position: Int?

        init(_ property: ColumnProperty, in shape: Shape) {
            (self.property, position) = (property, property.position(in: shape))
        }
    }

    /// Whether the type has encoded or decoded a member.
    func uses(_ name: String) -> Bool { names.contains(name) || read.contains(name) }
}

/// A member of an element whose value differs from the stored one.
private struct ChangedMember {
    /// Its name in the type.
    let name: String
    /// The value that the element encodes.
    let encoded: Value
    /// The value as it would be stored.
    let stored: Value
    /// The position of its slot in the record.
    let position: Int
}

/// The error where an element must be a record alone, and its type has the keys of other records.
enum LinkedElement {
    /// Returns the error for a type with a relationship that other records store.
    static func error(_ relationship: String, of entity: String) -> PersistenceError {
        PersistenceError(
            .unknownName,
            "the records of '\(entity)' do not store '\(relationship)', which the type has, and only records are "
                + "synchronized by a cycle: use a type without it for that, and synchronize '\(relationship)' by "
                + "'linkCollection(of:relationship:)', or by the collection of the records that store it",
            property: relationship)
    }
}

extension RecordCoding where Element: Codable & Identifiable, Key == Element.ID, Key: Codable {
    /// Returns the coding of a codable type whose members are attributes and relationships of an entity.
    static func columns(of shape: Shape, in schema: Schema) -> RecordCoding {
        let coding = ColumnCoding<Element>(shape, in: schema)
        let entity = shape.name
        return RecordCoding(
            entity: entity, key: { $0.id }, value: coding.key,
            encoding: { try coding.encode($0, $1, over: $2, as: $3) }, decoding: coding.decode,
            members: .columns(coding.members, coding.membersRead), adopt: { $0.adoptingAttributes(of: entity) })
    }
}
