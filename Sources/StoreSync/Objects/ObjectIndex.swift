import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An immutable object of an ``ObjectRemote``, which states for some records in which compacted segment they are.
///
/// Records are divided among several such objects by a digest of entity and key. So a record is found by reading one of
/// them, and one segment.
struct ObjectIndex: Sendable {
    /// The positions of segments in the head, by the digests of their records.
    private var positions: [Int64: [Int]] = [:]

    /// Returns the position of a record's index among several, and the digest by which it is found there.
    fileprivate static func place(of id: RecordID, among count: Int) -> (index: Int, digest: Int64) {
        // The seed must not change, because digests are stored.
        var digest = ContentDigest(seed: 0x1319_8A2E_0370_7344)
        digest.combine(id.entity)
        digest.combine(id.key)
        let word = digest.finalize()
        return (Int((word >> 32) % UInt64(max(count, 1))), Int64(word & 0xFFFF_FFFF))
    }

    /// Groups records by the position of the index that has them, among a number of indexes.
    static func grouped(_ ids: Set<RecordID>, among count: Int) -> [Int: [RecordID]] {
        Dictionary(grouping: ids) { place(of: $0, among: count).index }
    }

    /// Returns the positions of the segments that may have a record; it is in no other.
    func positions(of id: RecordID) -> [Int] { positions[Self.place(of: id, among: 1).digest] ?? [] }
}

extension ObjectIndex {
    init(data: Data) throws(MessageError) {
        let message = try MessageReader(data)
        _ = try message.version()
        let (digests, places) = (try message.numbers("digests"), try message.numbers("positions"))
        guard digests.count == places.count else { throw message.error("positions", "expected one for each digest") }
        for (digest, place) in zip(digests, places) { positions[digest, default: []].append(Int(clamping: place)) }
    }
}

/// The indexes of the records in compacted segments, while a compaction makes them.
///
/// A record takes eight bytes.
struct ObjectIndexes {
    /// For each index, the digests of records in the upper halves, and the positions of their segments in the lower ones.
    private var entries: [[UInt64]]

    /// How many records an index has at most, about.
    private static let recordsPerIndex = 2_000

    /// Creates empty indexes for up to a number of records; none for no records.
    init(recordCount: Int) {
        entries = Array(repeating: [], count: (recordCount + Self.recordsPerIndex - 1) / Self.recordsPerIndex)
    }

    /// Adds a record in the segment at a position.
    mutating func add(_ id: RecordID, at position: Int) {
        if entries.isEmpty { return }
        let place = ObjectIndex.place(of: id, among: entries.count)
        entries[place.index].append(UInt64(place.digest) << 32 | UInt64(position))
    }

    /// The indexes as JSON: digests, and the positions of their segments.
    var data: some Sequence<Data> {
        entries.lazy.map { entries in
            let sorted = entries.sorted()
            var object = MessageWriter()
            object.set("version", StoreProtocol.version)
            object.set("digests", .array(sorted.map { .integer(Int64($0 >> 32)) }))
            object.set("positions", .array(sorted.map { .integer(Int64($0 & 0xFFFF_FFFF)) }))
            return object.data
        }
    }
}
