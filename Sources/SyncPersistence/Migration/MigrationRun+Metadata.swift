extension MigrationRun {
    /// Converts the library's own records besides the journal: history, records in flight and metadata.
    ///
    /// The history forgets dropped records. A migration gives its changes no numbers, because each device makes it as
    /// well. Remembered payloads become void.
    ///
    /// - Parameter storage: The store when all records have been converted, under the reduced schema.
    /// - Complexity: O(number of rows of the history and of records in flight), and O(number of records) for a store that
    ///   keeps a fingerprint
    package func convertInternalRecords(_ storage: any RecordStorage) throws {
        let dropped = (migration.old.shapes + migration.old.internalShapes).filter {
            migration.reduced[$0.name] == nil && ($0.role == nil || $0.role == .links)
        }
        let roots = Set(dropped.filter(\.isRoot).map(\.name))
        let dropsNothing = roots.isEmpty && droppedKeys.isEmpty
        try HistoryMigration(of: storage).update(removing: dropsNothing ? nil : { isDropped($0, roots) })
        if !dropsNothing { try ListedRecord.rename(in: storage) { isDropped($0, roots) ? nil : $0.entity } }
        try convertInFlight(storage)
        guard let metadata = storage.schema["sync.metadata"] else { return }
        for name in dropped.flatMap({ SchemaChanges.metadata(of: $0.name) }) {
            _ = try storage.remove(.string(name), in: metadata)
        }
        try forgetDroppedMembers(storage, metadata)
        // The same payload may now lead to other records.
        let sequence = try storage.record("sync.sequence", in: metadata)?["value"] ?? .null
        if !sequence.isNull, try storage.record("sync.payloads", in: metadata) != nil {
            _ = try storage.put(Record(metadata, slots: ["sync.payloadsHorizon", sequence]))
        }
    }

    /// Whether the migration drops a record or a link.
    ///
    /// - Parameters:
    ///   - id: The record, under the name of the root of its hierarchy.
    ///   - roots: The roots of the dropped hierarchies.
    private func isDropped(_ id: RecordID, _ roots: Set<String>) -> Bool {
        if roots.contains(id.entity) || droppedKeys[id.entity]?.contains(id.key) == true { return true }
        guard !droppedKeys.isEmpty, let shape = migration.old[id.entity], shape.role == .links,
            case .array(let ends) = id.key
        else { return false }
        // A link is dropped with either of its records.
        return zip(shape.keySlots, ends).contains { slot, end in
            guard case .reference(let destination, _, _) = shape.slots[slot].content,
                let root = migration.old[destination]?.root
            else { return false }
            return droppedKeys[root]?.contains(end) == true
        }
    }

    /// Removes dropped properties from the lists of pulled members, so that they are pulled anew if the schema gets them
    /// again.
    private func forgetDroppedMembers(_ storage: any RecordStorage, _ metadata: Shape) throws {
        var dropped: [String: Set<String>] = [:]
        for shape in migration.old.shapes where shape.role == nil {
            guard let conversion = migration.conversions[shape.name] else { continue }
            for position in conversion.dropped.keys {
                for entity in shape.lineage {
                    dropped[entity, default: []].insert(shape.memberName(of: shape.slots[position], in: entity))
                }
            }
        }
        for (entity, names) in dropped {
            let name = CycleMetadata.members(of: entity)
            guard case .string(let text)? = try storage.record(.string(name), in: metadata)?["value"],
                let rest = try MemberSurvey.forgetting(names, in: text)
            else { continue }
            _ = try storage.put(Record(metadata, slots: [.string(name), .string(rest)]))
        }
    }

    /// Converts the records that were sent and have no response yet.
    private func convertInFlight(_ storage: any RecordStorage) throws {
        for record in try storage.records(of: Shape.inFlightName) {
            if let list = try SentKeys(record) {
                try convert(list, record, storage)
                continue
            }
            let sent = try SentRecord(record, schema: migration.old)
            let root = migration.old[sent.entity]?.root
            let image = try sent.image?.record.map { try (record: $0, now: self.image($0)) }
            let isDropped =
                migration.reduced[sent.entity] == nil
                || root.map { droppedKeys[$0]?.contains(sent.key) == true } == true
                || image.map { $0.now == nil } == true
            if isDropped {
                _ = try storage.remove(record.key, in: record.shape)
            } else if let now = image?.now {
                var converted = record
                converted["image"] = .string(SentRecord.Image(record: now).text)
                _ = try storage.put(converted)
            }
        }
    }

    /// Removes the keys of dropped records from a list of records in flight.
    private func convert(_ list: SentKeys, _ row: Record, _ storage: any RecordStorage) throws {
        guard let root = migration.old[list.entity]?.root, migration.reduced[list.entity] != nil else {
            _ = try storage.remove(row.key, in: row.shape)
            return
        }
        guard let dropped = droppedKeys[root], !dropped.isEmpty else { return }
        var converted = row
        converted["image"] = .string(SentKeys(of: list.entity, list.keys.filter { !dropped.contains($0) }).text)
        _ = try storage.put(converted)
    }
}
