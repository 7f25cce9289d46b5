public import DifferentialSync

extension PersistentCollection {
    /// What has changed since the shadow, or nil if nothing has.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read, or no element can be made of a record.
    /// - Complexity: O(*d*) for *d* changed elements
    public var localDiff: Diff<Element>? {
        get async throws { try await store.read { Diff(try changes($0) { _ in true }) } }
    }

    /// What is to be pushed: the local diff without the records with an open conflict; nil for nothing.
    ///
    /// - Throws: As ``localDiff``.
    /// - Complexity: O(*d*) for *d* changed elements
    public var outgoingDiff: Diff<Element>? {
        get async throws { try await store.read { Diff(try changes($0) { !$0.isUnsettled }) } }
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

    /// The collection as it is now, in memory: elements, shadow, version, conflicts, and a push in doubt.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read, or no element can be made of a record.
    /// - Complexity: O(*n*)
    public func snapshot() async throws -> StoredCollection<Element> {
        try await store.read { transaction in
            var window = CollectionWindow(of: entity, in: transaction)
            try window.loadEverything()
            let state = try CycleState(of: entity, in: transaction)
            let stored = try window.collection(state, push: nil).stored
            return StoredCollection(
                client: try stored.client.map(coding.element), shadow: try stored.shadow.map(coding.element),
                version: state.version, account: state.account, pendingPush: try pendingPush(in: transaction),
                unsettled: try stored.unsettled.map(coding.elements), pushNames: state.pushNames)
        }
    }

    private func changes(
        _ transaction: ReadTransaction, where isIncluded: (JournalEntry) -> Bool
    ) throws -> [Change<Element>] {
        try transaction.journal(of: entity).filter(isIncluded).compactMap { entry in
            let record = try transaction.record(RecordID(entity, entry.id.key))
            guard entry.base != record, let change = Change(from: entry.base, to: record) else { return nil }
            return try Change(from: change.old.map(coding.element), to: change.new.map(coding.element))
        }
    }
}

extension PersistentCollection {
    /// The state of the remote that the shadow stands for; nil before the first cycle.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    public var version: RemoteVersion? {
        get async throws { try await store.read { try CycleState(of: entity, in: $0).version } }
    }

    /// The account that the collection belongs to: that of its first cycle; nil before that has begun.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read.
    public var account: String? {
        get async throws { try await store.read { try CycleState(of: entity, in: $0).account } }
    }

    /// A push that was sent and not answered; the next cycle asks what became of it.
    ///
    /// - Throws: ``PersistenceError`` if the store cannot be read, or no element can be made of a record of the push.
    /// - Complexity: O(size of the push)
    public var pendingPush: Push<Element>? {
        get async throws { try await store.read { try pendingPush(in: $0) } }
    }

    private func pendingPush(in transaction: ReadTransaction) throws -> Push<Element>? {
        guard let sent = try CycleState(of: entity, in: transaction).push else { return nil }
        let changes = try transaction.sentRecords(of: entity).compactMap { record in
            let id = RecordID(entity, record.key)
            let new = try record.image.map(\.record) ?? transaction.record(id)
            return try Change(from: transaction.shadow(id).map(coding.element), to: new.map(coding.element))
        }
        return Diff(changes).map { Push(id: sent.id, changes: $0, expected: sent.expected) }
    }

    /// Forgets a push in doubt, which the next cycle then does not ask about.
    ///
    /// For a remote that cannot be asked any more. If it has applied the push after all, what that added and another
    /// device has deleted since comes back.
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
