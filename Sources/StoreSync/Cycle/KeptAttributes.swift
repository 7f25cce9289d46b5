import SyncPersistence

/// Values of the remote's records for which the device's schema has no slot.
///
/// They are stored beside the records, and sent again with a record that the remote has lost or deleted.
struct KeptAttributes {
    private static let list = RecordList("kept")
    private let transaction: WriteTransaction
    private let shapes: SyncedShapes
    /// Whether no values are stored, so that nothing must be looked up for a record.
    private var areNone: Bool

    /// Reads whether there are any; nil if the remote has no slots that the device lacks.
    init?(in transaction: WriteTransaction, _ shapes: SyncedShapes) throws {
        guard shapes.remoteHasMore else { return nil }
        (self.transaction, self.shapes) = (transaction, shapes)
        areNone = try Self.list.isEmpty(in: transaction)
    }

    /// Stores the values without a slot of a record of the remote in place of earlier ones.
    ///
    /// - Complexity: O(number of values)
    mutating func keep(_ values: ValueObject, of id: RecordID, _ shape: Shape) throws {
        let unknown = values.members.filter { shape.slot(named: $0.name) == nil }
        if unknown.isEmpty { return try remove(id) }
        let text = Value.object(ValueObject(unknown)).taggedJSON
        if try !areNone && Self.list.text(of: id, in: transaction) == text { return }
        try Self.list.set(text, for: id, in: transaction)
        areNone = false
    }

    /// Removes the values of a record. O(1)
    func remove(_ id: RecordID) throws { if !areNone { try Self.list.set(nil, for: id, in: transaction) } }

    /// Removes the values of the deleted records of a push that the remote has accepted.
    func removeDeletions(of response: PushResponse) throws {
        if areNone { return }
        for (sent, outcome) in zip(try transaction.recordsInFlight(), response.outcomes) {
            if case .accepted = outcome, try transaction.sentVersion(of: sent) == nil { try remove(sent.id) }
        }
    }

    /// Moves the values of a record that gets another key. O(1)
    static func move(from former: RecordID, to id: RecordID, in transaction: WriteTransaction) throws {
        guard let text = try list.text(of: former, in: transaction) else { return }
        try list.set(nil, for: former, in: transaction)
        try list.set(text, for: id, in: transaction)
    }

    /// Removes the values of all records.
    static func removeAll(in transaction: WriteTransaction) throws { try list.removeAll(in: transaction) }

    /// Returns a mutation with the values, if it inserts a record.
    func completed(_ mutation: Mutation) throws -> Mutation {
        let id = mutation.id
        guard !areNone, case .insert(let values) = mutation.change, let shape = transaction.schema[id.entity],
            let text = try Self.list.text(of: RecordID(shape.root, id.key), in: transaction),
            case .object(let kept)? = try? Value(taggedJSON: text)
        else { return mutation }
        let missing = kept.members.filter {
            shape.slot(named: $0.name) == nil && shapes.remoteHas($0.name, of: shape)
        }
        let names = values.names + missing.map(\.name)
        return Mutation(id, .insert(ValueObject(distinct: names, values.values + missing.map(\.value))))
    }
}
