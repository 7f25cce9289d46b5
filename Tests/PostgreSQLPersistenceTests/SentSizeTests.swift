import Foundation
import SyncPersistence
import Testing

@testable import PostgreSQLPersistence

/// The estimated sizes of values, by which records are divided into statements.
struct SentSizeTests {
    @Test func sizeOfJSONAndOfURLsGrowsWithTheirText() throws {
        let text = String(repeating: "x", count: 1_000)
        let values: [Value] = [
            ["a": .string(text)], [.string(text)], [[["a": [.string(text)]]]],
            .url(try #require(URL(string: "https://example.com/\(text)"))),
        ]
        for value in values { #expect((1_000..<1_100).contains(value.sentSize)) }
        #expect(Value.array((0..<1_000).map { .integer($0) }).sentSize > 2_000)
    }
}
