import DifferentialSyncTesting
import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Payloads that repeat the last one, with and without changes.
struct RepeatedPayloadTests {
    @Test(arguments: StoreKind.allCases)
    func theMemoryIsStoredAgainOnlyIfThePayloadHasChanged(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        func sequence() async throws -> Int64 { try await store.adapter.read { try $0.sequence } }
        try await store.sync(payload(0..<64), into: "User")
        let start = try await sequence()
        try await store.sync(payload(0..<64), into: "User")
        // Four moved objects of 64 are few.
        try await store.sync(payload([1, 0, 3, 2] + Array(4..<64)), into: "User")
        #expect(try await sequence() == start)
        // The memory has the other order afterwards, although no record changes.
        for numbers in [Array((0..<64).reversed()), Array(0..<64)] {
            let before = try await sequence()
            #expect(try await store.sync(payload(numbers), into: "User").isUnchanged)
            let after = try await sequence()
            #expect(after > before)
            try await store.sync(payload(numbers), into: "User")
            #expect(try await sequence() == after)
        }
        #expect(try await store.sync(payload(8..<64), into: "User")["User"].deleted.count == 8)
        let rest = try await sequence()
        try await store.sync(payload(8..<64), into: "User")
        #expect(try await sequence() == rest)
    }

    @Test(arguments: [false, true], [0, 63])
    func aKeyThatMovesWithinAnObjectOfTheSameLengthIsFound(isKeyText: Bool, position: Int) async throws {
        let store = try await SyncStore(.inMemory, RepeatedPayloadTests.schema(isKeyText: isKeyText))
        var random = SeededGenerator(seed: environmentSeed ?? 5)
        // Any JSON value may take the position of the key.
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
                #expect(result["User"].unchangedCount == 64, "seed \(environmentSeed ?? 5), round \(round)")
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
        "[\(keys.map { RepeatedPayloadTests.text($0, 0, wide.contains($0) ? .wide : .narrow) }.joined(separator: ","))]"
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordDeletedHereAndStillListedHidesNoMissingOne(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        try await store.sync(payload(0..<40), into: "User")
        var deletion = ChangeSet()
        deletion.delete(RecordID("User", 3))
        try await store.adapter.commit(deletion)
        try await store.sync(payload(0..<40), into: "User")
        try await store.sync(payload(0..<39), into: "User")
        #expect(try await store.keys("User") == (0..<39).filter { $0 != 3 }.map { .integer($0) })
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectWhoseKeyCannotBeReadIsReportedEachTimeAndKeepsTheOthers(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        let users = (1..<40).map { RepeatedPayloadTests.text($0, 0, .narrow) }
        func payload(_ notes: String, _ others: some Sequence<String>) -> String {
            #"[{"id": 0, "notes": [\#(notes)]}, \#(others.joined(separator: ","))]"#
        }
        try await store.sync(payload(#"{"id": 1}, {"id": 2}"#, users), into: "User")
        let broken = payload(#"{"id": 1}, {"id": "2x"}"#, Array(users.dropLast()) + [#"{"id":"39x"}"#])
        for _ in 0..<3 {
            let result = try await store.sync(broken, into: "User")
            #expect(result.isUnchanged)
            #expect(result["User"].unchangedCount == 39)
            #expect(Set(result.reports.map(\.path)) == ["[0].notes[1].id", "[39].id"])
            #expect(result.incompleteLists == ["User"])
            #expect(try await store.keys("User").count == 40)
            #expect(try await store.keys("Note") == [1, 2])
        }
        let fewer = payload(#"{"id": 1}"#, users.dropLast())
        let result = try await store.sync(fewer, into: "User")
        #expect(result.reports.isEmpty)
        #expect(result["User"].deleted == [RecordID("User", 39)])
        #expect(result["Note"].deleted == [RecordID("Note", 2)])
        #expect(try await store.sync(fewer, into: "User").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func aShorterPayloadReplacesALongerOne(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        try await store.sync(payload(0..<2_000), into: "User")
        let result = try await store.sync(payload(1_800..<2_000), into: "User")
        #expect(result["User"].deleted.count == 1_800)
        let twice = try await store.sync(payload(Array(1_800..<1_999) + [1_900]), into: "User")
        #expect(twice.reports.map(\.kind) == [.duplicateKey])
        #expect(twice["User"].deleted == [RecordID("User", 1_999)])
    }

    /// A notation of an object, which does not affect its value.
    private enum Style: CaseIterable {
        case narrow, wide
        /// As long as the narrow notation, with the key in another position.
        case swapped
    }

    /// Returns an object as text.
    private static func text(_ key: Int, _ version: Int, _ style: Style, isKeyText: Bool = false) -> String {
        // The same text without and with an escape.
        let letter = style == .wide ? "\\u00f6" : "\u{F6}"
        let key = isKeyText ? "\"a l\(letter)ng key, \(key)\"" : "\(key)"
        return switch style {
        case .narrow: "{\"text\":\"\(version)\",\"id\":\(key)}"
        case .wide: "{ \"id\" : \(key), \"text\" : \"\(version)\" }"
        case .swapped: "{\"id\":\(key),\"text\":\"\(version)\"}"
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func insertedRemovedChangedMovedAndRepeatedObjectsSyncAsWithoutMemory(kind: StoreKind, isKeyText: Bool) async throws
    {
        var random = SeededGenerator(seed: environmentSeed ?? 11)
        let schema = try RepeatedPayloadTests.schema(isKeyText: isKeyText)
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
            let texts = objects.map { RepeatedPayloadTests.text($0.key, $0.version, $0.style, isKeyText: isKeyText) }
            let payload = "[\(texts.joined(separator: round % 3 == 0 ? " ,\n" : ","))]"
            var outcomes: [[String]] = []
            for (store, usesMemory) in zip(stores, [false, true]) {
                var options = SyncOptions()
                options.usesPayloadMemory = usesMemory
                outcomes.append(try await store.sync(payload, into: "User", options: options).lines)
            }
            #expect(outcomes[0] == outcomes[1], "seed \(environmentSeed ?? 11), round \(round)")
            #expect(try await stores[0].contents() == stores[1].contents(), "round \(round)")
        }
    }
}
