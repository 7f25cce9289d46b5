import SyncPersistence
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An element with a member of each kind.
private struct Measure: Codable, Identifiable, Equatable, Sendable {
    var id = 1
    var number = 1.5
    var text: String? = "a"
    var isExact = true
    var parts: [Int] = [1, 2]
    var tags: Set<String> = []
}

/// An element with members that JSON may state in several forms.
private struct Link: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var page: URL
    var project: UUID
    var size: Double
    var title: String
}

struct StoredNotationTests {
    /// The shape of records with the JSON of elements.
    private static func shape(of entity: String) throws -> Shape {
        let schema = try Schema {
            Entity(entity) {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("content", .string)
            }
        }
        return try #require(schema[entity])
    }

    /// What another program may store: small letters, a URL that is not encoded, and more digits than a double has.
    private static func foreign(_ title: String) -> String {
        #"{"id":1,"page":"http://x/ä","project":"e621e1f8-c36c-495a-93fc-0c247a3e6e5f","size":9007199254740993,"#
            + #""title":"\#(title)"}"#
    }

    @Test func anEditLeavesOtherMembersInTheirForm() throws {
        let coding = RecordCoding<Link, Int>.json(entity: "Link")
        let shape = try Self.shape(of: "Link")
        var record = Record(shape, ["id": 1, "content": .string(Self.foreign("a"))])
        for title in ["b", "c", "c"] {
            var link = try coding.element(of: record)
            link.title = title
            record = try coding.record(of: link, over: record, shape: shape)
            #expect(record["content"] == .string(Self.foreign(title)))
        }
    }

    private static let plain =
        #"{"id":1,"isExact":true,"number":1.5,"parts":[1,2],"tags":[],"text":"a"}"#

    /// The content of an element that is stored over a text.
    private func content(of element: Measure, over stored: String) throws -> Value? {
        let coding = RecordCoding<Measure, Int>.json(entity: "Measure")
        let shape = try Self.shape(of: "Measure")
        let record = Record(shape, ["id": 1, "content": .string(stored)])
        return try coding.record(of: element, over: record, shape: shape)["content"]
    }

    @Test(arguments: [
        #"{"id":1,"isExact":true,"number":1.50,"parts":[1,2],"tags":[],"text":"a"}"#,
        #"{"id":1,"isExact":true,"number":15e-1,"parts":[1,2],"tags":[],"text":"a"}"#,
        #"{"id":1,"isExact":true,"number":1.5,"parts":[1,2],"tags":[],"text":"\u0061"}"#,
        #"{"id": 1,"isExact":true,"number":1.5,"parts":[1,2],"tags":[],"text":"a"}"#,
        #"{"text":"a","id":1,"isExact":true,"number":1.5,"parts":[1,2],"tags":[]}"#,
    ])
    func anotherNotationOfEqualValuesStays(stored: String) throws {
        #expect(try content(of: Measure(), over: stored) == .string(stored))
    }

    @Test func anotherOrderOfASetStays() throws {
        let stored = #"{"id":1,"isExact":true,"number":1.5,"parts":[1,2],"tags":["b","a"],"text":"a"}"#
        for _ in 0..<20 {
            #expect(try content(of: Measure(tags: ["a", "b"]), over: stored) == .string(stored))
        }
    }

    @Test(arguments: [
        Measure(number: 2.5), Measure(number: -1.5), Measure(number: 15), Measure(text: "b"), Measure(text: "ä"),
        Measure(text: "\n"), Measure(text: nil), Measure(isExact: false), Measure(parts: [1, 3]),
        Measure(parts: [2, 1]), Measure(parts: []), Measure(tags: ["a"]),
        Measure(number: 2, text: "x", isExact: false, parts: [0]),
    ])
    private func editsAreStored(element: Measure) throws {
        let stored = try content(of: element, over: StoredNotationTests.plain)
        let coding = RecordCoding<Measure, Int>.json(entity: "Measure")
        let record = Record(try Self.shape(of: "Measure"), ["id": 1, "content": try #require(stored)])
        #expect(try coding.element(of: record) == element)
    }

    @Test(arguments: ["", "{", "[1", #"{"id":1,"isExact":true,"number":1.5,"parts":[1,2],"tags":[],"text":"a"#, "null"])
    func damagedTextsAreReplaced(stored: String) throws {
        #expect(try content(of: Measure(), over: stored) == .string(StoredNotationTests.plain))
    }
}
