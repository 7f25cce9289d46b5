/// The pushes that were sent and not answered, as a transaction knows and changes them.
final class PushesInFlight {
    /// Whether there are any; nil if unknown.
    private var exist: Bool?

    /// By root, the entities of the hierarchy with records in flight; nil if unknown.
    private var entities: [String: [String]] = [:]

    /// By root, the keys in the lists of the hierarchy; nil if unknown.
    private var listed: [String: Set<Value>] = [:]

    /// Reads what is stored.
    private let store: ReadTransaction
    /// Counts a change of a push.
    private let metadata: MetadataLog

    /// Creates the pushes of a transaction.
    ///
    /// - Parameters:
    ///   - store: Reads what is stored.
    ///   - metadata: Counts a change of a push.
    init(of store: ReadTransaction, _ metadata: MetadataLog) {
        self.store = store
        self.metadata = metadata
    }

    /// Stores the keys of a push before it is sent.
    ///
    /// - Complexity: O(number of keys)
    func add(_ keys: [Value], of entity: String) throws {
        let shape = try store.shape(Shape.inFlightName)
        for key in keys { _ = try store.storage.put(SentRecord.record(key, of: entity, in: shape)) }
        reset()
    }

    /// Stores the keys of a push of the whole store, and the sent versions that differ from the present ones.
    ///
    /// - Complexity: O(number of keys)
    func insert(_ ids: [RecordID], sending versions: [RecordID: Record]) throws {
        let shape = try store.shape(Shape.inFlightName)
        var (start, number) = (0, 0)
        while start < ids.count {
            let entity = ids[start].entity
            let end = ids[start...].firstIndex { $0.entity != entity } ?? ids.count
            try store.storage.insert(SentKeys(of: entity, ids[start..<end].map(\.key)).row(number, in: shape))
            (start, number) = (end, number + 1)
        }
        for id in versions.isEmpty ? [] : ids {
            guard let version = versions[id] else { continue }
            var row = SentRecord.record(id.key, of: id.entity, in: shape)
            row["image"] = .string(SentRecord.Image(record: version).text)
            try store.storage.insert(row)
        }
        reset()
    }

    /// Removes an entity's push that was answered.
    ///
    /// - Complexity: O(size of the push)
    func remove(of entity: String) throws {
        let query = Query(Shape.inFlightName, where: .comparison(path: "entity", .equal, .string(entity)))
        for record in try store.records(query) { _ = try store.storage.remove(record.key, in: record.shape) }
        reset()
    }

    /// Removes the pushes of all entities, and that of the whole store.
    ///
    /// - Complexity: O(size of the pushes)
    func removeAll() throws {
        for row in try store.records(Query(Shape.inFlightName)) {
            _ = try store.storage.remove(row.key, in: row.shape)
        }
        reset()
    }

    /// Counts a change of the pushes, and reads them anew when they are needed.
    private func reset() {
        metadata.setHasInternalChanges()
        (exist, entities, listed) = (nil, [:], [:])
    }

    /// Stores the sent version of a record in flight before the record changes.
    ///
    /// - Parameters:
    ///   - old: The record as it was sent; nil for a deletion.
    ///   - key: Its key.
    ///   - root: The root of its hierarchy.
    /// - Complexity: O(1); O(size of the push) for the first record of a transaction while a push of the whole store has no
    ///   response
    func save(_ old: Record?, _ key: Value, of root: Shape) throws {
        if exist == false { return }
        for entity in try entities(of: root) {
            let shape = try store.shape(Shape.inFlightName)
            let row = try store.storage.record(SentRecord.key(key, of: entity), in: shape)
            guard try row != nil || entity == root.name && isListed(key, of: entity) else { continue }
            var sent = row ?? SentRecord.record(key, of: entity, in: shape)
            guard sent["image"].isNull else { continue }
            // For the collection of an entity, a record of another one of the hierarchy is none.
            let version = old.flatMap { $0.shape.inherits(entity) ? $0 : nil }
            sent["image"] = .string(SentRecord.Image(record: version).text)
            _ = try store.storage.put(sent)
            metadata.setHasInternalChanges()
        }
    }

