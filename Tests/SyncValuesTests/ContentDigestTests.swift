import DifferentialSyncTesting
import Foundation
import SyncValues
import TestSupport
import Testing

struct ContentDigestTests {
    @Test func equalValuesHaveEqualDigestsAndOthersDoNot() {
        var digests: [UInt64: Value] = [:]
        for value in trickyValues {
            let digest = value.digest(seed: 7)
            if let other = digests[digest] { #expect(other == value, "\(other) and \(value)") }
            digests[digest] = value
        }
        #expect(digests.count == Set(trickyValues).count)
    }

    @Test func theFormOfEqualContentDoesNotCount() {
        let compact = Decimal(1)
        let spread =
            Decimal(string: "340282366920938463463374607431.0")! / Decimal(string: "340282366920938463463374607431")!
        for (one, other) in [
            (Value.double(0), .double(-0.0)), (.double(.nan), .double(-.nan)), (.decimal(compact), .decimal(spread)),
            (.date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: -0.0))),
            (["a": 1, "b": ["c": 2, "d": 3]], ["b": ["d": 3, "c": 2], "a": 1]),
        ] as [(Value, Value)] {
            #expect(one == other)
            #expect(one.hashValue == other.hashValue)
            #expect(one.digest(seed: 1) == other.digest(seed: 1), "\(one)")
        }
    }

    @Test func bordersBetweenValuesCount() {
        let groups: [[Value]] = [
            [], [.null], [.null, .null], [[]], [[.null]], [""], ["", ""], ["a", "b"], ["ab"], ["ab", ""], ["", "ab"],
            [["a"], "b"], [["a", "b"]], [["a": "b"]], [["a": .null], "b"], [[:]], [0], [1], [.double(1)], [.decimal(1)],
            [.bool(true)], [.bool(false)], [.bytes(Data("ab".utf8))], [.url(URL(string: "ab")!)], ["a", "b", .null],
        ]
        #expect(Set(groups.map { ContentDigest.digest(of: $0, seed: 3) }).count == groups.count)
    }

    @Test func everyByteOfEveryLengthCounts() {
        var digests: Set<UInt64> = []
        var count = 0
        for length in 0...70 {
            let text = [UInt8](repeating: 97, count: length)
            digests.insert(ContentDigest.digest(of: [.bytes(Data(text))], seed: 1))
            count += 1
            for position in text.indices {
                var changed = text
                for byte: UInt8 in [96, 98, 225] {
                    changed[position] = byte
                    digests.insert(ContentDigest.digest(of: [.bytes(Data(changed))], seed: 1))
                    count += 1
                }
            }
        }
        #expect(digests.count == count)
    }

    @Test func membersThatSwapValuesCount() {
        var digests: Set<UInt64> = []
        let side: Int64 = isFullScale ? 400 : 60
        for one in 0..<side {
            for other in 0..<side {
                let value: Value = ["a": .integer(one), "b": .integer(other)]
                digests.insert(value.digest(seed: 0))
            }
        }
        #expect(digests.count == Int(side * side))
    }

    @Test func similarRecordsDoNotCollide() {
        var digests: Set<UInt64> = []
        let count: Int64 = isFullScale ? 1_000_000 : 20_000
        for id in 0..<count {
            digests.insert(ContentDigest.digest(of: [.integer(id), "name", .integer(id / 2), .double(0.5)], seed: 0))
        }
        #expect(digests.count == Int(count))
    }

    @Test func everyBitOfTheDigestDependsOnTheContentAndTheSeed() {
        // Each bit should be set in half of the digests; six standard deviations are allowed.
        let count = 4_096
        let limit = 6 * Double(count).squareRoot() / 2
        let bySeed = (0..<count).map { Value.string("content").digest(seed: UInt64($0)) }
        let byContent = (0..<count).map { Value.integer(Int64($0)).digest(seed: 0) }
        for digests in [bySeed, byContent] {
            for bit in 0..<64 {
                let ones = digests.filter { $0 >> UInt64(bit) & 1 == 1 }.count
                #expect(abs(Double(ones - count / 2)) < limit, "bit \(bit): \(ones) of \(count)")
            }
        }
    }

    @Test func randomValuesHaveTheDigestsOfTheirEquals() {
        let seed = SeededGenerator.testSeed(4)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<(isFullScale ? 20_000 : 1_000) {
            let value = generator.value()
            let shuffled = value.shuffled(using: &generator)
            #expect(value == shuffled, "seed \(seed)")
            #expect(value.digest(seed: seed) == shuffled.digest(seed: seed), "\(value), seed \(seed)")
        }
    }

    @Test func aPreparedTextHasTheDigestOfTheText() {
        for count in 0...40 {
            let text = String("a longer text than the words of a short one".prefix(count))
            var (plain, prepared) = (ContentDigest(seed: 7), ContentDigest(seed: 7))
            plain.combine(text)
            prepared.combine(ContentDigest.Text(text))
            #expect(plain.finalize() == prepared.finalize(), "\(count) bytes")
        }
    }

    @Test func twoDigestsOfAValueAreThoseOfEachSeed() {
        let values: [Value] = [.null, 1, 1.5, true, "", "short", "a text of more than sixteen bytes", [1, "x"]]
        for value in values {
            var (first, second) = (ContentDigest(seed: 1), ContentDigest(seed: 2))
            ContentDigest.combine(value, into: &first, &second)
            #expect(first.finalize() == value.digest(seed: 1), "\(value)")
            #expect(second.finalize() == value.digest(seed: 2), "\(value)")
        }
    }

    @Test func digestsStayWhatTheyAre() {
        // They are stored: a change of these makes every record of every user look changed.
        let golden: [(Value, UInt64)] = [
            (.null, 0xEEF7_2B8B_14F6_A793), (.bool(true), 0x77C0_D135_A67F_3EF3), (.integer(-1), 0x6E00_94A7_2D59_787A),
            (.double(1.5), 0x1B44_85D8_481C_79ED),
            (.decimal(Decimal(string: "-12.50")!), 0x3E9D_D900_F4C1_8E4F),
            ("", 0x9CD9_A002_6F43_02CA), ("abc", 0x2816_54C1_9C42_0CDF), ("abcdef", 0x00DE_AB8C_8243_4260),
            ("abcdefghij", 0xACEF_BD82_07CD_2520), ("abcdefghijklmnopqrstuvwxyz", 0xA24B_7E89_40A9_A13C),
            ("\u{E9}\u{1F468}", 0xC19E_EF09_9966_45A3),
            (.bytes(Data([1, 2, 3])), 0x67FF_B662_1892_CC9E),
            (.date(Date(timeIntervalSinceReferenceDate: 0.25)), 0x78DB_FCC2_5717_0624),
            (.uuid(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")!), 0x9D7C_7F5A_7384_26AD),
            (.url(URL(string: "https://example.org/")!), 0x50E2_2927_8A94_30FC),
            ([1, [2, "x"]], 0xDCF7_D823_EFA3_14E4), (["b": 1, "a": [:]], 0x3792_E9DF_48FD_C80C),
        ]
        for (value, digest) in golden { #expect(value.digest(seed: 42) == digest, "\(value)") }
        #expect(ContentDigest.digest(of: golden.map(\.0), seed: 42) == 0x9C95_F1F2_764C_838C)
        #expect(ContentDigest.digest(of: golden.map(\.0), seed: 0) == 0x030A_7756_BF72_7F11)
        #expect(ContentDigest.digest(of: [], seed: 42) == 0x9057_AC38_600B_6043)
    }
}

extension Value {
    /// The value with the members of its objects in another order.
    func shuffled(using generator: inout SeededGenerator) -> Value {
        switch self {
        case .array(let elements): return .array(elements.map { $0.shuffled(using: &generator) })
        case .object(let object):
            let members = object.members.map {
                ValueObject.Member(name: $0.name, value: $0.value.shuffled(using: &generator))
            }
            return .object(ValueObject(members.shuffled(using: &generator)))
        default: return self
        }
    }
}
