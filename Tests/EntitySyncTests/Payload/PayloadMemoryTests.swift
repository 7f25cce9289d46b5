import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

@testable import EntitySync

struct PayloadMemoryTests {
    /// An entry as tests state it.
    private struct Object: Equatable, Sendable {
        var token: UInt64
        var digest: UInt64 = 1
        var length = 100
        var coverage: [UInt64] = []
    }

    private func entries(_ objects: [Object]) -> PayloadEntries {
        var entries = PayloadEntries()
        for object in objects {
            entries.append(
                token: object.token, digest: object.digest, length: object.length, keyOffset: 6,
                coverage: object.coverage[...])
        }
        return entries
    }

    private func objects(_ entries: PayloadEntries) -> [Object] {
        (0..<entries.count).map { entry in
            Object(
                token: entries.token(of: entry), digest: entries.digest(of: entry),
                length: entries.extent(of: entry)?.length ?? 0, coverage: Array(entries.coverage(of: entry)))
        }
    }

    /// Stores entries, and returns the stored rows by their numbers.
    @discardableResult
    private func remember(_ objects: [Object], in store: SyncStore) async throws -> [Int64: [UInt8]] {
        let entries = entries(objects)
        return try await store.adapter.write { transaction in
            let sequence = try transaction.expectedSequence()
            try PayloadMemory(of: "User", in: transaction).store(entries, in: sequence)
            return try self.rows(transaction)
        }.result
    }

    private func rows(_ transaction: WriteTransaction) throws -> [Int64: [UInt8]] {
        var rows: [Int64: [UInt8]] = [:]
        try transaction.payloadRows.forEach(of: "User") { number, content in
            rows[number] = Array(content)
            return true
        }
        return rows
    }

    private func remembered(in store: SyncStore) async throws -> [Object] {
        let entries = try await store.adapter.write { try PayloadMemory(of: "User", in: $0).entries }.result
        return objects(entries)
    }

    @Test(arguments: StoreKind.allCases)
    func entriesAreLoadedInTheirOrder(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        #expect(try await remembered(in: store).isEmpty)
        var random = SeededGenerator(seed: environmentSeed ?? 3)
        var model: [Object] = []
        for round in 0..<9 {
            for _ in 0..<(round == 3 ? 2_500 : 60) {
                let coverage = (0..<Int.random(in: 2...6, using: &random)).map { _ in random.next() }
                let place = Int.random(in: 0...model.count, using: &random)
                model.insert(
                    Object(token: random.next(), digest: random.next(), coverage: coverage), at: place)
            }
            model.removeSubrange(10..<20)
            model.swapAt(0, model.count - 1)
            try await remember(model, in: store)
            #expect(try await remembered(in: store) == model, "seed \(environmentSeed ?? 3), round \(round)")
        }
        try await remember([], in: store)
        #expect(try await remembered(in: store).isEmpty)
    }

    @Test func anEntryThatCoversItsOwnRecordAloneIsFourWords() {
        let entries = entries([Object(token: 7, coverage: [7]), Object(token: 8), Object(token: 9, coverage: [9, 1])])
        #expect(entries.content(of: 0..<3).count == 4 + 4 + 6)
        #expect((0..<3).map { Array(entries.coverage(of: $0)) } == [[7], [8], [9, 1]])
    }

    @Test func theExtentOfAnEntryIsUnknownUnlessAKeyCanStandInIt() {
        for (length, keyOffset) in [(PayloadEntries.lengthLimit + 1, 5), (10, 10), (10, 0), (0, 0)] {
            var entries = PayloadEntries()
            entries.append(token: 1, digest: 1, length: length, keyOffset: keyOffset, coverage: [])
            #expect(entries.extent(of: 0) == nil, "\(length), \(keyOffset)")
        }
        #expect(entries([Object(token: 1)]).extent(of: 0)?.keyOffset == 6)
    }

