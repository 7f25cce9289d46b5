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
        let coding: RecordCoding<Element, Key>
        let commits: AsyncStream<Commit>

        /// The iterator of the updates.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let coding: RecordCoding<Element, Key>
            var commits: AsyncStream<Commit>.AsyncIterator

            /// Returns the next update; nil when the store is closed, or the task is cancelled.
            public mutating func next() async -> Update? {
                while let commit = await commits.next() {
                    if let update = coding.update(of: commit) { return update }
                }
                return nil
            }
        }

        /// Returns an iterator of the updates.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(coding: coding, commits: commits.makeAsyncIterator())
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
    /// Each observer receives every update, however slow it is. The sequence is for one observer.
    public func changes() -> Updates {
        Updates(coding: coding, commits: store.commits())
    }
}

extension RecordCoding where Element: Equatable, Key: Hashable {
    /// Returns the changes of a commit to the collection; nil if there are none.
    fileprivate func update(of commit: Commit) -> PersistentCollection<Element, Key>.Update? {
        var isLocal = true
        var changes: [Change<Element>] = []
        var unreadable: [PersistenceError] = []
        for change in commit.changes {
            guard let shape = (change.new ?? change.old)?.shape, shape.inherits(entity) else { continue }
            var new: Element?
            do throws(PersistenceError) {
                if let record = change.new { new = try element(of: record) }
            } catch {
                unreadable.append(error)
            }
            let old = change.old.flatMap { try? element(of: $0) }
            if let change = Change(from: old, to: new) { changes.append(change) }
            if change.origin != .local { isLocal = false }
        }
        if changes.isEmpty, unreadable.isEmpty { return nil }
        return PersistentCollection.Update(
            sequence: commit.sequence, diff: Diff(changes), unreadable: unreadable, isLocal: isLocal)
    }
}
