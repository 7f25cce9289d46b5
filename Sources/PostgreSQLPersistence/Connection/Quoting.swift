/// Returns a text as a quoted SQL literal: `it's` becomes `'it''s'`.
///
/// By scalars: a quote that forms one character with its neighbours is doubled too.
func literal(_ text: String) -> String {
    var quoted = "'"
    for scalar in text.unicodeScalars {
        if scalar == "'" { quoted.unicodeScalars.append(scalar) }
        quoted.unicodeScalars.append(scalar)
    }
    return quoted + "'"
}

/// The longest name in PostgreSQL, in bytes.
let maximumNameLength = 63

/// Returns a name, shortened to a number of bytes if it is longer.
///
/// A shortened name ends with a digest of the whole name, so different names stay different.
func shortened(_ name: String, to limit: Int = maximumNameLength) -> String {
    if name.utf8.count <= limit { return name }
    let suffix = "~" + String(stableDigest(name), radix: 16)
    var start = ""
    var count = suffix.utf8.count
    for scalar in name.unicodeScalars {
        count += Unicode.UTF8.width(scalar)
        if count > limit { break }
        start.unicodeScalars.append(scalar)
    }
    return start + suffix
}

/// Returns a digest of a text that is the same in every process and version: FNV-1a with 64 bits.
func stableDigest(_ text: String) -> UInt64 {
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return digest
}
