import EntitySync
import Foundation
import SyncPersistence
import Testing

/// The beginning of a day of UTC, `2014-02-14`.
func day(_ text: String) throws -> Date {
    try instant("\(text)T00:00:00Z")
}

/// The point in time of a text of RFC 3339 without fraction.
func instant(_ text: String) throws -> Date {
    try #require(ISO8601DateFormatter().date(from: text))
}

extension Sequence {
    /// What a function makes of the elements, one after the other.
    func asyncMap<Result>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
