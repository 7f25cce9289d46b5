import DifferentialSync
import DifferentialSyncTesting
import EntitySync
import SyncPersistence
import Testing

/// Keys that a server assigns in its answers, with several parts or in records that are being sent.
@Suite(.needsStores) struct UploadKeyTests {
    private static func schema() throws -> Schema {
        try Schema {
            Entity("Order") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("lines", toMany: "Line", inverse: "order", deleteRule: .cascade)
                Relationship("tags", toMany: "Tag", inverse: "orders")
            }
            Entity("Line") {
                Attribute("orderID", .integer, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "order.id"])
                Attribute("number", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Attribute("price", .integer)
                Relationship("order", to: "Order", inverse: "lines")
            }
            Entity("Tag") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("orders", toMany: "Order", inverse: "tags")
            }
            Entity("Repository") {
                Attribute("source", .string, isPrimaryKey: true)
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("fork", to: "Repository")
            }
        }
    }

    private func uploads(_ store: SyncStore, _ entity: String) async throws -> [Upload] {
        try await store.adapter.uploads(of: entity)
    }

    /// Returns a store with a new order of one line, both without a key of the server.
    private func newOrder(_ kind: StoreKind) async throws -> SyncStore {
        let store = try await SyncStore(kind, Self.schema())
        try await store.put("Order", [["id": -1, "name": "new"]])
        try await store.put("Line", [["orderID": -1, "number": 1, "text": "a", "order": -1]])
        return store
    }

    @Test(arguments: StoreKind.allCases)
    func anAnswerNeedStateOnlyThePartsOfAKeyThatAreNew(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"id": 7, "lines": [{"number": 1, "text": "tea"}]}]"#, into: "Order")
        try await store.put("Line", [["orderID": 7, "number": -1, "text": "milk", "order": 7]])
        let upload = try #require(try await uploads(store, "Line").first)
        let synced = try await store.adapter.accept(upload, answer: ["number": 2, "price": 5])
        let (line, result) = (synced.record, synced.result)
        #expect(line?.key == [7, 2] && line?["text"] == "milk" && line?["price"] == 5)
        #expect(result.reports.isEmpty)
        #expect(try await store.keys("Line") == [[7, 1], [7, 2]])
        #expect(try await uploads(store, "Line").isEmpty)
        let updated = try await store.adapter.update("Line", [7, 2], with: ["number": 3]).record
        #expect(updated?.key == [7, 3])
        #expect(try await store.adapter.update("Line", [7, 3], with: ["price": 6]).record?.key == [7, 3])
        #expect(try await store.keys("Line") == [[7, 1], [7, 3]])
    }

    @Test(arguments: StoreKind.allCases)
    func anAnswerNeedNotStateAConstantPartOfAKey(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.put(
            "Repository",
            [["source": "github", "id": -1], ["source": "github", "id": -2, "fork": ["github", -1]]])
        var options = SyncOptions()
        options.constants["Repository"] = ["source": "github"]
        let upload = try #require(try await uploads(store, "Repository").first { $0.id.key == ["github", -1] })
        let repository = try await store.adapter.accept(upload, answer: ["id": 5], options: options).record
        #expect(repository?.key == ["github", 5])
        #expect(try await store.value("Repository", ["github", -2], "fork") == ["github", 5])
        let updated = try await store.adapter.update(
            "Repository", ["github", 5], with: ["id": 6], options: options
        ).record
        #expect(updated?.key == ["github", 6])
    }

    @Test(arguments: StoreKind.allCases)
    func anUploadIsAcceptedAfterTheParentsAnswerHasChangedItsKey(kind: StoreKind) async throws {
        let store = try await newOrder(kind)
        let line = try #require(try await uploads(store, "Line").first)
        let order = try #require(try await uploads(store, "Order").first)
        try await store.adapter.accept(order, answer: ["id": 70])
        try await store.update("Line", [70, 1], ["text": "later"], origin: .local)
        for _ in 0..<2 {
            let record = try await store.adapter.accept(
                line, answer: ["order_id": 70, "number": 1, "text": "a", "price": 4]
            ).record
            #expect(record?.key == [70, 1] && record?["text"] == "later" && record?["price"] == 4)
            let next = try await uploads(store, "Line")
            #expect(next.map(\.kind) == [.edit] && next.first?.changedNames == ["text"])
        }
        #expect(try await store.keys("Line") == [[70, 1]])
    }

    @Test(arguments: StoreKind.allCases)
    func recordsBelowAreMergedWithTheirParents(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.put("Order", [["id": -1, "name": "new"]])
        try await store.put(
            "Line",
            [
                ["orderID": -1, "number": 1, "text": "a", "order": -1],
                ["orderID": -1, "number": 2, "text": "mine", "order": -1],
            ])
        let upload = try #require(try await uploads(store, "Order").first)
        let json = #"[{"id": 70, "name": "new", "lines": [{"number": 1, "text": "a", "price": 4}]}]"#
        try await store.sync(json, into: "Order")
        try await store.adapter.accept(upload, answer: ["id": 70])
        #expect(try await store.keys("Order") == [70])
        #expect(try await store.keys("Line") == [[70, 1], [70, 2]])
        #expect(try await store.members("Order", 70, "lines") == [[70, 1], [70, 2]])
        #expect(try await store.value("Line", [70, 1], "price") == 4)
        #expect(try await store.value("Line", [70, 2], "text") == "mine")
        #expect(try await uploads(store, "Line").map(\.id.key) == [[70, 2]])
        #expect(try await store.sync(json, into: "Order").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func linksOnTheirWayNameTheNewKey(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let server = SimulatedRemoteServer<RecordLink, RecordLink.ID>(primaryKey: \.id)
        let links = try await store.adapter.linkCollection(of: "Order", relationship: "tags")
        try await store.put("Tag", [["id": 1], ["id": 2]], origin: .agreed)
        try await store.put("Order", [["id": -1, "name": "new"]])
        var changes = ChangeSet()
        changes.setLinks(RecordID("Order", -1), "tags", to: [1, 2])
        try await store.adapter.commit(changes)
        let faulty = FaultyRemote(server) { if case .push = $0 { .requestLost } else { .delivered } }
        await #expect(throws: LostMessage.self) {
            try await links.synchronize(with: faulty, pushID: "1", policy: .localWins)
        }
        try await store.adapter.update("Order", -1, with: ["id": 70])
        #expect(try await links.pendingPush?.changes.add.map(\.id.source) == [70, 70])
        try await links.synchronize(with: server, pushID: "2", policy: .localWins)
        #expect(try await links.localDiff == nil)
        #expect(Set(await server.remote.elements.map(\.id.source)) == [70])
    }

    @Test(arguments: StoreKind.allCases)
    func linksReadBeforeAMemberHasItsKeyLeaveNothingBehind(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.put("Tag", [["id": -5], ["id": 6]])
        try await store.put("Order", [["id": -1, "name": "new"]])
        var changes = ChangeSet()
        changes.setLinks(RecordID("Order", -1), "tags", to: [-5, 6])
        try await store.adapter.commit(changes)
        let orders = try await store.adapter.uploads(of: "Order", with: ["tags"])
        for upload in try await uploads(store, "Tag") {
            try await store.adapter.accept(upload, answer: upload.id.key == -5 ? ["id": 60] : .null)
        }
        for upload in orders { try await store.adapter.accept(upload, answer: ["id": 70]) }
        #expect(try await store.members("Order", 70, "tags") == [6, 60])
        // The server received a link to tag -5, which it does not have. The link to tag 60 is still to be sent.
        let shape = "sync.links.Order.tags"
        #expect(try await store.adapter.read { try $0.journal(of: shape).map(\.id.key) } == [[70, 60]])
        let next = try await store.adapter.uploads(of: "Order", with: ["tags"])
        #expect(next.map(\.id.key) == [70])
        for upload in next { try await store.adapter.accept(upload) }
        #expect(try await store.adapter.read { try $0.journal(of: shape).isEmpty })
        #expect(try await store.adapter.uploads(of: "Order", with: ["tags"]) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func aChildThatWasReadBeforeItsParentsAnswerIsSentOnceMore(kind: StoreKind) async throws {
        let store = try await newOrder(kind)
        let line = try #require(try await uploads(store, "Line").first)
        let order = try #require(try await uploads(store, "Order").first)
        try await store.adapter.accept(order, answer: ["id": 70])
        try await store.adapter.accept(line)
        let next = try await uploads(store, "Line")
        #expect(next.map(\.kind) == [.insertion] && next.map(\.id.key) == [[70, 1]])
        for upload in next { try await store.adapter.accept(upload) }
        #expect(try await uploads(store, "Line").isEmpty)
        #expect(try await store.keys("Line") == [[70, 1]])
    }

    @Test(arguments: StoreKind.allCases)
    func shortObjectBeforeTheAnswerDoesNotClearTheSentValues(kind: StoreKind) async throws {
        let store = try await newOrder(kind)
        let order = try #require(try await uploads(store, "Order").first)
        // A list that states only the keys of its objects arrives before the answer to the upload.
        try await store.sync(#"[{"id": 70}, {"id": 71, "name": "other"}]"#, into: "Order")
        let accepted = try await store.adapter.accept(order, answer: ["id": 70])
        #expect(accepted.record?["name"] == "new")
        #expect(try await uploads(store, "Order").isEmpty)
        #expect(try await store.value("Line", [70, 1], "text") == "a")
        try await store.sync(#"[{"id": 70, "name": null}]"#, into: "Order", operations: .update)
        #expect(try await store.value("Order", 70, "name") == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func childrenReadAfterTheirParentsAnswersAreSentOnce(kind: StoreKind) async throws {
        let store = try await newOrder(kind)
        for upload in try await uploads(store, "Order") { try await store.adapter.accept(upload, answer: ["id": 70]) }
        for upload in try await uploads(store, "Line") {
            #expect(upload.id.key == [70, 1])
            try await store.adapter.accept(upload)
        }
        #expect(try await uploads(store, "Line").isEmpty)
        #expect(try await uploads(store, "Order").isEmpty)
    }
}
