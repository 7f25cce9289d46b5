/// Which records have a remote of their own, that reports what becomes of them.
extension WriteTransaction {
    /// Notes that a cycle of an entity goes on, whether or not it has agreed with its remote before.
    func noteCycle(of entity: String) {
        if cyclingEntities.insert(entity).inserted { synchronizedShapes = [:] }
    }

    /// Whether a collection of links was opened, so that a cycle sends those that were made here sooner or later.
    func isOpened(_ links: Shape) throws -> Bool {
        if try isSynchronized(links) { return true }
        return try metadata(CycleMetadata.turn(of: links.name)) != nil
    }

    /// Whether a collection synchronizes the records of a shape by cycles of its own.
    ///
    /// It does if a cycle has met a remote of it before, or goes on in the transaction.
    ///
    /// - Complexity: O(1); the metadata are read once for each shape
    func isSynchronized(_ shape: Shape) throws -> Bool {
        if let known = synchronizedShapes[ObjectIdentifier(shape)] { return known }
        let isKnown = try shape.lineage.contains { entity in
            if cyclingEntities.contains(entity) { return true }
            if let turn = try metadata(CycleMetadata.turn(of: entity)), turn != CycleMetadata.openedTurn { return true }
            return try metadata(CycleMetadata.version(of: entity)) != nil
        }
        synchronizedShapes[ObjectIdentifier(shape)] = isKnown
        return isKnown
    }

    /// Whether a collection synchronizes any records of the store.
    private func hasSynchronized() throws -> Bool {
        if !cyclingEntities.isEmpty { return true }
        let prefix = CycleMetadata.prefix
        let names: [Filter] = [
            .comparison(path: "name", .greaterOrEqual, .string(prefix)),
            .comparison(path: "name", .less, .string(prefix + "\u{10FFFF}")),
        ]
        if try records(Query("sync.metadata", where: .and(names), limit: 1)).isEmpty { return false }
        return try (schema.shapes + schema.internalShapes).contains {
            try ($0.role == nil || $0.role == .links) && isSynchronized($0)
        }
    }
}

extension WriteTransaction {
    /// Whether the transaction has to look for changes of the remote that wait for what it has changed, or that it has
    /// brought.
    ///
    /// - Complexity: O(1), with one lookup
    func mayHaveIncoming() throws -> Bool {
        if hasArrivals || !incoming.deletions.isEmpty || incoming.hasReleased { return true }
        return try !touched.isEmpty && knownAwaitedCount() > 0
    }

    /// Notes which records are named by one record less, as a record was deleted.
    func releaseNames(of record: Record, in state: HierarchyState) {
        for reference in state.references(of: record.shape, in: schema).enforced {
            let name = record.values[reference.position]
            if !name.isNull { incoming.release(RecordID(reference.destination.root, name)) }
        }
    }

    /// Adds the deletions that wait of records that are named by one record less.
    ///
    /// A record without a remote of its own is deleted with one that has, so those that it names are looked at as well.
    ///
    /// - Complexity: O(number of those records), each with a lookup
    func resumeDeletions() throws {
        var pending = incoming.takeReleased()
        if try pending.isEmpty || !hasSynchronized() { return }
        var next = 0
        while next < pending.count {
            let id = pending[next]
            next += 1
            guard let root = schema[id.entity] else { continue }
            let mayWait = try mayHaveEntries(of: root)
            if try !mayWait && isSynchronized(root) { continue }
            guard let record = try record(id) else { continue }
            if try isSynchronized(record.shape) {
                if try mayWait && waitsForDeletion(record) { resumeDeletion(of: id) }
            } else if record.shape.hasReferences {
                try releaseNames(of: record, in: hierarchy(of: record.shape))
                pending += incoming.takeReleased()
            }
        }
    }

    /// Adds the deletion of a record that waits to those that are made at the end.
    func resumeDeletion(of id: RecordID) {
        incoming.deletions.add(PendingDeletions.Deletion(id: id, origin: .agreed, isNoted: true))
    }

    /// Whether the remote has deleted a record that is still there and was not changed here.
    func waitsForDeletion(_ record: Record) throws -> Bool {
        guard let entry = try entry(of: record) else { return false }
        return entry.remote == nil && entry.isWaiting(with: record)
    }

    /// What the journal holds of a record.
    func entry(of record: Record) throws -> JournalEntry? {
        try entry(for: DigestedKey(record.key), in: hierarchy(of: record.shape))
    }
}
