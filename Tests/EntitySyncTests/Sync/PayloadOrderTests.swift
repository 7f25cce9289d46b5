import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

@testable import EntitySync

/// What the objects of a payload are guessed to be by their order of the last time.
struct PayloadOrderTests {
    private func order(_ tokens: [UInt64]) -> PayloadOrder {
        PayloadOrder(tokens.map { PayloadOrder.Item(token: $0, length: 100, keyOffset: 6) })
    }

    @Test("objects in their order are guessed one after the other, also behind one that has changed")
    func inOrder() {
        var order = order([7, 8, 9])
        #expect(order.guess() == 0)
        order.confirm(at: 0)
        #expect(order.guess() == 1)
        #expect(order.meet(8, at: 1) == nil)
        #expect(order.guess() == 2)
        order.confirm(at: 2)
        #expect(order.guess() == nil)
    }

    @Test("new objects move nothing, and a gap is left behind")
    func insertedAndDeleted() {
        var order = order([7, 8, 9, 10, 11])
        #expect(order.meet(70, at: 0) == nil)
        #expect(order.guess() == 0)
        // 7 and 8 are gone, and 9 has changed.
        #expect(order.meet(9, at: 1) == nil)
        #expect(order.guess() == 3)
        // 7 is there after all.
        #expect(order.meet(7, at: 2) == nil)
        #expect(order.guess() == 1)
        order.confirm(at: 3)
        // 9 has come.
        #expect(order.guess() == 3)
    }

    @Test("an object that has come is found again, whether it was guessed or not")
    func duplicates() {
        var order = order([7, 8, 9])
        order.confirm(at: 0)
        #expect(order.meet(9, at: 1) == nil)
        #expect(order.meet(7, at: 2) == 0)
        #expect(order.meet(9, at: 2) == 1)
        #expect(order.meet(70, at: 2) == nil)
        #expect(order.guess() == nil)
    }

    @Test("what was stored is there again, but for what cannot be")
    func words() {
        let items = (1...2_500).map { PayloadOrder.Item(token: UInt64($0), length: $0 + 1, keyOffset: $0) }
        let chunks = PayloadOrder.chunks(of: items)
        #expect(chunks.count == 3)
        #expect(chunks.flatMap { PayloadOrder.items(of: PayloadOrder.words(of: $0)) } == items)
        for (length, keyOffset) in [(PayloadOrder.lengthLimit + 1, 5), (10, 10), (10, 0), (0, 0)] {
            let item = PayloadOrder.Item(token: 1, length: length, keyOffset: keyOffset)
            #expect(item.length == 0, "\(length), \(keyOffset)")
            var order = PayloadOrder([item])
            #expect(order.guess() == nil)
        }
        #expect(PayloadOrder.items(of: [1, .max, 2]).map(\.length) == [0])
    }

    @Test("guesses that are wrong are given up before they have cost more than others have saved")
    func credit() async throws {
        let store = try await SyncStore(.inMemory, .office())
        try await store.adapter.write { transaction in
            let notes = try PayloadNotes(of: "User", in: transaction)
            try notes.set(7, 1, coverage: [7], in: transaction.expectedSequence())
            try notes.setOrder([PayloadOrder.Item(token: 7, length: PayloadOrder.lengthLimit, keyOffset: 6)])
            let guesses = try #require(try PayloadGuesses(notes))
            let guess = try #require(guesses.next())
            guesses.reject(guess.item)
            #expect(guesses.next() == nil)
        }
    }

    @Test("an order of which little is wrong is kept as it is, and another is stored", arguments: StoreKind.allCases)
    func storedAnew(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        func order() async throws -> [PayloadOrder.Item] {
            try await store.adapter.write { transaction in
                let notes = try PayloadNotes(of: "User", in: transaction)
                try notes.loadOrder(forBytes: .max)
                return notes.order
            }.result
        }
        try await store.sync(payload(0..<64), into: "User")
        let first = try await order()
        #expect(first.count == 64)
        try await store.sync(payload(0..<64, wide: 0..<4), into: "User")
        #expect(try await order() == first)
        try await store.sync(payload(0..<64, wide: 0..<5), into: "User")
        let second = try await order()
        #expect(second.prefix(5).allSatisfy { !first.contains($0) })
        #expect(second.dropFirst(5) == first.dropFirst(5))
        try await store.sync(payload(8..<64), into: "User")
        #expect(try await order() == Array(first.dropFirst(8)))
    }

    @Test(
        "a key that has moved in an object of the same length is found wherever it stood",
        arguments: [false, true], [0, 63])
    func movedKey(isKeyText: Bool, position: Int) async throws {
        let store = try await SyncStore(.inMemory, PayloadOrderTests.schema(isKeyText: isKeyText))
        var random = SeededGenerator(seed: environmentSeed ?? 5)
        // Whatever JSON has comes to stand where the key stood.
        let members = [
            #""a":1"#, #""b":[{},"{["]"#, #""c":"x,y""#, #""d":"\\\"""#, #""e":null"#, #""f":{"g":[]}"#, "id",
        ]
        func payload(_ moved: [String]) -> String {
            let objects = (0..<64).map { key in
                let id = isKeyText ? #""id":"a long key, \#(key)""# : #""id":\#(10 + key)"#
                let members = key == position ? moved : members
                return "{\(members.map { $0 == "id" ? id : $0 }.joined(separator: ","))}"
            }
            return "[\(objects.joined(separator: ","))]"
        }
        try await store.sync(payload(members), into: "User")
        for round in 0..<60 {
            let moved = members.shuffled(using: &random)
            for _ in 0..<2 {
                let result = try await store.sync(payload(moved), into: "User")
                #expect(result.isUnchanged, "seed \(environmentSeed ?? 5), round \(round)")
                #expect(result["User"].unchanged.count == 64, "seed \(environmentSeed ?? 5), round \(round)")
            }
        }
    }

