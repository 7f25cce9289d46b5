public import SyncPersistence

/// The JSON form of the messages.
///
/// Values of records are in the tagged form of `Value.taggedJSON`, so that they arrive unchanged.
extension HandshakeRequest {
    /// The message as a JSON object.
    public var json: Value {
        var object = MessageWriter()
        object.set("versions", .array(versions.map { .integer(Int64($0)) }))
        object.set("device", device)
        object.set("cursor", ifAny: cursor, \.json)
        object.set("lastPush", ifAny: lastPush, \.json)
        object.set("entities", names: entities)
        object.set("scope", ifAny: scope, Value.string)
        return object.json
    }

    /// Reads the message.
    ///
    /// - Throws: ``MessageError`` for a missing or wrong member. Unknown members are ignored.
    public init(json: Value) throws(MessageError) {
        let message = try MessageReader(json)
        versions = try message.list("versions") { value, path throws(MessageError) in
            guard case .integer(let version) = value else {
                throw MessageError(path: path, problem: "expected a whole number")
            }
            return Int(clamping: version)
        }
        device = try message.text("device")
        cursor = try message.optional("cursor") { message, name throws(MessageError) in
            try SyncCursor(message.object(name))
        }
        lastPush = try message.optional("lastPush") { message, name throws(MessageError) in
            try PushName(message.object(name))
        }
        entities = try message.names("entities")
        scope = try message.optional("scope") { message, name throws(MessageError) in try message.text(name) }
    }
}

extension HandshakeResponse {
    /// The message as a JSON object.
    public var json: Value {
        var object = MessageWriter()
        object.set("version", version)
        object.set("account", account)
        object.set("epoch", epoch)
        var sizes = MessageWriter()
        sizes.set("pageRecords", limits.pageRecords)
        sizes.set("pushRecords", limits.pushRecords)
        sizes.set("bytes", limits.bytes)
        object.set("limits", sizes.json)
        object.set("sequence", sequence)
        object.set("horizon", horizon)
        object.set("lastPush", ifAny: lastPush, \.json)
        if let entities { object.set("entities", names: entities) }
        return object.json
    }

    /// Reads the message.
    ///
    /// - Throws: ``MessageError`` for a missing or wrong member. Unknown members are ignored.
    public init(json: Value) throws(MessageError) {
        let message = try MessageReader(json)
        let sizes = try message.object("limits")
        self.init(
            version: try message.count("version"), account: try message.text("account"),
            epoch: try message.text("epoch"),
            limits: SyncLimits(
                pageRecords: try sizes.count("pageRecords"), pushRecords: try sizes.count("pushRecords"),
                bytes: try sizes.count("bytes")),
            sequence: try message.number("sequence"), horizon: try message.number("horizon"),
            lastPush: try message.optional("lastPush") { message, name throws(MessageError) in
                try PushResponse(message.object(name))
            },
            entities: try message.optional("entities") { message, name throws(MessageError) in
                try message.names(name)
            })
    }
}

extension PullRequest {
    /// The message as a JSON object.
    public var json: Value {
        var object = MessageWriter()
        object.set("device", device)
        object.set("cursor", cursor.json)
        object.set("limit", ifAny: limit) { .integer(Int64($0)) }
        object.set("comparison", ifAny: comparison) { .integer($0) }
        return object.json
    }

    /// Reads the message.
    ///
    /// - Throws: ``MessageError`` for a missing or wrong member. Unknown members are ignored.
    public init(json: Value) throws(MessageError) {
        let message = try MessageReader(json)
        self.init(
            device: try message.text("device"),
            cursor: try SyncCursor(message.object("cursor")),
            limit: try message.optional("limit") { message, name throws(MessageError) in try message.count(name) },
            comparison: try message.optional("comparison") { message, name throws(MessageError) in
                try message.number(name)
            })
    }
}

extension PullResponse {
    /// The message as a JSON object.
    public var json: Value {
        var object = MessageWriter()
        object.set("entries", .array(entries.map(\.json)))
        object.set("cursor", cursor.json)
        object.set("hasMore", .bool(hasMore))
        object.set("remaining", remaining)
        object.set("fingerprint", ifAny: fingerprint, \.json)
        return object.json
    }

    /// Reads the message.
    ///
    /// - Throws: ``MessageError`` for a missing or wrong member. Unknown members are ignored.
    public init(json: Value) throws(MessageError) {
        let message = try MessageReader(json)
        self.init(
            entries: try message.list("entries") { value, path throws(MessageError) in
                try Entry(MessageReader(value, path: path))
            },
            cursor: try SyncCursor(message.object("cursor")), hasMore: try message.bool("hasMore"),
            remaining: try message.optional("remaining") { message, name throws(MessageError) in
                try message.count(name)
            } ?? 0,
            fingerprint: try message.optional("fingerprint") { message, name throws(MessageError) in
                try StoreFingerprint(message.object(name))
            })
    }
}

extension PushRequest {
    /// The message as a JSON object.
    public var json: Value {
        var object = MessageWriter()
        object.set("device", device)
        object.set("push", name.json)
        object.set("base", base.json)
        object.set("mutations", .array(mutations.map(\.json)))
        return object.json
    }

    /// Reads the message.
    ///
    /// - Throws: ``MessageError`` for a missing or wrong member. Unknown members are ignored.
    public init(json: Value) throws(MessageError) {
        let message = try MessageReader(json)
        self.init(
            device: try message.text("device"), name: try PushName(message.object("push")),
            base: try SyncCursor(message.object("base")),
            mutations: try message.list("mutations") { value, path throws(MessageError) in
                try Mutation(MessageReader(value, path: path))
            })
    }
}

extension PushResponse {
    /// The message as a JSON object.
    public var json: Value {
        var object = MessageWriter()
        object.set("push", name.json)
        object.set("outcomes", .array(outcomes.map(\.json)))
        return object.json
    }

    /// Reads the message.
    ///
    /// - Throws: ``MessageError`` for a missing or wrong member. Unknown members are ignored.
    public init(json: Value) throws(MessageError) { try self.init(MessageReader(json)) }

    init(_ message: MessageReader) throws(MessageError) {
        self.init(
            name: try PushName(message.object("push")),
            outcomes: try message.list("outcomes") { value, path throws(MessageError) in
                try Outcome(MessageReader(value, path: path))
            })
    }
}
