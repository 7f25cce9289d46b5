public import DifferentialSync

extension PersistentCollection {
    /// What has changed since the shadow, or nil if nothing has.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read, or no element can be made of a record.
    /// - Complexity: O(*d*) for *d* changed elements
    public var localDiff: Diff<Element>? {
        get async throws { try await store.read { try window($0).collection.localDiff } }
    }

    /// What is to be pushed: the local diff without what is unsettled, where the remote is known to hold something else
    /// than the shadow; nil for nothing.
    ///
    /// - Throws: As ``localDiff``.
    /// - Complexity: O(*d*) for *d* changed elements
    public var outgoingDiff: Diff<Element>? {
        get async throws { try await store.read { try window($0).collection.outgoingDiff } }
    }

    /// The conflicts that an earlier cycle has left open, and what changed here while a push was under way: what the
    /// remote is known to hold against the shadow and the local version.
    ///
    /// - Throws: As ``localDiff``.
    /// - Complexity: O(*d*) for *d* changed elements
    public var unsettled: [Conflict<Element>] {
        get async throws { try await store.read { try window($0).collection.unsettled } }
    }

    /// The element with a key as it is in the shadow, or nil if it is not there.
    ///
    /// - Throws: As ``element(_:)``.
    public func shadow(for key: Key) async throws -> Element? {
        try await store.read { try $0.shadow(coding.id(of: key)).map(coding.element) }
    }

    /// Goes back to the shadow: every local change is undone.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read or written.
    /// - Complexity: O(*d*) for *d* changed elements
    public func revert() async throws {
        try await store.write { transaction in
            var changes = ChangeSet()
            for entry in try transaction.journal(of: entity) {
                if let base = entry.base { changes.put(base) } else { changes.delete(entry.id) }
            }
            try transaction.apply(changes)
        }
    }

    /// The collection as it is now, in memory: elements, shadow, version, what is unsettled, and a push in doubt.
    ///
    /// - Throws: As ``localDiff``.
    /// - Complexity: O(*n*)
    public func snapshot() async throws -> StoredCollection<Element> {
        try await store.read { transaction in
            var stored = try CollectionWindow(everythingOf: coding, in: transaction).collection.stored
            let state = try CycleState(coding, in: transaction)
            stored.version = state.version
            stored.account = state.account
            stored.pendingPush = try state.pendingPush
            return stored
        }
    }

    private func window(_ transaction: ReadTransaction) throws -> CollectionWindow<Element, Key> {
        try CollectionWindow(coding, in: transaction)
    }
}

extension PersistentCollection {
    /// The state of the remote that the shadow stands for; nil before the first cycle.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    public var version: RemoteVersion? {
        get async throws { try await store.read { try CycleState(coding, in: $0).version } }
    }

    /// A push that was sent and not answered; the next cycle asks what became of it.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read, or the push was stored by another type.
    public var pendingPush: Push<Element>? {
        get async throws { try await store.read { try CycleState(coding, in: $0).pendingPush } }
    }

    /// Forgets a push in doubt, which the next cycle then does not ask about.
    ///
    /// For one that cannot be read any more. If the remote has taken it after all, what it added and somebody else has
    /// deleted since comes back.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be written.
    public func forgetPendingPushUnanswered() async throws {
        try await store.write { transaction in
            var state = try CycleState(coding, in: transaction)
            var changes = ChangeSet(origin: .agreed)
            state.forgetPush(&changes)
            try transaction.apply(changes)
        }
    }
}
