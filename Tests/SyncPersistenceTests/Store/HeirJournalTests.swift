import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import Testing

/// Local changes that make a record one of another entity of its hierarchy.
struct HeirJournalTests {
    private let schema = try! Schema {
        Entity("Animal") { Attribute("id", .integer, isPrimaryKey: true) }
        Entity("Dog", parent: "Animal") { Attribute("name", .string) }
        Entity("Cat", parent: "Animal") { Attribute("lives", .integer) }
    }

    private func put(_ entity: String, _ store: InMemoryAdapter, _ origin: ChangeSet.Origin) async throws {
        var changes = ChangeSet(origin: origin)
        changes.put(try Record(entity, in: schema, ["id": 1]))
        try await store.commit(changes)
    }

    @Test(arguments: [false, true])
    func diffOfEachEntityHasARecordThatHasChangedItsEntity(isInShadow: Bool) async throws {
        let store = InMemoryAdapter(schema: schema)
        try await put("Dog", store, isInShadow ? .agreed : .local)
        try await put("Cat", store, .local)
        try await store.read { (transaction) throws -> Void in
            let cat = try #require(try transaction.record(RecordID("Cat", 1)))
            let insertion = try #require(Change(from: nil, to: cat))
            #expect(try transaction.localDiff(of: "Cat")?.changes == [insertion])
            #expect(try transaction.outgoingDiff(of: "Cat")?.changes == [insertion])
            let dog = isInShadow ? try Record("Dog", in: schema, ["id": 1]) : nil
            #expect(try transaction.localDiff(of: "Dog")?.changes == Change(from: dog, to: nil).map { [$0] })
            let change = try #require(Change(from: dog, to: cat))
            #expect(try transaction.localDiff(of: "Animal")?.changes == [change])
            #expect(try transaction.journal(of: "Cat").map(\.id) == [RecordID("Cat", 1)])
            #expect(try transaction.journal(of: "Dog").map(\.base) == (isInShadow ? [dog] : []))
        }
    }

    @Test func revertRestoresARecordThatHasChangedItsEntity() async throws {
        let store = InMemoryAdapter(schema: schema)
        try await put("Dog", store, .agreed)
        try await put("Cat", store, .local)
        try await store.recordCollection(of: "Cat").revert()
        #expect(try await store.read { try $0.records(Query("Animal")) }.map(\.id) == [RecordID("Dog", 1)])
        #expect(try await store.read { try $0.journal(of: "Animal") } == [])
    }
}

extension HeirJournalTests {
    private typealias Server = SimulatedRemoteServer<Record, Value>

    /// A store, and a remote for its dogs and one for its cats.
    private func world() -> (store: InMemoryAdapter, dogs: Server, cats: Server) {
        (InMemoryAdapter(schema: schema), Server(primaryKey: \.key), Server(primaryKey: \.key))
    }

    private func put(_ entity: String, _ values: [String: Value], in store: InMemoryAdapter) async throws {
        var changes = ChangeSet()
        changes.put(try Record(entity, in: schema, values))
        try await store.commit(changes)
    }

    private func synchronize(
        _ entity: String, of store: InMemoryAdapter, with remote: some RemoteCollection<Record, Value>,
        policy: ConflictPolicy<Record> = .unexpected
    ) async throws {
        let outcome = try await store.recordCollection(of: entity).synchronize(with: remote, policy: policy)
        #expect(outcome.isSynced)
    }

