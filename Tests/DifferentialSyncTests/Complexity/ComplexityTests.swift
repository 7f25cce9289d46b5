import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// What an element costs stays the same however many there are: counted, not timed.
struct ComplexityTests {
    /// Release builds go up to 200,000 elements.
    static let sizes = isFullScale ? [1_000, 10_000, 200_000] : [1_000, 10_000]

    /// How the winning collection comes about from the losing one.
    enum Shape: CaseIterable {
        case identical, changed, halfChanged, shifted, insertedRun, shuffled, reversed, disjoint, sorted

        func wins<Key>(
            _ loses: [CountedElement<Key>], fresh: (Int) -> Key, using generator: inout SeededGenerator
        ) -> [CountedElement<Key>] {
            let counter = loses[0].counter
            func edited(_ share: Double) -> [CountedElement<Key>] {
                loses.enumerated().compactMap { position, element in
                    if generator.happens(share / 3) { return nil }
                    if generator.happens(share / 3) { return CountedElement(fresh(position), 0, counter) }
                    return generator.happens(share / 3) ? CountedElement(element.key, 1, counter) : element
                }
            }
            switch self {
            case .identical: return loses
            case .changed: return edited(0.03)
            case .halfChanged: return edited(0.5)
            case .shifted: return Array(loses[(loses.count / 3)...] + loses[..<(loses.count / 3)])
            case .insertedRun:
                let run = (0..<loses.count / 10).map { CountedElement(fresh($0), 0, counter) }
                return Array(loses.prefix(loses.count / 2)) + run + Array(loses.dropFirst(loses.count / 2))
            case .shuffled: return edited(0.03).shuffled(using: &generator)
            case .reversed: return loses.reversed()
            case .disjoint: return (0..<loses.count).map { CountedElement(fresh($0), 0, counter) }
            case .sorted: return edited(0.03).sorted { $0.value < $1.value }
            }
        }
    }

    /// Counted costs of one element, for each size; fails unless they stay below the limit and do not grow.
    func expectConstant(_ name: String, limit: Double, _ run: (Int) throws -> Int) rethrows {
        let costs = try Self.sizes.map { try Double(run($0)) / Double($0) }
        #expect(costs.allSatisfy { $0 < limit }, "\(name): \(costs) for \(Self.sizes) elements")
        #expect(costs.last! < costs.first! * 1.3 + 1, "\(name): \(costs) for \(Self.sizes) elements")
    }

    static func diffCost<Key: Hashable & Sendable>(
        _ count: Int, _ shape: Shape, unchecked: Bool, key: (Int, Counter) -> Key
    ) throws -> Int {
        let counter = Counter()
        var generator = SeededGenerator(seed: UInt64(count))
        let loses = (0..<count).map { CountedElement(key($0, counter), 0, counter) }
        let wins = shape.wins(loses, fresh: { key(count + $0, counter) }, using: &generator)
        (counter.comparisons, counter.keys, counter.hashes) = (0, 0, 0)
        let changes =
            try unchecked
            ? uncheckedDiff(wins: wins, loses: loses, primaryKey: \.countedKey)
            : diff(wins: wins, loses: loses, primaryKey: \.countedKey)
        #expect((changes == nil) == (shape == .identical || shape == .shifted || shape == .reversed), "\(shape)")
        return counter.total
    }

    @Test(arguments: Shape.allCases)
    func diffsOfIntegerKeys(shape: Shape) throws {
        try expectConstant("unchecked \(shape)", limit: 12) {
            try Self.diffCost($0, shape, unchecked: true) { id, _ in id }
        }
        try expectConstant("\(shape)", limit: 12) { try Self.diffCost($0, shape, unchecked: false) { id, _ in id } }
        // Chosen by someone who knows the algorithm and not the seed: equal in all low bits, or all high ones.
        try expectConstant("low bits, \(shape)", limit: 12) {
            try Self.diffCost($0, shape, unchecked: false) { id, _ in id << 40 }
        }
        try expectConstant("high bits, \(shape)", limit: 12) {
            try Self.diffCost($0, shape, unchecked: false) { id, _ in 1 << 62 | id }
        }
    }

