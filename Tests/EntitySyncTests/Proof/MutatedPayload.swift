import DifferentialSyncTesting

/// JSON text that is damaged in one or two places.
struct MutatedPayload {
    var random: SeededGenerator

    /// Replacements for a part of the text.
    private static let pieces: [[UInt8]] =
        [
            "\"", "{", "}", "[", "]", ",", ":", " ", "\n", "null", "true", "-", "0", "1e999", "1e-999", "-0",
            "99999999999999999999999999", "1.", ".5", "+1", "0x1", "01", "\\", "\\u0000", "\\ud800", "\\udc00\\ud800",
            "\"\\ud83d\\ude00\"", "\"\\ud83d\"", "{\"id\": 1}", "{\"id\": 1, \"id\": 2}", "[[[[", "{}", "[]", "//",
            "/* */",
            "\"id\": 5,", "\"\": 1,", "NaN", "Infinity", "'", "{\"id\": 7}\n{\"id\": 8}", "\r\n", "\t",
        ].map { Array($0.utf8) } + [
            [0], [0xEF, 0xBB, 0xBF], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
            Array(repeating: UInt8(ascii: "["), count: 600), Array(String(repeating: "{\"a\":", count: 600).utf8),
            Array("\"notes\": \(String(repeating: "[", count: 505))\(String(repeating: "]", count: 505)),".utf8),
        ]

    /// Damages text.
    mutating func mutated(_ text: [UInt8]) -> [UInt8] {
        var text = text
        for _ in 0..<(random.happens(0.8) ? 1 : 2) { mutate(&text) }
        return text
    }

    private mutating func mutate(_ text: inout [UInt8]) {
        let place = Int.random(in: 0...text.count, using: &random)
        let end = min(text.count, place + Int.random(in: 0...8, using: &random))
        switch Int.random(in: 0..<9, using: &random) {
        case 0 where place < text.count: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: text.removeSubrange(place...)
        case 2: text.insert(contentsOf: text[place..<end], at: place)
        case 3: text.removeSubrange(place..<end)
        case 4:
            // Many members of one object.
            let unknown = (0..<300).map { "\"unknown\($0)\": \($0)" }.joined(separator: ",")
            if let brace = text.firstIndex(of: UInt8(ascii: "{")) {
                text.insert(contentsOf: Array((unknown + ",").utf8), at: brace + 1)
            }
        default:
            let piece = Self.pieces.randomElement(using: &random) ?? []
            if random.happens(0.5) {
                text.replaceSubrange(place..<end, with: piece)
            } else {
                text.insert(contentsOf: piece, at: place)
            }
        }
    }
}
