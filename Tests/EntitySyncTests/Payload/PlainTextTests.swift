import SyncPersistence
import Testing

@testable import EntitySync

/// Keys that are digested without being decoded.
struct PlainTextTests {
    @Test func textHasTheDigestAndTheTokenOfItsValue() throws {
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
        arguments: [
            (#""ab""#, "ab"), (#""""#, ""), (#""a long text, with, commas" "#, "a long text, with, commas"),
            (#""a\\""#, nil), (#""a\"b""#, nil), (#""long before \u0041""#, nil), (#""ab"#, nil), ("12", nil),
            ("", nil),
        ] as [(String, String?)])
    func onlyTextWithoutEscapesIsUsedAsItStands(json: String, text: String?) {
        Array(json.utf8).withUnsafeBytes { bytes in
            let found = JSONSkipper(bytes: bytes).plainText(0)
            #expect(found.map { String(decoding: $0, as: UTF8.self) } == text)
        }
    }
}
