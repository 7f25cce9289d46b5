import Foundation
import SyncValues
import Testing

struct ValueCoderErrorTests {
    struct Inner: Codable {
        var number: UInt8
        var id: UUID?
    }

    struct Outer: Codable {
        var list: [Inner]
    }

    /// What is wrong with a value, and where.
    private func fault<Content: Decodable>(_ type: Content.Type, _ value: Value) -> String {
        func text(_ context: DecodingError.Context) -> String {
            context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".") + ": "
                + context.debugDescription
        }
        do {
            _ = try ValueDecoder().decode(type, from: value)
            return "none"
        } catch DecodingError.typeMismatch(let type, let context) {
            return "mismatch \(type) \(text(context))"
        } catch DecodingError.valueNotFound(let type, let context) {
            return "null \(type) \(text(context))"
        } catch DecodingError.keyNotFound(let key, let context) {
            return "key \(key.stringValue) \(text(context))"
        } catch DecodingError.dataCorrupted(let context) {
            return "corrupted \(text(context))"
        } catch {
            return "\(error)"
        }
    }

    @Test func errorsSayWhatAndWhere() {
        #expect(fault(Outer.self, ["list": [["number": 1]]]) == "none")
        #expect(
            fault(Outer.self, ["list": [["number": 1], ["number": "2"]]])
                == "mismatch UInt8 list.1.number: expected a UInt8, found text")
        #expect(
            fault(Outer.self, ["list": [["number": 300]]])
                == "corrupted list.0.number: expected a whole number from 0 to 255")
        #expect(
            fault(Outer.self, ["list": [["number": nil]]])
                == "null UInt8 list.0.number: expected a UInt8, found null")
        #expect(fault(Outer.self, ["list": [[:]]]) == "key number list.0: there is no member 'number'")
        #expect(
            fault(Outer.self, ["list": [["number": 1, "id": "x"]]])
                == "corrupted list.0.id: expected a UUID of 36 characters")
        #expect(
            fault(Outer.self, ["list": ["number": 1]])
                == "mismatch Array<Value> list: expected an array, found an object"
        )
        #expect(fault(Outer.self, []) == "mismatch Dictionary<String, Value> : expected an object, found an array")
        #expect(
            fault(Data.self, "?") == "corrupted : expected base64 text")
        #expect(
            fault(Flattened.self, ["inner": ["x": 1, "y": 2], "list": [[1]]])
                == "null KeyedDecodingContainer<Inner> list.1: expected one more element, and the array has only 1")
    }

    private struct Failing: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(1)
            var nested = container.nestedUnkeyedContainer()
            try nested.encode(Thrower())
        }

        struct Thrower: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(0, .init(codingPath: encoder.codingPath, debugDescription: "refused"))
            }
        }
    }

    private struct Silent: Encodable {
        func encode(to encoder: any Encoder) throws {}
    }

    @Test func encodersKnowWhereTheyAre() throws {
        do {
            _ = try ValueEncoder().encode(["a": Failing()])
            Issue.record("nothing was thrown")
        } catch EncodingError.invalidValue(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1", "Index 0"])
            #expect(context.codingPath.map(\.intValue) == [nil, 1, 0])
        }
        #expect(throws: EncodingError.self) { try ValueEncoder().encode(Silent()) }
        #expect(try ValueEncoder().encode([Silent()]) == [[:]])
    }

    private struct Digger: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for _ in 0..<100_000 {
                var nested = container.nestedUnkeyedContainer()
                try nested.encode(1)
                container = nested
            }
        }
    }

    @Test func depthIsLimited() throws {
        // Of 511 links, the last is an object in 511 others.
        let deepest = try ValueEncoder().encode(Chain(length: 511))
        #expect(try Value(json: deepest.json) == deepest)
        _ = try ValueDecoder().decode(Chain.self, from: deepest)
        #expect(throws: EncodingError.self) { try ValueEncoder().encode(Chain(length: 512)) }
        #expect(throws: EncodingError.self) { try ValueEncoder().encode(Digger()) }
        #expect(throws: DecodingError.self) { try ValueDecoder().decode(Chain.self, from: ["next": deepest]) }
    }
}
