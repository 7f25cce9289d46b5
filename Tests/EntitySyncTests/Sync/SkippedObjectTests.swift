import DifferentialSyncTesting
import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Objects that are skipped because nothing has changed: the outcome is that of looking at each.
@Suite(.needsStores) struct SkippedObjectTests {
    /// A store with the badges that users name: an object with a report is not remembered.
    private func store(_ kind: StoreKind) async throws -> SyncStore {
        let store = try await SyncStore(kind, .office())
        try await store.put("Badge", (0..<5).map { ["id": .integer($0)] }, origin: .remote)
        return store
    }

    /// Whether a store remembers a payload of users.
    private func remembers(_ store: SyncStore) async throws -> Bool {
        try await store.adapter.write { try $0.payloadRows.content("User", -1) != nil }.result
    }

    private func users(_ versions: [Int]) -> String {
        let users = versions.enumerated().map { key, version in
            """
            {"id": \(key), "text": "\(version)", "notes": [{"id": \(key * 2), "text": "\(version)"},
             {"id": \(100 + (key + version) % 50)}], "tags": [{"id": \((key + version) % 5)}],
             "company": {"id": \(version % 3), "text": "c"}, "badges_ids": [\(1 + version % 4)]}
            """
        }
        return "[\(users.joined(separator: ","))]"
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func aRemoteVersionOfAnEditedRecordIsComparedWithTheNextPayload(kind: StoreKind, usesMemory: Bool) async throws {
        var options = SyncOptions()
        options.usesPayloadMemory = usesMemory
        let payload = users(Array(repeating: 0, count: 40))
        for origin in [ChangeSet.Origin.remote, .agreed] {
            let store = try await store(kind)
            try await store.sync(payload, into: "User", options: options)
            #expect(try await remembers(store) == usesMemory)
            try await store.update("User", 1, ["text": "mine"], origin: .local)
            #expect(try await store.sync(payload, into: "User", options: options).isUnchanged)
            // The remote has another edit, or accepts this one; then the payload says what it said before.
            try await store.update("User", 1, ["text": origin == .remote ? "theirs" : "mine"], origin: origin)
            try await store.sync(payload, into: "User", options: options)
            #expect(try await store.value("User", 1, "text") == (origin == .remote ? "mine" : "0"))
            let entry = try await store.adapter.read { try $0.journalEntry(RecordID("User", 1)) }
            #expect(entry?.isUnresolved == (origin == .remote ? false : nil))
        }
    }

    /// Syncs 64 users three times: as they are, with another last one, and as they were.
    private func syncThrice(_ kind: StoreKind, _ last: String, changedTo changed: String) async throws -> SyncStore {
        let store = try await store(kind)
        let others = (0..<63).map { "{\"id\": \($0), \"text\": \"a\"}, " }.joined()
        for last in [last, changed, last] {
            try await store.sync("[\(others){\"id\": 63, \(last)}]", into: "User")
        }
        return store
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectWithUnfinishedWorkReplacesWhatWasRememberedOfIt(kind: StoreKind) async throws {
        var store = try await syncThrice(
            kind, #""notes": [{"id": 1}, {"id": 2}]"#, changedTo: #""notes": [{"id": 1}]"#)
        #expect(try await store.keys("Note") == [1, 2])
        store = try await syncThrice(kind, #""text": "a""#, changedTo: #""text": "b", "company_id": 99"#)
        #expect(try await store.value("User", 63, "text") == "a")
    }

    @Test(arguments: StoreKind.allCases, ["tags_ids", "notes_ids", "badges_ids"])
    func anObjectThatNamesALocallyDeletedRecordIsReadUntilThatIsSettled(kind: StoreKind, key: String) async throws {
        let (name, entity) = [
            "tags_ids": ("tags", "Tag"), "notes_ids": ("notes", "Note"), "badges_ids": ("badges", "Badge"),
        ][key]!
        for isUndone in [true, false] {
            let store = try await SyncStore(kind, .office())
            try await store.put(entity, [["id": 6]], origin: .remote)
            let others = (1..<64).map { ", {\"id\": \($0)}" }.joined()
            try await store.sync(#"[{"id": 0}\#(others)]"#, into: "User")
            var deletion = ChangeSet()
            deletion.delete(RecordID(entity, 6))
            try await store.adapter.commit(deletion)
            let payload = #"[{"id": 0, "\#(key)": [6]}\#(others)]"#
            #expect(try await store.sync(payload, into: "User").reports.isEmpty)
            if isUndone {
                try await store.put(entity, [["id": 6]])
            } else {
                deletion.origin = .agreed
                try await store.adapter.commit(deletion)
            }
            let reports = try await store.sync(payload, into: "User").reports
            #expect(reports.map(\.kind) == (isUndone ? [] : [.unknownReference]))
            #expect(try await store.related("User", 0, name) == (isUndone ? [6] : []))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func otherJSONOptionsReadEachObjectAgain(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        let others = (2..<42).map { ", {\"id\": \($0)}" }.joined()
        for (payload, isRead) in [
            (#"[{"id": 1, "text": "a",}\#(others)]"#, \JSONOptions.allowsTrailingCommas),
            (#"[{"id": 1, "text": "a", "text": "a"}\#(others)]"#, \.refusesDuplicateNames),
        ] {
            var (lenient, strict) = (SyncOptions(), SyncOptions())
            lenient.json.allowsTrailingCommas = true
            strict.json[keyPath: isRead] = isRead == \.refusesDuplicateNames
            try await store.sync(payload, into: "User", options: lenient)
            #expect(try await store.sync(payload, into: "User", options: lenient).isUnchanged)
            await #expect(throws: JSONError.self) { try await store.sync(payload, into: "User", options: strict) }
        }
    }

    @Test(arguments: StoreKind.allCases, 0..<(isFullScale ? 6 : 2))
    func payloadsAndOtherChangesInTurnEndAsIfNothingWereSkipped(kind: StoreKind, round: Int) async throws {
        let seed = environmentSeed ?? UInt64(round)
        var random = SeededGenerator(seed: seed)
        // With transformers, each object is looked at.
        var plain = SyncOptions()
        plain.transformers["none"] = AttributeTransformer { $0 }
        let (skipping, looking) = (try await store(kind), try await store(kind))
        var versions = Array(repeating: 0, count: 40)
        var former = versions
        for step in 0..<12 {
            // Every third payload is the one before the last again.
            (versions, former) = step % 3 == 2 ? (former, versions) : (versions, versions)
            for _ in step % 3 == 2 ? 0..<0 : 0..<Int.random(in: 0...2, using: &random) {
                versions[.random(in: 0..<40, using: &random)] = .random(in: 0..<9, using: &random)
            }
            // Without other payloads, there is one memory only.
            let other = step == 0 ? 3 : Int.random(in: round % 2 == 0 ? 2..<4 : 0..<4, using: &random)
            let key = Int64.random(in: 0..<40, using: &random)
            let origin = [ChangeSet.Origin.local, .remote, .agreed].randomElement(using: &random) ?? .local
            for store in [skipping, looking] {
                if other == 0 { try await store.adapter.delete("Note", .integer(key)) }
                if other == 1 {
                    try await store.sync("[{\"id\": \(key)}]", into: "Tag", operations: [.insert, .delete])
                }
                if other == 2 {
                    try await store.update("User", .integer(key), ["text": "theirs"], origin: origin)
                }
            }
            let one = try await skipping.sync(users(versions), into: "User")
            let all = try await looking.sync(users(versions), into: "User", options: plain)
            #expect(try await skipping.contents() == looking.contents(), "seed \(seed), step \(step), other \(other)")
            #expect(one.reports == all.reports, "seed \(seed), step \(step)")
            #expect(try await remembers(skipping))
            #expect(try await !remembers(looking))
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func objectThatStatesAnotherOrderIsRead(kind: StoreKind, isOneToMany: Bool) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("User") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("ranks", toMany: "Rank", isOrdered: true, inverse: isOneToMany ? "user" : "users")
                }
                Entity("Rank") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    if isOneToMany {
                        Relationship("user", to: "User", inverse: "ranks")
                    } else {
                        Relationship("users", toMany: "User", inverse: "ranks")
                    }
                }
            })
        let others = (2..<42).map { ", {\"id\": \($0)}" }.joined()
        try await store.sync("[{\"id\": 1}, {\"id\": 2}]", into: "Rank")
        for members in [#""ranks_ids": [1, 2]"#, #""ranks": [{"id": 1}, {"id": 2}]"#] {
            let payload = "[{\"id\": 1, \(members)}\(others)]"
            try await store.sync(payload, into: "User")
            #expect(try await store.related("User", 1, "ranks") == [1, 2])
            try await store.sync(#"[{"id": 1, "ranks_ids": [2, 1]}]"#, into: "User", operations: .page)
            #expect(try await store.related("User", 1, "ranks") == [2, 1])
            try await store.sync(payload, into: "User")
            #expect(try await store.related("User", 1, "ranks") == [1, 2])
        }
    }
}
