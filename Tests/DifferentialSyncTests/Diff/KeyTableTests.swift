import DifferentialSyncTesting
import TestSupport
import Testing

@testable import DifferentialSync

struct KeyHasherTests {
    @Test func equalStringsHashAlikeHoweverTheyAreStored() {
        var hasher = KeyHasher(for: String.self)
        for length in 0...80 {
            let text = String(repeating: "abcdefgh", count: 11).prefix(length)
            let parts = text.map(String.init).joined()
            #expect(hasher.hash(String(text)) == hasher.hash(parts), "length \(length)")
        }
        #expect(!hasher.sawUnhashable)
    }

    @Test func equalStringsHaveEqualSketchesHoweverTheyAreStored() {
        var hasher = KeyHasher(for: String.self)
        for length in 0...40 {
            let text = String(repeating: "abcdefgh", count: 11).prefix(length)
            #expect(hasher.sketch(String(text)) == hasher.sketch(text.map(String.init).joined()), "length \(length)")
        }
        #expect(!hasher.sawUnhashable)
        // The Kelvin sign equals "K": between the ends it changes nothing, at an end it is noticed.
        #expect(hasher.sketch("a-prefix-\u{212A}-a-suffix") == hasher.sketch("a-prefix-K-a-suffix"))
        #expect(!hasher.sawUnhashable)
        for text in ["K", "Kelvin", "degrees K", "K-degrees", "a-prefix-K", "1234567K90123456"] {
            var hasher = KeyHasher(for: String.self)
            _ = hasher.sketch(text.replacing("K", with: "\u{212A}"))
            #expect(hasher.sawUnhashable, "\(text)")
        }
    }

    @Test func everyByteAndTheLengthCount() {
        var hasher = KeyHasher(for: String.self)
        for length in 1...40 {
            let text = Array(repeating: UInt8(ascii: "a"), count: length)
            var hashes: Set<UInt64> = [hasher.hash(String(decoding: text, as: UTF8.self))]
            for position in text.indices {
                var changed = text
                changed[position] = UInt8(ascii: "b")
                hashes.insert(hasher.hash(String(decoding: changed, as: UTF8.self)))
            }
            // A byte that differs in the bits in which two lengths do.
            for other in [length - 1, length + 1, length ^ 3] {
                let longer = Array(repeating: UInt8(ascii: "a"), count: other)
                hashes.insert(hasher.hash(String(decoding: longer, as: UTF8.self)))
            }
            #expect(hashes.count == length + 1 + Set([length - 1, length + 1, length ^ 3]).count, "length \(length)")
        }
    }

    @Test func whatIsNotASCIIIsNotHashedTheFastWay() {
        for text in ["é", "\u{212A}", "abcdefghijklmnopqrstuvwxyzé", "abcdefgé", "abcdefghijklmnopé"] {
            var hasher = KeyHasher(for: String.self)
            _ = hasher.hash(text)
            #expect(hasher.sawUnhashable, "\(text)")
            var standard = hasher.standard()
            #expect(standard.hash("\u{212A}") == standard.hash("K"))
            #expect(!standard.sawUnhashable)
        }
    }

    @Test func otherTypesAreHashedTheStandardWay() {
        #expect(!KeyHasher(for: Item.self).isFast)
        #expect(!KeyHasher(for: UInt8.self).isFast)
        var hasher = KeyHasher(for: Item.self)
        #expect(hasher.hash(Item(1)) == hasher.hash(Item(1)))
        for isFast in [
            KeyHasher(for: Int.self).isFast, KeyHasher(for: Int64.self).isFast, KeyHasher(for: UInt64.self).isFast,
            KeyHasher(for: String.self).isFast,
        ] {
            #expect(isFast)
        }
        var integers = KeyHasher(for: Int64.self)
        #expect(integers.hash(Int64(5)) == integers.hash(Int64(5)))
        #expect(integers.hash(Int64(5)) != integers.hash(Int64(-5)))
        var unsigned = KeyHasher(for: UInt64.self)
        #expect(unsigned.hash(UInt64.max) != unsigned.hash(0))
    }

    @Test func theSeedsMatter() {
        var first = KeyHasher(for: Int.self, seed: 1, multiplier: 3)
        var second = KeyHasher(for: Int.self, seed: 2, multiplier: 3)
        #expect(first.hash(77) != second.hash(77))
    }
}

struct KeyTableTests {
    @Test func whatIsInsertedIsFound() {
        let keys = (0..<1_000).map { $0 * 7 }
        var table = KeyTable(count: keys.count, hasher: KeyHasher(for: Int.self))
        for (entry, key) in keys.enumerated() {
            let earlier = table.insert(entry, hash: table.hasher.hash(key)) { keys[$0] == key }
            #expect(earlier == nil)
        }
        for (entry, key) in keys.enumerated() {
            let again = table.insert(entry, hash: table.hasher.hash(key)) { keys[$0] == key }
            let found = table.find(hash: table.hasher.hash(key)) { keys[$0] == key }
            #expect(again == entry)
            #expect(found == entry)
        }
        let missing = table.find(hash: table.hasher.hash(-1)) { keys[$0] == -1 }
        #expect(missing == nil)
        let isSound = table.isSound
        #expect(isSound)
    }

    /// Keys that all begin their search at one slot of a table whose seeds are known: what a keyless hash would allow
    /// anybody to send.
    static func collidingKeys(_ count: Int, seed: UInt64, multiplier: UInt64) -> [Int] {
        var hasher = KeyHasher(for: Int.self, seed: seed, multiplier: multiplier)
        var keys: [Int] = []
        var key = 0
        while keys.count < count {
            if hasher.hash(key) >> 54 == 0 { keys.append(key) }
            key += 1
        }
        return keys
    }

