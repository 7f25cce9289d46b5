/// A migration of one store, which converts its records one by one.
///
/// It is created on a storage with the older schema, before anything is written.
package struct MigrationRun {
    /// The effects of the steps.
    let migration: Migration

    /// The keys of dropped records in kept hierarchies, by the hierarchies' roots.
    ///
    /// A reference to one of them becomes null.
    let droppedKeys: [String: Set<Value>]

    /// Begins a migration.
    ///
    /// - Parameters:
    ///   - migration: The effects of the steps.
    ///   - storage: The unchanged store, under the older schema.
    /// - Throws: ``PersistenceError`` that lists the local changes that were not sent and would be lost.
    /// - Complexity: O(number of local changes in the hierarchies that change, and of records of dropped heirs)
    package init(_ migration: Migration, on storage: any RecordStorage) throws {
        self.migration = migration
        var keys: [String: Set<Value>] = [:]
        for shape in migration.old.shapes where migration.dropsHeir(shape) {
            try storage.forEach(Query(shape.name)) { record in
                keys[shape.root, default: []].insert(record.key)
                return true
            }
        }
        droppedKeys = keys
        try checkUnsentChanges(storage)
    }
}

extension MigrationRun {
    /// Converts a record of the older schema; nil if it is dropped.
    ///
    /// - Parameters:
    ///   - record: A record of any shape of the older schema, also of the journal's.
    ///   - storage: The store under the older schema, in which the records of a hierarchy are as they were until those of its
    ///     journal have been converted.
    /// - Throws: ``PersistenceError`` with record and value, for a value that a step cannot convert.
    /// - Complexity: O(number of slots)
    package func converted(_ record: Record, in storage: any RecordStorage) throws -> Record? {
        guard case .journal(let entity)? = record.shape.role else { return try image(record) }
        if !migration.changesRecords(of: record.shape), let shape = migration.reduced[record.entity] {
            return Record(shape, slots: record.values)
        }
        return try entry(JournalEntry(record, schema: migration.old), of: entity, in: storage)
    }

    /// Converts a record, or an older or remote image of one; nil if it is dropped.
    func image(_ record: Record) throws -> Record? {
        guard let conversion = migration.conversions[record.entity] else { return nil }
        if conversion.isIdentity { return Record(conversion.shape, slots: record.values) }
        var values: [Value] = []
        values.reserveCapacity(conversion.slots.count)
        for (slot, source) in zip(conversion.shape.slots, conversion.slots) {
            var value = source.position.map { record.values[$0] } ?? source.defaultValue
            if let step = droppedTarget(of: value, source, slot) {
                // A link is dropped with either of its records.
                if record.shape.role == .links { return nil }
                if !slot.isOptional { throw mandatory(slot, of: record, value, step) }
                value = .null
            }
            if let step = source.convert, !value.isNull { value = try convert(value, slot, of: record, by: step) }
            if let step = source.fill, value.isNull { value = try fill(slot, of: record, by: step) }
            values.append(value)
        }
        return Record(conversion.shape, slots: values)
    }

    /// Returns the step that drops the target of a reference; nil if none does.
    func droppedTarget(of value: Value, _ source: RecordConversion.Source, _ slot: Slot) -> MigrationStep? {
        if source.droppedTargets.isEmpty || value.isNull { return nil }
        guard case .reference(let destination, _, _) = slot.content, let root = migration.old[destination]?.root,
            droppedKeys[root]?.contains(value) == true
        else { return nil }
        return source.droppedTargets.min { $0.key < $1.key }?.value
    }

    /// Returns a value as the step of the migration converts it.
    ///
    /// - Throws: ``PersistenceError`` for a value that cannot be converted, with the record and the slot.
    private func convert(_ value: Value, _ slot: Slot, of record: Record, by step: MigrationStep) throws -> Value {
        guard case .attribute(let type) = slot.content, case .convert(let conversion) = step.action else {
            return value
        }
        guard let conversion else {
            if let converted = type.converted(value) { return converted }
            throw failure(
                slot, of: record, "the value \(value) cannot be read as \(type.rawValue): pass a function to '\(step)'")
        }
        do {
            return try admitted(conversion(value), type, slot, of: record, "'\(step)' makes of \(value)")
        } catch let error as PersistenceError where error.code == .schemaChange {
            throw error
        } catch {
            throw failure(slot, of: record, "'\(step)' cannot convert \(value): \(error)")
        }
    }

    /// Returns the value with which a step fills a slot.
    private func fill(_ slot: Slot, of record: Record, by step: MigrationStep) throws -> Value {
        guard case .attribute(let type) = slot.content, case .fill(let make) = step.action else { return .null }
        do {
            return try admitted(make(record), type, slot, of: record, "'\(step)' gives")
        } catch let error as PersistenceError where error.code == .schemaChange {
            throw error
        } catch {
            throw failure(slot, of: record, "'\(step)' has no value: \(error)")
        }
    }

    /// Returns a value that a slot admits.
    ///
    /// - Throws: ``PersistenceError`` for one that it does not admit.
    private func admitted(
        _ value: Value, _ type: AttributeType, _ slot: Slot, of record: Record, _ what: String
    ) throws -> Value {
        if type.admits(value) { return value }
        throw failure(
            slot, of: record, "\(what) \(value), which an attribute of type \(type.rawValue) does not hold: correct it")
    }

    /// Returns the error for a mandatory reference to a record that a step drops.
    private func mandatory(_ slot: Slot, of record: Record, _ value: Value, _ step: MigrationStep) -> PersistenceError {
        failure(
            slot, of: record,
            "it names \(value), which '\(step)' deletes, and must name a record: drop it too, or make it optional first"
        )
    }

    /// Returns an error of the migration about a slot of a record.
    private func failure(_ slot: Slot, of record: Record, _ message: String) -> PersistenceError {
        PersistenceError(.schemaChange, message, id: record.id, property: slot.name)
    }
}

extension MigrationRun {
    /// Converts an entry of the journal; nil if the record has none any more.
    private func entry(_ entry: JournalEntry, of entity: String, in storage: any RecordStorage) throws -> Record? {
        guard let shape = migration.old[entity] else { return nil }
        let present = try storage.record(entry.id.key, in: shape)
        let (base, remote) = (try entry.base.flatMap(image), try entry.remote.flatMap(image))
        let now = try present.flatMap(image)
        // A dropped record is not deleted: it has no entry.
        if present != nil && now == nil || present == nil && entry.base != nil && base == nil { return nil }
        let isUnresolved = entry.isUnresolved && base != remote
        if base == now && !isUnresolved { return nil }
        guard let entity = (now ?? base ?? remote)?.entity else { return nil }
        return JournalEntry(
            id: RecordID(entity, entry.id.key), base: base, isUnresolved: isUnresolved, remote: remote
        ).record(in: migration.reduced)
    }
}
