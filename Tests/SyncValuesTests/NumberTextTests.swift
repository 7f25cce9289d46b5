import DifferentialSyncTesting
import Foundation
import SyncValues
import TestSupport
import Testing

struct NumberTextTests {
    @Test(
        arguments: [
            ("1", 1, 1), ("-12", -12, -12), ("1.5", 1.5, .decimal(Decimal(string: "1.5")!)),
            ("1e2", 100.0, .decimal(100)),
            ("1e400", nil, nil),
            ("9223372036854775808", .double(0x1p63), .decimal(Decimal(string: "9223372036854775808")!)),
            ("", nil, nil), (" 1", nil, nil), ("1 ", nil, nil), ("01", nil, nil), ("+1", nil, nil), ("1.", nil, nil),
            (".5", nil, nil), ("-", nil, nil), ("1e", nil, nil), ("1,", nil, nil), ("true", nil, nil),
            ("\"1\"", nil, nil),
            ("[1]", nil, nil), ("nan", nil, nil),
        ] as [(String, Value?, Value?)])
    func textIsANumberOfJSON(text: String, number: Value?, exact: Value?) {
        #expect(Value(number: text) == number)
        #expect(Value(number: text, readsDecimals: true) == exact)
    }

    @Test func aTextIsTheNumberThatJSONHas() {
        let seed = SeededGenerator.testSeed(51)
        var generator = SeededGenerator(seed: seed)
        let characters = Array("0011223456789.eE+- ")
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...7, using: &generator)
            let text = String((0..<count).map { _ in characters.randomElement(using: &generator)! })
            let isPadded = text.hasPrefix(" ") || text.hasSuffix(" ")
            #expect(Value(number: text) == (isPadded ? nil : try? Value(json: text)), "\"\(text)\", seed \(seed)")
        }
    }

    @Test func decimalsHaveTheDoubleNextToThem() throws {
        let seed = SeededGenerator.testSeed(52)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 50_000 : 3_000) {
            let decimal = generator.decimal()
            #expect(decimal.nearestDouble == Double(decimal.exactText), "\(decimal), seed \(seed)")
            let short = Decimal(Int64.random(in: -99_999...99_999, using: &generator)) / 1_000
            #expect(short.nearestDouble == Double(short.exactText), "\(short), seed \(seed)")
        }
        #expect(Decimal.nan.nearestDouble == nil)
    }

    @Test func decimalsAreIntegersOfSixtyFourBitsOrNot() {
        let seed = SeededGenerator.testSeed(53)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3_000 {
            let integer = Int64(truncatingIfNeeded: generator.next()) >> Int.random(in: 0..<64, using: &generator)
            #expect(Decimal(integer).exactInteger == integer, "seed \(seed)")
            #expect(Decimal(string: "\(integer).5")?.exactInteger == nil, "\(integer), seed \(seed)")
            let decimal = generator.decimal()
            #expect(decimal.exactInteger == Int64(decimal.exactText), "\(decimal), seed \(seed)")
        }
        for (text, integer) in [
            ("9223372036854775807", Int64.max), ("-9223372036854775808", .min), ("9223372036854775808", nil),
            ("-9223372036854775809", nil), ("18446744073709551616", nil), ("18446744073709551617", nil), ("1e127", nil),
            ("92233720368547758070", nil), ("1e18", 1_000_000_000_000_000_000), ("1e19", nil), ("0", 0),
        ] {
            #expect(Decimal(string: text)?.exactInteger == integer, "\(text)")
        }
        #expect(Decimal.nan.exactInteger == nil)
    }
}
