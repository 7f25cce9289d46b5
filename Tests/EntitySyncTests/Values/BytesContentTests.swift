import DifferentialSyncTesting
import Foundation
import SyncPersistence
import TestSupport
import Testing

@testable import EntitySync

struct BytesContentTests {
    @Test(
        arguments: [
            (["football", "soccer"], #"["football","soccer"]"#),
            (["cake": 12.5, "juice": 0.5], #"{"cake":12.5,"juice":0.5}"#),
            (true, "true"), (5, "5"), (1.0, "1.0"), ("no base64!", #""no base64!""#), ("Dat", #""Dat""#), ([], "[]"),
            ("Zg==", "f"), ("", ""), ("W10x", "[]1"),
            // The base64 of `[]`, which is content, is text for itself; that of its JSON is then content as well.
            ("W10=", #""W10=""#), ("IlcxMD0i", #""IlcxMD0i""#),
            // Not in the form of RFC 4648: bits that do not count, no padding, a line break, letters for URLs.
            ("Zh==", #""Zh==""#), ("Zg", #""Zg""#), ("Zg==\n", #""Zg==\n""#), ("-_-_", #""-_-_""#),
        ] as [(Value, String)])
    func valuesAreStoredAsBytes(value: Value, text: String) {
        #expect(BytesContent.bytes(of: value) == Data(text.utf8))
        #expect(AttributeType.bytes.converted(value) == .bytes(Data(text.utf8)))
        #expect(BytesContent.remoteValue(of: Data(text.utf8)) == value)
    }

    @Test(
        arguments: [
            ("null", "bnVsbA=="), (" []", "IFtd"), ("[1, 2]", "WzEsIDJd"), ("1.50", "MS41MA=="), ("-0", "LTA="),
            ("abc", "YWJj"),
            (#"{"a":1,"a":2}"#, "eyJhIjoxLCJhIjoyfQ=="), (#""\u0041""#, "Ilx1MDA0MSI="), (#""Zg==""#, "IlpnPT0i"),
            ("\u{FEFF}[]", "77u/W10="),
        ] as [(String, String)])
    func bytesThatAreNoContentAreBase64(text: String, base64: String) {
        let bytes = Data(text.utf8)
        #expect(BytesContent.remoteValue(of: bytes) == .string(base64))
        #expect(BytesContent.bytes(of: .string(base64)) == bytes)
    }

    /// V01, V11 and X01: a value that is stored as bytes reads back as the same JSON value.
    @Test(
        arguments: [
            "Data", "", "soccer", ["football"], ["football", "soccer", "code"], ["cake": 12.5, "juice": 0.5],
            ["one", "two"],
            [:], "null", "true", "[]", "5", "\"", "\"\"", "\u{0}", "====", "AAAA", "é", [.null],
            ["": [.null, -0.0, 0]],
        ] as [Value])
    func valuesReadBackFromBytes(value: Value) throws {
        let bytes = try #require(BytesContent.bytes(of: value))
        #expect(BytesContent.remoteValue(of: bytes) == value)
        // The same text in base64, that text again, and each in JSON.
        var texts = [value]
        for _ in 0..<12 {
            let next = try texts.flatMap { value -> [Value] in
                let json = try value.jsonBytes()
                return [.string(Data(json).base64EncodedString()), .string(String(decoding: json, as: UTF8.self))]
            }
            texts = Array(next.suffix(8))
            for text in texts {
                let bytes = try #require(BytesContent.bytes(of: text))
                #expect(BytesContent.remoteValue(of: bytes) == text)
                #expect(BytesContent.bytes(of: BytesContent.remoteValue(of: bytes)) == bytes)
            }
        }
    }

    @Test func randomValuesReadBackFromBytes() throws {
        let seed = SeededGenerator.testSeed(48)
        var random = RandomValues(seed: seed)
        for _ in 0..<(isFullScale ? 50_000 : 1_000) {
            for value in [random.value(of: .json), random.value(of: .string)] {
                let bytes = try #require(BytesContent.bytes(of: value))
                #expect(BytesContent.remoteValue(of: bytes) == value, "\(value), seed \(seed)")
            }
        }
    }

    @Test func randomBytesReadBack() throws {
        let seed = SeededGenerator.testSeed(49)
        var random = RandomValues(seed: seed)
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "\"", "[", "]", "null", "1", ".", "0", "W10=", "\\", " ", "Zg==", "a", ",", "{", "}", "\u{0}", "é",
        ]
        for _ in 0..<(isFullScale ? 50_000 : 1_000) {
            guard case .bytes(let bytes) = random.value(of: .bytes) else { continue }
            let text = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                pieces.randomElement(using: &generator)!
            }
            let json = try random.value(of: .json).jsonBytes()
            for bytes in [
                bytes, Data(text.joined().utf8), Data(json), Data(json.dropLast()), bytes.base64EncodedData(),
            ] {
                for bytes in [bytes, Data("\"\(bytes.base64EncodedString())\"".utf8)] {
                    let value = BytesContent.remoteValue(of: bytes)
                    #expect(BytesContent.bytes(of: value) == bytes, "\(bytes.base64EncodedString()), seed \(seed)")
                    #expect(AttributeType.json.admits(value))
                }
            }
        }
    }

    @Test func decimalsBecomeTheNearestDoubles() throws {
        var options = JSONOptions()
        options.readsDecimals = true
        let text = #"{"cake":12.5,"many":[1.0,0.1,1e+100]}"#
        let bytes = try #require(BytesContent.bytes(of: Value(json: text, options: options)))
        #expect(String(decoding: bytes, as: UTF8.self) == text)
        #expect(BytesContent.remoteValue(of: bytes) == (try Value(json: text)))
    }

    @Test func valuesFromCodeAreStoredAsTheirText() throws {
        for value in [.url(URL(string: "Data")!), .uuid(ConversionTests.uuid)] as [Value] {
            let text = try #require(AttributeType.string.converted(value))
            #expect(BytesContent.bytes(of: value) == BytesContent.bytes(of: text))
            #expect(BytesContent.remoteValue(of: try #require(BytesContent.bytes(of: value))) == text)
        }
        #expect(BytesContent.bytes(of: .null) == nil)
    }

    @Test func hostileInputTakesNoLongerPerByte() throws {
        // Base64 in base64 in base64, until a megabyte is reached.
        var text = "x"
        while text.utf8.count < 1_000_000 { text = Data("\"\(text)\"".utf8).base64EncodedString() }
        let bytes = try #require(BytesContent.bytes(of: .string(text)))
        #expect(BytesContent.remoteValue(of: bytes) == .string(text))
        for part in ["[", "\"", "{\"a\":", "AAAA", "1", "\\", "\u{0}"] {
            let bytes = Data(String(repeating: part, count: 200_000).utf8)
            #expect(BytesContent.bytes(of: BytesContent.remoteValue(of: bytes)) == bytes)
            let text = Value.string(String(repeating: part, count: 200_000))
            #expect(BytesContent.remoteValue(of: try #require(BytesContent.bytes(of: text))) == text)
        }
        #expect(BytesContent.bytes(of: ConversionTests.nested(512)) != nil)
        #expect(BytesContent.bytes(of: ConversionTests.nested(513)) == nil)
        #expect(BytesContent.bytes(of: [.double(.nan)]) == nil)
    }
}
