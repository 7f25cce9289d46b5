import Foundation
import SyncPersistence
import Testing

@testable import EntitySync

struct AttributeTransformerTests {
    /// D7 and V17: `/Date(1451606400000)/` as a date.
    static let dateStrings = AttributeTransformer { remote in
        guard case .string(let text) = remote, text.hasPrefix("/Date("), text.hasSuffix(")/"),
            let milliseconds = Int64(text.dropFirst(6).dropLast(2))
        else { return nil }
        return .date(Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
    }

    @Test func aRegisteredTransformerConvertsTransformableValues() throws {
        let remote = Value.string("/Date(1451606400000)/")
        #expect(AttributeType.date.converted(remote) == nil)
        let date = Date(remoteText: "2016-01-01")!
        #expect(try Self.dateStrings.converted(remote, to: .date) == .date(date))
        // A Transformable attribute holds JSON, which has dates as text.
        #expect(try Self.dateStrings.converted(remote, to: .json) == "2016-01-01T00:00:00Z")
        #expect(try Self.dateStrings.converted("2016-01-01", to: .date) == nil)
    }

    /// D6 as L14 has it: V01's entities and the reference's list of one.
    @Test func theTransformerTakesThePlaceOfTheConversion() throws {
        let entities = AttributeTransformer { remote in
            guard case .string(let text) = remote else { return remote }
            return .string(text.replacing("&amp;", with: "&"))
        }
        #expect(try entities.converted("Foo &amp; bar", to: .string) == "Foo & bar")
        let first = AttributeTransformer { remote in
            guard case .array(let elements) = remote else { return nil }
            return elements.first
        }
        #expect(try first.converted(["bad-backend-dev"], to: .string) == "bad-backend-dev")
        #expect(try first.converted("text", to: .string) == nil)
        let negative = AttributeTransformer { _ in .integer(-1) }
        #expect(try negative.converted("16", to: .integer) == -1)
        #expect(try negative.converted(["a": 1], to: .integer) == -1)
    }

    @Test func nullDoesNotReachATransformer() throws {
        let refusing = AttributeTransformer { _ in throw CancellationError() }
        #expect(try refusing.converted(.null, to: .integer) == .null)
        #expect(throws: CancellationError.self) { try refusing.converted(1, to: .integer) }
    }

    @Test func theResultOfATransformerMustFitTheType() throws {
        let same = AttributeTransformer { $0 }
        #expect(try same.converted("12.5", to: .decimal) == ConversionTests.decimal("12.5"))
        #expect(try same.converted("abc", to: .integer) == nil)
        #expect(try same.converted(.double(.nan), to: .double) == nil)
        #expect(try AttributeTransformer { _ in .null }.converted(1, to: .integer) == .null)
        // The two meanings of nil in the documentation.
        #expect(try AttributeTransformer { $0 == 2 ? $0 : nil }.converted(1, to: .integer) == .null)
        #expect(try AttributeTransformer { $0 == 2 ? $0 : .none }.converted(1, to: .integer) == nil)
    }
}
