import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a service stores of one device, in one row of metadata.
struct DeviceRow: Hashable {
    /// The epoch of the device's last handshake.
    var epoch: String

    /// The name of the device's scope; nil for all records.
    var scope: String?

    /// The number of the last change at the time when the device began without records.
    ///
    /// A record outside the scope that has not changed since was never sent to the device.
    var start: Int64

    /// The entities of the scope that the device's schema lacks, sorted.
    var lacking: [String]

    /// The response to the device's last push; nil before the first.
    var push: PushResponse?

    /// Whether the device was removed since its last handshake.
    var isRemoved = false

    /// The digest of the entities and slots that the response to the handshake had; nil in rows of earlier versions.
    var entities: String?
}

extension DeviceRow {
    /// The name of the history for the device, which differs from that of other scopes.
    var history: String { Self.history(epoch, scope) }

    /// Returns the name of a history for a scope.
    static func history(_ epoch: String, _ scope: String?) -> String { scope.map { "\(epoch)/\($0)" } ?? epoch }

    /// The longest identifier of a device, and the longest name of a push, in bytes.
    static let longestName = 200

    /// Reads the row of a device; nil if the service does not know it.
    ///
    /// - Throws: `PersistenceError` if the row cannot be read.
    init?(of device: String, in transaction: ReadTransaction) throws {
        let name = Self.name(of: device)
        guard let text = try transaction.metadata(name) else { return nil }
        do {
            try self.init(MessageReader(Data(text.utf8)))
        } catch {
            throw PersistenceError(
                .unreadable, "what is stored of the device cannot be read: \(error). Restore the store from a copy",
                id: RecordID("sync.metadata", .string(name)), property: "value")
        }
    }

    /// Stores the row; an equal one is not written.
    func store(for device: String, in transaction: WriteTransaction) throws {
        try transaction.setLibraryMetadata(String(decoding: data, as: UTF8.self), for: Self.name(of: device))
    }

    /// The name of the metadata of a device.
    static func name(of device: String) -> String { prefix + device }

    /// The beginning of the names of all devices' metadata.
    private static let prefix = "sync.service.device."

    /// Returns the rows of an epoch by device, without those of removed devices.
    ///
    /// Devices of former epochs have taken other identifiers since.
    ///
    /// - Complexity: O(number of devices)
    static func all(of epoch: String, in transaction: ReadTransaction) throws -> [(device: String, row: DeviceRow)] {
        var rows: [(device: String, row: DeviceRow)] = []
        for (name, text) in try transaction.metadata(prefix: prefix) {
            guard let row = try? DeviceRow(MessageReader(Data(text.utf8))), row.epoch == epoch, !row.isRemoved else {
                continue
            }
            // An identifier may begin with a scalar that is one character with the last one of the prefix.
            rows.append((String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self), row))
        }
        return rows
    }

    /// Removes the rows of all devices, which take other identifiers in the next epoch.
    ///
    /// - Complexity: O(number of devices)
    static func removeAll(in transaction: WriteTransaction) throws {
        for (name, _) in try transaction.metadata(prefix: prefix) {
            try transaction.setLibraryMetadata(nil, for: name)
        }
    }

    /// Returns the number of devices of an epoch, without removed ones.
    ///
    /// - Complexity: O(1), but O(number of devices) at the first handshake of an epoch
    static func count(of epoch: String, in transaction: ReadTransaction) throws -> Int {
        let parts = try transaction.metadata(countName)?.split(separator: " ", maxSplits: 1)
        if let parts, parts.count == 2, parts[1].unicodeScalars.elementsEqual(epoch.unicodeScalars),
            let count = Int(parts[0])
        {
            return count
        }
        return try all(of: epoch, in: transaction).count
    }

    /// Counts another device of an epoch.
    ///
    /// - Throws: ``RemoteError/incompatible(_:)`` beyond a limit.
    static func countAnother(in epoch: String, limit: Int?, _ transaction: WriteTransaction) throws {
        let count = try count(of: epoch, in: transaction)
        if let limit, count >= limit {
            throw RemoteError.incompatible("the account has \(limit) devices, and the service accepts no more of them")
        }
        try setCount(count + 1, of: epoch, in: transaction)
    }

    /// Stores the number of devices of an epoch.
    static func setCount(_ count: Int, of epoch: String, in transaction: WriteTransaction) throws {
        try transaction.setLibraryMetadata("\(count) \(epoch)", for: countName)
    }

    /// The name of the metadata with the number of devices and the epoch.
    static let countName = "sync.service.devices"

    private init(_ message: MessageReader) throws(MessageError) {
        epoch = try message.text("epoch")
        scope = message.has("scope") ? try message.text("scope") : nil
        start = try message.number("start")
        lacking = try message.texts("lacking")
        push = message.has("push") ? try PushResponse(message) : nil
        isRemoved = message.has("removed") ? try message.bool("removed") : false
        entities = message.has("entities") ? try message.text("entities") : nil
    }

    private var data: Data {
        var object = MessageWriter()
        object.set("epoch", epoch)
        object.set("scope", ifAny: scope, Value.string)
        object.set("start", start)
        object.set("lacking", .array(lacking.map(Value.string)))
        push?.write(to: &object)
        if isRemoved { object.set("removed", .bool(true)) }
        object.set("entities", ifAny: entities, Value.string)
        return object.data
    }
}