    /// Whether an unanswered push has sent a version of a record that has changed since.
    ///
    /// - Parameters:
    ///   - version: The version; nil for a deletion.
    ///   - key: The key of the record.
    ///   - root: The root of its hierarchy.
    /// - Complexity: O(1)
    func hasSent(_ version: Record?, _ key: Value, of root: Shape) throws -> Bool {
        if exist == false { return false }
        let shape = try store.shape(Shape.inFlightName)
        return try entities(of: root).contains { entity in
            guard let record = try store.storage.record(SentRecord.key(key, of: entity), in: shape),
                let image = try SentRecord(record, schema: store.schema).image
            else { return false }
            if let sent = image.record, let version { return sent.isSame(butForPlacesAs: version) }
            return image.record == nil && version == nil
        }
    }

    /// Whether a key is in one of a hierarchy's lists.
    private func isListed(_ key: Value, of entity: String) throws -> Bool {
        if let keys = listed[entity] { return keys.contains(key) }
        let keys = try store.sentKeys(of: entity)
        listed[entity] = keys
        return keys.contains(key)
    }

    /// Returns the entities of a hierarchy with records in flight.
    private func entities(of root: Shape) throws -> [String] {
        if let known = entities[root.name] { return known }
        let exist = try exist ?? (store.storage.count(Query(Shape.inFlightName, limit: 1)) > 0)
        self.exist = exist
        var found: [String] = []
        if exist && (root.role == nil || root.role == .links) {
            for shape in store.schema.shapes + store.schema.internalShapes where shape.root == root.name {
                let query = Query(
                    Shape.inFlightName, where: .comparison(path: "entity", .equal, .string(shape.name)), limit: 1)
                if try store.storage.count(query) > 0 { found.append(shape.name) }
            }
        }
        entities[root.name] = found
        return found
    }

    /// Changes the key of a record in what was sent.
    ///
    /// - Complexity: O(number of records in flight)
    func rename(by renaming: Renaming) throws {
        if exist == false { return }
        for record in try store.records(Query(Shape.inFlightName)) {
            if let list = try SentKeys(record) {
                try rename(list, record, by: renaming)
                continue
            }
            let sent = try SentRecord(record, schema: store.schema)
            var renamed = record
            let key = renaming.renamed(RecordID(sent.entity, sent.key)).key
            if key != sent.key { renamed["key"] = .string(key.keyText) }
            if let image = sent.image?.record {
                renamed["image"] = .string(SentRecord.Image(record: renaming.renamed(image)).text)
            }
            if renamed == record { continue }
            if renamed.key != record.key { _ = try store.storage.remove(record.key, in: record.shape) }
            _ = try store.storage.put(renamed)
            metadata.setHasInternalChanges()
        }
    }

    /// Gives a listed record its new key.
    private func rename(_ list: SentKeys, _ row: Record, by renaming: Renaming) throws {
        let keys = list.keys.map { renaming.renamed(RecordID(list.entity, $0)).key }
        if keys == list.keys { return }
        var renamed = row
        renamed["image"] = .string(SentKeys(of: list.entity, keys).text)
        _ = try store.storage.put(renamed)
        listed[list.entity] = nil
        metadata.setHasInternalChanges()
    }
}

extension ReadTransaction {
    /// Returns the records of an entity's push that was sent and not answered, in the order of the push.
    ///
    /// - Complexity: O(size of the push)
    func sentRecords(of entity: String) throws -> [SentRecord] {
        try records(Query(Shape.inFlightName, where: .comparison(path: "entity", .equal, .string(entity))))
            .compactMap { try SentKeys($0) == nil ? SentRecord($0, schema: schema) : nil }
    }
}
