extension ReadTransaction {
    /// Prepares for ``record(_:)`` of some records, so that a store behind a network reads them together.
    package func prefetch(_ ids: () -> [RecordID]) throws {
        try storage.prefetch {
            var keys: [String: [Value]] = [:]
            for id in ids() {
                if let shape = schema[id.entity] { keys[shape.root, default: []].append(id.key) }
            }
            return try keys.sorted { $0.key < $1.key }.map { KeyLookup($0.value, in: try shape($0.key)) }
        }
    }

    /// Prepares for lookups of metadata under some names, and of those that most transactions look up.
    package func prefetchMetadata(_ names: [String]) throws {
        try storage.prefetch {
            let own = [
                HistoryName.kept, HistoryName.sequence, HistoryName.horizon, HistoryName.pruned, HistoryName.run,
                HistoryName.fingerprint, "sync.sequence", SynchronizedEntities.accountName,
                SynchronizedEntities.missingName, AwaitedRecords.countName, PayloadMarks.countName,
            ]
            return [KeyLookup((names + own).map(Value.string), in: try shape("sync.metadata"))]
        }
    }
}

extension WriteTransaction {
    /// The number of changes whose lookups are made together.
    package static let lookupCount = 5_000

    /// Notices whether there are records of a hierarchy, so that no lookups follow if there are none.
    package func open(_ shape: Shape) throws { _ = try log.hierarchy(of: shape) }

    /// Prepares for lookups and changes of the records with some keys, their journal entries and rows of the history.
    ///
    /// The targets of their references are not among them.
    func prefetch(in shape: Shape, _ keys: () -> [Value]) throws {
        try storage.prefetch { try ChangeLookups(in: self).lookups(of: keys(), in: self.shape(shape.root)) }
    }

    /// Prepares for ``apply(_:)`` of changes, and for lookups of their records and of these records' last changes.
    package func prefetch(_ changes: () -> ChangeSet) throws {
        try storage.prefetch {
            try ChangeLookups(of: changes().operations.prefix(WriteTransaction.lookupCount), in: self).all()
        }
    }
}
