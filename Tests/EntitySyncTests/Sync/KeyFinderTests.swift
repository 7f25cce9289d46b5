import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

@testable import EntitySync

/// What finds the key of an object in its text.
struct KeyFinderTests {
    private static let schema = Result {
        try Schema {
            Entity("Simple") { Attribute("userID", .integer, isPrimaryKey: true, remoteKey: "ref") }
            Entity("Pair") {
                Attribute("left", .integer, isPrimaryKey: true)
                Attribute("right", .string, isPrimaryKey: true)
            }
            Entity("Keyless") { Attribute("text", .string) }
            Entity("Deep") { Attribute("id", .integer, isPrimaryKey: true, remoteKey: "meta.id") }
            Entity("Told", userInfo: ["sync.discriminator": "kind"]) { Attribute("id", .integer, isPrimaryKey: true) }
        }
    }

    private func finder(_ entity: String) throws -> KeyFinder? {
        try KeyFinder(Mapping(Self.schema.get(), SyncOptions()).map(of: entity))
    }

    /// The parts that are found in an object, as text up to the end of the object; nil if it does not end.
    private func parts(_ finder: inout KeyFinder, _ json: String) -> [String?]? {
        Array(json.utf8).withUnsafeBytes { bytes in
            guard let end = finder.scan(JSONSkipper(bytes: bytes), at: 0) else { return nil }
            return finder.parts.map { $0.map { String(decoding: bytes[$0..<end], as: UTF8.self) } }
        }
    }

    @Test(
        arguments: [
            (#"{"ref": 1, "userID": 2}"#, #"1, "userID": 2}"#), (#"{"userID": 2, "ref": 1}"#, "1}"),
            (#"{"user_id": 3, "userID": 2}"#, "2}"), (#"{"ref": 1, "ref": 4}"#, "4}"),
            (#"{ "\u0072ef" :5 , "a":[{"ref":6},"}\"\\"]}"#, #"5 , "a":[{"ref":6},"}\"\\"]}"#),
            (#"{"reference": 1, "Ref": 2}"#, nil), ("{}", nil), ("{ \n}", nil), (#"{"": {}, "a": ""}"#, nil),
        ] as [(String, String?)])
    func theMostDirectNameCountsAndOfEqualOnesTheLast(json: String, expected: String?) throws {
        var finder = try #require(try finder("Simple"))
        #expect(parts(&finder, json) == [expected])
    }

    @Test func findingsInOneObjectDoNotAffectTheNext() throws {
        // Members that go, come, change places and begin like others, with spaces or without.
        let objects = [
            #"{"left":1,"right":"a","other":2}"#, #"{"left":2,"right":"b","other":2}"#, #"{"left":3,"other":2}"#,
            #"{"right":"c","left":4}"#, #"{"lefty":5,"right":"d"}"#, #"{"left":6,"right":"e","other":2}"#, "{}",
            #"{"left" : 7, "right" : "f"}"#, #"{"other":8}"#, #"{"right":"g"}"#, #"{"left":9,"right":"h","left":10}"#,
        ]
        var random = SeededGenerator(seed: environmentSeed ?? 5)
        var finder = try #require(try finder("Pair"))
        for _ in 0..<1_000 {
            let json = objects.randomElement(using: &random) ?? ""
            var fresh = try #require(try self.finder("Pair"))
            #expect(parts(&finder, json) == parts(&fresh, json), "\(json)")
        }
        #expect(parts(&finder, objects[3]) == [#"4}"#, #""c","left":4}"#])
        #expect(parts(&finder, objects[9]) == [nil, #""g"}"#])
    }

    @Test func anIncompleteOrMalformedObjectHasNoEnd() throws {
        let json = #"{"left": {"a": [1, "x\"y"]}, "right": "b"}"#
        var finder = try #require(try finder("Pair"))
        #expect(parts(&finder, json) != nil)
        for length in 0..<json.count { #expect(parts(&finder, String(json.prefix(length))) == nil, "\(length)") }
        for other in [#"{"left" 1}"#, "{1: 2}", #"{"left": 1 "right": 2}"#, #"{"left": 1; "right": 2}"#] {
            #expect(parts(&finder, other) == nil, "\(other)")
        }
    }

    @Test func nestedAndDependentKeysAreFoundOtherwise() throws {
        for entity in ["Keyless", "Deep", "Told"] { #expect(try finder(entity) == nil, "\(entity)") }
    }
}