    private static func schema(isKeyText: Bool) throws -> Schema {
        try Schema {
            Entity("User") {
                Attribute("id", isKeyText ? .string : .integer, isPrimaryKey: true)
                Attribute("text", .string)
            }
        }
    }

    private func payload(_ keys: some Sequence<Int>, wide: Range<Int> = 0..<0) -> String {
        "[\(keys.map { PayloadOrderTests.text($0, 0, wide.contains($0) ? .wide : .narrow) }.joined(separator: ","))]"
    }

    @Test("what was deleted here and is still spoken of hides nothing that is missing", arguments: StoreKind.allCases)
    func deletedHere(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        try await store.sync(payload(0..<40), into: "User")
        var deletion = ChangeSet()
        deletion.delete(RecordID("User", 3))
        try await store.adapter.commit(deletion)
        try await store.sync(payload(0..<40), into: "User")
        try await store.sync(payload(0..<39), into: "User")
        #expect(try await store.keys("User") == (0..<39).filter { $0 != 3 }.map { .integer($0) })
    }

    @Test("what is left of a longer order is not taken for a part of a shorter one", arguments: StoreKind.allCases)
    func shorterOrder(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        // Less than an eighth of them comes next, so that the order is not read.
        try await store.sync(payload(0..<2_000), into: "User")
        let result = try await store.sync(payload(1_800..<2_000), into: "User")
        #expect(result["User"].deleted.count == 1_800)
        let twice = try await store.sync(payload(Array(1_800..<1_999) + [1_900]), into: "User")
        #expect(twice.reports.map(\.kind) == [.duplicateKey])
        #expect(twice["User"].deleted == [RecordID("User", 1_999)])
    }

    /// How an object is written, which changes nothing of what it says.
    private enum Style: CaseIterable {
        case narrow, wide
        /// As long as the narrow one, with its key in another place.
        case swapped
    }

    /// An object as text.
    private static func text(_ key: Int, _ version: Int, _ style: Style, isKeyText: Bool = false) -> String {
        // One text as it is, and with an escape.
        let letter = style == .wide ? "\\u00f6" : "\u{F6}"
        let key = isKeyText ? "\"a l\(letter)ng key, \(key)\"" : "\(key)"
        return switch style {
        case .narrow: "{\"text\":\"\(version)\",\"id\":\(key)}"
        case .wide: "{ \"id\" : \(key), \"text\" : \"\(version)\" }"
        case .swapped: "{\"id\":\(key),\"text\":\"\(version)\"}"
        }
    }

    @Test(
        "objects that come and go, change, move, and stand twice: all is as without notes",
        arguments: StoreKind.allCases, [false, true])
    func likeWithoutNotes(kind: StoreKind, isKeyText: Bool) async throws {
        var random = SeededGenerator(seed: environmentSeed ?? 11)
        let schema = try PayloadOrderTests.schema(isKeyText: isKeyText)
        let stores = try await [SyncStore(kind, schema), SyncStore(kind, schema)]
        var objects = (0..<90).map { (key: $0, version: 0, style: Style.narrow) }
        for round in 0..<40 {
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                let place = Int.random(in: 0..<objects.count, using: &random)
                switch Int.random(in: 0..<7, using: &random) {
                case 0: objects[place].version += 1
                case 1: objects[place].style = Style.allCases[Int.random(in: 0..<3, using: &random)]
                case 2: objects.insert((100 + round, 0, .narrow), at: place)
                case 3: objects.remove(at: place)
                case 4: objects.swapAt(place, Int.random(in: 0..<objects.count, using: &random))
                case 5: objects.append(objects[place])
                default: objects.insert((objects[place].key, 1_000 + round, .wide), at: 0)
                }
            }
            if round % 10 == 9 { objects.removeFirst(20) }
            let texts = objects.map { PayloadOrderTests.text($0.key, $0.version, $0.style, isKeyText: isKeyText) }
            let payload = "[\(texts.joined(separator: round % 3 == 0 ? " ,\n" : ","))]"
            var outcomes: [[String]] = []
            for (store, usesNotes) in zip(stores, [false, true]) {
                var options = SyncOptions()
                options.usesNotes = usesNotes
                outcomes.append(try await store.sync(payload, into: "User", options: options).lines)
            }
            #expect(outcomes[0] == outcomes[1], "seed \(environmentSeed ?? 11), round \(round)")
            #expect(try await stores[0].contents() == stores[1].contents(), "round \(round)")
        }
    }
}
