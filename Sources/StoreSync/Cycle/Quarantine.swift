import SyncPersistence

/// The records that the remote has refused for good, with the refused version.
///
/// A record that was edited since, here or at the remote, is no longer refused.
struct Quarantine {
    private static let list = RecordList("refused")
    private let transaction: WriteTransaction
    /// Whether no record is refused, so that no change must be looked up.
    private var areNone: Bool

    /// A refused record, and the digest of the refused version.
    private struct Row {
        let record: RefusedRecord
        /// The digest of the refused version, by which a later edit is recognized.
        let version: String
        /// The limit in bytes that the version exceeded; nil for a refusal of the remote's own.
        let limit: Int64?

        init?(_ id: RecordID, _ text: String) {
            guard let message = try? MessageReader(Value(json: text)), let code = try? message.text("code"),
                let reason = try? message.text("reason"), let version = try? message.text("version")
            else { return nil }
            record = RefusedRecord(id: id, code: code, reason: reason)
            self.version = version
            limit = try? message.number("limit")
        }
    }

    /// Reads whether there are refused records. O(1)
    init(in transaction: WriteTransaction) throws {
        self.transaction = transaction
        areNone = try Self.list.isEmpty(in: transaction)
    }

    /// Whether the remote has refused this version of a record; forgets the refusal of another version. O(1)
    ///
    /// - Parameter limit: The most bytes that the remote accepts now. It may accept what exceeded a lower limit.
    func contains(_ id: RecordID, _ version: Record?, limit: Int) throws -> Bool {
        guard !areNone, let row = try Self.list.text(of: id, in: transaction).flatMap({ Row(id, $0) }) else {
            return false
        }
        if row.version == Self.digest(of: version), row.limit.map({ $0 >= limit }) ?? true { return true }
        try release(id)
        return false
    }

    /// Whether a version of a record was refused. O(1)
    func lists(_ id: RecordID) throws -> Bool { try !areNone && Self.list.text(of: id, in: transaction) != nil }

    /// Removes a record and the refused ones that refer to it, directly or through others, so that they are sent again.
    ///
    /// Their refusal may have been a consequence.
    ///
    /// - Complexity: O(number of records that refer to those removed)
    func release(_ id: RecordID) throws {
        var pending = [id]
        while let next = pending.popLast(), !areNone {
            try remove(next)
            guard let record = try transaction.record(next) else { continue }
            for other in try transaction.recordsReferring(to: record).map(\.rootID)
            where try Self.list.text(of: other, in: transaction) != nil {
                pending.append(other)
            }
        }
    }

    /// Adds a refused version of a record.
    ///
    /// - Parameter limit: The limit in bytes that the version exceeds; nil for a refusal of the remote's own.
    mutating func add(_ refused: RefusedRecord, _ version: Record?, limit: Int? = nil) throws {
        var object = MessageWriter()
        object.set("code", refused.code)
        object.set("reason", refused.reason)
        object.set("version", Self.digest(of: version))
        object.set("limit", ifAny: limit) { .integer(Int64($0)) }
        let text = try object.json.json
        try Self.list.set(text, for: refused.id, in: transaction)
        areNone = false
    }

    /// Removes a record from the list of refused ones, so that its changes are sent again.
    func remove(_ id: RecordID) throws { if !areNone { try Self.list.set(nil, for: id, in: transaction) } }

    /// Removes all records.
    static func removeAll(in transaction: WriteTransaction) throws { try list.removeAll(in: transaction) }

    /// Forgets the records without a local change.
    ///
    /// - Complexity: O(number of refused records)
    func removeSettled() throws {
        if areNone { return }
        for (id, _) in try Self.list.all(in: transaction) where try transaction.journalEntry(id) == nil {
            try remove(id)
        }
    }

    /// Returns the refused records of a store, in a stable order.
    static func all(in transaction: ReadTransaction) throws -> [RefusedRecord] {
        try list.all(in: transaction).compactMap { Row($0.id, $0.text)?.record }
    }

    /// Returns the refusal of a version of a record; nil if that version was not refused. O(1)
    static func refusal(of id: RecordID, _ version: Record?, in transaction: ReadTransaction) throws -> RefusedRecord? {
        guard let text = try list.text(of: id, in: transaction), let row = Row(id, text),
            row.version == digest(of: version)
        else { return nil }
        return row.record
    }

    private static func digest(of version: Record?) -> String {
        var digest = ContentDigest(seed: 0)
        if let version {
            digest.combine(version.entity)
            for value in version.values { digest.combine(value) }
        }
        return String(digest.finalize(), radix: 16)
    }
}
