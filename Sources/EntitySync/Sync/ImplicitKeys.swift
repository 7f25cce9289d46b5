import SyncPersistence

/// The primary keys of records whose entity has no primary key of its own, by the keys that identify their objects.
struct ImplicitKeys {
    private let transaction: any PayloadStore
    private var stored: [RecordID: Value] = [:]

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
