import SyncPersistence

extension SyncCursor {
    var json: Value {
        var object = MessageWriter()
        object.set("epoch", epoch)
        object.set("sequence", sequence)
        return object.json
    }

    init(_ message: MessageReader) throws(MessageError) {
        self.init(epoch: try message.text("epoch"), sequence: try message.number("sequence"))
    }
}

extension PushName {
    var json: Value {
        var object = MessageWriter()
        object.set("number", number)
        object.set("name", name)
        return object.json
    }

    init(_ message: MessageReader) throws(MessageError) {
        self.init(number: try message.number("number"), name: try message.text("name"))
    }
}

extension StoreFingerprint {
    var json: Value {
        var object = MessageWriter()
        object.set("count", count)
        object.set("digest", Self.text(high) + Self.text(low))
        return object.json
    }

    init(_ message: MessageReader) throws(MessageError) {
        let digest = try message.text("digest")
        guard digest.utf8.count == 32, let high = UInt64(digest.prefix(16), radix: 16),
            let low = UInt64(digest.suffix(16), radix: 16)
        else { throw message.error("digest", "expected 32 hexadecimal digits") }
        self.init(count: try message.number("count"), high: high, low: low)
    }

    private static func text(_ half: UInt64) -> String {
        let digits = String(half, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension PullResponse.Entry {
    var json: Value {
        var object = MessageWriter()
        object.set("entity", id.entity)
        object.set("key", id.key.taggedForm)
        switch state {
        case .present(let values): object.set("values", values: values)
        case .deleted: object.set("state", "deleted")
        case .outOfScope: object.set("state", "outOfScope")
        }
        return object.json
    }

    init(_ message: MessageReader) throws(MessageError) {
        let id = RecordID(try message.text("entity"), try message.tagged("key"))
        if message.has("values") {
            self.init(id, .present(try message.values("values")))
            return
        }
        switch try message.text("state") {
        case "deleted": self.init(id, .deleted)
        case "outOfScope": self.init(id, .outOfScope)
        default: throw message.error("state", "expected \"deleted\" or \"outOfScope\"")
        }
    }
}

extension Mutation {
    var json: Value {
        var object = MessageWriter()
        object.set("entity", id.entity)
        object.set("key", id.key.taggedForm)
        switch change {
        case .insert(let values): object.set("insert", values: values)
        case .update(let values): object.set("update", values: values)
        case .delete: object.set("delete", .bool(true))
        }
        return object.json
    }

    init(_ message: MessageReader) throws(MessageError) {
        let id = RecordID(try message.text("entity"), try message.tagged("key"))
        let change: Change =
            if message.has("insert") {
                .insert(try message.values("insert"))
            } else if message.has("update") {
                .update(try message.values("update"))
            } else if message.has("delete") {
                .delete
            } else {
                throw MessageError(path: message.path, problem: "expected \"insert\", \"update\" or \"delete\"")
            }
        self.init(id, change)
    }
}

extension PushResponse.Outcome {
    var json: Value {
        var object = MessageWriter()
        switch self {
        case .accepted(let amended, let key):
            object.set("outcome", "accepted")
            if let amended { object.set("amended", values: amended) }
            object.set("key", ifAny: key, \.taggedForm)
        case .conflict: object.set("outcome", "conflict")
        case .refused(let code, let reason):
            object.set("outcome", "refused")
            object.set("code", code)
            object.set("reason", reason)
        case .later(let seconds):
            object.set("outcome", "later")
            object.set("after", ifAny: seconds) { .integer(Int64($0)) }
        case .blocked(let id):
            object.set("outcome", "blocked")
            object.set("entity", id.entity)
            object.set("key", id.key.taggedForm)
        case .unauthorized: object.set("outcome", "unauthorized")
        }
        return object.json
    }

    init(_ message: MessageReader) throws(MessageError) {
        switch try message.text("outcome") {
        case "accepted":
            self = .accepted(
                amended: message.has("amended") ? try message.values("amended") : nil,
                // A plain nil would be the null value.
                key: try message.optional("key") { message, name throws(MessageError) in try message.tagged(name) })
        case "conflict": self = .conflict
        case "refused": self = .refused(code: try message.text("code"), reason: try message.text("reason"))
        case "later": self = .later(after: message.has("after") ? try message.count("after") : nil)
        case "blocked":
            self = .blocked(by: RecordID(try message.text("entity"), try message.tagged("key")))
        case "unauthorized": self = .unauthorized
        default: throw message.error("outcome", "the outcome is unknown to this version")
        }
    }
}