    /// Requires that a cycle throws, and that all records and local changes stay.
    private func expectRefusal(
        _ words: String, of entity: String, in store: InMemoryAdapter, with remote: Server,
        policy: ConflictPolicy<Record> = .unexpected
    ) async throws {
        let records = try await store.read { try $0.records(Query("Animal")) }
        let journal = try await store.read { try $0.journal(of: "Animal") }
        await #expect {
            try await synchronize(entity, of: store, with: remote, policy: policy)
        } throws: { error in
            let error = error as? PersistenceError
            return error?.code == .mismatch && error?.id == RecordID(entity, 1)
                && error?.message.contains(words) == true
        }
        #expect(try await store.read { try $0.records(Query("Animal")) } == records)
        #expect(try await store.read { try $0.journal(of: "Animal") } == journal)
    }

    @Test(arguments: [false, true])
    func cyclesSendARecordThatHasChangedItsEntity(hasOthers: Bool) async throws {
        let (store, dogs, cats) = world()
        try await put("Dog", ["id": 1], in: store)
        if hasOthers { try await put("Cat", ["id": 2], in: store) }
        try await synchronize("Dog", of: store, with: dogs)
        try await synchronize("Cat", of: store, with: cats)
        try await put("Cat", ["id": 1], in: store)
        try await expectRefusal("synchronize the collection of 'Dog' before", of: "Cat", in: store, with: cats)
        try await synchronize("Dog", of: store, with: dogs)
        #expect(await dogs.remote.elements == [])
        #expect(try await store.recordCollection(of: "Cat").outgoingDiff?.add.map(\.key) == [1])
        try await synchronize("Cat", of: store, with: cats)
        #expect(await Set(cats.remote.elements.map(\.key)) == (hasOthers ? [1, 2] : [1]))
        try await synchronize("Dog", of: store, with: dogs)
        #expect(try await store.read { try $0.records(Query("Animal")) }.allSatisfy { $0.entity == "Cat" })
        #expect(try await store.read { try $0.journal(of: "Animal") } == [])
    }

    @Test func cycleSendsANewRecordThatHasChangedItsEntity() async throws {
        let (store, dogs, cats) = world()
        try await put("Dog", ["id": 1], in: store)
        try await put("Cat", ["id": 1], in: store)
        try await synchronize("Dog", of: store, with: dogs)
        try await synchronize("Cat", of: store, with: cats)
        #expect(await dogs.remote.elements == [])
        #expect(await cats.remote.elements.map(\.id) == [RecordID("Cat", 1)])
        #expect(try await store.read { try $0.journal(of: "Animal") } == [])
    }

    @Test func pulledRecordDoesNotReplaceALocalOneOfAnotherEntity() async throws {
        let (store, dogs, cats) = world()
        try await put("Dog", ["id": 1, "name": "Rex"], in: store)
        let cat = try Record("Cat", in: schema, ["id": 1])
        await cats.withRemote { $0.reset(to: [cat]) }
        try await expectRefusal("synchronize the collection of 'Dog' before", of: "Cat", in: store, with: cats)
        try await synchronize("Dog", of: store, with: dogs)
        #expect(await dogs.remote.elements.map { $0["name"] } == ["Rex"])
    }

    @Test func remoteEditDoesNotReplaceARecordThatHasChangedItsEntity() async throws {
        let ((store, dogs, cats), tablet) = (world(), InMemoryAdapter(schema: schema))
        try await put("Dog", ["id": 1], in: store)
        try await synchronize("Dog", of: store, with: dogs)
        try await synchronize("Dog", of: tablet, with: dogs)
        try await put("Dog", ["id": 1, "name": "Rex"], in: tablet)
        try await synchronize("Dog", of: tablet, with: dogs)
        try await put("Cat", ["id": 1], in: store)
        try await expectRefusal("would replace a 'Cat'", of: "Dog", in: store, with: dogs, policy: .remoteWins)
        try await synchronize("Dog", of: store, with: dogs, policy: .localWins)
        try await synchronize("Cat", of: store, with: cats)
        #expect(await dogs.remote.elements == [])
        #expect(await cats.remote.elements.map(\.key) == [1])
    }

    @Test func editAfterALostAnswerKeepsTheDeletionThatWasSent() async throws {
        let (store, dogs, cats) = world()
        try await put("Dog", ["id": 1], in: store)
        try await synchronize("Dog", of: store, with: dogs)
        try await put("Cat", ["id": 1], in: store)
        await #expect(throws: LostMessage.self) {
            try await synchronize(
                "Dog", of: store, with: FaultyRemote(dogs) { if case .push = $0 { .answerLost } else { .delivered } })
        }
        try await put("Cat", ["id": 1, "lives": 9], in: store)
        try await synchronize("Dog", of: store, with: dogs)
        try await synchronize("Cat", of: store, with: cats)
        #expect(await dogs.remote.elements == [])
        #expect(await cats.remote.elements.map { $0["lives"] } == [9])
    }
}
