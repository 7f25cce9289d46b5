import DifferentialSync
import DifferentialSyncTesting
import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Links that arrive in payloads and are synchronized by a cycle of their own, in all orders.
@Suite(.needsStores) struct SyncCycleTests {
    private typealias Server = SimulatedRemoteServer<RecordLink, RecordLink.ID>

    /// A user with two tags, which a server has too.
    private func device(_ kind: StoreKind, _ server: Server) async throws -> SyncStore {
        let store = try await SyncStore(kind, .office())
        try await store.put("User", [["id": 1]], origin: .agreed)
        try await store.put("Tag", [["id": 1], ["id": 2], ["id": 3]], origin: .agreed)
        try await cycle(store, server)
        return store
    }

    private func links(_ store: SyncStore) async throws -> PersistentCollection<RecordLink, RecordLink.ID> {
        try await store.adapter.linkCollection(of: "User", relationship: "tags")
    }

    private func cycle(_ store: SyncStore, _ server: some RemoteCollection<RecordLink, RecordLink.ID>) async throws {
        try await links(store).synchronize(with: server, policy: .localWins)
    }

    private func setTags(_ keys: [Value], _ store: SyncStore) async throws {
        var changes = ChangeSet()
        changes.setLinks(RecordID("User", 1), "tags", to: keys)
        try await store.adapter.commit(changes)
    }

    private func payload(_ keys: [Int]) -> String { "[{\"id\": 1, \"tags_ids\": \(keys)}]" }

    private func targets(_ server: Server) async -> Set<Value> { Set(await server.remote.elements.map(\.id.source)) }

    private func expectSettled(_ store: SyncStore, _ server: Server, _ keys: [Value]) async throws {
        #expect(try await store.members("User", 1, "tags") == keys)
        #expect(await targets(server) == Set(keys))
        #expect(try await links(store).localDiff == nil)
        #expect(try await links(store).pendingPush == nil)
        #expect(try await store.adapter.read { try $0.journal(of: "sync.links.Tag.users") } == [])
    }

    /// A device and a server whose user has the tags 1 and 2.
    private func both(_ kind: StoreKind) async throws -> (SyncStore, Server) {
        let server = Server(primaryKey: \.id)
        let store = try await device(kind, server)
        try await setTags([1, 2], store)
        try await cycle(store, server)
        try await expectSettled(store, server, [1, 2])
        return (store, server)
    }

