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
