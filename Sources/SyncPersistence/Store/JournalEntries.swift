/// The journal's entries for the records of a hierarchy; none if its records have no journal.
package struct JournalEntries {
    /// The root of the hierarchy.
    private let root: Shape
    /// The shape of the entries; nil if there is no journal.
    private let journal: Shape?
    /// The transaction that reads the entries.
    private let transaction: ReadTransaction

    /// Creates the entries of a hierarchy in a transaction, without reading them.
    fileprivate init(of root: Shape, in transaction: ReadTransaction) {
        (self.root, self.transaction) = (root, transaction)
        journal = transaction.schema.journal(of: root)
    }

    /// Calls a body with the entries, in the order in which they were inserted, until it returns false.
    package func forEach(where filter: Filter? = nil, _ body: (JournalEntry) throws -> Bool) throws {
        guard let journal else { return }
        try transaction.storage.forEach(Query(journal.name, where: filter)) {
            try body(JournalEntry($0, schema: transaction.schema))
        }
    }

    /// Calls a body with the entries and the present records, in the order in which the entries were inserted, until it
    /// returns false.
    package func forEachChange(_ body: (JournalEntry, Record?) throws -> Bool) throws {
        guard let journal else { return }
        try transaction.storage.forEachEntry(in: journal, of: root) {
            try body(JournalEntry($0, schema: transaction.schema), $1)
        }
    }

    /// Returns the entries, in the order in which they were inserted.
    package func all(where filter: Filter? = nil) throws -> [JournalEntry] {
        var entries: [JournalEntry] = []
        try forEach(where: filter) {
            entries.append($0)
            return true
        }
        return entries
    }

    /// Returns the entries that are unresolved.
    package func unresolved() throws -> [JournalEntry] {
        try all(where: .comparison(path: JournalShape.unresolvedName, .equal, true))
    }

    /// Whether there are no entries.
    package var isEmpty: Bool {
        get throws { try journal.map { try transaction.storage.count(Query($0.name, limit: 1)) == 0 } ?? true }
    }

    /// The number of entries.
    package var count: Int {
        get throws { try journal.map { try transaction.storage.count(Query($0.name)) } ?? 0 }
    }

    /// Whether the shadow has no record of the hierarchy, because all of its records are new.
    ///
    /// - Complexity: O(number of entries), without reading them
    package var hasEmptyShadow: Bool {
        get throws {
            let storage = transaction.storage
            let known: [Filter] = ["sync.isInShadow", JournalShape.unresolvedName].map {
                .comparison(path: $0, .equal, true)
            }
            guard let journal, try storage.count(Query(journal.name, where: .or(known), limit: 1)) == 0 else {
                return false
            }
            let count = try storage.count(Query(journal.name))
            // Further records than the entries make no difference, however many they are.
            return try storage.count(Query(root.name, limit: count + 1)) == count
        }
    }
}

extension ReadTransaction {
    /// Returns the journal's entries for the records of a hierarchy, without reading them.
    package func journalEntries(of root: Shape) -> JournalEntries { JournalEntries(of: root, in: self) }
}
