import Foundation
import SyncValues
import Testing

/// Values that are nested far deeper than JSON from a remote may be.
struct DeepValueTests {
    private static func nested(_ depth: Int, around value: Value, inObjects: Bool, reversed: Bool = false) -> Value {
        (0..<depth).reduce(value) { inner, _ in
            if !inObjects { return [inner] }
            return reversed ? ["b": 1, "a": inner] : ["a": inner, "b": 1]
        }
    }

    @Test(arguments: [false, true])
    func nestingOfTenThousandLevelsIsComparedHashedAndWritten(inObjects: Bool) throws {
        let one = Self.nested(10_000, around: 1, inObjects: inObjects)
        let same = Self.nested(10_000, around: 1, inObjects: inObjects, reversed: true)
        let other = Self.nested(10_000, around: 2, inObjects: inObjects)
        #expect(one == same)
        #expect(one != other)
        #expect(one.hashValue == same.hashValue)
        #expect(one.digest(seed: 7) == same.digest(seed: 7))
        #expect(one.digest(seed: 7) != other.digest(seed: 7))
        #expect(one.order(to: same) == .same)
        #expect(one.order(to: other) == .ascending)
        #expect(other.order(to: one) == .descending)
        #expect(!one.description.isEmpty)
        let json = try one.json
        #expect(json.utf8.count == (inObjects ? 12 * 10_000 + 1 : 2 * 10_000 + 1))
        #expect(try same.json(.sortedNames) == json)
        #expect(one.taggedJSON.utf8.count > json.utf8.count || !inObjects)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(one) }
    }

    @Test
    func notANumberDeepInAValueIsFoundWithItsPath() throws {
        let value = Self.nested(3, around: ["x y": [0, .double(.nan)]], inObjects: true)
        let error = #expect(throws: JSONRepresentationError.self) { try value.json }
        #expect(error?.path == #".a.a.a["x y"][1]"#)
    }

    @Test
    func equalityOfObjectsIsLinearInTheirDepth() {
        // 2^60 comparisons otherwise.
        let one = Self.nested(60, around: 1, inObjects: true)
        let other = Self.nested(60, around: 2, inObjects: true)
        let reversed = Self.nested(60, around: 1, inObjects: true, reversed: true)
        #expect(one != other)
        #expect(one == reversed)
        #expect(reversed != other)
    }

    @Test
    func limitOfDepthHasACeiling() throws {
        var options = JSONOptions()
        options.depthLimit = 1_000_000
        #expect(options.depthLimit == JSONOptions.maximumDepthLimit)
        let text = { (depth: Int) in
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        let value = try Value(json: text(JSONOptions.maximumDepthLimit), options: options)
        #expect(try value.json == text(JSONOptions.maximumDepthLimit))
        let error = #expect(throws: JSONError.self) {
            try Value(json: text(JSONOptions.maximumDepthLimit + 1), options: options)
        }
        #expect(error?.code == .tooDeep)
    }
}
