import SyncPersistence

/// The primary keys of records whose entity has no primary key of its own, by the keys that identify their objects.
struct ImplicitKeys {
    /// The transaction whose store gives keys.
    private let transaction: any PayloadStore
    /// The primary keys that were found or made so far, by the hierarchy and the key of the object.
    private var stored: [RecordID: Value] = [:]

    /// Creates an empty table.
    init(in transaction: any PayloadStore) { self.transaction = transaction }

    /// Returns the primary key of the record that a key identifies; a new one if there is none.
    mutating func storedKey(_ map: EntityMap, _ key: Value) throws -> Value {
        if map.isKeyPrimary { return key }
        let id = RecordID(map.shape.root, key)
        if let known = stored[id] { return known }
        let found = try transaction.records(Query(map.shape.name, where: map.filter(key: key), limit: 1)).first
        let primary = try found?.key ?? transaction.adoptingKey(Record(map.shape, slots: map.defaults)).key
        stored[id] = primary
        return primary
    }
}
