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
            cursor: try message.optional("cursor") { message, name throws(MessageError) in
                try SyncCursor(message.object(name))
            },
            lastPush: try message.optional("lastPush") { message, name throws(MessageError) in
                try PushName(message.object(name))
            },
            entities: try message.names("entities"),
            scope: try message.optional("scope") { message, name throws(MessageError) in try message.text(name) })
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
            entities: try message.optional("entities") { message, name throws(MessageError) in
                try message.names(name)
            })
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
            limit: try message.optional("limit") { message, name throws(MessageError) in try message.size(name) },
            comparison: try message.optional("comparison") { message, name throws(MessageError) in
                try message.number(name)
            })
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
            remaining: try message.optional("remaining") { message, name throws(MessageError) in
                try message.count(name)
            } ?? 0,
            fingerprint: try message.optional("fingerprint") { message, name throws(MessageError) in
                try StoreFingerprint(message.object(name))
            })
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
