import DifferentialSync
import SyncPersistence

/// The elements of a query's records.
struct ResultsState<Element: Equatable & Sendable, Key: Hashable & Sendable>: ObservedState {
    private let query: Query
    /// The conversion of records into elements.
    private let coding: RecordCoding<Element, Key>

    /// The present records; nil before the first reading.
    private var window: QueryWindow?

    /// For each record of the window its element, or the error if none can be read.
    private var decoded: [Result<Element, PersistenceError>] = []

    /// The present elements; before the first reading, those of the observation before.
    private var elements: [Element] = []

    /// The relationships of the elements that their records do not store.
    private var links = SlotDependencies()

    /// The records after the commit that was received last; nil if they are unknown.
    private var prepared: QueryWindow.Stretch?

    /// Creates the state before the first reading.
    init(_ query: Query, _ coding: RecordCoding<Element, Key>) {
        self.query = query
        self.coding = coding
    }

    /// Takes over the elements of another query, from which the first snapshot then states the changes.
    mutating func begin(after former: any ObservedState) {
        if let former = former as? Self { elements = former.elements }
    }

    /// Applies a commit to the records of the last reading, as far as its changes decide the result.
    ///
    /// - Returns: Whether the elements may have changed.
    mutating func receive(_ commit: Commit) -> Bool {
        prepared = nil
        guard let window else { return true }
        let hasLinks = links.areChanged(by: commit)
        switch window.effect(of: commit) {
        case .none:
            if hasLinks { prepared = window.stretch }
            return hasLinks
        case .known(let stretch): prepared = stretch
        case .unknown: break
        }
        return true
    }

    /// Returns the elements and what has changed; nil if nothing has.
    ///
    /// Only changed records are decoded.
    mutating func update(in transaction: ReadTransaction, isPrepared: Bool) throws -> QuerySnapshot<Element>? {
        let former = window
        if !isPrepared { prepared = nil }
        let window: QueryWindow
        if var known = former, let prepared, try known.replace(by: prepared, in: transaction) {
            window = known
        } else {
            window = try QueryWindow(query, in: transaction)
        }
        prepared = nil
        let decoded = try decode(window.records, knowing: former?.records ?? [], in: transaction)
        self.window = window
        let hadErrors = unreadable(self.decoded)
        self.decoded = decoded
        let (old, new) = (elements, decoded.compactMap { try? $0.get() })
        let errors = unreadable(decoded)
        if former != nil, old == new, hadErrors == errors { return nil }
        elements = new
        return QuerySnapshot(
            elements: StoredElements(new, unreadable: errors),
            changes: uncheckedDiff(wins: new, loses: old, primaryKey: coding.key))
    }

    /// Returns the errors of records from which no element could be read.
    private func unreadable(_ decoded: [Result<Element, PersistenceError>]) -> [PersistenceError] {
        decoded.compactMap { if case .failure(let error) = $0 { error } else { nil } }
    }

    /// Returns the elements of records, and reuses those of unchanged records.
    private mutating func decode(
        _ records: [Record], knowing known: [Record], in transaction: ReadTransaction
    ) throws -> [Result<Element, PersistenceError>] {
        var places: [Value: Int]?
        let reused = links.isEmpty ? decoded : []
        var links = SlotDependencies()
        let results = try records.enumerated().map { number, record -> Result<Element, PersistenceError> in
            if number < reused.count, known[number] == record { return reused[number] }
            if !reused.isEmpty {
                let all = places ?? Dictionary(zip(known.map(\.key), known.indices)) { first, _ in first }
                places = all
                if let place = all[record.key], known[place] == record { return reused[place] }
            }
            do throws(PersistenceError) {
                return .success(
                    try coding.element(of: record) { name in
                        try links.insert(transaction.relationship(name, of: record.entity))
                        return try transaction.related(record.id, name)
                    })
            } catch {
                // A type that does not fit the entity can read no element at all.
                if error.code != .unreadable { throw error }
                return .failure(error)
            }
        }
        self.links = links
        return results
    }
}