    @Test func aFloodedTableGivesTheFastHashUp() {
        let keys = Self.collidingKeys(2_000, seed: 42, multiplier: 99)
        let hasher = KeyHasher(for: Int.self, seed: 42, multiplier: 99)
        var table = KeyTable(count: keys.count, hasher: hasher)
        for (entry, key) in keys.enumerated() {
            _ = table.insert(entry, hash: table.hasher.hash(key)) { keys[$0] == key }
        }
        let isSound = table.isSound
        #expect(!isSound)
        #expect(
            table.collisions <= table.collisionBudget + keys.count, "once it is used up, an insertion costs one step")
    }

    @Test func aFloodedAlignmentStartsAgainWithTheStandardHash() {
        let keys = Self.collidingKeys(2_000, seed: 42, multiplier: 99)
        let loses = keys.map { Item($0, 0) }
        let wins = keys.reversed().map { Item($0, 1) }
        loses.withUnsafeBufferPointer { loses in
            wins.withUnsafeBufferPointer { wins in
                var alignment = Alignment(wins: wins, loses: loses)
                alignment.walk(key: \.id)
                let hasher = KeyHasher(for: Int.self, seed: 42, multiplier: 99)
                alignment.partners = [UInt32](repeating: 0, count: alignment.unpairedWins.memberCount + 1)
                let fast = alignment.matchLoses(key: \.id, keysAreUnique: true, hasher: hasher)
                #expect(!fast)
                let standard = alignment.matchLoses(key: \.id, keysAreUnique: true, hasher: hasher.standard())
                #expect(standard)
                #expect(alignment.diff()?.counts == ChangeCounts(replaced: 2_000))
            }
        }
    }

    /// Shapes that break hashes without a seed: runs, multiples of powers of two, equal low or high bits.
    static let integerShapes: [(String, @Sendable (Int) -> Int)] = [
        ("sequence", { $0 }), ("negative", { -$0 }), ("multiples of 2^32", { $0 &<< 32 }),
        ("multiples of 2^44", { $0 &<< 44 }), ("high bits", { $0 &<< 47 | 1 }), ("squares", { $0 &* $0 }),
        ("multiples of a constant of the hash", { $0 &* Int(bitPattern: 0x9E37_79B9_7F4A_7C15) }),
    ]

    static let stringShapes: [(String, @Sendable (Int) -> String)] = [
        ("numbers", { "\($0)" }), ("long common prefix", { String(repeating: "k", count: 60) + "\($0)" }),
        ("long common suffix", { "\($0)" + String(repeating: "k", count: 60) }),
        ("padded", { String(repeating: "0", count: 24 - "\($0)".count) + "\($0)" }),
        ("repeated word", { "\($0)aaaaaaaa\($0)" }),
    ]

    /// Collisions per key, for every shape under many seeds: at half load a linear probe costs half a one on average.
    static func expectFewCollisions<Key: Hashable>(
        _ shapes: [(String, @Sendable (Int) -> Key)], count: Int, seeds: Int
    ) {
        var generator = SeededGenerator(seed: 1)
        for (name, shape) in shapes {
            let keys = (0..<count).map(shape)
            var worst = 0.0
            for _ in 0..<seeds {
                let hasher = KeyHasher(for: Key.self, seed: generator.next(), multiplier: generator.next())
                var table = KeyTable(count: count, hasher: hasher)
                for entry in 0..<count {
                    _ = table.insert(entry, hash: table.hasher.hash(keys[entry])) { keys[$0] == keys[entry] }
                }
                worst = max(worst, Double(table.collisions) / Double(count))
            }
            #expect(worst < 1, "\(name): \(worst) collisions per key")
        }
    }

    @Test func chosenKeysCostNoMoreThanRandomOnes() {
        Self.expectFewCollisions(Self.integerShapes, count: 1_000, seeds: 200)
        Self.expectFewCollisions(Self.integerShapes, count: 50_000, seeds: 5)
        Self.expectFewCollisions(Self.stringShapes, count: 1_000, seeds: 50)
        Self.expectFewCollisions(Self.stringShapes, count: 50_000, seeds: 2)
    }
}

struct BitSetTests {
    @Test func membersComeInBlocksInOrder() {
        let members = [0, 1, 63, 64, 127, 200, 319, 320, 777]
        let set = BitSet(count: 778)
        for member in members { set.insert(member) }
        let count = set.memberCount
        #expect(count == members.count)
        let isEmpty = set.isEmpty
        #expect(!isEmpty)
        var found: [Int] = []
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: BitSetBlocks.length) { block in
            var blocks = BitSetBlocks(of: set)
            while true {
                let count = blocks.next(into: block)
                if count == 0 { break }
                found += block[..<count].map(Int.init)
            }
        }
        #expect(found == members)
        let ranks = set.ranks()
        for (rank, member) in members.enumerated() { #expect(set.rank(of: member, ranks) == rank) }
    }

    @Test func fullSetsHaveNoMemberTooMany() {
        for count in [0, 1, 63, 64, 65, 128, 130] { #expect(counted(BitSet(full: count)) == count) }
    }

    private func counted(_ set: borrowing BitSet) -> Int { set.memberCount }

    @Test func setOperations() {
        let first = BitSet(count: 100)
        first.insert(10..<20)
        let second = BitSet(count: 100)
        second.insert(15..<30)
        let difference = BitSet(first, without: second)
        #expect(counted(difference) == 5)
        let contained = (10..<30).filter { difference.contains($0) }
        #expect(contained == Array(10..<15))
        difference.formUnion(second)
        #expect(counted(difference) == 20)
        difference.removeAll()
        #expect(counted(difference) == 0)
    }
}
