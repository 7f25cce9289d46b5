public import DifferentialSync

extension PersistentCollection {
    /// The changes since the shadow, or nil if there are none.
    ///
    /// A change is left out if a version cannot be read as an element: ``unreadableChanges`` reports it.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    /// - Complexity: O(*d*) for *d* changed elements
    public var localDiff: Diff<Element>? {
        get async throws { try await store.read { Diff(try reader(in: $0).changes()) } }
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
                return Diff(
                    try reader(in: transaction).changes { !$0.isUnresolved && !unreadable.contains($0.id.key) })
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
        get async throws { try await store.read { try reader(in: $0).unreadableChanges() } }
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
        try await store.read { try reader(in: $0).snapshot() }
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
        get async throws { try await store.read { try reader(in: $0).pendingPush() } }
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