    @Test(arguments: Shape.allCases)
    func diffsOfStringKeys(shape: Shape) throws {
        try expectConstant("unchecked \(shape)", limit: 12) {
            try Self.diffCost($0, shape, unchecked: true) { id, _ in "key-\(id)-of-a-length-beyond-the-small-form" }
        }
        try expectConstant("common prefix, \(shape)", limit: 12) {
            try Self.diffCost($0, shape, unchecked: false) { id, _ in "a-long-common-prefix-of-all-the-keys-\(id)" }
        }
        try expectConstant("not ASCII, \(shape)", limit: 16) {
            try Self.diffCost($0, shape, unchecked: false) { id, _ in "\(id)é" }
        }
    }

    @Test(arguments: Shape.allCases)
    func diffsOfOtherKeys(shape: Shape) throws {
        try expectConstant("\(shape)", limit: 16) {
            try Self.diffCost($0, shape, unchecked: false, key: CountedKey.init)
        }
    }

    @Test func alignedElementsAreComparedOnceAndTheirKeysNotLookedAt() throws {
        let count = Self.sizes.last!
        let cost = try Self.diffCost(count, .identical, unchecked: true) { id, _ in id }
        #expect(cost == count)
    }

    /// A block at the front puts both sides out of line; what follows it is compared pair by pair all the same.
    @Test(arguments: [0.02, 0.1, 0.3])
    func elementsBehindAnInsertedBlockAreComparedOnce(share: Double) {
        let count = 10_000
        let counter = Counter()
        let loses = (0..<count).map { CountedElement($0, 0, counter) }
        let block = (0..<Int(Double(count) * share)).map { CountedElement(count + $0, 0, counter) }
        for (wins, loses) in [(block + loses, loses), (loses, block + loses)] {
            (counter.comparisons, counter.keys) = (0, 0)
            let changes = uncheckedDiff(wins: wins, loses: loses, primaryKey: \.countedKey)
            #expect(changes?.counts.total == block.count)
            #expect(Double(counter.total) < Double(count) * (1 + 8 * share) + 2_000, "\(counter.total)")
        }
    }

    /// Keys of which the sketches are equal cost a look into the table each, and no more.
    @Test func mergesOfKeysThatDifferInTheMiddleStayLinear() {
        expectConstant("middle", limit: 16) { count in
            let counter = Counter()
            let elements = (0..<count).map { CountedElement("a-prefix-\($0)-and-a-suffix", 0, counter) }
            let edited = (0..<count / 10).map { CountedElement(elements[$0 * 10].key, 1, counter) }
            let old = (0..<count / 10).map { elements[$0 * 10] }
            let changes = uncheckedDiff(wins: edited, loses: old, primaryKey: \.key)
            (counter.comparisons, counter.keys) = (0, 0)
            let merged = merge(into: elements, applying: changes, primaryKey: \.countedKey) { _, _ in true }
            #expect(merged.enumerated().allSatisfy { $0.element.value == ($0.offset % 10 == 0 ? 1 : 0) })
            return counter.total
        }
    }

    /// The worst for the walk: it gets out of step again and again, each time by more.
    @Test func aWalkThatIsLedAstrayStaysLinear() throws {
        try expectConstant("astray", limit: 40) { count in
            let counter = Counter()
            var loses: [CountedElement<Int>] = []
            var wins: [CountedElement<Int>] = []
            var key = 0
            var run = 1
            while wins.count < count {
                for _ in 0..<3 {
                    loses.append(CountedElement(key, 0, counter))
                    wins.append(CountedElement(key, 0, counter))
                    key += 1
                }
                for _ in 0..<20 + run % 300 {
                    wins.append(CountedElement(key, 0, counter))
                    key += 1
                }
                for _ in 0..<18 {
                    loses.append(CountedElement(key, 0, counter))
                    key += 1
                }
                run += 7
            }
            _ = try diff(wins: wins, loses: loses, primaryKey: \.countedKey)
            return counter.total
        }
    }