    @Test(arguments: StoreKind.allCases)
    func anEditThatAPayloadAgreesWithIsNotPushed(kind: StoreKind) async throws {
        let (store, server) = try await both(kind)
        let other = try await device(kind, server)
        try await setTags([2, 3], other)
        try await cycle(other, server)
        try await setTags([2, 3], store)
        let result = try await store.sync(payload([2, 3]), into: "User", operations: .page)
        #expect(result.isUnchanged && result.clashes.isEmpty)
        #expect(try await links(store).localDiff == nil)
        try await cycle(store, server)
        try await expectSettled(store, server, [2, 3])
        #expect(try await store.sync(payload([2, 3]), into: "User", operations: .page).isUnchanged)
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func aPayloadThatComesWhileAPushIsInFlightLosesNoEdit(kind: StoreKind, hasArrived: Bool) async throws {
        let (store, server) = try await both(kind)
        try await setTags([2, 3], store)
        let faulty = FaultyRemote(server) { request in
            if case .push = request { hasArrived ? .answerLost : .requestLost } else { .delivered }
        }
        await #expect(throws: LostMessage.self) { try await cycle(store, faulty) }
        #expect(try await links(store).pendingPush != nil)
        // The payload equals the contents of the server.
        let result = try await store.sync(payload(hasArrived ? [2, 3] : [1, 2]), into: "User", operations: .page)
        #expect(result.isUnchanged && result.clashes.isEmpty)
        #expect(try await store.members("User", 1, "tags") == [2, 3])
        try await cycle(store, server)
        try await expectSettled(store, server, [2, 3])
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func payloadOfAnUnansweredPushKeepsALaterLocalChange(kind: StoreKind, isRemoval: Bool) async throws {
        let (store, server) = try await both(kind)
        let sent: [Int64] = isRemoval ? [2] : [1, 2, 3]
        try await setTags(sent.map { .integer($0) }, store)
        let faulty = FaultyRemote(server) { if case .push = $0 { .answerLost } else { .delivered } }
        await #expect(throws: LostMessage.self) { try await cycle(store, faulty) }
        try await setTags([1, 2], store)
        for _ in 0..<2 {
            try await store.sync(payload(sent.map { Int($0) }), into: "User", operations: .page)
            #expect(try await store.members("User", 1, "tags") == [1, 2])
            #expect(try await links(store).localDiff != nil)
        }
        try await cycle(store, server)
        try await expectSettled(store, server, [1, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func anEditAfterAPushAndAPayloadIsPushedNext(kind: StoreKind) async throws {
        let (store, server) = try await both(kind)
        try await setTags([2, 3], store)
        let faulty = FaultyRemote(server) { if case .push = $0 { .requestLost } else { .delivered } }
        await #expect(throws: LostMessage.self) { try await cycle(store, faulty) }
        try await setTags([1, 3], store)
        try await store.sync(payload([1, 2]), into: "User", operations: .page)
        #expect(try await store.members("User", 1, "tags") == [1, 3])
        try await cycle(store, server)
        try await expectSettled(store, server, [1, 3])
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func recordsDeletedByAPayloadStayDeletedAfterTheCycle(kind: StoreKind, isEdited: Bool) async throws {
        let (store, server) = try await both(kind)
        let other = try await device(kind, server)
        try await setTags([], other)
        try await cycle(other, server)
        if isEdited { try await setTags([1, 2, 3], store) }
        try await store.sync(payload([]), into: "User", operations: .page)
        #expect(try await store.members("User", 1, "tags") == (isEdited ? [3] : []))
        for _ in 0..<2 {
            try await cycle(store, server)
            try await expectSettled(store, server, isEdited ? [3] : [])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aDeletedOwnerWaitsForTheCycleOfItsLinks(kind: StoreKind) async throws {
        let (store, server) = try await both(kind)
        let other = try await device(kind, server)
        try await setTags([2, 3], store)
        let faulty = FaultyRemote(server) { if case .push = $0 { .requestLost } else { .delivered } }
        await #expect(throws: LostMessage.self) { try await cycle(store, faulty) }
        for _ in 0..<2 {
            #expect(try await store.sync("[]", into: "User").heldBack == [RecordID("User", 1)])
            #expect(try await store.members("User", 1, "tags") == [2, 3])
        }
        try await cycle(store, server)
        #expect(await targets(server) == [2, 3])
        try await cycle(other, server)
        try await setTags([], other)
        try await cycle(other, server)
        try await cycle(store, server)
        #expect(try await store.sync("[]", into: "User").heldBack == [])
        #expect(try await store.keys("User") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func aDeletionInFlightNamesTheKeyThatTheServerKnows(kind: StoreKind) async throws {
        let (store, server) = try await both(kind)
        try await setTags([2], store)
        let faulty = FaultyRemote(server) { if case .push = $0 { .requestLost } else { .delivered } }
        await #expect(throws: LostMessage.self) { try await cycle(store, faulty) }
        try await store.adapter.write { _ = try $0.changeKey(of: RecordID("User", 1), to: 7) }
        for _ in 0..<2 { try await cycle(store, server) }
        #expect(await Set(server.remote.elements.map(\.id)) == [RecordLink.ID(source: 2, target: 7)])
        #expect(try await links(store).localDiff == nil)
        #expect(try await store.members("User", 7, "tags") == [2])
    }

    @Test(arguments: StoreKind.allCases)
    func historyFollowsTheKeysOfRecords(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        var keeping = ChangeSet()
        keeping.keepHistory(true)
        try await store.adapter.commit(keeping)
        func deleted() async throws -> Set<RecordID> {
            try await store.adapter.read { transaction in
                let ids = try transaction.history(after: 0, limit: .max).map(\.id).filter { $0.entity == "User" }
                return Set(try ids.filter { try transaction.record($0) == nil })
            }
        }
        try await store.adapter.write { _ = try $0.changeKey(of: RecordID("User", 1), to: 11, origin: .remote) }
        #expect(try await deleted() == [RecordID("User", 1)])
        try await store.adapter.delete("User", 11, origin: .local)
        #expect(try await deleted() == [RecordID("User", 1), RecordID("User", 11)])
        // The payload has both records: one exists, the other stays deleted.
        let json = #"[{"id": 1, "text": "back"}, {"id": 11, "text": "User 1"}]"#
        try await store.sync(json, into: "User", operations: .page)
        #expect(try await store.keys("User") == [1, 2])
        #expect(try await deleted() == [RecordID("User", 11)])
        try await store.sync(#"[{"id": 1}, {"id": 2}]"#, into: "User")
        #expect(try await store.adapter.read { try $0.journal(of: "User") } == [])
        try await store.adapter.write { _ = try $0.changeKey(of: RecordID("User", 2), to: 11, origin: .remote) }
        #expect(try await deleted() == [RecordID("User", 2)])
    }
}
