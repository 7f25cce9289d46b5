import DifferentialSync

extension SchemaChanges {
    /// Converts the library's own records that refer to entities and slots by name or as text.
    ///
    /// These are the history, counters of keys, the metadata of cycles, lists of records, records in flight, pending links,
    /// and remote images in the journal.
    ///
    /// - Parameter storage: The store after all steps, under the newer schema.
    /// - Complexity: O(number of rows of the history, of metadata, of journal entries and of records in flight), and O(number
    ///   of records) if they change in a store that keeps a fingerprint
    package func convertInternalRecords(_ storage: any RecordStorage) throws {
        let changed = conversions.filter { name, conversion in
            storage.schema.journal(of: conversion.shape) != nil
                && (name != conversion.shape.name || conversion.positions != Array(0..<(old[name]?.slots.count ?? 0)))
        }
        let history = HistoryMigration(of: storage)
        if steps.contains(where: \.changesContents) { try history.updateFingerprint() }
        if old != storage.schema {
            var links = PendingLinkMigration(from: old, in: storage)
            try links.run()
        }
        if changed.isEmpty { return }
        let names = conversions.mapValues(\.shape.name).filter { $0.key != $0.value && old[$0.key]?.isRoot == true }
        try history.rename(names)
        if !names.isEmpty { try ListedRecord.rename(in: storage) { names[$0.entity] ?? $0.entity } }
        try convertInFlight(storage)
        try convertMetadata(storage, changed)
        let journals = Set(changed.values.map { JournalShape.name(of: $0.shape.root) })
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

    /// Renames the entities of records in flight, and converts the saved images of records that were edited since.
    private func convertInFlight(_ storage: any RecordStorage) throws {
        for var record in try storage.records(of: Shape.inFlightName) {
            guard case .string(let name) = record["entity"], let shape = conversions[name]?.shape else { continue }
            let key = record.key
            record["entity"] = .string(shape.name)
            if try SentKeys(record) == nil, let image = try SentRecord(record, schema: old).image {
                record["image"] = .string(SentRecord.Image(record: image.record.map(converted)).text)
            }
            if record.key != key { _ = try storage.remove(key, in: record.shape) }
            _ = try storage.put(record)
        }
    }

    /// Moves the metadata of renamed entities to their new names.
    private func convertMetadata(_ storage: any RecordStorage, _ changed: [String: Conversion]) throws {
        guard let shape = storage.schema["sync.metadata"] else { return }
        var moved: [Record] = []
        for (name, conversion) in changed where name != conversion.shape.name {
            for (old, new) in zip(SchemaChanges.metadata(of: name), SchemaChanges.metadata(of: conversion.shape.name)) {
                guard let value = try storage.remove(.string(old), in: shape)?["value"] else { continue }
                moved.append(Record(shape, slots: [.string(new), value]))
            }
        }
        for record in moved { _ = try storage.put(record) }
    }

    /// Returns the names of an entity's metadata.
    static func metadata(of entity: String) -> [String] {
        [
            KeyCounter.name(of: entity), ElementType.metadataName(of: entity),
            ElementType.jsonMetadataName(of: entity), CycleMetadata.inheritedAccount(of: entity),
        ] + CycleMetadata.names(of: entity)
    }

    /// Removes the pushes in doubt that a store of an older version has kept as text.
    package static func forgetPushTexts(_ storage: any RecordStorage) throws {
        for record in try storage.records(of: "sync.metadata") {
            guard case .string(let name) = record["name"], name.hasPrefix("cycle."), name.hasSuffix(".pendingPush")
            else { continue }
            _ = try storage.remove(record.key, in: record.shape)
        }
    }
}

extension SchemaChanges {
    /// Removes the metadata of the tombstones that a store of an older version has kept.
    package static func forgetTombstones(_ storage: any RecordStorage) throws {
        guard let shape = storage.schema["sync.metadata"] else { return }
        for name in ["sync.keepsTombstones", "sync.tombstoneHorizon"] {
            _ = try storage.remove(.string(name), in: shape)
        }
    }
}

extension RecordStorage {
    /// Returns all records of an entity as an array, so that the store can be changed while they are visited.
    func records(of entity: String) throws -> [Record] {
        var records: [Record] = []
        try forEach(Query(entity)) { record in
            records.append(record)
            return true
        }
        return records
    }
}

extension SchemaChanges.Step {
    /// Whether records get another entity, or other names or values.
    fileprivate var changesContents: Bool {
        switch self {
        case .renameShape, .renameSlot, .addSlot: true
        case .renameHierarchy, .addHierarchy, .addShape, .addIndex, .dropIndex: false
        }
    }
}