    @Test(arguments: Shape.allCases)
    func merges(shape: Shape) {
        expectConstant("\(shape)", limit: 16) { count in
            let counter = Counter()
            var generator = SeededGenerator(seed: UInt64(count))
            let loses = (0..<count).map { CountedElement($0, 0, counter) }
            let wins = shape.wins(loses, fresh: { count + $0 }, using: &generator)
            let changes = uncheckedDiff(wins: wins, loses: loses, primaryKey: \.key)
            (counter.comparisons, counter.keys) = (0, 0)
            var merged = loses
            merge(into: &merged, applying: changes, primaryKey: \.countedKey) { _, _ in true }
            return counter.total
        }
    }

    @Test func duplicatesEverywhereStayLinear() throws {
        try expectConstant("one key", limit: 24) { count in
            let counter = Counter()
            let wins = (0..<count).map { _ in CountedElement(7, 0, counter) }
            let changes = try diff(wins: wins, loses: wins + wins, primaryKey: \.countedKey)
            #expect(changes == nil)
            let last = try diff(
                wins: (0..<count).map { CountedElement($0 % 10, $0, counter) }, loses: [], primaryKey: \.countedKey,
                duplicates: .keepLast)
            #expect(last?.add.count == 10)
            return counter.total
        }
    }

    /// An element that is not equal to itself; comparisons are counted.
    struct NaNElement: Hashable {
        var id: Int
        var value = Double.nan
        let counter: Counter

        static func == (left: NaNElement, right: NaNElement) -> Bool {
            left.counter.comparisons += 1
            return left.id == right.id && left.value == right.value
        }

        func hash(into hasher: inout Hasher) {
            counter.hashes += 1
            hasher.combine(id)
            hasher.combine(value)
        }
    }

    @Test(arguments: [1, 100, 1_000_000])
    func elementsThatHoldNaNStayLinear(distinct: Int) throws {
        let sizes = [1_000, 20_000]
        func costs(_ run: ([NaNElement]) throws -> Void) rethrows -> [Int] {
            try sizes.map { count in
                let counter = Counter()
                try run((0..<count).map { NaNElement(id: $0 % distinct, counter: counter) })
                return counter.total / count
            }
        }
        for measured in try [
            costs { _ = diff(wins: $0, loses: $0) },
            costs { _ = diff(wins: $0, loses: []) },
            costs { _ = diff(wins: $0.reversed(), loses: $0) },
            costs { _ = uncheckedDiff(wins: $0.reversed(), loses: $0, primaryKey: { $0 }) },
            costs { elements throws in
                let changes = diff(wins: [], loses: elements)
                #expect(merge(into: elements, applying: changes).isEmpty)
                #expect(try changes?.applied(exactlyTo: elements).isEmpty == true)
                #expect(changes?.collectionDifference(from: elements).removals.count == elements.count)
            },
        ] {
            #expect(measured[1] <= measured[0] * 13 / 10 + 1, "\(measured) for \(sizes) elements")
            #expect(measured[0] < 100, "\(measured) for \(sizes) elements")
        }
    }

    /// An element of which only reflection compares the part.
    struct ReflectedElement: Hashable, Sendable {
        let part: Part
        let id: Int

        struct Part: Equatable {
            let id: Int
            let counter: Counter

            static func == (left: Part, right: Part) -> Bool {
                left.counter.comparisons += 1
                return left.id == right.id
            }
        }

        static func == (left: ReflectedElement, right: ReflectedElement) -> Bool { left.id == right.id }

        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    @Test func differentElementsAreNotReflectedInTables() throws {
        let counter = Counter()
        let elements = (0..<1_000).map { ReflectedElement(part: .init(id: $0, counter: counter), id: $0) }
        let half = Array(elements[..<500])
        let removals = try #require(diff(wins: [], loses: half))
        let additions = try #require(diff(wins: elements, loses: half))
        counter.comparisons = 0
        #expect(removals.collectionDifference(from: elements).removals.count == 500)
        #expect(try removals.applied(exactlyTo: elements).count == 500)
        #expect(try removals.composed(with: additions)?.add.count == 500)
        #expect(counter.comparisons == 0)
    }

    // MARK: The journaled collection

