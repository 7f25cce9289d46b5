import DifferentialSync

extension SchemaChanges {
    /// Converts what the library has noted of records by name or as text: tombstones, the keys that were counted, what is
    /// known of cycles, and what the remote is known to hold where that is not settled.
    ///
    /// - Parameter storage: The store when all steps have been taken, under the newer schema.
    /// - Complexity: O(number of tombstones, journal entries and records of a push in doubt)
    package func convertNotes(_ storage: any RecordStorage) throws {
        let changed = conversions.filter { name, conversion in
            storage.schema[JournalEntry.shapeName(of: conversion.shape.name)] != nil
                && (name != conversion.shape.name || conversion.positions != Array(0..<(old[name]?.slots.count ?? 0)))
        }
        if changed.isEmpty { return }
        if changed.contains(where: { $0.key != $0.value.shape.name }) { try convertTombstones(storage) }
        try convertMetadata(storage, changed)
        let journals = Set(changed.values.map { JournalEntry.shapeName(of: $0.shape.root) })
        for journal in storage.schema.roots where journals.contains(journal.name) {
            var records: [Record] = []
            try storage.forEach(Query(journal.name, where: .not(.isNull(path: "sync.remote")))) { record in
                records.append(record)
                return true
            }
            for var record in records {
                guard case .string(let text) = record["sync.remote"] else { continue }
                let converted = try converted(Record(journalText: text, schema: old))
                record["sync.remote"] = .string(converted.journalText)
                _ = try storage.put(record)
            }
        }
    }

    private func convertTombstones(_ storage: any RecordStorage) throws {
        var records: [Record] = []
        try storage.forEach(Query("sync.tombstones")) { record in
            records.append(record)
            return true
        }
        for var record in records {
            guard case .string(let name) = record["entity"], let shape = conversions[name]?.shape, shape.name != name
            else { continue }
            _ = try storage.remove(record.key, in: record.shape)
            record["entity"] = .string(shape.name)
            _ = try storage.put(record)
        }
    }
    private func convertMetadata(_ storage: any RecordStorage, _ changed: [String: Conversion]) throws {
        guard let shape = storage.schema["sync.metadata"] else { return }
        var moved: [Record] = []
        for (name, conversion) in changed {
            for (old, new) in zip(SchemaChanges.metadata(of: name), SchemaChanges.metadata(of: conversion.shape.name)) {
                guard case .string(let text)? = try storage.remove(.string(old), in: shape)?["value"] else { continue }
                let value = old == CycleMetadata.pendingPush(of: name) ? try convertedPush(text) : text
                moved.append(Record(shape, slots: [.string(new), .string(value)]))
            }
        }
        for record in moved { _ = try storage.put(record) }
    }

    /// The names of what is known of an entity.
    private static func metadata(of entity: String) -> [String] {
        [WriteTransaction.lastKeyName(of: entity)] + CycleMetadata.names(of: entity)
    }

    /// A push in doubt whose records are those of the newer schema.
    private func convertedPush(_ text: String) throws -> String {
        try jsonText(
            of: jsonValue(Push<String>.self, from: text).transformed { text in
                try converted(Record(journalText: text, schema: old)).journalText
            })
    }
}
