extension WriteTransaction {
    /// The number of changes whose lookups are made together.
    package static let lookupCount = 5_000

    /// Notices whether there are records of a hierarchy, so that no lookups follow if there are none.
    package func open(_ shape: Shape) throws { _ = try log.hierarchy(of: shape) }

    /// Prepares for lookups and changes of the records with some keys, their journal entries and rows of the history.
    ///
    /// The targets of their references are not among them.
    func prefetch(in shape: Shape, _ keys: () -> [Value]) throws {
        try storage.prefetch { try lookups(of: keys(), in: self.shape(shape.root)) }
    }

    /// Returns the lookups of records of a hierarchy, of their journal entries and rows of the history.
    func lookups(of keys: [Value], in root: Shape) throws -> [KeyLookup] {
        let state = try log.hierarchy(of: root)
        var lookups: [KeyLookup] = []
        if !state.wasEmpty { lookups.append(KeyLookup(keys, in: root)) }
        if !state.journal.wasEmpty, let journal = schema.journal(of: root) {
            lookups.append(KeyLookup(keys, in: journal))
        }
        if try keepsHistory, let shape = schema[Shape.historyName] {
            let rows = keys.map { Value.array(HistoryEntry.rowKey(of: RecordID(root.name, $0))) }
            lookups.append(KeyLookup(rows, in: shape))
        }
        return lookups
    }

    /// Prepares for ``apply(_:)`` of changes, and for lookups of their records and of these records' last changes.
    package func prefetch(_ changes: () -> ChangeSet) throws {
        try storage.prefetch {
            try ChangeLookups(of: changes().operations.prefix(WriteTransaction.lookupCount), in: self).all()
        }
    }
}