    /// What 50 local edits, 50 remote changes and the cycle cost, without the edits: by hashes of keys and comparisons.
    static func journaledCost(_ count: Int) throws -> (cycle: Int, edits: Int) {
        let counter = Counter()
        let elements = (0..<count).map { CountedElement(CountedKey($0, counter), 0, counter) }
        let version = RemoteVersion(epoch: "e", commit: "1")
        var items = try JournaledCollection(elements, version: version, primaryKey: { $0.key })
        (counter.comparisons, counter.hashes) = (0, 0)
        for id in 0..<40 { try items.edit(CountedKey(id * (count / 100), counter)) { $0.value = 1 } }
        for id in 40..<45 { items.remove(CountedKey(id * (count / 100), counter)) }
        for id in 0..<5 { try items.insert(CountedElement(CountedKey(count + id, counter), 0, counter)) }
        let edits = counter.total
        (counter.comparisons, counter.hashes) = (0, 0)
        let changed = (50..<100).map { CountedElement(elements[$0 * (count / 100)].key, 2, counter) }
        var cycle = SyncCycle<CountedElement<CountedKey>, CountedKey>(
            pushID: "a", limit: PushLimit(count: 20), recognizesPushes: true, policy: .unexpected)
        _ = try cycle.begin(&items)
        _ = try cycle.pushed(.refused, &items)
        var step = try cycle.pulled(
            .changes(changed: changed, deleted: [], RemoteVersion(epoch: "e", commit: "2")), &items)
        var pushed = 0
        while case .push(let push) = step {
            pushed += push.changes.counts.total
            // The remote amends each element.
            let amended = (push.changes.add + push.changes.replace).map { CountedElement($0.key, 9, counter) }
            step = try cycle.pushed(
                .accepted(RemoteVersion(epoch: "e", commit: push.id), amended: amended), &items)
        }
        #expect(pushed == 50)
        #expect(items.localDiff == nil)
        #expect(!items.hasLocalChanges)
        return (counter.total, edits)
    }

    @Test func aJournaledCycleDoesNotKnowHowManyElementsThereAre() throws {
        let costs = try Self.sizes.map(Self.journaledCost)
        for cost in costs {
            #expect(cost.cycle <= costs[0].cycle * 11 / 10, "\(costs) for \(Self.sizes) elements")
            #expect(cost.edits <= costs[0].edits * 11 / 10, "\(costs) for \(Self.sizes) elements")
        }
        #expect(costs[0].cycle < 100 * 40, "\(costs)")
    }

    @Test func anElementAtAPositionIsReadWithoutLookingAtAnyOther() throws {
        for count in Self.sizes {
            let counter = Counter()
            let elements = (0..<count).map { CountedElement(CountedKey($0, counter), 0, counter) }
            var items = try JournaledCollection(elements, primaryKey: \.countedKey)
            for id in stride(from: 0, to: count, by: 3) { items.remove(CountedKey(id, counter)) }
            (counter.comparisons, counter.keys, counter.hashes) = (0, 0, 0)
            for offset in 0..<100 {
                let index = items.index(items.startIndex, offsetBy: offset * (items.count / 100))
                #expect(items.distance(from: items.startIndex, to: index) == offset * (items.count / 100))
                #expect(items[index].value == 0)
                let keys = items.keys
                _ = keys[keys.index(keys.startIndex, offsetBy: offset)]
            }
            #expect(counter.keys == 100, "one for each key that was read")
            #expect(counter.comparisons + counter.hashes == 0)
        }
    }

    @Test func removalsAreCheapEvenThoughGapsAreClosed() throws {
        try expectConstant("removals", limit: 30) { count in
            let counter = Counter()
            let elements = (0..<count).map { CountedElement(CountedKey($0, counter), 0, counter) }
            var items = try JournaledCollection(elements, primaryKey: { $0.key })
            (counter.comparisons, counter.hashes) = (0, 0)
            for first in stride(from: 0, to: count, by: 100) {
                for id in first..<first + 100 { items.remove(CountedKey(id, counter)) }
                try items.acceptShadow(pushed: items.localDiff, at: items.shadowMark)
            }
            #expect(items.isEmpty)
            return counter.total
        }
    }
}
