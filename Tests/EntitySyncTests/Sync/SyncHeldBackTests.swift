import DifferentialSync
import EntitySync
import SyncPersistence
import Testing

/// Changes that were made locally and not sent yet are never overwritten by a payload.
@Suite(.needsStores) struct SyncHeldBackTests {
    private func journal(_ store: SyncStore, _ entity: String, _ key: Value) async throws -> JournalEntry? {
        try await store.adapter.read { try $0.journalEntry(RecordID(entity, key)) }
    }

    @Test(arguments: StoreKind.allCases)
    func anEditedRecordKeepsItsEdit(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("Badge", [["id": 1, "text": "mine"]])
        let json = #"[{"id": 1, "text": "theirs"}, {"id": 2, "text": "theirs"}]"#
        let result = try await store.sync(json, into: "Badge", operations: [.update])
        #expect(result.heldBack == [])
        let clash = try #require(result.clashes.first)
        #expect(result.clashes.count == 1 && clash.id == RecordID("Badge", 1) && clash.properties == ["text"])
        #expect(clash.base?["text"] == "Badge 1" && clash.local?["text"] == "mine" && clash.remote?["text"] == "theirs")
        #expect(result["Badge"].updated.map(\.id.key) == [2])
        #expect(result["Badge"].unchangedCount == 0)
        #expect(try await store.value("Badge", 1, "text") == "mine")
        let entry = try await journal(store, "Badge", 1)
        #expect(entry?.base?["text"] == "theirs")
        #expect(entry?.isUnresolved == false)
        let again = try await store.sync(json, into: "Badge", operations: [.update])
        #expect(again.isUnchanged && again.clashes.isEmpty)
        #expect(try await store.value("Badge", 1, "text") == "mine")
    }