    @Test(arguments: StoreKind.allCases)
    func anInsertedObjectChangesOneGroup(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        var random = SeededGenerator(seed: environmentSeed ?? 5)
        var model = (0..<4_000).map { _ in Object(token: random.next()) }
        let before = try await remember(model, in: store)
        #expect((20...250).contains(before.count), "\(before.count) rows")
        for place in [0, 1_999, 4_001] {
            let old = try await remember(model, in: store)
            model.insert(Object(token: random.next() | 63), at: place)
            let new = try await remember(model, in: store)
            let written = new.filter { old[$0.key] != $0.value }
            // The list of groups is one of them.
            #expect(written.count <= 4, "seed \(environmentSeed ?? 5): \(written.count) rows")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aDamagedMemoryIsForgotten(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        let model = [Object(token: 8, coverage: [8, 1]), Object(token: 9, coverage: [9, 2, 3])]
        let whole = try await remember(model, in: store)
        let group = try #require(whole.keys.first { $0 >= 0 })
        let content = try #require(whole[group])
        var greedy = content
        greedy.replaceSubrange(24..<32, with: repeatElement(UInt8.max, count: 8))
        let damages: [(Int64, [UInt8]?)] = [
            (group, Array(content.dropLast())), (group, greedy), (group, []), (group, nil), (-1, [1, 2, 3]),
            (-1, Array(repeating: .max, count: 16)), (-1, Array(repeating: 0, count: 40)),
        ]
        for (number, damaged) in damages {
            try await store.adapter.write { transaction in
                for (number, content) in whole { try transaction.payloadRows.set("User", number, content) }
                try transaction.payloadRows.set("User", number, damaged)
            }
            #expect(try await remembered(in: store).isEmpty)
            #expect(try await store.adapter.write { try self.rows($0).isEmpty }.result)
            try await remember(model, in: store)
            #expect(try await remembered(in: store) == model)
        }
    }

    /// Returns a memory of objects with the given tokens.
    private func reading(_ tokens: [UInt64], _ body: @escaping @Sendable (PayloadMemory) throws -> Void) async throws {
        let store = try await SyncStore(.allCases[0], .office())
        try await remember(tokens.map { Object(token: $0) }, in: store)
        try await store.adapter.write { try body(PayloadMemory(of: "User", in: $0)) }
    }

    /// Records an object with a token that is not the expected one.
    private func find(_ token: UInt64, at position: Int, _ memory: PayloadMemory) -> Int? {
        memory.entry(of: token).flatMap { memory.find($0, at: position) }
    }

    @Test func objectsAreExpectedInTheirOrderAlsoBehindOneThatHasChanged() async throws {
        try await reading([7, 8, 9]) { (memory: PayloadMemory) throws in
            #expect(try memory.expected() == 0)
            memory.confirm(0, at: 0)
            #expect(try memory.expected() == 1)
            #expect(self.find(8, at: 1, memory) == nil)
            #expect(try memory.expected() == 2)
            memory.confirm(2, at: 2)
            #expect(try memory.expected() == nil)
            #expect(!memory.isRepeated(by: 3))
        }
    }

    @Test func newObjectsMoveNothingAndAGapIsLeftBehind() async throws {
        try await reading([7, 8, 9, 10, 11]) { (memory: PayloadMemory) throws in
            #expect(memory.entry(of: 70) == nil)
            #expect(try memory.expected() == 0)
            // 7 and 8 are missing, and 9 has changed.
            #expect(self.find(9, at: 1, memory) == nil)
            #expect(try memory.expected() == 3)
            #expect(self.find(7, at: 2, memory) == nil)
            #expect(try memory.expected() == 1)
            memory.confirm(1, at: 3)
            #expect(try memory.expected() == 3)
        }
    }

    @Test func onlyAFewFoundEntriesArePassed() async throws {
        try await reading(Array(100..<140)) { (memory: PayloadMemory) throws in
            for token in (101..<139).reversed() as ReversedCollection<Range<UInt64>> {
                #expect(self.find(token, at: Int(139 - token), memory) == nil)
            }
            // Entry 39 was not found, but is too far away.
            #expect(try memory.expected() == nil)
            #expect(self.find(100, at: 39, memory) == nil)
            #expect(try memory.expected() == nil)
            #expect(self.find(138, at: 40, memory) == 1)
            #expect(self.find(139, at: 40, memory) == nil)
            #expect(!memory.isRepeated(by: 40))
        }
    }

    @Test func anObjectThatComesTwiceIsFoundAtItsFirstPosition() async throws {
        try await reading([7, 8, 9]) { (memory: PayloadMemory) throws in
            memory.confirm(0, at: 0)
            #expect(self.find(9, at: 1, memory) == nil)
            #expect(self.find(7, at: 2, memory) == 0)
            #expect(self.find(9, at: 2, memory) == 1)
            #expect(try memory.expected() == nil)
        }
    }

    @Test func aPayloadInItsOrderIsRepeatedUpToOneIn16() async throws {
        for (count, isRepeated) in [(1, true), (2, false)] {
            try await reading((1...16).map { UInt64($0) }) { (memory: PayloadMemory) throws in
                for entry in 0..<16 {
                    if entry < count { memory.find(entry, at: entry) } else { memory.confirm(entry, at: entry) }
                }
                #expect(memory.isRepeated(by: 16) == isRepeated)
                #expect(!memory.isRepeated(by: 17))
            }
        }
    }

    @Test func missesEndTheHashingOfExpectedObjects() async throws {
        let store = try await SyncStore(.allCases[0], .office())
        try await remember([Object(token: 7, length: PayloadEntries.lengthLimit)], in: store)
        try await store.adapter.write { transaction in
            let memory = try PayloadMemory(of: "User", in: transaction)
            let entry = try #require(try memory.expected())
            memory.reject(entry)
            #expect(try memory.expected() == nil)
        }
    }
}
