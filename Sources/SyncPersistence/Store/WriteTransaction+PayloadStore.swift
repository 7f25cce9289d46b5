package import DifferentialSync

extension WriteTransaction: PayloadStore {
    package func put(_ record: Record, origin: ChangeSet.Origin) throws {
        try changing { try putChecked(record, origin: origin) }
    }

    package func delete(_ id: RecordID, origin: ChangeSet.Origin) throws {
        try changing { try deleteChecked(id, origin: origin) }
    }

    package func adoptingKey(_ record: Record) throws -> Record {
        try changing {
            var record = record
            try checks.adopt(&record)
            if record.shape.hasImplicitKey { try log.hierarchy(of: record.shape).keys.assignKey(to: &record, self) }
            return record
        }
    }

    package func setLinks(
        _ id: RecordID, _ name: String, from present: [Value], to wanted: [Value], origin: ChangeSet.Origin
    ) throws {
        try changing {
            try RelationshipEdit(of: id, name, origin: origin, in: self).set(from: present, to: wanted)
        }
    }

    package func mayHaveEntries(of shape: Shape) throws -> Bool { try entries.mayHaveEntries(of: shape) }

    package func known(_ id: RecordID, to origin: ChangeSet.Origin) throws -> Record? {
        let shape = try shape(id.entity)
        let known = try known(id.key, in: shape, to: origin)
        return known.flatMap { $0.shape === shape || $0.shape.inherits(id.entity) ? $0 : nil }
    }

    package func known(_ key: Value, in shape: Shape, to origin: ChangeSet.Origin) throws -> Record? {
        try entries.known(DigestedKey(key), in: shape, to: origin)
    }

    package func isDeletedHere(_ key: Value, in shape: Shape) throws -> Bool {
        try entries.isDeletedHere(key, in: shape)
    }

    package func hasLocalChange(in record: Record) throws -> Bool { try deletions.hasLocalChange(in: record) }

    package func isUnedited(_ id: RecordID, _ record: Record?, _ entry: JournalEntry) -> Bool {
        entry.base == record && !waiting.hasDisplacedEdits(of: [id])
    }

    package var heldBack: [RecordID] { entries.heldBack }

    package var hasDisplacements: Bool { !waiting.displacements.isEmpty }

    @discardableResult
    package func settleIncoming() throws -> [RecordID] {
        let missing = try waiting.settle()
        try entries.removeAgreed()
        return missing
    }

    package func beginMergingEdits() { entries.beginMergingEdits() }

    package func mergeEdits(
        _ ids: [RecordID], stated: [RecordID: Set<Int>], policy: ConflictPolicy<Record>,
        delete: (RecordID) throws -> Void
    ) throws -> [MergedEdit] {
        try changing { try EditMerge(in: self).run(ids, stated: stated, policy: policy, delete: delete) }
    }

    package func settleDeletion(of key: Value, in shape: Shape) throws {
        let (key, state) = (DigestedKey(key), try log.hierarchy(of: shape))
        guard let entry = try entries.entry(for: key, in: state), entry.known == nil else { return }
        if try log.record(key, of: shape, in: state) == nil { try entries.resolve(key, of: state) }
    }

    package func acknowledge(_ id: RecordID, base: Record?, sent: Record?) throws {
        try changing { try Acknowledgement(id: id, base: base, sent: sent).apply(to: self) }
    }

    package func changeIndex(of key: Value, in shape: Shape) throws -> Int? {
        log.position(of: DigestedKey(key), in: try log.hierarchy(of: shape))
    }

    package var onTouch: ((Record?, Record?) -> Void)? {
        get { log.onTouch }
        set { log.onTouch = newValue }
    }

    package var onEntry: ((UInt64) -> Void)? {
        get { entries.onEntry }
        set { entries.onEntry = newValue }
    }

    package func expectedSequence() throws -> Int64 { try metadataLog.nextSequence() }
}
