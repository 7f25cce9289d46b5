import DifferentialSyncTesting
import Foundation
import SyncPersistence
import TestSupport
import Testing

@testable import EntitySync

/// A value of a remote, a type, and the value that the type makes of it.
struct Conversion: CustomTestStringConvertible, Sendable {
    let type: AttributeType
    let remote: Value
    let value: Value?

    init(_ type: AttributeType, _ remote: Value, _ value: Value?) {
        (self.type, self.remote, self.value) = (type, remote, value)
    }

    var testDescription: String { "\(remote) as \(type)" }
}

struct ConversionTests {
    @Test(arguments: integers + doubles + decimals + truths + texts + identifiers + containers)
    func remoteValuesAreConvertedToTheTypeOfTheAttribute(_ conversion: Conversion) {
        let value = conversion.type.converted(conversion.remote)
        #expect(value == conversion.value)
        if let value { #expect(conversion.type.admits(value)) }
    }

    @Test(arguments: AttributeType.allCases)
    func nullStaysNullForEachType(type: AttributeType) {
        #expect(type.converted(.null) == .null)
    }

    /// V01: the values of the fixture, of which the texts arrive in attributes of numbers.
    @Test func attributesOfEachTypeAreFilled() throws {
        let twelve = Value.decimal(Decimal(string: "12.2")!)
        var exact = JSONOptions()
        exact.readsDecimals = true
        for options in [JSONOptions(), exact] {
            let json = try Value(json: #"["16", 16, "12.2", 12.2, true, "Data", "a"]"#, options: options)
            guard case .array(let values) = json else { return }
            #expect(AttributeType.integer.converted(values[0]) == 16)
            #expect(AttributeType.integer.converted(values[1]) == 16)
            #expect(AttributeType.decimal.converted(values[2]) == twelve)
            #expect(AttributeType.decimal.converted(values[3]) == twelve)
            #expect(AttributeType.double.converted(values[2]) == 12.2)
            #expect(AttributeType.double.converted(values[3]) == 12.2)
            #expect(AttributeType.bool.converted(values[4]) == true)
            #expect(AttributeType.string.converted(values[6]) == "a")
        }
    }

    @Test func aValueOfItsOwnTypeIsUnchanged() throws {
        let seed = SeededGenerator.testSeed(42)
        var random = RandomValues(seed: seed)
        for type in AttributeType.allCases {
            for _ in 0..<200 {
                let value = random.value(of: type)
                if case .double(let number) = value, number.isInfinite { continue }
                #expect(type.converted(value) == value, "\(type), seed \(seed)")
            }
        }
    }

    @Test func aValueWrittenAsJSONReadsBack() throws {
        let seed = SeededGenerator.testSeed(43)
        var random = RandomValues(seed: seed)
        for type in AttributeType.allCases where type != .bytes {
            for _ in 0..<200 {
                let value = random.value(of: type)
                // Not every double and date has JSON.
                guard let text = try? value.json else { continue }
                for readsDecimals in type == .decimal ? [true] : [false, true] {
                    var options = JSONOptions()
                    options.readsDecimals = readsDecimals
                    let read = type.converted(try Value(json: text, options: options))
                    if case .date(let date) = value, case .date(let other) = read {
                        #expect(abs(date.timeIntervalSince(other)) <= 1e-6 || date.internetText == other.internetText)
                    } else {
                        #expect(read == value, "\(type), \(text), seed \(seed)")
                    }
                }
            }
        }
    }

    @Test func hostileTextTakesNoLongerPerCharacter() {
        for part in ["1", "0", "-", "9.", "1e", "{", "é", "2014-01-02T"] {
            let text = String(repeating: part, count: 300_000)
            for type in AttributeType.allCases {
                let value = type.converted(.string(text))
                let isKept = type == .string || type == .bytes || type == .json
                // Digits alone are a relative locator.
                if type != .url { #expect((value != nil) == isKept, "\(part) as \(type)") }
            }
        }
    }
}
