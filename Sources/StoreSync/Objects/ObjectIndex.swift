import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An immutable object of an ``ObjectRemote``: in which compacted segment some of the records are.
///
/// Records are divided among several such objects by a digest of entity and key. So a record is found by reading one of
/// them, and one segment.
struct ObjectIndex: Sendable {
    /// The positions of segments in the head, by the digests of their records.
    private var positions: [Int64: [Int]] = [:]

    /// How many records an object has about.
    private static let recordsPerObject = 2_000

    /// Returns the position of a record's index among several, and the digest by which it is found there.
    private static func place(of id: RecordID, among count: Int) -> (index: Int, digest: Int64) {
        // The seed must not change, because digests are stored.
        var digest = ContentDigest(seed: 0x1319_8A2E_0370_7344)
        digest.combine(id.entity)
        digest.combine(id.key)
        let word = digest.finalize()
        return (Int((word >> 32) % UInt64(max(count, 1))), Int64(word & 0xFFFF_FFFF))
    }

    /// Returns the indexes of the records in compacted segments.
    static func all(of segments: [[RecordID]]) -> [ObjectIndex] {
        let count = segments.reduce(0) { $0 + $1.count }
        var indexes = Array(repeating: ObjectIndex(), count: (count + recordsPerObject - 1) / recordsPerObject)
        for (position, ids) in segments.enumerated() {
            for id in ids {
                let place = place(of: id, among: indexes.count)
                indexes[place.index].positions[place.digest, default: []].append(position)
            }
        }
        return indexes
    }

    /// Returns the records whose index is each of several, by its position.
    static func grouped(_ ids: Set<RecordID>, among count: Int) -> [Int: [RecordID]] {
        Dictionary(grouping: ids) { place(of: $0, among: count).index }
    }

    /// Returns the positions of the segments that may have a record; it is in no other.
    func positions(of id: RecordID) -> [Int] { positions[Self.place(of: id, among: 1).digest] ?? [] }
}

extension ObjectIndex {
    /// The index as JSON: digests, and the positions of their segments.
    var data: Data {
        let places = positions.sorted { $0.key < $1.key }.flatMap { digest, positions in
            positions.map { (digest: digest, position: $0) }
        }
        var object = MessageWriter()
        object.set("version", StoreProtocol.version)
        object.set("digests", .array(places.map { .integer($0.digest) }))
        object.set("positions", .array(places.map { .integer(Int64($0.position)) }))
        return object.data
    }

    init(data: Data) throws(MessageError) {
        let message = try MessageReader(data)
        _ = try message.version()
        let (digests, places) = (try message.numbers("digests"), try message.numbers("positions"))
        guard digests.count == places.count else { throw message.error("positions", "expected one for each digest") }
        for (digest, place) in zip(digests, places) { positions[digest, default: []].append(Int(clamping: place)) }
    }
}
