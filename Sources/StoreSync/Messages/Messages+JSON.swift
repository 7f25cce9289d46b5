import SyncPersistence

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension HandshakeRequest: SyncMessage {
    /// The message as JSON text in UTF-8.
    public var data: Data {
        var object = MessageWriter()
        object.set("versions", .array(versions.map { .integer(Int64($0)) }))
        object.set("device", device)
        object.set("cursor", ifAny: cursor, \.json)
        object.set("lastPush", ifAny: lastPush, \.json)
        object.set("entities", names: entities)
        object.set("scope", ifAny: scope, Value.string)
        return object.data
    }

    /// Reads a message.
    ///
    /// - Throws: ``MessageError`` if the data is not JSON, or not this message.
    public init(data: Data) throws(MessageError) {
        let message = try MessageReader(data)
        self.init(
            versions: try message.numbers("versions").map { Int(clamping: $0) },
            device: try message.text("device"),
            cursor: message.has("cursor") ? try SyncCursor(message.object("cursor")) : nil,
            lastPush: message.has("lastPush") ? try PushName(message.object("lastPush")) : nil,
            entities: try message.names("entities"),
            scope: message.has("scope") ? try message.text("scope") : nil)
    }
}

extension HandshakeResponse: SyncMessage {
    /// The message as JSON text in UTF-8.
    public var data: Data {
        var object = MessageWriter()
        object.set("version", version)
        object.set("account", account)
        object.set("epoch", epoch)
        object.set("limits", limits.json)
        object.set("sequence", sequence)
        object.set("horizon", horizon)
        lastPush?.write(to: &object)
        if let entities { object.set("entities", names: entities) }
        return object.data
    }

    /// Reads a message.
    ///
    /// - Throws: ``MessageError`` if the data is not JSON, or not this message in this version.
    public init(data: Data) throws(MessageError) {
        let message = try MessageReader(data)
        self.init(
            version: try message.version(), account: try message.text("account"), epoch: try message.text("epoch"),
            limits: try SyncLimits(message.object("limits")), sequence: try message.number("sequence"),
            horizon: try message.number("horizon"), lastPush: message.has("push") ? try PushResponse(message) : nil,
            entities: message.has("entities") ? try message.names("entities") : nil)
    }
}

extension PullRequest: SyncMessage {
    /// The message as JSON text in UTF-8.
    public var data: Data {
        var object = MessageWriter()
        object.set("version", StoreProtocol.version)
        object.set("device", device)
        object.set("cursor", cursor.json)
        object.set("limit", ifAny: limit) { .integer(Int64($0)) }
        object.set("comparison", ifAny: comparison) { .integer($0) }
        return object.data
    }

    /// Reads a message.
    ///
    /// - Throws: ``MessageError`` if the data is not JSON, or not this message in this version.
    public init(data: Data) throws(MessageError) {
        let message = try MessageReader(data)
        _ = try message.version()
        self.init(
            device: try message.text("device"), cursor: try SyncCursor(message.object("cursor")),
            limit: message.has("limit") ? try message.size("limit") : nil,
            comparison: message.has("comparison") ? try message.number("comparison") : nil)
    }
}

extension PullResponse: SyncMessage {
    /// The message as JSON text in UTF-8.
    public var data: Data {
        var object = MessageWriter()
        object.set("version", StoreProtocol.version)
        object.set("cursor", cursor.json)
        object.set("hasMore", .bool(hasMore))
        object.set("remaining", remaining)
        object.set("fingerprint", ifAny: fingerprint, \.json)
        object.set("entries", rows: entries.lazy.map(\.row))
        return object.data
    }

    /// Reads a message.
    ///
    /// - Throws: ``MessageError`` if the data is not JSON, or not this message in this version.
    public init(data: Data) throws(MessageError) {
        let message = try MessageReader(data)
        _ = try message.version()
        self.init(
            entries: try message.rows("entries", of: Entry.Kind.self).map { Entry($0) },
            cursor: try SyncCursor(message.object("cursor")), hasMore: try message.bool("hasMore"),
            remaining: message.has("remaining") ? try message.count("remaining") : 0,
            fingerprint: message.has("fingerprint") ? try StoreFingerprint(message.object("fingerprint")) : nil)
    }
}

extension PushRequest: SyncMessage {
    /// The message as JSON text in UTF-8.
    public var data: Data {
        var object = MessageWriter()
        object.set("version", StoreProtocol.version)
        object.set("device", device)
        object.set("push", name.json)
        object.set("base", base.json)
        object.set("mutations", rows: mutations.lazy.map(\.row))
        return object.data
    }

    /// Reads a message.
    ///
    /// - Throws: ``MessageError`` if the data is not JSON, or not this message in this version.
    public init(data: Data) throws(MessageError) {
        let message = try MessageReader(data)
        _ = try message.version()
        self.init(
            device: try message.text("device"), name: try PushName(message.object("push")),
            base: try SyncCursor(message.object("base")),
            mutations: try message.rows("mutations", of: Mutation.Kind.self).map { Mutation($0) })
    }
}

extension PushResponse: SyncMessage {
    /// The message as JSON text in UTF-8.
    public var data: Data {
        var object = MessageWriter()
        object.set("version", StoreProtocol.version)
        write(to: &object)
        return object.data
    }

    /// Reads a message.
    ///
    /// - Throws: ``MessageError`` if the data is not JSON, or not this message in this version.
    public init(data: Data) throws(MessageError) {
        let message = try MessageReader(data)
        _ = try message.version()
        try self.init(message)
    }
}
