import DifferentialSync
import EntitySync
import SyncPersistence
import Testing

/// An app that uploads by its own code reports what it sent, and what the server answered.
@Suite(.needsStores) struct UploadTests {
    private func pending(_ store: SyncStore, _ entity: String) async throws -> [Value] {
        try await store.adapter.read { try $0.journal(of: entity).map(\.id.key) }
    }

    private func upload(_ store: SyncStore, _ key: Value, with names: [String] = []) async throws -> Upload {
        try #require(try await store.adapter.uploads(of: "User", with: names).first { $0.id.key == key })
    }

    @Test(arguments: StoreKind.allCases)
    func uploadsAreWhatWasChangedHere(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("User", [["id": 9, "text": "new"]])
        try await store.update("User", 1, ["text": "mine", "boss": 2], origin: .local)
        try await store.adapter.delete("User", 2, origin: .local)
        var changes = ChangeSet()
        changes.link(RecordID("User", 9), "tags", to: 1)
        try await store.adapter.commit(changes)
        let uploads = try await store.adapter.uploads(of: "User", with: ["tags"])
        #expect(uploads.map(\.id.key) == [1, 2, 9])
        #expect(uploads.map(\.kind) == [.edit, .deletion, .insertion])
        #expect(uploads.first?.changedNames == ["text", "boss"])
        #expect(uploads.first?.base?["text"] == "User 1" && uploads.first?.record?["text"] == "mine")
        for upload in uploads {
            let synced = try await store.adapter.accept(upload)
            let (record, result) = (synced.record, synced.result)
            #expect(result.isUnchanged && record == upload.record)
        }
        #expect(try await store.adapter.uploads(of: "User", with: ["tags"]) == [])
        #expect(try await pending(store, "User") == [])
        // A repeated answer changes nothing.
        for upload in uploads { #expect(try await store.adapter.accept(upload).result.isUnchanged) }
        #expect(try await pending(store, "User") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func anEditMadeWhileARecordIsSentStaysPending(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.update("User", 1, ["text": "first", "boss": 2], origin: .local)
        let upload = try await upload(store, 1)
        try await store.update("User", 1, ["text": "second"], origin: .local)
        let synced = try await store.adapter.accept(
            upload, answer: ["id": 1, "text": "first", "manager": 2, "company_id": 3])
        let (user, result) = (synced.record, synced.result)
        #expect(result.clashes.isEmpty)
        #expect(user?["text"] == "second" && user?["company"] == 3)
        let next = try await self.upload(store, 1)
        #expect(next.base?["text"] == "first" && next.base?["company"] == 3 && next.base?["boss"] == 2)
        #expect(next.changedNames == ["text"])
        try await store.adapter.accept(next)
        #expect(try await pending(store, "User") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func anEditThatWasTakenBackWhileItWasSentIsPending(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.update("User", 1, ["text": "mine"], origin: .local)
        let upload = try await upload(store, 1)
        try await store.update("User", 1, ["text": "User 1"], origin: .local)
        #expect(try await pending(store, "User") == [])
        try await store.adapter.accept(upload)
        let next = try await self.upload(store, 1)
        #expect(next.base?["text"] == "mine" && next.record?["text"] == "User 1")
    }

    @Test(arguments: StoreKind.allCases)
    func aPayloadBetweenSendingAndAnswerIsKept(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.update("User", 1, ["text": "mine", "boss": 2], origin: .local)
        let upload = try await upload(store, 1)
        let json = #"[{"id": 1, "text": "mine", "manager": 2, "company_id": 4}]"#
        try await store.sync(json, into: "User", operations: FormRow.operations)
        #expect(try await pending(store, "User") == [])
        // Then another device changed it.
        try await store.sync(#"[{"id": 1, "text": "theirs"}]"#, into: "User", operations: FormRow.operations)
        let synced = try await store.adapter.accept(upload)
        let (user, result) = (synced.record, synced.result)
        #expect(result.isUnchanged && user?["text"] == "theirs" && user?["company"] == 4)
        #expect(try await pending(store, "User") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordMadeOfflineGetsTheKeyOfTheAnswer(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("User", [["id": -1, "text": "new"]])
        try await store.put("Note", [["id": -1, "text": "a", "author": -1]])
        var changes = ChangeSet()
        changes.setLinks(RecordID("User", -1), "tags", to: [1, 2])
        try await store.adapter.commit(changes)
        let upload = try await upload(store, -1, with: ["tags"])
        // It is edited while it is being sent.
        try await store.update("User", -1, ["boss": 2], origin: .local)
        changes = ChangeSet()
        changes.unlink(RecordID("User", -1), "tags", from: 2)
        changes.link(RecordID("User", -1), "tags", to: 3)
        try await store.adapter.commit(changes)
        let synced = try await store.adapter.accept(upload, answer: ["id": "70", "company_id": 3])
        let (user, result) = (synced.record, synced.result)
        #expect(user?.key == 70 && user?["text"] == "new" && user?["boss"] == 2 && user?["company"] == 3)
        #expect(result.clashes.isEmpty && result.reports.isEmpty)
        #expect(try await store.keys("User") == [1, 2, 70])
        #expect(try await store.members("User", 70, "notes") == [-1])
        #expect(try await store.members("User", 70, "tags") == [1, 3])
        let next = try await self.upload(store, 70, with: ["tags"])
        #expect(next.kind == .edit && next.changedNames == ["boss"])
        #expect(try await pending(store, "sync.links.Tag.users") == [[2, 70], [3, 70]])
        let note = try #require(try await store.adapter.uploads(of: "Note").first)
        #expect(note.kind == .insertion && note.record?["author"] == 70)
        try await store.adapter.accept(note, answer: ["id": 71])
        #expect(try await store.members("User", 70, "notes") == [71])
        #expect(try await pending(store, "Note") == [])
        // The first answer arrives once more.
        try await store.adapter.accept(upload, answer: ["id": 70])
        #expect(try await store.keys("User") == [1, 2, 70])
        #expect(try await self.upload(store, 70, with: ["tags"]) == next)
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordThatAPayloadHasBroughtBecomesOneWithTheSentOne(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("User", [["id": -1, "text": "new"]])
        try await store.put("Note", [["id": -1, "author": -1]])
        let upload = try await upload(store, -1)
        try await store.update("User", -1, ["boss": 2], origin: .local)
        let json = #"[{"id": 70, "text": "new", "company_id": 3, "notes": [{"id": 50}]}]"#
        try await store.sync(json, into: "User", operations: FormRow.operations.union(.insert))
        let user = try await store.adapter.accept(upload, answer: ["id": 70]).record
        #expect(user?["text"] == "new" && user?["boss"] == 2 && user?["company"] == 3)
        #expect(try await store.keys("User") == [1, 2, 70])
        #expect(try await store.members("User", 70, "notes") == [-1, 50])
        let next = try await self.upload(store, 70)
        #expect(next.changedNames == ["boss"])
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordDeletedWhileItWasSentIsDeletedThere(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("User", [["id": -1, "text": "new"], ["id": 8, "text": "own key"]])
        let sent = try await upload(store, -1)
        let other = try await upload(store, 8)
        for key: Value in [-1, 8] { try await store.adapter.delete("User", key, origin: .local) }
        #expect(try await pending(store, "User") == [])
        #expect(try await store.adapter.accept(sent, answer: ["id": 70]).record == nil)
        #expect(try await store.adapter.accept(other, answer: ["id": 8, "text": "own key"]).record == nil)
        #expect(try await store.keys("User") == [1, 2])
        let uploads = try await store.adapter.uploads(of: "User")
        #expect(uploads.map(\.id.key) == [8, 70] && uploads.allSatisfy { $0.kind == .deletion })
        for upload in uploads { try await store.adapter.accept(upload) }
        #expect(try await pending(store, "User") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordMadeAgainWhileItsDeletionWasSentIsInserted(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let user = try #require(try await store.record("User", 2))
        try await store.adapter.delete("User", 2, origin: .local)
        let upload = try await upload(store, 2)
        var changes = ChangeSet()
        changes.put(user)
        try await store.adapter.commit(changes)
        try await store.adapter.accept(upload, answer: ["ok": true])
        #expect(try await self.upload(store, 2).kind == .insertion)
        #expect(try await store.record("User", 2) == user)
    }

    @Test(arguments: StoreKind.allCases)
    func anAnswerThatIsNoObjectChangesNothing(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.update("User", 1, ["text": "mine"], origin: .local)
        let upload = try await upload(store, 1)
        let error = await #expect(throws: SyncError.self) { try await store.adapter.accept(upload, answer: [1]) }
        #expect(error?.code == .noKey)
        #expect(
            error?.message == "the answer to one object is to be an object or null, and an array was given")
        #expect(try await pending(store, "User") == [1])
    }
}
