/// A transaction that reads one state of a store.
///
/// ```swift
/// let open = try await store.read { transaction in
///     try transaction.records(Query("ToDo", where: Field("isDone") == false, sort: [Query.SortKey("due")]))
/// }
/// ```
public class ReadTransaction {
    /// The rows of the store, within the transaction.
    package let storage: any RecordStorage

    /// The schema of the store.
    public final let schema: Schema

    /// Whether records are being passed to a body.
    private(set) var isPassingRecords = false

    /// Creates a transaction on a storage.
    init(on storage: any RecordStorage) {
        self.storage = storage
        schema = storage.schema
    }

    /// Runs a body that reads.
    ///
    /// An adapter calls it within a transaction of its store.
    ///
    /// - Parameters:
    ///   - storage: The operations of the adapter within its transaction.
    ///   - body: A function that must not keep the transaction.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body, unchanged.
    public static func run<Result>(
        on storage: any RecordStorage, _ body: (ReadTransaction) throws -> Result
    ) rethrows -> Result {
        try body(ReadTransaction(on: storage))
    }

    /// Returns the record of an entity, or of an inheriting one, with a key; nil if there is none.
    ///
    /// - Throws: ``PersistenceError`` if the entity is unknown, or the store cannot be read.
    public func record(_ id: RecordID) throws -> Record? {
        let record = try storage.record(id.key, in: shape(id.entity))
        return record.flatMap { $0.shape.inherits(id.entity) ? $0 : nil }
    }

    /// Returns the fingerprint of the store; nil if the store keeps none.
    ///
    /// A store that keeps a history keeps a fingerprint; see ``ChangeSet/keepHistory(_:)``.
    ///
    /// - Complexity: O(1)
    public func fingerprint() throws -> StoreFingerprint? { try storedFingerprint() }
}

extension ReadTransaction {
    /// Returns the shape of an entity's records.
    ///
    /// - Throws: ``PersistenceError`` if the entity is unknown.
    public func shape(_ entity: String) throws -> Shape {
        if let shape = schema[entity] { return shape }
        throw PersistenceError(
            .unknownName,
            "the schema has no entity '\(entity)': it has \(schema.shapes.map(\.name).joined(separator: ", "))")
    }

    /// Returns the records of an entity with the given keys, in their order; nil for missing ones.
    ///
    /// - Parameters:
    ///   - entity: The entity. A record of another branch of its hierarchy is not found.
    ///   - keys: The keys, which may be repeated.
    /// - Throws: ``PersistenceError`` if the entity is unknown, or the store cannot be read.
    /// - Complexity: O(number of keys), each a lookup
    public func records(_ entity: String, keys: [Value]) throws -> [Record?] {
        var records: [Record?] = []
        records.reserveCapacity(keys.count)
        for (position, key) in keys.enumerated() {
            if position % WriteTransaction.lookupCount == 0, keys.count > 1 {
                try storage.prefetch {
                    let next = Array(keys[position...].prefix(WriteTransaction.lookupCount))
                    return [KeyLookup(next, in: try shape(entity))]
                }
            }
            records.append(try record(RecordID(entity, key)))
        }
        return records
    }

    /// Returns the keys of an entity's records, in the order in which they were inserted.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - filter: The filter of the records; nil for all.
    /// - Throws: ``PersistenceError`` as ``records(_:)``.
    /// - Complexity: O(number of examined records)
    public func keys(of entity: String, where filter: Filter? = nil) throws -> [Value] {
        var keys: [Value] = []
        try forEachKey(of: entity, where: filter) { keys.append($0) }
        return keys
    }

    /// Calls a body with the keys of an entity's records, in the order in which they were inserted.
    package func forEachKey(of entity: String, where filter: Filter?, _ body: (Value) throws -> Void) throws {
        try storage.forEachKey(shape(entity), where: filter, body)
    }

    /// Returns the records of a query.
    ///
    /// - Throws: ``PersistenceError`` for a name that the schema does not have, or a value that the attribute cannot be
    ///   compared with.
    /// - Complexity: O(number of examined records); see ``forEach(_:_:)`` for more than fit in memory.
    public func records(_ query: Query) throws -> [Record] {
        var records: [Record] = []
        try forEach(query) { record in
            records.append(record)
            return true
        }
        return records
    }

