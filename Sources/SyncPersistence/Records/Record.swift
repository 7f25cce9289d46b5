/// A stored record: its shape, and a value for each slot.
///
/// ```swift
/// var user = try Record("User", in: schema, ["id": 7, "name": "Ada"])
/// user["name"] = "Ada Lovelace"
/// user.key   // 7
/// ```
public struct Record: Sendable {
    /// The shape that it shares with all records of its entity.
    public let shape: Shape

    /// The values, in the order of the slots of ``shape``.
    public package(set) var values: [Value]

    /// Creates a record with a value for each slot.
    ///
    /// - Parameters:
    ///   - shape: The shape, from the schema of the store.
    ///   - values: The values, in the order of ``Shape/slots``. They are checked when the record is stored.
    /// - Precondition: There are as many values as the shape has slots.
    public init(_ shape: Shape, slots values: [Value]) {
        precondition(
            values.count == shape.slots.count,
            "a record of \(shape.name) has \(shape.slots.count) values, not \(values.count)")
        self.shape = shape
        self.values = values
    }

    /// Creates a record of an entity with values by name, and defaults for the other slots.
    ///
    /// The types of the values are checked when the record is stored.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - schema: The schema that has the entity.
    ///   - values: The values of attributes, and the keys of records that to-one relationships lead to.
    /// - Throws: ``PersistenceError`` if the schema does not have the entity, or its records do not store a name.
    public init(_ entity: String, in schema: Schema, _ values: [String: Value] = [:]) throws(PersistenceError) {
        guard let shape = schema[entity] else {
            throw PersistenceError(
                .unknownName,
                "the schema has no entity '\(entity)': it has \(schema.shapes.map(\.name).joined(separator: ", "))")
        }
        if let name = values.keys.sorted().first(where: { shape.slot(named: $0) == nil }) {
            let names = shape.slots.filter { !$0.isInternal }.map(\.name)
            throw PersistenceError(
                .unknownName,
                "the records of '\(entity)' do not store '\(name)': they store \(names.joined(separator: ", "))",
                property: name)
        }
        self.init(shape, values)
    }

    /// Creates a record with values by name, and defaults for the other slots.
    ///
    /// - Precondition: Each name is that of a slot: an attribute, or a relationship that is stored in the record.
    package init(_ shape: Shape, _ values: [String: Value]) {
        self.shape = shape
        self.values = shape.slots.map(\.defaultValue)
        for (name, value) in values { self[name] = value }
    }
}

extension Record {
    /// The name of the entity.
    public var entity: String { shape.name }

    /// The primary key; an array if it has several parts.
    public var key: Value {
        if shape.keySlots.count == 1 { return values[shape.keySlots[0]] }
        return .array(shape.keySlots.map { values[$0] })
    }

    /// The entity and the key.
    public var id: RecordID { RecordID(shape.name, key) }

    /// The name of the hierarchy's root, and the key.
    package var rootID: RecordID { RecordID(shape.root, key) }

    /// The value of an attribute, or the key of the record that a relationship leads to; null for a name without a
    /// slot.
    ///
    /// - Precondition: A name whose value is set has a slot.
    public subscript(name: String) -> Value {
        get { shape.slot(named: name).map { values[$0] } ?? .null }
        set {
            guard let slot = shape.slot(named: name) else {
                preconditionFailure("a record of \(shape.name) has no place for '\(name)'")
            }
            values[slot] = newValue
        }
    }

    /// Returns the names of the slots whose values differ from those of another record; all names if the shapes differ.
    ///
    /// - Complexity: O(number of slots)
    public func changedNames(since other: Record) -> [String] {
        if shape != other.shape { return shape.slots.map(\.name) }
        return shape.slots.indices.filter { values[$0] != other.values[$0] }.map { shape.slots[$0].name }
    }
}

extension Record: Hashable {
    /// Whether both have the same entity and equal values.
    public static func == (left: Record, right: Record) -> Bool {
        left.shape == right.shape && left.values.areSame(as: right.values)
    }

    /// Hashes the entity and the key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(shape)
        hasher.combine(key)
    }
}

extension Record {
    /// Whether the record is of an entity, or of one that inherits it.
    func isOf(_ shape: Shape) -> Bool { self.shape === shape || self.shape.inherits(shape.name) }

    /// Returns the digest of the record's entity and values.
    ///
    /// - Complexity: O(size of the record)
    package func digest(seed: UInt64) -> UInt64 {
        let digest = ContentDigest.digest(of: values, seed: seed)
        if shape.isRoot { return digest }
        return Value.string(shape.name).digest(seed: digest)
    }
}
