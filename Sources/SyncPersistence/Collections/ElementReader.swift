import DifferentialSync

/// Reads elements of an app's type from the records of their entity and from their journal, within a transaction.
struct ElementReader<Element: Equatable & Sendable, Key: Hashable & Sendable> {
    /// The conversion between elements and records.
    let coding: RecordCoding<Element, Key>
    /// The transaction in which the records and their links are read.
    let transaction: ReadTransaction

    /// The entity whose records keep the elements.
    private var entity: String { coding.entity }

    /// Calls a body with the elements of a query, until it returns false.
    ///
    /// - Returns: The errors of records from which no element can be read.
    func forEach(_ query: Query, _ body: (Element) throws -> Bool) throws -> [PersistenceError] {
        var unreadable: [PersistenceError] = []
        try transaction.forEach(query) { record in
            let element: Element
            do throws(PersistenceError) {
                element = try self.element(of: record)
            } catch {
                // A type that does not fit the entity can read no element at all.
                if error.code != .unreadable { throw error }
                unreadable.append(error)
                return true
            }
            return try body(element)
        }
        return unreadable
    }

    /// Returns the local changes whose journal entries satisfy a predicate, as changes of elements.
    ///
    /// A change is left out if a version cannot be read as an element.
    func changes(where isIncluded: (JournalEntry) -> Bool = { _ in true }) throws -> [Change<Element>] {
        try transaction.journal(of: entity).filter(isIncluded).compactMap { entry in
            let record = try transaction.record(RecordID(entity, entry.id.key))
            guard entry.base != record, let (old, new) = try? (entry.base.map(element), record.map(element)) else {
                return nil
            }
            return Change(from: old, to: new)
        }
    }

    /// Returns the errors of records with a local change or a conflict in which a version cannot be read as an element.
    func unreadableChanges() throws -> [PersistenceError] {
        try transaction.journal(of: entity).compactMap { entry in
            let record = try transaction.record(RecordID(entity, entry.id.key))
            return fault(of: [record, entry.base, entry.remote])
        }
    }

    /// Returns the push that was sent and has no response yet; nil if there is none.
    ///
    /// - Throws: ``PersistenceError`` if no change of the push can be read.
    func pendingPush() throws -> Push<Element>? {
        guard let sent = try CycleState(of: entity, in: transaction).push else { return nil }
        var changes: [Change<Element>] = []
        var lastFault: PersistenceError?
        for record in try transaction.sentRecords(of: entity) {
            let id = RecordID(entity, record.key)
            let (old, new) = try (transaction.shadow(id), record.image.map(\.record) ?? transaction.record(id))
            do throws(PersistenceError) {
                if let change = try Change(from: old.map(element), to: new.map(element)) { changes.append(change) }
            } catch {
                lastFault = error
            }
        }
        if changes.isEmpty, let lastFault { throw lastFault }
        return Diff(changes).map { Push(id: sent.id, changes: $0, expected: sent.expected) }
    }

    /// Returns the whole collection as elements.
    ///
    /// A record is left out if one of its versions cannot be read as an element.
    func snapshot() throws -> StoredCollection<Element> {
        var window = CollectionWindow(of: entity, in: transaction)
        try window.loadEverything()
        let state = try CycleState(of: entity, in: transaction)
        let stored = try window.collection(state, push: nil).stored
        // A record with only some of its versions would seem to be added or deleted.
        let versions = stored.client + stored.shadow + stored.unresolved.compactMap(\.remote)
        let faulty = Set(versions.filter { fault(of: [$0]) != nil }.map(\.key))
        func readable(_ records: [Record]) throws -> [Element] {
            try records.compactMap { faulty.contains($0.key) ? nil : try element(of: $0) }
        }
        return StoredCollection(
            client: try readable(stored.client), shadow: try readable(stored.shadow), version: state.version,
            account: state.account, pendingPush: try? pendingPush(),
            unresolved: try stored.unresolved.compactMap { conflict in
                let key = (conflict.local ?? conflict.remote ?? conflict.base)?.key
                return key.map(faulty.contains) == true ? nil : try elements(conflict)
            }, pushNames: state.pushNames, pullsEverything: !state.unreadable.isEmpty)
    }

    /// Returns the conflicts of unresolved rows that can be read as elements.
    ///
    /// - Parameter image: Returns the versions of a row; nil for a row that is left out.
    func unresolved(_ image: (CollectionWindow.Row) -> Conflict<Record>?) throws -> [Conflict<Element>] {
        var window = CollectionWindow(of: entity, in: transaction)
        return try transaction.unresolvedKeys(of: entity).compactMap { key in
            try image(window.load(key)).flatMap { try? elements($0) }
        }
    }

    /// Returns a conflict as elements, with the present links, without a base if that cannot be read.
    ///
    /// - Throws: ``PersistenceError`` if a side cannot be read as an element.
    func elements(_ conflict: Conflict<Record>) throws -> Conflict<Element> {
        try coding.elements(conflict) { record in { try transaction.related(record.id, $0) } }
    }

    /// Whether a conflict has the present versions of a record, without a base if that cannot be read.
    func isSame(_ conflict: Conflict<Element>, as present: Conflict<Record>) throws -> Bool {
        let base = present.base.flatMap { fault(of: [$0]) == nil ? $0 : nil }
        let versions = [(conflict.base, base), (conflict.local, present.local), (conflict.remote, present.remote)]
        return try versions.allSatisfy { try coding.isSame($0, as: $1) }
    }

    /// Returns the element that a record keeps, with the present links.
    private func element(of record: Record) throws(PersistenceError) -> Element {
        try coding.element(of: record, in: transaction)
    }

    /// Returns the error of the first version from which no element can be read; nil if there is none.
    private func fault(of versions: [Record?]) -> PersistenceError? {
        for case let version? in versions {
            do throws(PersistenceError) {
                _ = try element(of: version)
            } catch {
                return error
            }
        }
        return nil
    }
}
