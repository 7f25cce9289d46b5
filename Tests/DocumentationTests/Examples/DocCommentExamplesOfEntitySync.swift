import EntitySync
import Foundation
import SyncPersistence
import Testing

/// The examples in the comments of `Sources/EntitySync`.
struct DocCommentExamplesOfEntitySync {
    @Test func transformers() throws {
        let prices = AttributeTransformer { remote in
            // "12.50 EUR"
            guard case .string(let text) = remote, let number = text.split(separator: " ").first else { return nil }
            return .string(String(number))
        } toRemote: { price in
            guard case .decimal(let number) = price else { return nil }
            return .string("\(number) EUR")
        }
        #expect(try prices.fromRemote("12.50 EUR") == "12.50")
        #expect(try prices.fromRemote(5) == nil)
        #expect(try prices.toRemote?(.decimal(Decimal(string: "12.5")!)) == "12.5 EUR")
        #expect(AttributeTransformer { $0 }.toRemote == nil)
    }
}
