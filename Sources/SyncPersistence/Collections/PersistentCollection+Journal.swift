public import DifferentialSync

extension PersistentCollection {
    /// The changes since the shadow, or nil if there are none.
    ///
    /// A change is left out if a version cannot be read as an element: ``unreadableChanges`` reports it.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    /// - Complexity: O(*d*) for *d* changed elements
    public var localDiff: Diff<Element>? {
        get async throws { try await store.read { Diff(try changes($0) { _ in true }) } }
    }

    /// The changes to be pushed, or nil if there are none.
    ///
    /// They are the local diff without records that have an open conflict, or a remote version that could not be read.
    ///
    /// - Throws: As ``localDiff``.
    /// - Complexity: O(*d*) for *d* changed elements
    public var outgoingDiff: Diff<Element>? {
        get async throws {
            try await store.read { transaction in
                let unreadable = Set(try CycleState(of: entity, in: transaction).unreadable)
                return Diff(try changes(transaction) { !$0.isUnsettled && !unreadable.contains($0.id.key) })
            }
        }
    }

    /// The errors of records with a local change or a conflict in which a version cannot be read as an element, with
    /// their keys.
    ///
    /// These records are kept unchanged and are not pushed. ``upsert(_:)`` replaces one, and ``remove(_:)`` removes it.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    /// - Complexity: O(*d*) for *d* changed elements
    public var unreadableChanges: [PersistenceError] {
        get async throws {
            try await store.read { transaction in
                try transaction.journal(of: entity).compactMap { entry in
                    let record = try transaction.record(RecordID(entity, entry.id.key))
                    return coding.fault(of: [record, entry.base, entry.remote], in: transaction)
                }
            }
        }
    }

    /// Returns the element with a key in the shadow, or nil if the shadow lacks it.
    ///
    /// - Throws: As ``element(_:)``.
    public func shadow(for key: Key) async throws -> Element? {
        try await store.read { try $0.shadow(coding.id(of: key)).map(coding.element) }
    }

    /// Undoes every local change, so that the elements equal the shadow.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read or written.
    /// - Complexity: O(*d*) for *d* changed elements
    public func revert() async throws {
        try await store.write { transaction in
            for entry in try transaction.journal(of: entity) {
                if let base = try transaction.shadow(entry.id) {
                    try transaction.put(base, origin: .local)
                } else {
                    try transaction.delete(entry.id, origin: .local)
                }
            }
        }
    }

    /// Returns the present state of the collection in memory: elements, shadow, version, conflicts, and a push in
    /// doubt.
    ///
    /// A record is left out if a version of it cannot be read as an element. ``elements()`` and ``unreadableChanges``
    /// report it.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    /// - Complexity: O(*n*)
    public func snapshot() async throws -> StoredCollection<Element> {
        try await store.read { transaction in
            var window = CollectionWindow(of: entity, in: transaction)
            try window.loadEverything()
            let state = try CycleState(of: entity, in: transaction)
            let stored = try window.collection(state, push: nil).stored
            // A record with only some of its versions would seem to be added or deleted.
            var faulty = Set<Value>()
            for record in stored.client + stored.shadow + stored.unresolved.compactMap(\.remote) {
                if coding.fault(of: [record], in: transaction) != nil { faulty.insert(record.key) }
            }
            func elements(_ records: [Record]) throws -> [Element] {
                try records.compactMap { faulty.contains($0.key) ? nil : try coding.element(of: $0, in: transaction) }
            }
            return StoredCollection(
                client: try elements(stored.client), shadow: try elements(stored.shadow), version: state.version,
                account: state.account, pendingPush: try? pendingPush(in: transaction),
                unresolved: try stored.unresolved.compactMap { conflict in
                    let key = (conflict.local ?? conflict.remote ?? conflict.base)?.key
                    return key.map(faulty.contains) == true ? nil : try coding.elements(conflict, in: transaction)
                }, pushNames: state.pushNames, pullsEverything: !state.unreadable.isEmpty)
        }
    }

    /// Returns the local changes whose journal entries satisfy a predicate, as changes of elements.
    private func changes(
        _ transaction: ReadTransaction, where isIncluded: (JournalEntry) -> Bool
    ) throws -> [Change<Element>] {
        try transaction.journal(of: entity).filter(isIncluded).compactMap { entry in
            let record = try transaction.record(RecordID(entity, entry.id.key))
            guard entry.base != record, coding.fault(of: [entry.base, record], in: transaction) == nil else {
                return nil
            }
            return try Change(
                from: entry.base.map { try coding.element(of: $0, in: transaction) },
                to: record.map { try coding.element(of: $0, in: transaction) })
        }
    }
}

extension PersistentCollection {
    /// The version of the remote that the shadow represents; nil before the first cycle.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    public var version: RemoteVersion? {
        get async throws { try await store.read { try CycleState(of: entity, in: $0).version } }
    }

    /// The account that the collection belongs to; nil before its first cycle has begun.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    public var account: String? {
        get async throws { try await store.read { try CycleState(of: entity, in: $0).account } }
    }

    /// The push that was sent and not answered.
    ///
    /// The next cycle queries its status.
    ///
    /// Changes are left out if a version of them cannot be read as an element.
    ///
    /// - Throws: ``PersistenceError`` if no change of the push can be read, and if the store cannot be read.
    /// - Complexity: O(size of the push)
    public var pendingPush: Push<Element>? {
        get async throws { try await store.read { try pendingPush(in: $0) } }
    }

    /// Returns the push that was sent and has no response yet; nil if there is none.
    ///
    /// - Throws: ``PersistenceError`` if an element of it cannot be read.
    private func pendingPush(in transaction: ReadTransaction) throws -> Push<Element>? {
        guard let sent = try CycleState(of: entity, in: transaction).push else { return nil }
        var changes: [Change<Element>] = []
        var fault: PersistenceError?
        for record in try transaction.sentRecords(of: entity) {
            let id = RecordID(entity, record.key)
            let (old, new) = try (transaction.shadow(id), record.image.map(\.record) ?? transaction.record(id))
            if let error = coding.fault(of: [old, new], in: transaction) {
                fault = error
            } else if let change = try Change(from: old.map(coding.element), to: new.map(coding.element)) {
                changes.append(change)
            }
        }
        if changes.isEmpty, let fault { throw fault }
        return Diff(changes).map { Push(id: sent.id, changes: $0, expected: sent.expected) }
    }

    /// Removes a push in doubt, so that the next cycle does not query its status.
    ///
    /// Use it for a remote that can no longer be queried. If the remote has applied the push after all, elements that
    /// it added and another device has deleted since are inserted again.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be written.
    public func forgetPendingPushUnanswered() async throws {
        try await store.write { transaction in
            var state = try CycleState(of: entity, in: transaction)
            if state.push == nil { return }
            try transaction.removeInFlight(of: entity)
            var changes = ChangeSet(origin: .agreed)
            try state.set(push: nil, in: &changes)
            state.takeTurn(&changes)
            try transaction.apply(changes)
        }
    }
}
