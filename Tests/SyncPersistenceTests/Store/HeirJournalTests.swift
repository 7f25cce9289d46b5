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
    private typealias Policy = ConflictPolicy<Record>

    /// A store, and a remote for its dogs and one for its cats.
    private func world() -> (store: InMemoryAdapter, dogs: Server, cats: Server) {
        (InMemoryAdapter(schema: schema), Server(primaryKey: \.key), Server(primaryKey: \.key))
    }

    /// A world in which dog 1 has become a cat in the store, and has a name on the remote since.
    private func worldWithACatThatAnotherDeviceEditsAsADog() async throws -> (
        store: InMemoryAdapter, dogs: Server, cats: Server
    ) {
        let ((store, dogs, cats), tablet) = (world(), InMemoryAdapter(schema: schema))
        try await put("Dog", ["id": 1], in: store)
        try await synchronize("Dog", of: store, with: dogs)
        try await synchronize("Dog", of: tablet, with: dogs)
        try await put("Dog", ["id": 1, "name": "Rex"], in: tablet)
        try await synchronize("Dog", of: tablet, with: dogs)
        try await put("Cat", ["id": 1], in: store)
        return (store, dogs, cats)
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

    /// Requires that a cycle leaves record 1 out, and that all records and local changes stay.
    private func expectWaiting(of entity: String, in store: InMemoryAdapter, with remote: Server) async throws {
        let records = try await store.read { try $0.records(Query("Animal")) }
        let journal = try await store.read { try $0.journal(of: "Animal") }
        let collection = try await store.recordCollection(of: entity)
        let outcome = try await collection.synchronize(with: remote, policy: .unexpected)
        #expect(outcome.ending == .synced && !outcome.isSynced)
        #expect(outcome.waitingForOthers == [RecordID(entity, 1)])
        #expect(outcome.unreadable == [])
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
        try await expectWaiting(of: "Cat", in: store, with: cats)
        try await synchronize("Dog", of: store, with: dogs)
        #expect(await dogs.remote.elements == [])
        #expect(try await store.recordCollection(of: "Cat").outgoingDiff?.add.map(\.key) == [1])
        try await synchronize("Cat", of: store, with: cats)
        #expect(await Set(cats.remote.elements.map(\.key)) == (hasOthers ? [1, 2] : [1]))
        try await synchronize("Dog", of: store, with: dogs)
        #expect(try await store.read { try $0.records(Query("Animal")) }.allSatisfy { $0.entity == "Cat" })
        #expect(try await store.read { try $0.journal(of: "Animal") } == [])
    }

    /// Stores records that exchange their entities: what was dog 1 is a cat, and what was cat 2 is a dog.
    private func exchange(name: String, in store: InMemoryAdapter) async throws {
        try await put("Cat", ["id": 1, "lives": .integer(Int64(name.count))], in: store)
        try await put("Dog", ["id": 2, "name": .string(name)], in: store)
    }

    /// Stores dog 1 and cat 2 in a store, and synchronizes it and others.
    private func synchronizeBoth(_ stores: InMemoryAdapter..., with dogs: Server, _ cats: Server) async throws {
        try await put("Dog", ["id": 1], in: stores[0])
        try await put("Cat", ["id": 2], in: stores[0])
        for store in stores {
            try await synchronize("Dog", of: store, with: dogs)
            try await synchronize("Cat", of: store, with: cats)
        }
    }

    /// Runs two cycles of each collection, of which the latter ones leave nothing out.
    private func synchronizeTwice(
        _ order: [String], of store: InMemoryAdapter, with dogs: Server, _ cats: Server, policy: Policy
    ) async throws {
        for isLast in [false, true] {
            for entity in order {
                let collection = try await store.recordCollection(of: entity)
                let outcome = try await collection.synchronize(with: entity == "Dog" ? dogs : cats, policy: policy)
                #expect(outcome.isSynced || !isLast)
            }
        }
    }

    /// Requires that a store and the remotes have what the exchange has left, and that nothing is to be sent.
    private func expectExchanged(name: String, in store: InMemoryAdapter, _ dogs: Server, _ cats: Server) async throws {
        let dog = try Record("Dog", in: schema, ["id": 2, "name": .string(name)])
        let cat = try Record("Cat", in: schema, ["id": 1, "lives": .integer(Int64(name.count))])
        #expect(await dogs.remote.elements == [dog])
        #expect(await cats.remote.elements == [cat])
        #expect(try await store.read { try $0.records(Query("Dog")) } == [dog])
        #expect(try await store.read { try $0.records(Query("Cat")) } == [cat])
        #expect(try await store.read { try $0.journal(of: "Animal") } == [])
    }

    @Test(arguments: [["Dog", "Cat"], ["Cat", "Dog"]])
    func cyclesSendRecordsThatExchangeTheirEntities(order: [String]) async throws {
        let (store, dogs, cats) = world()
        try await synchronizeBoth(store, with: dogs, cats)
        try await exchange(name: "Rex", in: store)
        // A change of a third record is sent beside them.
        try await put(order[0], ["id": 3], in: store)
        let (first, second) = order[0] == "Dog" ? (dogs, cats) : (cats, dogs)
        let waiting = RecordID(order[0], order[0] == "Dog" ? 2 : 1)
        let shadow = try await store.read { try $0.journalEntry(waiting)?.base }
        let outcome = try await store.recordCollection(of: order[0]).synchronize(with: first, policy: .unexpected)
        #expect(outcome.ending == .synced && !outcome.isSynced)
        #expect(outcome.waitingForOthers == [waiting])
        #expect(outcome.counts.pushed.added == 1 && outcome.counts.pushed.deleted == 1)
        // The deletion was sent, and the other record waits unchanged.
        #expect(await first.remote.elements.map(\.key) == [3])
        #expect(try await store.read { try $0.journalEntry(waiting)?.base } == shadow)
        #expect(try await store.read { try $0.outgoingDiff(of: order[0]) }?.add.map(\.id) == [waiting])
        try await synchronize(order[1], of: store, with: second)
        var deletion = ChangeSet()
        deletion.delete(RecordID(order[0], 3))
        try await store.commit(deletion)
        try await synchronize(order[0], of: store, with: first)
        try await expectExchanged(name: "Rex", in: store, dogs, cats)
        try await synchronize(order[1], of: store, with: second)
        try await expectExchanged(name: "Rex", in: store, dogs, cats)
    }

    @Test func changedAccountIsRefusedWithAWayOutWhileRecordsExchangeTheirEntities() async throws {
        let (store, dogs, cats) = world()
        try await synchronizeBoth(store, with: dogs, cats)
        try await exchange(name: "Rex", in: store)
        for (entity, key) in [("Dog", 2), ("Cat", 1)] as [(String, Value)] {
            let collection = try await store.recordCollection(of: entity)
            let other = Server(account: "other", primaryKey: \.key)
            let error = await #expect(throws: PersistenceError.self) {
                try await collection.synchronize(with: other, onAccountChange: .merge, policy: .unexpected)
            }
            #expect(error?.code == .mismatch && error?.id == RecordID(entity, key))
            let remedy = "If the account has changed, delete the record with this key or store it under another key"
            #expect(error?.message.hasSuffix(remedy) == true)
        }
    }

    @Test(arguments: [["Dog", "Cat"], ["Cat", "Dog"]])
    func recordsExchangeTheirEntitiesOnTwoDevices(order: [String]) async throws {
        let ((store, dogs, cats), tablet) = (world(), InMemoryAdapter(schema: schema))
        try await synchronizeBoth(store, tablet, with: dogs, cats)
        try await exchange(name: "Rex", in: store)
        try await exchange(name: "Wuff", in: tablet)
        for (device, policy) in [(store, .unexpected), (tablet, .remoteWins)] as [(InMemoryAdapter, Policy)] {
            try await synchronizeTwice(order, of: device, with: dogs, cats, policy: policy)
            // The policy has decided on what the tablet has pulled of the same keys.
            try await expectExchanged(name: "Rex", in: device, dogs, cats)
        }
    }

    @Test(arguments: [["Dog", "Cat"], ["Cat", "Dog"]])
    func pulledExchangeWaitsForEditsOfBothRecords(order: [String]) async throws {
        let ((store, dogs, cats), tablet) = (world(), InMemoryAdapter(schema: schema))
        try await synchronizeBoth(store, tablet, with: dogs, cats)
        try await exchange(name: "Rex", in: store)
        try await put("Dog", ["id": 1, "name": "Wuff"], in: tablet)
        try await put("Cat", ["id": 2, "lives": 7], in: tablet)
        for device in [store, tablet] {
            try await synchronizeTwice(order, of: device, with: dogs, cats, policy: .remoteWins)
            try await expectExchanged(name: "Rex", in: device, dogs, cats)
        }
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
        try await expectWaiting(of: "Cat", in: store, with: cats)
        try await synchronize("Dog", of: store, with: dogs)
        #expect(await dogs.remote.elements.map { $0["name"] } == ["Rex"])
    }

    @Test func cyclePullsEverythingOnlyAfterTheOtherCollectionHasSent() async throws {
        let (store, dogs, cats) = world()
        try await put("Dog", ["id": 1], in: store)
        try await synchronize("Dog", of: store, with: dogs)
        try await put("Cat", ["id": 1, "lives": 3], in: store)
        let cat = try Record("Cat", in: schema, ["id": 1, "lives": 9])
        await cats.withRemote { $0.reset(to: [cat]) }
        let collection = try await store.recordCollection(of: "Cat")
        let version = try #require(try await collection.synchronize(with: cats, policy: .unexpected).version)
        let second = try await collection.synchronize(with: cats, policy: .unexpected)
        #expect(second.trace.events.map(\.message) == [.pull(since: version)])
        #expect(second.waitingForOthers == [RecordID("Cat", 1)])
        try await synchronize("Dog", of: store, with: dogs)
        let last = try await collection.synchronize(with: cats, policy: .remoteWins)
        #expect(last.trace.events.map(\.message) == [.pull(since: nil)])
        #expect(last.isSynced)
        #expect(try await store.read { try $0.records(Query("Cat")) } == [cat])
    }

    @Test func cyclePullsChangesBesideAnElementThatCannotBeRead() async throws {
        let store = world().store
        try await put("Dog", ["id": 1], in: store)
        let collection = try await store.recordCollection(of: "Cat")
        let cat = try Record("Cat", in: schema, ["id": 1])
        let version = RemoteVersion(epoch: "e", commit: "1")
        /// Runs a cycle that pulls cat 1 and an element 2 that cannot be read, if it pulls everything.
        func requests(_ pushID: String) async throws -> [SyncTrace.Message] {
            var cycle = DurableCycle(collection, pushID: pushID, account: "account", policy: .unexpected)
            let isEverything = try await cycle.begin() == .pull(since: nil)
            _ = try await cycle.pulled(
                isEverything
                    ? .everything([cat], version, unreadable: [2]) : .changes(changed: [], deleted: [], version))
            return cycle.trace.events.map(\.message)
        }
        #expect(try await requests("a") == [.pull(since: nil)])
        #expect(try await requests("b") == [.pull(since: version)])
        var deletion = ChangeSet()
        deletion.delete(RecordID("Dog", 1))
        try await store.commit(deletion)
        #expect(try await requests("c") == [.pull(since: nil)])
        #expect(try await store.read { try $0.records(Query("Cat")) } == [cat])
        #expect(try await requests("d") == [.pull(since: version)])
    }

    @Test func remoteEditDoesNotReplaceARecordThatHasChangedItsEntity() async throws {
        let (store, dogs, cats) = try await worldWithACatThatAnotherDeviceEditsAsADog()
        try await expectRefusal("would replace a 'Cat'", of: "Dog", in: store, with: dogs, policy: .remoteWins)
        try await synchronize("Dog", of: store, with: dogs, policy: .localWins)
        try await synchronize("Cat", of: store, with: cats)
        #expect(await dogs.remote.elements == [])
        #expect(await cats.remote.elements.map(\.key) == [1])
    }

    @Test func openConflictOfTheFormerEntityIsNoneOfThePresentOne() async throws {
        let (store, dogs, cats) = try await worldWithACatThatAnotherDeviceEditsAsADog()
        try await synchronize("Dog", of: store, with: dogs, policy: .leaveOpen)
        let former = try await store.recordCollection(of: "Dog")
        let present = try await store.recordCollection(of: "Cat")
        #expect(try await present.conflicts == [])
        #expect(try await present.conflict(for: 1) == nil)
        #expect(try await present.outgoingDiff?.add.map(\.key) == [1])
        #expect(try await store.read { try $0.journal(of: "Cat").map(\.isUnresolved) } == [false])
        try await expectWaiting(of: "Cat", in: store, with: cats)
        let conflict = try #require(try await former.conflicts.first)
        #expect(conflict.local == nil)
        #expect(conflict.remote?["name"] == "Rex")
        try await former.resolve(1, with: .local, of: conflict)
        try await synchronize("Dog", of: store, with: dogs)
        try await synchronize("Cat", of: store, with: cats)
        #expect(await dogs.remote.elements == [])
        #expect(await cats.remote.elements.map(\.key) == [1])
    }

    @Test(arguments: [false, true])
    func openConflictOfAnInsertedRecordWaitsAfterAChangeOfItsEntity(isDeletedElsewhere: Bool) async throws {
        let ((store, dogs, cats), tablet) = (world(), InMemoryAdapter(schema: schema))
        try await put("Cat", ["id": 1, "lives": 9], in: tablet)
        try await synchronize("Cat", of: tablet, with: cats)
        try await put("Cat", ["id": 1], in: store)
        try await synchronize("Cat", of: store, with: cats, policy: .leaveOpen)
        try await put("Dog", ["id": 1], in: store)
        // A change of another record is sent beside it.
        try await put("Cat", ["id": 2], in: store)
        let former = try await store.recordCollection(of: "Cat")
        let outcome = try await former.synchronize(with: cats, policy: .unexpected)
        #expect(outcome.waitingForOthers == [RecordID("Cat", 1)])
        #expect(outcome.counts.pushed.added == 1 && outcome.counts.pulled.added == 0)
        try await expectWaiting(of: "Cat", in: store, with: cats)
        try await expectWaiting(of: "Dog", in: store, with: dogs)
        if isDeletedElsewhere {
            var deletion = ChangeSet()
            deletion.delete(RecordID("Cat", 1))
            try await tablet.commit(deletion)
            try await synchronize("Cat", of: tablet, with: cats)
        } else {
            let conflict = try #require(try await former.waiting.first)
            #expect(conflict.remote?["lives"] == 9)
            try await former.resolve(1, with: .local, of: conflict)
        }
        try await synchronize("Cat", of: store, with: cats)
        try await synchronize("Dog", of: store, with: dogs)
        #expect(await cats.remote.elements.map(\.key) == [2])
        #expect(await dogs.remote.elements.map(\.id) == [RecordID("Dog", 1)])
        #expect(try await store.read { try $0.journal(of: "Animal") } == [])
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
