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
    /// - Complexity: O(size of the history)
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

    /// Returns the segments to compact; nil if that is not worth it.
    ///
    /// Small segments at the end are merged. Once the recent segments have half as many records as the compacted ones,
    /// all are merged, so that the work for each change does not grow with the number of records.
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
        var changes: [ObjectSegment.Change] = []
        var seen: Set<RecordID> = []
        for extent in head.segments[range].reversed() {
            for change in try await reader.segment(extent).changes.reversed() {
                guard seen.insert(change.entry.id).inserted else { continue }
                if change.entry.state == .deleted, change.sequence <= forgotten { continue }
                changes.append(change)
            }
        }
        changes.reverse()
        let (merged, indexes) = try await write(changes, revision: head.revision, withIndexes: range.lowerBound == 0)
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

    /// Writes changes as segments of at most a page each, and indexes that find records in them.
    private func write(
        _ changes: [ObjectSegment.Change], revision: Int64, withIndexes: Bool
    ) async throws -> (segments: [ObjectHead.Segment], indexes: [String]) {
        func write(_ bytes: Data) async throws -> String {
            let name = "snapshot-\(revision)-\(makeName())"
            guard try await self.write(name, bytes, ifTag: nil) != nil else { throw RemoteError.later() }
            return name
        }
        var segments: [ObjectHead.Segment] = []
        var ids: [[RecordID]] = []
        var rest = changes[...]
        while let first = rest.first {
            var size = 0
            let part = rest.prefix(limits.pageRecords).prefix { change in
                size += change.size
                return size <= limits.bytes || change.sequence == first.sequence
            }
            rest = rest.dropFirst(part.count)
            segments.append(
                ObjectHead.Segment(
                    name: try await write(ObjectSegment(changes: Array(part)).data), first: first.sequence,
                    last: part.last?.sequence ?? first.sequence, count: part.count,
                    size: part.reduce(0) { $0 + $1.size }))
            ids.append(part.map(\.entry.id))
        }
        var indexes: [String] = []
        for index in ObjectIndex.all(of: withIndexes ? ids : []) { indexes.append(try await write(index.data)) }
        return (segments, indexes)
    }

    /// Deletes the objects that no head names, and that none can come to name.
    ///
    /// A segment is only named by the head that replaces the one of the segment's revision. What a compaction writes is
    /// only named as long as no later compaction has ended. So neither can be named once the head is further.
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
