import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a remote's values become bytes, and bytes a remote's values, so that each way undoes the other.
///
/// Bytes are *content* if they are the JSON of a value that is not null, on one line as this library writes it; unless
/// that value is text which is *plain base64*: the base64 of bytes that are no content. Content stands for its value,
/// and any other bytes for their base64 text. So `["football"]` is kept as its JSON, a picture in base64 as the bytes
/// of the picture, and the bytes of a JSON file leave as JSON.
enum BytesContent {
    /// The bytes of a remote's value, which is not null; nil if it is not JSON or too deep.
    ///
    /// - Complexity: O(*n*) for a value of size *n*
    static func bytes(of remote: Value) -> Data? {
        if case .bytes(let bytes) = remote { return bytes }
        guard !remote.isNull, let content = remote.jsonContent() else { return nil }
        if case .string(let text) = content, let bytes = bytes(base64: text), value(in: bytes) == nil { return bytes }
        return (try? content.jsonBytes()).map { Data($0) }
    }

    /// The value of a remote that bytes are exported as.
    ///
    /// - Complexity: O(*n*) for *n* bytes
    static func remoteValue(of bytes: Data) -> Value {
        value(in: bytes) ?? .string(bytes.base64EncodedString())
    }

    /// The value that bytes are the content of; nil if they are none.
    private static func value(in bytes: Data) -> Value? {
        guard let value = json(in: bytes) else { return nil }
        // Text that is base64 tells by what it is the base64 of, which is shorter: it is plain if that is no content.
        var inner = value
        while case .string(let text) = inner, let bytes = Self.bytes(base64: text) {
            guard let next = json(in: bytes) else { return nil }
            inner = next
        }
        return value
    }

    /// The value that is not null and has the bytes as its JSON, as this library writes it.
    private static func json(in bytes: Data) -> Value? {
        guard let value = try? Value(json: bytes), !value.isNull, let written = try? value.jsonBytes(),
            Data(written) == bytes
        else { return nil }
        return value
    }

    /// The bytes of base64 text in the one form of RFC 4648 that each has, padded; nil if it is not in that form.
    private static func bytes(base64 text: String) -> Data? {
        guard text.utf8.count % 4 == 0, let bytes = Data(base64Encoded: text), bytes.base64EncodedString() == text
        else { return nil }
        return bytes
    }
}
