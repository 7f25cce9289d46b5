/// The stored form of text.
///
/// PostgreSQL stores no U+0000. So U+0000 becomes U+0001 U+0001, and U+0001 becomes U+0001 U+0002. All other text is
/// stored unchanged. The stored forms have the same order by bytes as the texts.
///
/// | text | stored |
/// |---|---|
/// | `a` | `a` |
/// | `a`, U+0000, `b` | `a`, U+0001, U+0001, `b` |
/// | U+0001 | U+0001, U+0002 |
enum TextForm {
    /// Whether text is stored unchanged.
    static func isPlain(_ bytes: some Sequence<UInt8>) -> Bool { !bytes.contains { $0 < 2 } }

    /// Appends the stored form of text.
    static func append(_ bytes: some Sequence<UInt8>, to stored: inout [UInt8]) {
        for byte in bytes {
            if byte < 2 { stored.append(1) }
            stored.append(byte < 2 ? byte + 1 : byte)
        }
    }

    /// Returns the text of a stored form.
    static func text(_ stored: UnsafeRawBufferPointer) -> String {
        if isPlain(stored) { return String(decoding: stored, as: UTF8.self) }
        var bytes: [UInt8] = []
        var isEscape = false
        for byte in stored {
            if byte == 1 && !isEscape {
                isEscape = true
            } else {
                bytes.append(isEscape ? byte &- 1 : byte)
                isEscape = false
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a text is found in stored forms only where it is part of the text.
    ///
    /// The second scalar of an escape may look like the beginning of a pattern.
    static func isFoundExactly(_ pattern: String) -> Bool {
        guard let first = pattern.utf8.first else { return true }
        return first > 2
    }
}
