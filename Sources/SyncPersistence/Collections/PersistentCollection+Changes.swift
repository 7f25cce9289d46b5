public import DifferentialSync

extension PersistentCollection {
    /// What one commit has changed of a collection.
    public struct Update: Sendable, Equatable {
        /// The number of the commit; that of a later one is greater.
        public let sequence: Int64

        /// What has changed among the elements that can be read; nil if nothing has.
        ///
        /// An element that cannot be read any more is deleted, and one that can be read again is added.
        public let diff: Diff<Element>?

        /// An error for each changed element that cannot be read now, with its key.
        public let unreadable: [PersistenceError]

        /// Whether all of it was done here, and is to reach the remote.
        public let isLocal: Bool
    }

    /// The updates of a collection, commit by commit.
    public struct Updates: AsyncSequence, Sendable {
        let coding: RecordCoding<Element, Key>
        let commits: AsyncStream<Commit>

        /// What hands over the updates.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let coding: RecordCoding<Element, Key>
            var commits: AsyncStream<Commit>.AsyncIterator

            /// The next update; nil when the store is closed, or the task is cancelled.
            public mutating func next() async -> Update? {
                while let commit = await commits.next() {
                    if let update = coding.update(of: commit) { return update }
                }
                return nil
            }
        }

        /// Begins to hand over the updates.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(coding: coding, commits: commits.makeAsyncIterator())
        }
    }

    /// What this store changes of the collection from now on, commit by commit.
    ///
    /// ```swift
    /// for await update in notes.changes() {
    ///     if let diff = update.diff { print(diff) }
    /// }
    /// ```
    ///
    /// Each observer gets every one, however slow it is. For one observer.
    public func changes() -> Updates {
        Updates(coding: coding, commits: store.commits())
    }
}

extension RecordCoding where Element: Equatable, Key: Hashable {
    /// What a commit has changed of the collection; nil for nothing.
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
