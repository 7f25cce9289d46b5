import SyncPersistence

/// The records of the remote that the schema does not allow, with the reason and their values.
///
/// They do not stop the pages after them. A local change of a listed record is not sent, because the remote would take it
/// for one of the listed version. A record is removed once a version of it can be stored.
struct UnreadableRecords {
    private static let list = RecordList("unreadable")
    private let transaction: WriteTransaction
    /// Whether no record is listed, so that no change must be looked up.
    private var areNone: Bool

    init(in transaction: WriteTransaction) throws {
        self.transaction = transaction
        areNone = try Self.list.isEmpty(in: transaction)
    }

    /// Adds a record.
    ///
    /// - Parameters:
    ///   - record: The record and the reason.
    ///   - entity: The entity of the remote's version.
    ///   - values: The values of that version.
    mutating func add(_ record: UnreadableRecord, _ entity: String, _ values: ValueObject) throws {
        var object = MessageWriter()
        object.set("reason", record.reason)
        object.set("entity", entity)
        object.set("values", Value.object(values).taggedJSON)
        object.set("schema", transaction.schema.versionDigest(of: entity))
        try Self.list.set(object.json.json, for: record.id, in: transaction)
        areNone = false
    }

    /// Removes a record if it is listed. O(1)
    func remove(_ id: RecordID) throws { if !areNone { try Self.list.set(nil, for: id, in: transaction) } }

    /// Removes all records.
    mutating func removeAll() throws {
        if !areNone { try Self.list.removeAll(in: transaction) }
        areNone = true
    }

    /// Whether a record is listed. O(1)
    func contains(_ id: RecordID) throws -> Bool { try !areNone && Self.list.text(of: id, in: transaction) != nil }

    /// Returns the listed versions that another schema did not allow, as a page would have them.
    ///
    /// Records of entities that the schema no longer has are removed from the list: they come again with the entity.
    ///
    /// - Complexity: O(number of listed records)
    func entriesToTryAgain() throws -> [PullResponse.Entry] {
        if areNone { return [] }
        var digests: [String: String] = [:]
        return try Self.list.all(in: transaction).compactMap { id, text in
            guard let row = Row(id, text), let entry = row.entry else { return nil }
            if transaction.schema[entry.id.entity] == nil {
                try remove(id)
                return nil
            }
            let digest = digests[entry.id.entity] ?? transaction.schema.versionDigest(of: entry.id.entity)
            digests[entry.id.entity] = digest
            return row.schema == digest ? nil : entry
        }
    }

    /// Whether a record was listed without its values, by an earlier version of the library.
    var lackVersions: Bool {
        get throws { try !areNone && Self.list.all(in: transaction).contains { Row($0.id, $0.text) == nil } }
    }

    /// Returns the listed versions as far as they are records of the schema, with values that it may not allow.
    func records() throws -> [Record] {
        if areNone { return [] }
        return try Self.list.all(in: transaction).compactMap { id, text in
            guard let entry = Row(id, text)?.entry, case .present(let values) = entry.state,
                let shape = transaction.schema[entry.id.entity]
            else { return nil }
            return Record(shape, slots: shape.slots.map { values[$0.name] ?? $0.defaultValue })
        }
    }

    /// Returns the listed records of a store.
    static func all(in transaction: ReadTransaction) throws -> [UnreadableRecord] {
        try list.all(in: transaction).map { id, text in
            UnreadableRecord(id: id, reason: Row(id, text)?.reason ?? text)
        }
    }

    /// A listed record.
    private struct Row {
        let reason: String
        /// The digest of the schema that does not allow the version.
        let schema: String
        /// The version; nil if its values could not be kept.
        let entry: PullResponse.Entry?

        init?(_ id: RecordID, _ text: String) {
            guard let message = try? MessageReader(Value(json: text)), let reason = try? message.text("reason"),
                let schema = try? message.text("schema"), let entity = try? message.text("entity"),
                let values = try? message.text("values")
            else { return nil }
            (self.reason, self.schema) = (reason, schema)
            if case .object(let values)? = try? Value(taggedJSON: values) {
                entry = PullResponse.Entry(RecordID(entity, id.key), .present(values))
            } else {
                entry = nil
            }
        }
    }
}
