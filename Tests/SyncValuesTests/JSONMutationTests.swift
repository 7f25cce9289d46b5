import DifferentialSyncTesting
import Foundation
import SyncValues
import TestSupport
import Testing

struct JSONMutationTests {
    @Test func readersOfDamagedTextAgreeOnWhatIsJSON() throws {
        let seed = SeededGenerator.testSeed(11)
        var generator = SeededGenerator(seed: seed)
        var (accepted, refused, commasAtEnd) = (0, 0, 0)
        var options = JSONOptions()
        options.allowsTrailingCommas = true
        for _ in 0..<fuzzCount(isFullScale ? 100_000 : 4_000) {
            var text = try generator.plainValue(depth: 2).jsonBytes(generator.happens(0.3) ? [.indented] : [])
            for _ in 0..<Int.random(in: 1...3, using: &generator) { generator.damage(&text) }
            // Foundation takes text with NULs for UTF-16 or UTF-32.
            if text.contains(0) { continue }
            let note: Comment = "\(String(decoding: text, as: UTF8.self)), seed \(seed)"
            // Foundation allows commas at the end.
            let value = try? Value(json: text, options: options)
            let foundation = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
            #expect((value == nil) == (foundation == nil), note)
            if let value, let foundation { #expect(value.isContent(of: foundation), note) }
            do throws(JSONError) {
                #expect(try Value(json: text) == value, note)
            } catch {
                #expect(value == nil || Self.isCommaAtEnd(error), note)
                if value != nil { commasAtEnd += 1 }
            }
            if value == nil { refused += 1 } else { accepted += 1 }
        }
        #expect(
            accepted > 100 && refused > 100 && commasAtEnd > 0,
            "\(accepted) accepted, of which \(commasAtEnd) for commas; \(refused) refused, seed \(seed)")
    }

    /// Whether a text is refused for a comma after the last element or member.
    static func isCommaAtEnd(_ error: JSONError) -> Bool {
        error.expected == "a value" && error.found == "']'"
            || error.expected == "a name in quotes" && error.found == "'}'"
    }

    @Test func damagedTaggedTextIsReadOrRefused() throws {
        let seed = SeededGenerator.testSeed(12)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<fuzzCount(isFullScale ? 100_000 : 4_000) {
            var text = Array(generator.value(depth: 2).taggedJSON.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) { generator.damage(&text) }
            guard let value = try? Value(taggedJSON: String(decoding: text, as: UTF8.self)) else { continue }
            #expect(try Value(taggedJSON: value.taggedJSON) == value, "\(value), seed \(seed)")
        }
    }

    @Test func everyPrefixIsRefused() throws {
        let text = Array(#"{"a\u00E9b":[1.5e-3,{"c":null},true,"\uD83D\uDE00"],"d":{}}"#.utf8)
        for count in 0..<text.count {
            let error = try #require(throws: JSONError.self) { try Value(json: text.prefix(count)) }
            #expect(error.code == (count == 0 ? .empty : .incomplete), "\(count)")
            #expect(error.offset == count, "\(count)")
        }
    }
}

extension SeededGenerator {
    /// Changes, takes away, doubles or moves some bytes, or puts a comma before a bracket.
    fileprivate mutating func damage(_ text: inout [UInt8]) {
        let position = Int.random(in: 0...text.count, using: &self)
        let end = Swift.min(text.count, position + Int.random(in: 1...4, using: &self))
        let special = Array("{}[]:,\"\\0123456789.-+eEtfnu/ \n\u{1F}\u{E9}\u{2028}\u{1F600}".utf8)
        switch Int.random(in: 0..<6, using: &self) {
        case 0: text.insert(special[Int.random(in: special.indices, using: &self)], at: position)
        case 1: text.removeSubrange(position..<end)
        case 2: text.insert(contentsOf: text[position..<end], at: Int.random(in: 0...text.count, using: &self))
        case 3 where position < text.count: text[position] = special[Int.random(in: special.indices, using: &self)]
        case 4 where position < text.count: text[position] = UInt8(truncatingIfNeeded: next())
        case 5:
            let ends = text.indices.filter { [UInt8(ascii: "]"), UInt8(ascii: "}")].contains(text[$0]) }
            if let end = ends.randomElement(using: &self) { text.insert(UInt8(ascii: ","), at: end) }
        default: break
        }
    }
}
