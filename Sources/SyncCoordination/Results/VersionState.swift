import SyncPersistence

/// The element of a query that selects one record at most.
struct VersionState<Element: Equatable & Sendable, Key: Hashable & Sendable>: ObservedState {
    /// The results of the query, one at most.
    private var results: ResultsState<Element, Key>

    /// Creates the state of the record with an identifier, before the first reading.
    ///
    /// - Throws: `PersistenceError` if the schema does not have the entity, or the key has other parts.
    init(of id: RecordID, _ coding: RecordCoding<Element, Key>, in schema: Schema) throws {
        guard let shape = schema[id.entity] else {
            throw PersistenceError(.unknownName, "the schema has no entity '\(id.entity)'", id: id)
        }
        let parts = if shape.keySlots.count > 1, case .array(let parts) = id.key { parts } else { [id.key] }
        if parts.count != shape.keySlots.count {
            throw PersistenceError(
                .wrongType, "the key of '\(id.entity)' has \(shape.keySlots.count) parts: give an array of them", id: id
            )
        }
        let conditions = zip(shape.keySlots, parts).map { Field(shape.slots[$0].name) == $1 }
        results = ResultsState(Query(id.entity, where: .and(conditions)), coding)
    }

    /// Whether a commit may have changed the element.
    mutating func receive(_ commit: Commit) -> Bool { results.receive(commit) }

    /// Returns the element if it has changed: nil within for none, and nil if it is unchanged.
    ///
    /// - Throws: `PersistenceError` if no element can be read from the record.
    mutating func update(in transaction: ReadTransaction, isPrepared: Bool) throws -> Element?? {
        guard let snapshot = try results.update(in: transaction, isPrepared: isPrepared) else { return nil }
        if let error = snapshot.elements.unreadable.first { throw error }
        return .some(snapshot.elements.first)
    }
}