    @Test(arguments: StoreKind.allCases)
    func anEditOfWhatTheRemoteDidNotChangeIsNoConflict(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("Badge", [["id": 1, "text": "mine"]])
        let result = try await store.sync(#"[{"id": 1, "text": "Badge 1"}]"#, into: "Badge", operations: [.update])
        #expect(result.heldBack.isEmpty)
        #expect(try await store.value("Badge", 1, "text") == "mine")
        #expect(try await journal(store, "Badge", 1)?.base?["text"] == "Badge 1")
    }

    @Test(arguments: StoreKind.allCases)
    func theSameChangeOnBothSidesIsResolved(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("Badge", [["id": 1, "text": "same"]])
        let result = try await store.sync(#"[{"id": 1, "text": "same"}]"#, into: "Badge", operations: [.update])
        #expect(result.heldBack.isEmpty)
        #expect(try await journal(store, "Badge", 1) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func editedAndNewLocalRecordsAreNotDeleted(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("Badge", [["id": 1, "text": "mine"], ["id": 9, "text": "new"]])
        let result = try await store.sync(#"[{"id": 2}]"#, into: "Badge")
        #expect(try await store.keys("Badge") == [1, 2, 9])
        #expect(result.heldBack == [])
        #expect(result.clashes.map(\.id) == [RecordID("Badge", 1)])
        #expect(result.clashes.first?.conflict.kind == .editedHereDeletedThere)
        #expect(result.clashes.first?.properties == [])
        #expect(result["Badge"].deleted.map(\.key).sorted(by: Value.areInIncreasingOrder) == [3, 4])
        // The remote no longer has it, so it will be inserted there.
        let entry = try #require(try await journal(store, "Badge", 1))
        #expect(entry.base == nil && !entry.isUnresolved)
        let again = try await store.sync(#"[{"id": 2}]"#, into: "Badge")
        #expect(again.isUnchanged && again.clashes.isEmpty && again.heldBack.isEmpty)
        #expect(try await store.keys("Badge") == [1, 2, 9])
    }

    @Test(arguments: StoreKind.allCases)
    func aLocallyDeletedRecordIsNotInsertedAgain(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        var changes = ChangeSet()
        changes.delete(RecordID("Badge", 1))
        changes.delete(RecordID("Badge", 2))
        try await store.adapter.commit(changes)
        let json = #"[{"id": 1, "text": "Badge 1"}, {"id": 2, "text": "theirs"}, {"id": 3}, {"id": 4}]"#
        let result = try await store.sync(json, into: "Badge")
        #expect(try await store.keys("Badge") == [3, 4])
        #expect(result.heldBack == [])
        #expect(result.clashes.map(\.id) == [RecordID("Badge", 2)])
        #expect(result.clashes.first?.conflict.kind == .deletedHereEditedThere)
        #expect(try await journal(store, "Badge", 2)?.base?["text"] == "theirs")
        let again = try await store.sync(json, into: "Badge")
        #expect(again.isUnchanged && again.clashes.isEmpty)
        #expect(try await store.keys("Badge") == [3, 4])
    }

    @Test(arguments: StoreKind.allCases)
    func anEditedChildIsKeptWhenItLeavesTheList(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("Note", [["id": 1, "text": "mine", "author": 1]])
        let result = try await store.sync(
            #"[{"id": 1, "notes": [{"id": 2, "text": "theirs"}]}]"#, into: "User", operations: FormRow.operations)
        #expect(try await store.value("Note", 1, "text") == "mine")
        #expect(try await store.value("Note", 2, "text") == "theirs")
        #expect(result.clashes.map(\.id) == [RecordID("Note", 1)])
        #expect(result.clashes.first?.remote == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func aListedChildKeepsItsEdits(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("Note", [["id": 1, "text": "mine", "author": 2]])
        let result = try await store.sync(
            #"[{"id": 1, "notes": [{"id": 1, "text": "theirs"}, {"id": 2}]}]"#, into: "User",
            operations: FormRow.operations)
        #expect(try await store.value("Note", 1, "text") == "mine")
        #expect(try await store.value("Note", 1, "author") == 2)
        // Only the local side changed its owner.
        #expect(result.clashes.map(\.properties) == [["text"]])
        let base = try await journal(store, "Note", 1)?.base
        #expect(base?["text"] == "theirs")
        #expect(base?["author"] == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func locallyAddedAndRemovedLinksAreKept(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        var changes = ChangeSet()
        changes.unlink(RecordID("User", 1), "tags", from: 1)
        changes.link(RecordID("User", 1), "tags", to: 3)
        try await store.adapter.commit(changes)
        #expect(try await store.members("User", 1, "tags") == [2, 3])
        for member in [#""tags_ids": [1, 2]"#, #""tags": [{"id": 1}, {"id": 2}]"#] {
            try await store.sync("[{\"id\": 1, \(member)}]", into: "User", operations: FormRow.operations)
            #expect(try await store.members("User", 1, "tags") == [2, 3], "\(member)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aSyncOfLocalOriginIsALocalChange(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        var options = SyncOptions()
        options.origin = .local
        let result = try await store.sync(
            #"[{"id": 1, "text": "mine"}, {"id": 9}]"#, into: "Badge", operations: [.insert, .update], options: options)
        #expect(result["Badge"].count == 2)
        let journal = { (entity: String) in try await store.adapter.read { try $0.journal(of: entity).map(\.id.key) } }
        #expect(try await journal("Badge") == [1, 9])
        #expect(try await journal("User") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func anOwnerThatIsKeptRegainsItsMembers(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, .office())
        try await store.sync(#"[{"id": 1, "text": "a", "notes": [{"id": 2}, {"id": 3}]}]"#, into: "User")
        try await store.update("User", 1, ["text": "mine"], origin: .local)
        try await store.sync("[]", into: "User")
        #expect(try await store.keys("User") == [1])
        let again = #"[{"id": 1, "text": "a", "notes": [{"id": 3}]}]"#
        try await store.sync(again, into: "User")
        #expect(try await store.keys("Note") == [3])
        #expect(try await store.value("User", 1, "text") == "mine")
        #expect(try await store.sync(again, into: "User").isUnchanged)
    }
}

extension SyncHeldBackTests {
    @Test(arguments: StoreKind.allCases)
    func nothingIsConnectedWithALocallyDeletedRecord(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.adapter.delete("Company", 2, origin: .local)
        try await store.adapter.delete("Note", 1, origin: .local)
        let json = #"""
            [{"id": 7, "company": {"id": 2}}, {"id": 8, "company_id": 2},
             {"id": 9, "notes": [{"id": 1, "comments": [{"id": 5}]}]}]
            """#
        _ = try await store.sync(json, into: "User", operations: FormRow.operations.union([.insert, .update]))
        #expect(try await store.keys("User").count == 5)
        #expect(try await store.value("User", 7, "company") == .null)
        #expect(try await store.value("User", 8, "company") == .null)
        #expect(try await store.record("Company", 2) == nil)
        #expect(try await store.record("Note", 1) == nil)
        #expect(try await store.value("Comment", 5, "note") == .null)
    }
}
