public import DifferentialSync

extension PersistentCollection {
    /// The changes of a collection in one commit.
    public struct Update: Sendable, Equatable {
        /// The number of the commit; a later commit has a greater one.
        public let sequence: Int64

        /// The changes of elements that can be read; nil if there are none.
        ///
        /// An element that can no longer be read counts as deleted, and one that can be read again as added.
        public let diff: Diff<Element>?

        /// An error for each changed element that cannot be read now, with its key.
        public let unreadable: [PersistenceError]

        /// Whether all changes were made locally, and must reach the remote.
        public let isLocal: Bool
    }

    /// The updates of a collection, commit by commit.
    public struct Updates: AsyncSequence, Sendable {
        /// Reads the updates from the commits.
        let reader: UpdateReader<Element, Key>
        /// The commits of the store; those that do not concern the entity cause no update.
        let commits: AsyncStream<Commit>

        /// The iterator of the updates.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let reader: UpdateReader<Element, Key>
            var commits: AsyncStream<Commit>.AsyncIterator

            /// Returns the next update; nil when the store is closed, or the task is cancelled.
            public mutating func next() async -> Update? {
                while let commit = await commits.next() {
                    if let update = await reader.update(of: commit) { return update }
                }
                return nil
            }
        }

        /// Returns an iterator of the updates.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: reader, commits: commits.makeAsyncIterator())
        }
    }

    /// Returns the changes that this store makes to the collection from now on, commit by commit.
    ///
    /// ```swift
    /// for await update in notes.changes() {
    ///     if let diff = update.diff { print(diff) }
    /// }
    /// ```
    ///
    /// Each observer receives every update, however slow it is. The sequence is for one observer. A change of values that the
    /// type does not read is left out.
    ///
    /// The keys of a relationship that other records store are read when the update is delivered. If a later commit has
    /// changed them too, both versions of the element have its change.
    public func changes() -> Updates {
        let reader = UpdateReader(coding: coding, store: coding.mayHaveLinks ? store : nil)
        return Updates(reader: reader, commits: store.commits())
    }
}

/// Reads the changes of elements from commits.
struct UpdateReader<Element: Equatable & Sendable, Key: Hashable & Sendable>: Sendable {
    /// The changes of one commit.
    typealias Update = PersistentCollection<Element, Key>.Update

    /// The conversion between elements and records.
    let coding: RecordCoding<Element, Key>
    /// Where the links of changed elements are read; nil if elements are their records alone.
    let store: (any PersistenceAdapter)?

    /// The entity whose records keep the elements.
    private var entity: String { coding.entity }

    /// Returns the changes of a commit to the collection; nil if there are none.
    func update(of commit: Commit) async -> Update? {
        guard let store else { return update(of: commit.changes, commit, isLocal: true) { _, _ in nil } }
        do {
            return try await store.read { try update(of: commit, in: $0) }
        } catch let error where (error as? PersistenceError)?.code == .closed || error is CancellationError {
            return nil
        } catch {
            let changes = commit.changes.filter { ($0.new ?? $0.old)?.shape.inherits(entity) == true }
            let unreadable = changes.compactMap(\.id).map { id in
                PersistenceError(.unreadable, "its links cannot be read: \(error)", id: id)
            }
            if unreadable.isEmpty { return nil }
            return Update(sequence: commit.sequence, diff: nil, unreadable: unreadable, isLocal: false)
        }
    }

    /// Returns the changes of a commit with the links of the changed elements.
    private func update(of commit: Commit, in transaction: ReadTransaction) throws -> Update? {
        let former = try FormerLinks(of: entity, before: commit, in: transaction)
        var changes = Array(commit.changes)
        let changed = Set(changes.compactMap(\.id))
        for owner in former.owners {
            guard let record = try transaction.record(RecordID(entity, owner)), !changed.contains(record.id) else {
                continue
            }
            changes.append(.init(old: record, new: record, origin: .local, isConsequence: false))
        }
        return update(of: changes, commit, isLocal: former.isLocal) { record, isNew in
            { name in
                if !isNew, let keys = former.keys(of: record.key, name) { return keys }
                return try transaction.related(record.id, name)
            }
        }
    }

    /// Returns the changes of elements that a commit has made; nil if there are none, and all records can be read.
    ///
    /// - Parameter related: Returns the links of a version of a record, the new one for true.
    private func update(
        of recordChanges: some Sequence<Commit.RecordChange>, _ commit: Commit, isLocal: Bool,
        _ related: (Record, Bool) -> RelatedKeys?
    ) -> Update? {
        var isLocal = isLocal
        var changes: [Change<Element>] = []
        var unreadable: [PersistenceError] = []
        for change in recordChanges {
            guard let shape = (change.new ?? change.old)?.shape, shape.inherits(entity) else { continue }
            var new: Element?
            do throws(PersistenceError) {
                if let record = change.new { new = try coding.element(of: record, related(record, true)) }
            } catch {
                unreadable.append(error)
            }
            let old = change.old.flatMap { try? coding.element(of: $0, related($0, false)) }
            // A type need not read what has changed.
            if old == new, coding.mayHaveLinks || isUnread(change, new) { continue }
            if let change = Change(from: old, to: new) { changes.append(change) }
            if change.origin != .local { isLocal = false }
        }
        if changes.isEmpty, unreadable.isEmpty { return nil }
        return Update(sequence: commit.sequence, diff: Diff(changes), unreadable: unreadable, isLocal: isLocal)
    }

    /// Whether a change of a record concerns only values that its new element does not have.
    ///
    /// Elements may also differ in values that their equality ignores.
    private func isUnread(_ change: Commit.RecordChange, _ new: Element?) -> Bool {
        guard let new, let old = change.old else { return false }
        return (try? coding.isSame(new, as: old)) == true
    }
}
