import Foundation
import SyncPersistence
import Testing

/// The examples in the comments of `Sources/SyncValues/Coding`.
struct DocCommentExamplesOfCoding {
    @Test func encodingAndDecoding() throws {
        struct Place: Codable, Equatable {
            var name: String
            var visited: Date?
        }

        let value = try ValueEncoder().encode(Place(name: "Oulu", visited: nil))  // {"name": "Oulu"}
        let place = try ValueDecoder().decode(Place.self, from: value)
        #expect(value == ["name": "Oulu"])
        #expect(place == Place(name: "Oulu", visited: nil))
    }

    @Test func decodingJSON() throws {
        struct Point: Decodable {
            var x: Int
            var time: Date
        }

        let point = try ValueDecoder().decode(Point.self, from: ["x": 3, "time": "2026-01-31T12:00:00Z"])
        #expect(point.x == 3)
        #expect(point.time == Date(timeIntervalSinceReferenceDate: 791_553_600))
    }
}
