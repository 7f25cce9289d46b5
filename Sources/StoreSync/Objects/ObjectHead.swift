import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The one object of an ``ObjectRemote`` that is replaced: it names the segments that are the history.
struct ObjectHead: Hashable, Sendable {
    /// The name of the object.
    static let name = "head"

    /// The name of the history.
    var epoch: String

    /// How often the head was replaced.
    var revision: Int64 = 0

    /// The number of the last change.
    var sequence: Int64 = 0

    /// The number up to which tombstones were removed.
    var horizon: Int64 = 0

    /// The segments in the order of their changes.
    var segments: [Segment] = []

    /// The number of compacted segments, which come first.
    ///
    /// Together they have each record once at most.
    var compactedCount = 0

    /// The names of the ``ObjectIndex`` objects, which state in which compacted segment a record is.
    var indexes: [String] = []

    /// The revision at which the last compaction began.
    var compaction: Int64 = 0

    /// The response to the last push of each device.
    var responses: [String: PushResponse] = [:]

    /// The name and the extent of a segment.
    struct Segment: Hashable, Sendable {
        let name: String
        /// The number of the segment's first change.
        var first: Int64
        /// The number of its last change.
        var last: Int64
        /// How many records it has.
        var count: Int
        /// About how many bytes their keys and values take.
        var size: Int
    }

    /// The segments after the compacted ones.
    var recentSegments: ArraySlice<Segment> { segments[compactedCount...] }

    /// The number of the last change in the compacted segments.
    var compactedSequence: Int64 { compactedCount == 0 ? 0 : segments[compactedCount - 1].last }

    /// Creates the head of a history without changes.
    init(epoch: String) { self.epoch = epoch }
}

extension ObjectHead {
    /// The head as JSON.
    var data: Data {
        var object = MessageWriter()
        object.set("version", StoreProtocol.version)
        object.set("epoch", epoch)
        object.set("revision", revision)
        object.set("sequence", sequence)
        object.set("horizon", horizon)
        object.set("compaction", compaction)
        object.set("compacted", compactedCount)
        object.set("indexes", .array(indexes.map(Value.string)))
        object.set("segments", .array(segments.map(\.json)))
        object.set(
            "devices",
            .array(
                responses.sorted { $0.key < $1.key }.map { device, response in
                    var object = MessageWriter()
                    object.set("device", device)
                    response.write(to: &object)
                    return object.json
                }))
        return object.data
    }

    /// Reads a head, and checks that its segments are in order and do not overlap.
    init(data: Data) throws(MessageError) {
        let message = try MessageReader(data)
        _ = try message.version()
        self.init(epoch: try message.text("epoch"))
        revision = try message.position("revision")
        sequence = try message.position("sequence")
        horizon = try message.position("horizon")
        compaction = try message.position("compaction")
        compactedCount = try message.count("compacted")
        indexes = try message.texts("indexes")
        segments = try message.list("segments", Segment.read)
        var end: Int64 = 0
        for segment in segments {
            guard segment.first > end, segment.first <= segment.last, segment.last <= sequence else {
                throw message.error("segments", "the numbers of '\(segment.name)' are not between its neighbours'")
            }
            guard segment.count <= segment.last - segment.first + 1 else {
                throw message.error("segments", "'\(segment.name)' has more records than numbers")
            }
            end = segment.last
        }
        guard compactedCount <= segments.count else { throw message.error("compacted", "there are fewer segments") }
        for (device, response) in try message.list("devices", Self.readResponse) { responses[device] = response }
    }

    private static func readResponse(
        _ value: Value, _ path: [String]
    ) throws(MessageError) -> (device: String, response: PushResponse) {
        let message = try MessageReader(value, path: path)
        return (try message.text("device"), try PushResponse(message))
    }
}

extension ObjectHead.Segment {
    fileprivate var json: Value {
        [.string(name), .integer(first), .integer(last), .integer(Int64(count)), .integer(Int64(size))]
    }

    fileprivate static func read(_ value: Value, _ path: [String]) throws(MessageError) -> Self {
        guard case .array(let parts) = value, parts.count >= 5, case .string(let name) = parts[0],
            case .integer(let first) = parts[1], case .integer(let last) = parts[2],
            case .integer(let count) = parts[3], case .integer(let size) = parts[4],
            let count = Int(exactly: count), let size = Int(exactly: size), count > 0, size >= 0
        else { throw MessageError(path: path, problem: "expected a name and four numbers") }
        return Self(name: name, first: first, last: last, count: count, size: size)
    }
}

extension MessageReader {
    /// Reads a number that leaves room to count on from it.
    fileprivate func position(_ name: String) throws(MessageError) -> Int64 {
        let number = try number(name)
        guard number <= 1 << 53 else { throw error(name, "the number is too large") }
        return number
    }
}
