import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the objects of an ``ObjectRemote``, and remembers segments, which never change.
actor ObjectReader {
    private let objects: any ObjectStore
    private let seal: ObjectSeal?

    /// The segments that were read last, the latest at the end.
    private var segments: [(name: String, segment: ObjectSegment)] = []

    /// The indexes that were read of the last head.
    private var indexes: [String: ObjectIndex] = [:]

    /// The last change of each record in the recent segments.
    private var recent = RecentChanges()

    /// The last change of each record after an older position, from which a device sends several pushes.
    private var earlier: (sequence: Int64, changes: RecentChanges)?

    /// The most changes in `segments`.
    private static let capacity = 20_000

    init(_ objects: any ObjectStore, _ seal: ObjectSeal?) {
        (self.objects, self.seal) = (objects, seal)
    }

    /// Returns the head and its tag; nil if there is none.
    ///
    /// - Throws: ``RemoteError/incompatible(_:)`` if it cannot be read; the errors of the store.
    func head() async throws -> (head: ObjectHead, tag: String)? {
        guard let object = try await objects.read(ObjectHead.name) else { return nil }
        let bytes = try opened(object.bytes, ObjectHead.name)
        do throws(MessageError) {
            return (try ObjectHead(data: bytes), object.tag)
        } catch {
            throw Self.error(ObjectHead.name, error)
        }
    }

    /// Returns a segment.
    ///
    /// - Throws: `MissingObject`; ``RemoteError/incompatible(_:)`` if it cannot be read; the errors of the store.
    func segment(_ extent: ObjectHead.Segment) async throws -> ObjectSegment {
        if let position = segments.lastIndex(where: { $0.name == extent.name }) {
            let known = segments.remove(at: position)
            segments.append(known)
            if known.segment.changes.count == extent.count { return known.segment }
        }
        let bytes = try await bytes(of: extent.name)
        do throws(MessageError) {
            let segment = try ObjectSegment(data: bytes, of: extent)
            remember(segment, extent.name)
            return segment
        } catch {
            throw Self.error(extent.name, error)
        }
    }

    /// Returns one of the indexes of a head.
    ///
    /// - Throws: As ``segment(_:)``.
    private func index(_ name: String, of head: ObjectHead) async throws -> ObjectIndex {
        if let known = indexes[name] { return known }
        let bytes = try await bytes(of: name)
        do throws(MessageError) {
            let index = try ObjectIndex(data: bytes)
            if indexes.count >= head.indexes.count {
                let used = Set(head.indexes)
                indexes = indexes.filter { used.contains($0.key) }
            }
            indexes[name] = index
            return index
        } catch {
            throw Self.error(name, error)
        }
    }

    /// Returns the decrypted bytes of an object.
    ///
    /// - Throws: `MissingObject` if there is none; the errors of the store.
    private func bytes(of name: String) async throws -> Data {
        guard let object = try await objects.read(name) else { throw MissingObject(name: name) }
        return try opened(object.bytes, name)
    }

    /// Keeps a segment in memory, and drops the segments that were read longest ago.
    private func remember(_ segment: ObjectSegment, _ name: String) {
        segments.removeAll { $0.name == name }
        segments.append((name, segment))
        var count = segments.reduce(0) { $0 + $1.segment.changes.count }
        while count > Self.capacity, segments.count > 1 { count -= segments.removeFirst().segment.changes.count }
    }

    /// Decrypts the bytes of an object, if there is an encryption.
    private func opened(_ bytes: Data, _ name: String) throws -> Data {
        guard let seal else { return bytes }
        do {
            return try seal.open(bytes, name)
        } catch {
            throw RemoteError.incompatible("the object '\(name)' cannot be decrypted: \(error)")
        }
    }

    private static func error(_ name: String, _ error: MessageError) -> RemoteError {
        .incompatible("the object '\(name)' cannot be read: \(error)")
    }
}

/// The error for an object that the head names and the store does not have.
///
/// A compaction that has ended meanwhile has replaced the head; otherwise the object is lost.
struct MissingObject: Error {
    let name: String
}

