import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

@testable import EntitySync

struct PayloadNotesTests {
    /// Takes notes away, makes others, and answers which of those that are asked for were not as expected.
    private func change(
        _ store: SyncStore, asking asked: [UInt64], expecting known: [UInt64: [UInt64]], removing gone: [UInt64] = [],
        making new: [UInt64: [UInt64]] = [:]
    ) async throws -> [UInt64] {
        try await store.adapter.write { transaction in
            let notes = try PayloadNotes(of: "User", in: transaction)
            try notes.load(asked)
            let wrong = try asked.filter { token in
                let note = try notes.current(token)
                let content = note.map { [$0.digest] + notes.coverage(of: $0) }
                return content != known[token]
            }
            for token in gone { notes.remove(token) }
            let sequence = try transaction.expectedSequence()
            for (token, content) in new.sorted(by: { $0.key < $1.key }) {
                try notes.set(token, content[0], coverage: content[1...], in: sequence)
            }
            try notes.save()
            return wrong
        }.result
    }

    @Test("hold what a dictionary holds, in more and more buckets", arguments: StoreKind.allCases)
    func likeADictionary(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        var random = SeededGenerator(seed: environmentSeed ?? 3)
        var model: [UInt64: [UInt64]] = [:]
        for round in 0..<9 {
            // All buckets, or those of a few tokens.
            let tokens = model.keys.sorted().shuffled(using: &random)
            let asked = round % 3 == 2 ? Array(tokens.prefix(tokens.count / 20)) : tokens
            let gone = Array(asked.prefix(7))
            var new: [UInt64: [UInt64]] = [:]
            for _ in 0..<(round == 3 ? 2_500 : 60) {
                new[random.next() | 2] = (0..<Int.random(in: 2...6, using: &random)).map { _ in random.next() }
            }
            for token in asked.dropFirst(7).prefix(5) { new[token] = [UInt64(round), 1] }
            let wrong = try await change(store, asking: asked + [4], expecting: model, removing: gone, making: new)
            #expect(wrong.isEmpty, "round \(round)")
            for token in gone { model[token] = nil }
            model.merge(new) { $1 }
        }
        #expect(try await change(store, asking: Array(model.keys), expecting: model).isEmpty)
        #expect(model.count > 2_000)
    }

    @Test("what is noted anew takes the place of what was", arguments: StoreKind.allCases)
    func replaced(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        var sizes: [Int?] = []
        for version in 0..<3 as Range<UInt64> {
            _ = try await change(
                store, asking: [8, 9], expecting: [:], making: [8: [version, 1], 9: [version, 1, 2]])
            sizes.append(try await store.adapter.write { try $0.payloadNote("User", 0)?.count }.result)
        }
        #expect(sizes == [88, 88, 88])
    }

    @Test("what is broken is not there", arguments: StoreKind.allCases)
    func broken(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        let model: [UInt64: [UInt64]] = [8: [1, 2, 3], 9: [4, 5], 10: [6, 7]]
        _ = try await change(store, asking: [], expecting: [:], making: model)
        let whole = try #require(try await store.adapter.write { try $0.payloadNote("User", 0) }.result)
        // Notes stand in the order of their tokens: the last has lost a byte.
        try await store.adapter.write { try $0.setPayloadNote("User", 0, Array(whole.dropLast())) }
        let left = model.filter { $0.key != 10 }
        #expect(try await change(store, asking: [8, 9, 10], expecting: left).isEmpty)
        // A note that claims to speak of more than there is.
        var damaged = whole
        damaged.replaceSubrange(24..<32, with: repeatElement(UInt8.max, count: 8))
        try await store.adapter.write { [damaged] in try $0.setPayloadNote("User", 0, damaged) }
        #expect(try await change(store, asking: [8, 9, 10], expecting: [:]).isEmpty)
        for header in [[1, 2, 3], Array(repeating: UInt8.max, count: 16)] as [[UInt8]] {
            try await store.adapter.write {
                try $0.setPayloadNote("User", 0, whole)
                try $0.setPayloadNote("User", -1, header)
            }
            #expect(try await change(store, asking: [8, 9, 10], expecting: [:]).isEmpty)
        }
        // They are made anew over what is broken.
        #expect(try await change(store, asking: [8], expecting: [:], making: [8: [1, 2]]).isEmpty)
        #expect(try await change(store, asking: [8], expecting: [8: [1, 2]]).isEmpty)
    }
}
