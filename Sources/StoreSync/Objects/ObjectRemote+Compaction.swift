import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ObjectRemote {
    /// Compacts the history into the current state of each record, with the deletions.
    ///
    /// Devices may read and push meanwhile, and other devices may compact too: one of them succeeds. Objects that are no
    /// longer needed are deleted.
    ///
    /// - Parameter sequence: Deletions up to this number are forgotten. A device whose last pull is older compares
    ///   everything at its next cycle.
    /// - Throws: ``RemoteError``, for example ``RemoteError/later(after:)`` if another compaction was faster; the errors
    ///   of the object store.
    /// - Complexity: O(size of the history), with the memory of a few pages, the keys of the changes since the last
    ///   compaction, and eight bytes for each record
    public func compact(forgettingDeletionsThrough sequence: Int64 = 0) async throws {
        let isDone = try await withHead { head, tag in
            let range = 0..<head.segments.count
            return try await self.compact(range, of: head, tag, forgettingDeletionsThrough: sequence)
        }
        guard isDone else { throw RemoteError.later() }
    }

    /// Begins another history, after objects were restored from a copy.
    ///
    /// Devices compare everything at their next cycle, and send what was lost. A handshake does the same if its device is
    /// ahead of the history. Call this function if no device may be ahead.
    ///
    /// - Throws: ``RemoteError``; the errors of the object store.
    public func beginEpoch() async throws {
        for _ in 0..<Self.maximumTries {
            guard let known = try await reader.head() else { return }
            var head = known.head
            head.epoch = makeName()
            if try await replace(known.tag, with: head) != nil { return }
        }
        throw RemoteError.later()
    }

    /// Compacts the history if there are many small segments; a failure is left to the next push.
    func compactIfNeeded() async {
        _ = try? await withHead { head, tag in
            guard let range = self.rangeToCompact(of: head) else { return }
            _ = try await self.compact(range, of: head, tag, forgettingDeletionsThrough: 0)
        }
    }

    /// Returns the segments to compact; nil if compacting would save little.
    ///
    /// Small segments at the end are merged. Once the recent segments have half as many records as the compacted ones,
    /// all are merged. So the work for each change does not grow with the number of records.
    private func rangeToCompact(of head: ObjectHead) -> Range<Int>? {
        let small = head.recentSegments.reversed().prefix { extent in
            extent.count <= limits.pageRecords / 2 && extent.size <= limits.bytes / 2
        }
        let recent = head.recentSegments.reduce(0) { $0 + $1.count }
        let compacted = head.segments[..<head.compactedCount].reduce(0) { $0 + $1.count }
        if recent > limits.pageRecords && recent > compacted / 2 { return 0..<head.segments.count }
        guard small.count > maximumSegments else { return nil }
        return recent > compacted / 2
            ? 0..<head.segments.count : head.segments.count - small.count..<head.segments.count
    }

    /// Replaces some segments by merged ones; false if another compaction was faster.
    private func compact(
        _ range: Range<Int>, of head: ObjectHead, _ tag: String, forgettingDeletionsThrough forgotten: Int64
    ) async throws -> Bool {
        let forgotten = range.lowerBound == 0 ? min(forgotten, head.sequence) : 0
        let (merged, indexes) = try await merge(range, of: head, forgettingDeletionsThrough: forgotten)
        var (current, tag) = (head, tag)
        for _ in 0..<Self.maximumTries {
            var next = current
            next.segments.replaceSubrange(range, with: merged)
            if range.lowerBound == 0 { (next.compactedCount, next.indexes) = (merged.count, indexes) }
            next.horizon = max(head.horizon, forgotten)
            next.compaction = head.revision
            if try await replace(tag, with: next) != nil {
                try await deleteUnused()
                return true
            }
            guard let new = try await reader.head(), new.head.compaction == head.compaction,
                new.head.segments.starts(with: head.segments)
            else { return false }
            (current, tag) = new
        }
        return false
    }

    /// Writes the last changes of records in some segments as segments of at most a page each, and indexes that find
    /// records in them.
    ///
    /// The segments are read one after the other: their values are in memory for about two pages only.
    ///
    /// - Parameter range: The segments, up to the last one of the head.
    private func merge(
        _ range: Range<Int>, of head: ObjectHead, forgettingDeletionsThrough forgotten: Int64
    ) async throws -> (segments: [ObjectHead.Segment], indexes: [String]) {
        // Each record is in the compacted segments once, so only recent changes supersede others.
        let recent = try await reader.recentChanges(of: head)
        let extents = head.segments[range]
        var segments: [ObjectHead.Segment] = []
        var indexes = ObjectIndexes(recordCount: range.lowerBound == 0 ? extents.reduce(0) { $0 + $1.count } : 0)
        var page: [ObjectSegment.Change] = []
        var size = 0
        func writePage() async throws {
            guard let first = page.first, let last = page.last else { return }
            for change in page { indexes.add(change.entry.id, at: segments.count) }
            segments.append(
                ObjectHead.Segment(
                    name: try await writeSnapshot(ObjectSegment(changes: page).data, head.revision),
                    first: first.sequence, last: last.sequence, count: page.count, size: size))
            (page, size) = ([], 0)
        }
        for extent in extents {
            for change in try await reader.segment(extent).changes {
                if let last = recent[change.entry.id], last.sequence != change.sequence { continue }
                if change.entry.state == .deleted, change.sequence <= forgotten { continue }
                let added = change.entry.messageSize
                if page.count == limits.pageRecords || size + added > limits.bytes { try await writePage() }
                page.append(change)
                size += added
            }
        }
        try await writePage()
        var names: [String] = []
        if !segments.isEmpty {
            for data in indexes.data { names.append(try await writeSnapshot(data, head.revision)) }
        }
        return (segments, names)
    }

    private func writeSnapshot(_ bytes: Data, _ revision: Int64) async throws -> String {
        let name = "snapshot-\(revision)-\(makeName())"
        guard try await write(name, bytes, ifTag: nil) != nil else { throw RemoteError.later() }
        return name
    }

    /// Deletes the objects that the head does not name, and that no later head can name.
    ///
    /// The name of a segment has the revision of the head that its push has read. Only the next head can name it. The
    /// name of a compaction's object has a revision too, and no head names it after a later compaction. So an object
    /// that is unnamed and older than the head stays unnamed.
    private func deleteUnused() async throws {
        guard let (head, _) = try await reader.head() else { return }
        let used = Set(head.segments.map(\.name) + head.indexes)
        for (prefix, end) in [("segment-", head.revision), ("snapshot-", head.compaction)] {
            for name in try await objects.list(prefix: prefix) where !used.contains(name) {
                let revision = name.dropFirst(prefix.utf8.count).prefix { $0 != "-" }
                if let revision = Int64(revision), revision < end { try await objects.delete(name) }
            }
        }
    }
}
