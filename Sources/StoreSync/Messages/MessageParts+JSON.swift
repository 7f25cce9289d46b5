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
        guard digest.utf8.count == 32, digest.allSatisfy(\.isHexDigit), let high = UInt64(digest.prefix(16), radix: 16),
            let low = UInt64(digest.suffix(16), radix: 16)
        else { throw message.error("digest", "expected 32 hexadecimal digits") }
        self.init(count: try message.number("count"), high: high, low: low)
    }

    private static func text(_ half: UInt64) -> String {
        let digits = String(half, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension SyncLimits {
    var json: Value {
        var object = MessageWriter()
        object.set("pageRecords", pageRecords)
        object.set("pushRecords", pushRecords)
        object.set("bytes", bytes)
        object.set("pushBytes", pushBytes)
        return object.json
    }

    init(_ message: MessageReader) throws(MessageError) {
        self.init(
            pageRecords: try message.size("pageRecords"), pushRecords: try message.size("pushRecords"),
            bytes: try message.size("bytes"),
            pushBytes: message.has("pushBytes") ? try message.size("pushBytes") : nil)
    }
}
