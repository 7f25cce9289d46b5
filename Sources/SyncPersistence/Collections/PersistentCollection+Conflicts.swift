public import DifferentialSync

extension PersistentCollection {
    /// The records that both sides have changed, and that no policy has resolved yet.
    ///
    /// Each cycle calls its policy for them again. ``resolve(_:with:of:)`` resolves one by hand. A conflict is left out
    /// if a side cannot be read as an element: ``unreadableChanges`` reports it. A base that cannot be read is nil.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    /// - Complexity: O(*d*) for *d* changed elements
    public var conflicts: [Conflict<Element>] {
        get async throws { try await store.read { try reader(in: $0).unresolved { $0.conflict } } }
    }

    /// The records without local changes whose remote version is known but cannot be stored yet.
    ///
    /// `local` is equal to `base`, and `remote` is the waiting version, or nil for a deletion. Each cycle tries again,
    /// and so does the transaction that stores the records that it waits for. If those never arrive,
    /// ``resolve(_:with:of:)`` resolves it by hand. Records that cannot be read as elements are left out.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    /// - Complexity: O(*d*) for *d* changed elements
    public var waiting: [Conflict<Element>] {
        get async throws { try await store.read { try reader(in: $0).unresolved { $0.waiting } } }
    }

    /// Returns the open conflict of the element with a key, or nil if it has none.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read, or a side cannot be read as an element.
    /// - Complexity: O(1)
    public func conflict(for key: Key) async throws -> Conflict<Element>? {
        try await store.read { transaction in
            var window = CollectionWindow(of: entity, in: transaction)
            return try window.load(coding.value(of: key)).conflict.map(reader(in: transaction).elements)
        }
    }

    /// Resolves a conflict, or a waiting version, by hand.
    ///
    /// ```swift
    /// for conflict in try await notes.conflicts {
    ///     guard let id = (conflict.local ?? conflict.remote)?.id else { continue }
    ///     try await notes.resolve(id, with: .local, of: conflict)
    /// }
    /// ```
    ///
    /// Afterwards the shadow is the remote's version. So the resolution is a local change that the next cycle pushes,
    /// or no change at all. Local edits of values that the type does not read stay.
    ///
    /// For a waiting deletion (see ``waiting``), `.remote` deletes the record by the delete rules. Records that are
    /// deleted or changed with it are local changes, which the cycle of their entity pushes. `.local` keeps the record
    /// and sends it again.
    ///
    /// The conflicts of a store that is synchronized as a whole are those of the store: `StoreSync` lists them, and also
    /// resolves them by elements.
    ///
    /// - Parameters:
    ///   - key: The key of the element.
    ///   - resolution: The resolution of the conflict. `.open` changes nothing.
    ///   - conflict: The conflict, an unchanged member of ``conflicts`` or of ``waiting``.
    /// - Throws: `ConflictError` if the element has no conflict and does not wait, or if it has changed meanwhile, for
    ///   example by an edit or a cycle; `KeyError` if the merged element has another key; ``PersistenceError`` if a
    ///   version cannot be read as an element, if the schema does not allow the resolution, or if the store cannot be
    ///   written; `CycleError` if the store is synchronized as a whole. Nothing has changed then.
    /// - Complexity: O(1)
    public func resolve(
        _ key: Key, with resolution: Resolution<Element>, of conflict: Conflict<Element>
    ) async throws {
        try await store.write { transaction in
            try transaction.requireConflicts(of: entity)
            let reader = reader(in: transaction)
            var window = CollectionWindow(of: entity, in: transaction)
            let value = try coding.value(of: key)
            guard let present = try window.load(value).unresolved else { throw ConflictError(.unknown, key: key) }
            if try !reader.isSame(conflict, as: present) { throw ConflictError(.changed, key: key) }
            let resolution = try coding.resolution(resolution, reader.elements(present), present)
            var client = try window.collection(CycleState(of: entity, in: transaction), push: nil)
            try client.resolve(value, with: resolution, of: present)
            try transaction.applyDecided(window.changes(to: client, shape: transaction.shape(entity)))
        }
    }
}

extension CollectionWindow.Row {
    /// The open conflict of the record.
    fileprivate var conflict: Conflict<Record>? { record == base ? nil : unresolved }

    /// The versions of the record if its remote version waits.
    fileprivate var waiting: Conflict<Record>? { record == base ? unresolved : nil }

    /// The versions of the record if the remote version is known to differ from the shadow; otherwise nil.
    fileprivate var unresolved: Conflict<Record>? {
        guard let entry, entry.isUnresolved else { return nil }
        return Conflict(base: entry.base, local: record, remote: entry.remote)
    }
}
