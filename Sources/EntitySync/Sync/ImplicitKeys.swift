import SyncPersistence

/// The primary keys of records whose entity has no primary key of its own, by the keys that identify their objects.
///
/// An object of the remote is identified by the key that the remote knows. For example, the tag "a" was renamed to "b"
/// locally and not sent. Then an object with the key "a" is that tag, and an object with the key "b" is another one.
final class ImplicitKeys {
    /// The transaction whose store gives keys.
    private let transaction: any PayloadStore
    /// The side that the payload comes from.
    private let origin: ChangeSet.Origin
    /// The primary keys that were found or made so far, by the hierarchy and the key of the object.
    private var stored: [RecordID: Value] = [:]
    /// The records with local changes, by entity.
    private var changed: [String: Changed] = [:]

    /// The records of an entity with local changes.
    private struct Changed {
        /// Their primary keys, without those of locally inserted records.
        var keys: Set<Value> = []
        /// Their primary keys, by the keys that the remote knows.
        var primary: [Value: Value] = [:]
    }

    /// The searches for records, by entity.
    private var searches: [String: Searches] = [:]

    /// The searches for records of an entity.
    private struct Searches {
        /// How many records were searched for.
        var count = 0
        /// The primary keys of all records, after many searches without an index.
        var keys: [Value: Value]?
    }

    /// After as many searches without an index, all records are read instead.
    private static let searchLimit = 64

    /// Creates an empty table.
    init(in transaction: any PayloadStore, origin: ChangeSet.Origin) {
        (self.transaction, self.origin) = (transaction, origin)
    }
}

extension ImplicitKeys {
    /// Returns the primary key of the record that a key identifies; a new one if there is none.
    func storedKey(_ map: EntityMap, _ key: Value) throws -> Value {
        if let found = try primaryKey(map, of: key) { return found }
        let new = try transaction.adoptingKey(Record(map.shape, slots: map.defaults)).key
        stored[RecordID(map.shape.root, key)] = new
        return new
    }

    /// Returns the primary key of the record that a key identifies; nil if there is none.
    func primaryKey(_ map: EntityMap, of key: Value) throws -> Value? {
        if map.isKeyPrimary { return key }
        let id = RecordID(map.shape.root, key)
        if let known = stored[id] { return known }
        let changed = try changed(of: map)
        let found = try changed?.primary[key] ?? search(map, key, besides: changed?.keys ?? [])
        if let found { stored[id] = found }
        return found
    }

    /// Returns the primary key of the stored record with a key, except for some records.
    ///
    /// - Complexity: O(1) on average for many keys and *n* records, and O(*n*) once; a lookup with an index
    private func search(_ map: EntityMap, _ key: Value, besides changed: Set<Value>) throws -> Value? {
        let name = map.shape.name
        searches[name, default: Searches()].count += 1
        if searches[name]?.count == Self.searchLimit,
            !map.keyParts.contains(where: { map.attributes[$0].definition.isIndexed })
        {
            var keys: [Value: Value] = [:]
            try transaction.storage.forEach(Query(name)) { record in
                let key = map.identifyingKey(of: record)
                if keys[key] == nil, !changed.contains(record.key) { keys[key] = record.key }
                return true
            }
            searches[name]?.keys = keys
        }
        if let keys = searches[name]?.keys { return keys[key] }
        let query = Query(name, where: map.filter(key: key), limit: changed.isEmpty ? 1 : nil)
        return try transaction.records(query).first { !changed.contains($0.key) }?.key
    }

    /// Returns the records of an entity with local changes, as the remote knows them; nil if there are none.
    private func changed(of map: EntityMap) throws -> Changed? {
        guard origin == .remote, try transaction.mayHaveEntries(of: map.shape) else { return nil }
        if let known = changed[map.shape.name] { return known }
        var found = Changed()
        for entry in try transaction.journal(of: map.shape.root) {
            // The remote may have a record again that it has deleted.
            guard let record = entry.known ?? entry.base, record.shape.inherits(map.shape.name) else { continue }
            found.keys.insert(record.key)
            found.primary[map.identifyingKey(of: record)] = record.key
        }
        changed[map.shape.name] = found
        return found
    }
}

extension EntityMap {
    /// Returns the key that identifies a record's object.
    func identifyingKey(of record: Record) -> Value {
        key(of: keyParts.map { record[attributes[$0].definition.name] })
    }
}
