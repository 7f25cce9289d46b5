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

    /// The last change of each record in the recent segments.
    private var index = RecentChanges()

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
    /// - Throws: `MissingSegment`; ``RemoteError/incompatible(_:)`` if it cannot be read; the errors of the store.
    func segment(_ extent: ObjectHead.Segment) async throws -> ObjectSegment {
        if let position = segments.lastIndex(where: { $0.name == extent.name }) {
            let known = segments.remove(at: position)
            segments.append(known)
            if known.segment.changes.count == extent.count { return known.segment }
        }
        guard let object = try await objects.read(extent.name) else { throw MissingSegment(name: extent.name) }
        let bytes = try opened(object.bytes, extent.name)
        do throws(MessageError) {
            let segment = try ObjectSegment(data: bytes, of: extent)
            remember(segment, extent.name)
            return segment
        } catch {
            throw Self.error(extent.name, error)
        }
    }

    private func remember(_ segment: ObjectSegment, _ name: String) {
        segments.removeAll { $0.name == name }
        segments.append((name, segment))
        var count = segments.reduce(0) { $0 + $1.segment.changes.count }
        while count > Self.capacity, segments.count > 1 { count -= segments.removeFirst().segment.changes.count }
    }

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

/// The error for a segment that the head names and the store does not have.
///
/// A compaction that has ended meanwhile has replaced the head; otherwise the object is lost.
struct MissingSegment: Error {
    let name: String
}

/// The last change of each record in some segments.
struct RecentChanges: Sendable {
    /// The segments, in their order.
    fileprivate(set) var segments: [ObjectHead.Segment] = []
    private var changes: [RecordID: Change] = [:]

    /// The number and the writer of a change.
    struct Change: Sendable {
        var sequence: Int64
        var writer: String
    }

    subscript(id: RecordID) -> Change? { changes[id] }

    fileprivate mutating func append(_ segment: ObjectSegment, _ extent: ObjectHead.Segment) {
        segments.append(extent)
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
        var changes = index
        index = RecentChanges()
        if !head.recentSegments.starts(with: changes.segments) { changes = RecentChanges() }
        for extent in head.recentSegments.dropFirst(changes.segments.count) {
            changes.append(try await segment(extent), extent)
        }
        index = changes
        return changes
    }

    /// Returns the last change of each record after a position.
    ///
    /// - Complexity: O(number of changes after the position)
    func changes(of head: ObjectHead, after sequence: Int64) async throws -> RecentChanges {
        if sequence >= head.compactedSequence { return try await recentChanges(of: head) }
        var changes = RecentChanges()
        for extent in head.segments where extent.last > sequence {
            changes.append(try await segment(extent), extent)
        }
        return changes
    }

    /// Returns the current states of records; none for a record that has never existed.
    ///
    /// The states of recently changed records are found at once. For others, the compacted segments are read until all
    /// are found.
    func states(of ids: Set<RecordID>, in head: ObjectHead) async throws -> [RecordID: PullResponse.State] {
        let recent = try await recentChanges(of: head)
        var states: [RecordID: PullResponse.State] = [:]
        var missing = ids
        for (position, extent) in head.segments.enumerated().reversed() {
            if missing.isEmpty { break }
            if position >= head.compactedCount {
                let isUseful = missing.contains { id in
                    recent[id].map { $0.sequence >= extent.first && $0.sequence <= extent.last } ?? false
                }
                if !isUseful { continue }
            }
            for change in try await segment(extent).changes.reversed() where missing.remove(change.entry.id) != nil {
                states[change.entry.id] = change.entry.state
            }
        }
        return states
    }
}
