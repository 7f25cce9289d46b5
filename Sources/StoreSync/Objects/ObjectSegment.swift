import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An immutable object of an ``ObjectRemote``: the states of records after some changes, in the order of the changes.
struct ObjectSegment: Sendable {
    /// The changes, whose numbers rise.
    var changes: [Change]

    /// The state of a record after its change.
    struct Change: Sendable {
        /// The number of the change.
        var sequence: Int64
        /// The identifier of the device that has made it.
        var writer: String
        /// The record and its state.
        var entry: PullResponse.Entry
    }
}

extension ObjectSegment {
    /// Returns the segment as JSON.
    ///
    /// Numbers count from that of the first change, which is in the head. Consecutive numbers are left out, and so are
    /// the writers if there is only one.
    var data: Data {
        var devices: [String] = []
        var positions: [String: Int] = [:]
        var writers: [Value] = []
        for change in changes {
            let position = positions[change.writer] ?? devices.count
            if position == devices.count {
                positions[change.writer] = position
                devices.append(change.writer)
            }
            writers.append(.integer(Int64(position)))
        }
        let first = changes.first?.sequence ?? 0
        let offsets = changes.map { $0.sequence - first }
        var object = MessageWriter()
        object.set("version", StoreProtocol.version)
        object.set("devices", .array(devices.map(Value.string)))
        if devices.count > 1 { object.set("writers", .array(writers)) }
        if offsets.last ?? -1 != Int64(offsets.count - 1) {
            object.set("offsets", .array(offsets.map(Value.integer)))
        }
        object.set("entries", rows: changes.lazy.map(\.entry.row))
        return object.data
    }

    /// Reads a segment.
    ///
    /// - Parameters:
    ///   - data: The JSON.
    ///   - extent: The extent that the head states.
    init(data: Data, of extent: ObjectHead.Segment) throws(MessageError) {
        let message = try MessageReader(data)
        _ = try message.version()
        let rows = try message.rows("entries", of: PullResponse.Entry.Kind.self)
        let devices = try message.texts("devices")
        let writers = message.has("writers") ? try message.numbers("writers") : [Int64](repeating: 0, count: rows.count)
        let offsets = message.has("offsets") ? try message.numbers("offsets") : rows.indices.map(Int64.init)
        guard rows.count == extent.count, writers.count == rows.count, offsets.count == rows.count else {
            throw message.error("entries", "expected \(extent.count) entries, as the head has it")
        }
        changes = []
        changes.reserveCapacity(rows.count)
        var next: Int64 = 0
        for (position, row) in rows.enumerated() {
            guard let writer = Int(exactly: writers[position]), devices.indices.contains(writer) else {
                throw message.error("writers", "there is no device \(writers[position])")
            }
            guard offsets[position] >= next, offsets[position] <= extent.last - extent.first else {
                throw message.error("offsets", "expected ascending numbers within the segment")
            }
            next = offsets[position] + 1
            changes.append(
                Change(
                    sequence: extent.first + offsets[position], writer: devices[writer],
                    entry: PullResponse.Entry(row)))
        }
    }
}
