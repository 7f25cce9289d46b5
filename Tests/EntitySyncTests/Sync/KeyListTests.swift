import SyncPersistence
import Testing

@testable import EntitySync

/// Keys of which text is made when somebody asks, and what finds that text.
struct KeyListTests {
    @Test("values and text stand in one order, also after some are left out")
    func order() {
        var keys = KeyList()
        keys.append(7)
        for text in ["", "a", "\u{F6}\u{1F600} and more than fifteen bytes"] {
            Array(text.utf8).withUnsafeBytes { keys.append(text: $0) }
            keys.append(.string(text + "!"))
        }
        let all: [Value] = [7, "", "!", "a", "a!", "\u{F6}\u{1F600} and more than fifteen bytes"]
        #expect((0..<6).map { keys[$0] } == all)
        #expect(keys.count == 7)
        keys.keep { $0 % 2 == 1 }
        #expect((0..<keys.count).map { keys[$0] } == [all[1], all[3], all[5]])
    }

    @Test("text has the digest and the token of its value")
    func digests() throws {
        let shape = try #require(Schema { Entity("A") { Attribute("id", .string, isPrimaryKey: true) } }["A"])
        for count in 0...40 {
            let text = String(repeating: "\u{F6}", count: count)
            Array(text.utf8).withUnsafeBytes {
                #expect(ContentDigest.digest(ofText: $0, seed: 5) == Value.string(text).digest(seed: 5))
                #expect(RecordToken.record(text: $0, of: shape) == RecordToken.record(.string(text), of: shape))
            }
        }
    }

    @Test(
        "text is taken as it stands unless it has escapes, or is none",
        arguments: [
            (#""ab""#, "ab"), (#""""#, ""), (#""a long text, with, commas" "#, "a long text, with, commas"),
            (#""a\\""#, nil), (#""a\"b""#, nil), (#""long before \u0041""#, nil), (#""ab"#, nil), ("12", nil),
            ("", nil),
        ] as [(String, String?)])
    func plainText(json: String, text: String?) {
        Array(json.utf8).withUnsafeBytes { bytes in
            let found = JSONSkipper(bytes: bytes).plainText(0)
            #expect(found.map { String(decoding: $0, as: UTF8.self) } == text)
        }
    }
}
