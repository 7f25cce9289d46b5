extension SchemaChanges {
    /// Checks that the records of a store allow for the changes.
    ///
    /// - Parameter storage: The store as it was, under the older schema.
    /// - Throws: ``PersistenceError`` that names all conditions that do not hold.
    /// - Complexity: O(number of records of the shapes that there are conditions for), at worst
    package func check(_ storage: any RecordStorage) throws {
        var messages: [String] = []
        for condition in conditions {
            var isBroken = false
            try storage.forEach(
                Query(condition.shape.name, where: condition.slot.map { .isNull(path: $0) })
            ) { record in
                // Heirs may be asked for less.
                isBroken = record.shape.name == condition.shape.name
                return !isBroken
            }
            if isBroken { messages.append(condition.message) }
        }
        if !messages.isEmpty { throw SchemaChanges.refusal(messages) }
    }

    /// What becomes of a record of the older schema: its values under the newer one, and defaults for what is new.
    ///
    /// - Complexity: O(number of slots)
    package func converted(_ record: Record) -> Record {
        guard let conversion = conversions[record.shape.name] else { return record }
        return Record(
            conversion.shape,
            slots: zip(conversion.shape.slots, conversion.positions).map { slot, position in
                position.map { record.values[$0] } ?? slot.defaultValue
            })
    }

    /// Converts what the library has noted of records as text: the names in tombstones, and what the remote is known to
    /// hold where that is not settled.
    ///
    /// - Parameter storage: The store when all steps have been taken, under the newer schema.
    /// - Complexity: O(number of tombstones and journal entries)
    package func convertNotes(_ storage: any RecordStorage) throws {
        let changed = conversions.filter { name, conversion in
            storage.schema[JournalEntry.shapeName(of: conversion.shape.name)] != nil
                && (name != conversion.shape.name || conversion.positions != Array(0..<(old[name]?.slots.count ?? 0)))
        }
        if changed.isEmpty { return }
        if changed.contains(where: { $0.key != $0.value.shape.name }) { try convertTombstones(storage) }
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
}
