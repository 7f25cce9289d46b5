import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The lossless conversion between a remote's values and bytes.
///
/// Bytes are *content* if they are the JSON of a value other than null, on one line as this library writes it. The
/// exception is text that is *plain base64*: the base64 of bytes that are not content. Content represents its value,
/// and other bytes their base64 text. So `["football"]` is stored as its JSON, a picture in base64 as the bytes of the
/// picture, and the bytes of a JSON file are exported as JSON.
enum BytesContent {
    /// Returns the bytes of a remote's value, which is not null; nil if it is not JSON or nested too deep.
    ///
    /// - Complexity: O(*n*) for a value of size *n*
    static func bytes(of remote: Value) -> Data? {
        if case .bytes(let bytes) = remote { return bytes }
        guard !remote.isNull, let content = remote.jsonContent() else { return nil }
        if case .string(let text) = content, let bytes = bytes(base64: text), value(in: bytes) == nil { return bytes }
        return (try? content.jsonBytes()).map { Data($0) }
    }

    /// Returns the value that bytes are exported as.
    ///
    /// - Complexity: O(*n*) for *n* bytes
    static func remoteValue(of bytes: Data) -> Value {
        value(in: bytes) ?? .string(bytes.base64EncodedString())
    }

    /// Returns the value whose content the bytes are; nil if they are not content.
    private static func value(in bytes: Data) -> Value? {
        guard let value = json(in: bytes) else { return nil }
        // Base64 text is plain if the bytes that it encodes, which are fewer, are not content.
        var inner = value
        while case .string(let text) = inner, let bytes = Self.bytes(base64: text) {
            guard let next = json(in: bytes) else { return nil }
            inner = next
        }
        return value
    }

    /// Returns the value other than null whose JSON the bytes are, as this library writes it.
    private static func json(in bytes: Data) -> Value? {
        guard let value = try? Value(json: bytes), !value.isNull, let written = try? value.jsonBytes(),
            Data(written) == bytes
        else { return nil }
        return value
    }

    /// Returns the bytes of padded base64 text in the canonical form of RFC 4648; nil for other text.
    private static func bytes(base64 text: String) -> Data? {
        guard text.utf8.count % 4 == 0, let bytes = Data(base64Encoded: text), bytes.base64EncodedString() == text
        else { return nil }
        return bytes
    }
}