    /// Calls a body with the records of a query, one by one, until it returns false.
    ///
    /// They are never all in memory.
    ///
    /// The body may read. It applies no changes, but may collect them.
    ///
    /// - Parameters:
    ///   - query: The entity, the condition and the order.
    ///   - body: Returns whether to go on.
    /// - Throws: As ``records(_:)``, and the errors of the body.
    /// - Complexity: O(number of examined records)
    public func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        _ = try shape(query.entity)
        let wasPassingRecords = isPassingRecords
        isPassingRecords = true
        defer { isPassingRecords = wasPassingRecords }
        try storage.forEach(query, body)
    }

    /// Returns the number of records of a query.
    public func count(_ query: Query) throws -> Int {
        _ = try shape(query.entity)
        return try storage.count(query)
    }
}

extension ReadTransaction {
    /// Returns the keys of the records that a relationship leads to, in its order if it has one.
    ///
    /// - Parameters:
    ///   - id: The record; one that does not exist has no related records.
    ///   - relationship: The name of the relationship.
    /// - Returns: The keys; one at most for a relationship to one.
    /// - Throws: ``PersistenceError`` if the relationship is unknown.
    /// - Complexity: O(number of keys), by an index
    public func related(_ id: RecordID, _ relationship: String) throws -> [Value] {
        switch try self.relationship(relationship, of: id.entity).storage {
        case .reference(let slot, _, _):
            let key = try record(id)?[slot] ?? .null
            return key.isNull ? [] : [key]
        case .inverse(let slot, _):
            return try relatedRecords(id, relationship).filter { $0[slot] == id.key }.map(\.key)
        case .links(let shape, let end):
            return try links(shape, end, of: id.key).map { $0[end.far] }
        }
    }

    /// Returns the records that a relationship leads to, in its order if it has one.
    ///
    /// A key without a record is left out.
    ///
    /// - Parameters:
    ///   - id: The record; one that does not exist has no related records.
    ///   - relationship: The name of the relationship.
    /// - Throws: ``PersistenceError`` if the relationship is unknown.
    /// - Complexity: O(number of records), by an index
    public func relatedRecords(_ id: RecordID, _ relationship: String) throws -> [Record] {
        let relationship = try self.relationship(relationship, of: id.entity)
        let destination = relationship.definition.destination
        if case .inverse(let slot, let position) = relationship.storage {
            return try records(destination, naming: id.key, in: slot, by: position)
        }
        return try records(destination, keys: related(id, relationship.definition.name)).compactMap { $0 }
    }

    /// Returns a relationship of an entity.
    ///
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/unknownName`` if there is none, and the
    ///   names of those that there are.
    package func relationship(_ name: String, of entity: String) throws -> ShapeRelationship {
        let shape = try shape(entity)
        if let relationship = shape.relationship(named: name) { return relationship }
        let names = shape.relationships.map(\.definition.name)
        throw PersistenceError(
            .unknownName,
            "'\(entity)' has no relationship '\(name)': "
                + (names.isEmpty ? "it has none" : "it has \(names.joined(separator: ", "))"), property: name)
    }

    /// Returns the links of a record, in the order of the relationship.
    func links(_ shape: String, _ end: LinkEnd, of key: Value) throws -> [Record] {
        let position = self.schema[shape]?.slot(named: end.position) == nil ? nil : end.position
        return try records(shape, naming: key, in: end.near, by: position)
    }

    /// Returns the records of an entity that refer to a record in a slot, in the order of their places if they have any.
    private func records(_ entity: String, naming key: Value, in slot: String, by place: String?) throws -> [Record] {
        let filter = Filter.comparison(path: slot, .equal, key)
        guard let place else { return try records(Query(entity, where: filter)) }
        var records = try records(Query(entity, where: filter, sort: [Query.SortKey(place)]))
        records.sortSharedPlaces(place)
        return records
    }
}
