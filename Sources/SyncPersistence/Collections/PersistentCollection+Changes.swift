public import DifferentialSync

extension PersistentCollection {
    /// What one commit has changed of a collection.
    public struct Update: Sendable, Equatable {
        /// The number of the commit; that of a later one is greater.
        public let sequence: Int64

        /// What has changed.
        public let diff: Diff<Element>

        /// Whether all of it was done here, and is to reach the remote.
        public let isLocal: Bool
    }

    /// The updates of a collection, commit by commit.
    ///
    /// If no element can be made of a record, `next()` throws, and the one after it goes on with the next commit.
    public struct Updates: AsyncSequence, Sendable {
        let coding: RecordCoding<Element, Key>
        let commits: AsyncStream<Commit>

        /// What hands over the updates.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let coding: RecordCoding<Element, Key>
            var commits: AsyncStream<Commit>.AsyncIterator

            /// The next update; nil when the store is closed, or the task is cancelled.
            public mutating func next() async throws -> Update? {
                while let commit = await commits.next() {
                    if let update = try coding.update(of: commit) { return update }
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
    /// for try await update in notes.changes() {
    ///     print(update.diff)
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
    fileprivate func update(of commit: Commit) throws -> PersistentCollection<Element, Key>.Update? {
        var isLocal = true
        var changes: [Change<Element>] = []
        for recordChange in commit.changes {
            let (old, new) = (recordChange.old, recordChange.new)
            guard let shape = (new ?? old)?.shape, shape.inherits(entity) else { continue }
            let (oldElement, newElement) = (try old.map(element), try new.map(element))
            guard oldElement != newElement, let change = Change(from: oldElement, to: newElement) else { continue }
            changes.append(change)
            if recordChange.origin != .local { isLocal = false }
        }
        return Diff(changes).map { PersistentCollection.Update(sequence: commit.sequence, diff: $0, isLocal: isLocal) }
    }
}