/// The last change of each record in some segments.
struct RecentChanges: Sendable {
    /// The segments, in their order.
    fileprivate(set) var segments: [ObjectHead.Segment] = []
    private var changes: [RecordID: Change] = [:]

    /// The writer of all changes in each segment; nil for one with several.
    fileprivate var writers: [String?] = []

    /// The number and the writer of a change.
    struct Change: Sendable {
        /// The number of the change.
        var sequence: Int64
        /// The identifier of the device that has made it.
        var writer: String
    }

    subscript(id: RecordID) -> Change? { changes[id] }

    fileprivate mutating func append(_ segment: ObjectSegment, _ extent: ObjectHead.Segment) {
        segments.append(extent)
        let writer = segment.changes.first?.writer
        writers.append(segment.changes.allSatisfy { $0.writer == writer } ? writer : nil)
        for change in segment.changes {
            changes[change.entry.id] = Change(sequence: change.sequence, writer: change.writer)
        }
    }
}

extension ObjectReader {
    /// Returns the last change of each record in the recent segments of a head.
    ///
    /// - Complexity: O(number of changes since the last call)
    func recentChanges(of head: ObjectHead) async throws -> RecentChanges {
        var changes = recent
        recent = RecentChanges()
        if !head.recentSegments.starts(with: changes.segments) { changes = RecentChanges() }
        for extent in head.recentSegments.dropFirst(changes.segments.count) {
            changes.append(try await segment(extent), extent)
        }
        recent = changes
        return changes
    }

    /// Returns the last change of each record after a position.
    ///
    /// - Complexity: O(number of changes after the position); O(number of changes since the last call) if that was for
    ///   the same position, and the history was not compacted since
    func changes(of head: ObjectHead, after sequence: Int64) async throws -> RecentChanges {
        let known = earlier
        earlier = nil
        if sequence >= head.compactedSequence { return try await recentChanges(of: head) }
        let segments = head.segments.drop { $0.last <= sequence }
        var changes = RecentChanges()
        if let known, known.sequence == sequence, segments.starts(with: known.changes.segments) {
            changes = known.changes
        }
        for extent in segments.dropFirst(changes.segments.count) {
            changes.append(try await segment(extent), extent)
        }
        earlier = (sequence, changes)
        return changes
    }

    /// Returns what others than a device have changed after a position, in the order of the changes.
    ///
    /// - Parameter changes: The last changes after the position.
    /// - Complexity: O(size of the segments that have changes of others after the position)
    func entries(
        in changes: RecentChanges, after sequence: Int64, besides device: String
    ) async throws -> [PullResponse.Entry] {
        var entries: [PullResponse.Entry] = []
        for (extent, writer) in zip(changes.segments, changes.writers)
        where extent.last > sequence && writer != device {
            entries += try await segment(extent).changes.filter { $0.sequence > sequence && $0.writer != device }
                .map(\.entry)
        }
        return entries
    }

    /// Returns the current states of records; none for a record that has never existed.
    ///
    /// - Complexity: O(number of records), besides reading the segments that have them
    func states(of ids: Set<RecordID>, in head: ObjectHead) async throws -> [RecordID: PullResponse.State] {
        let recent = try await recentChanges(of: head)
        var needed = Set(
            ids.compactMap { id in recent[id].flatMap { head.segments.position(of: $0.sequence) } })
        let others = ids.filter { recent[$0] == nil }
        for (position, ids) in ObjectIndex.grouped(others, among: head.indexes.count)
        where position < head.indexes.count {
            let index = try await index(head.indexes[position], of: head)
            for id in ids { needed.formUnion(index.positions(of: id).filter(head.segments.indices.contains)) }
        }
        var states: [RecordID: PullResponse.State] = [:]
        for position in needed.sorted() {
            for change in try await segment(head.segments[position]).changes where ids.contains(change.entry.id) {
                states[change.entry.id] = change.entry.state
            }
        }
        return states
    }
}

extension [ObjectHead.Segment] {
    /// Returns the position of the segment with a change; nil if there is none.
    fileprivate func position(of sequence: Int64) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].last < sequence { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].first <= sequence ? low : nil
    }
}
