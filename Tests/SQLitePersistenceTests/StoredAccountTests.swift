import DifferentialSync
import DifferentialSyncTesting
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Whose collections a store has, on both adapters.
struct StoredAccountTests {
    private func store(_ isInMemory: Bool, _ schema: Schema) async throws -> any PersistenceAdapter {
        isInMemory ? InMemoryAdapter(schema: schema) : try await SQLiteAdapter.inMemory(schema: schema)
    }

    private func items(
        _ entity: String, _ items: [Item] = [], in store: any PersistenceAdapter
    ) async throws -> PersistentCollection<Item, Int> {
        let collection = try await store.collection(of: Item.self, entity: entity)
        try await collection.upsert(contentsOf: items)
        return collection
    }

    private func server(_ account: String, _ items: [Item] = []) -> SimulatedRemoteServer<Item, Int> {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        if !items.isEmpty { remote.reset(to: items) }
        return SimulatedRemoteServer(remote, account: account)
    }

    private func expectRefused(
        _ description: String? = nil, _ store: any PersistenceAdapter,
        sourceLocation: SourceLocation = #_sourceLocation, _ body: @Sendable () async throws -> Void
    ) async throws {
        let before = try await StoreDump(of: store)
        let error = await #expect(throws: CycleError.self, sourceLocation: sourceLocation) { try await body() }
        #expect(error?.code == .otherAccount, sourceLocation: sourceLocation)
        if let description {
            #expect(
                error?.description == description + """
                    . Nothing was sent: choose by 'onAccountChange' whether to merge the local elements into the \
                    remote's account or to replace them, or use a store for each account
                    """, sourceLocation: sourceLocation)
        }
        #expect(try await StoreDump(of: store) == before, sourceLocation: sourceLocation)
    }

    @Test(arguments: [true, false])
    func theAccountIsStoredBeforeTheFirstRequest(isInMemory: Bool) async throws {
        let store = try await store(isInMemory, Schema([]))
        let notes = try await items("Note", [Item(1)], in: store)
        var cycle = DurableCycle(notes, account: "Ada", policy: .localWins)
        #expect(try await cycle.begin() == .pull(since: nil))
        // The process dies here.
        let again = try await items("Note", in: store)
        #expect(try await again.account == "Ada")
        let bob = server("Bob", [Item(2)])
        try await expectRefused("'Note' belongs to another account than the remote", store) {
            try await again.synchronize(with: bob, policy: .localWins)
        }
        #expect(await bob.remote.elements == [Item(2)])
        let ada = server("Ada", [Item(3)])
        try await again.synchronize(with: ada, policy: .localWins)
        #expect(Set(await ada.remote.elements) == [Item(1), Item(3)])
    }

    @Test(arguments: [true, false])
    func aCollectionThatWasNeverSynchronizedBelongsToTheAccountOfTheOthers(isInMemory: Bool) async throws {
        for change in [AccountChange.merge, .replace] {
            let store = try await store(isInMemory, Schema([]))
            try await items("Note", [Item(1)], in: store).synchronize(with: server("Ada"), policy: .localWins)
            let drafts = try await items("Draft", [Item(7)], in: store)
            let bob = server("Bob", [Item(8)])
            let text =
                "'Draft' has records that were never sent, and 'Note' of the same store belongs to another account than "
                + "the remote"
            try await expectRefused(text, store) {
                try await drafts.synchronize(with: bob, policy: .localWins)
            }
            #expect(await bob.remote.elements == [Item(8)])
            #expect(try await drafts.account == nil)

            // A cycle that is cut off after the choice has not made it for the next one.
            var cut = DurableCycle(drafts, account: "Bob", onAccountChange: change, policy: .localWins)
            #expect(try await cut.begin() == .pull(since: nil))
            try await expectRefused("'Draft' belongs to another account than the remote", store) {
                try await drafts.synchronize(with: bob, policy: .localWins)
            }
            try await drafts.synchronize(with: bob, onAccountChange: change, policy: .localWins)
            #expect(Set(await bob.remote.elements) == (change == .merge ? [Item(7), Item(8)] : [Item(8)]))
            #expect(Set(try await drafts.elements()) == Set(await bob.remote.elements))
            #expect(try await drafts.account == "Bob")
        }
    }

    @Test(arguments: [true, false])
    func aCollectionWithoutRecordsOrOfTheSameAccountBegins(isInMemory: Bool) async throws {
        let store = try await store(isInMemory, Schema([]))
        try await items("Note", [Item(1)], in: store).synchronize(with: server("Ada"), policy: .localWins)
        let (drafts, others) = try await (items("Draft", in: store), items("Other", [Item(1)], in: store))
        try await drafts.synchronize(with: server("Bob", [Item(5)]), policy: .localWins)
        #expect(try await drafts.elements() == [Item(5)])
        try await expectRefused(store: store, others, server("Ada"))
        try await expectRefused(store: store, others, server("Bob"))
        let alone = try await self.store(isInMemory, Schema([]))
        try await items("Note", [Item(1)], in: alone).synchronize(with: server("Ada"), policy: .localWins)
        let ada = server("Ada")
        try await items("Draft", [Item(7)], in: alone).synchronize(with: ada, policy: .localWins)
        #expect(await ada.remote.elements == [Item(7)])
    }

    private func expectRefused(
        store: any PersistenceAdapter, _ collection: PersistentCollection<Item, Int>,
        _ server: SimulatedRemoteServer<Item, Int>
    ) async throws {
        try await expectRefused(nil, store) { try await collection.synchronize(with: server, policy: .localWins) }
    }

    @Test(arguments: [true, false], [AccountChange.merge, .replace])
    func recordsThatWereMadeForTheOldAccountStayItsOwnWhenTheOthersLeave(
        isInMemory: Bool, change: AccountChange
    ) async throws {
        let store = try await store(isInMemory, Schema([]))
        let notes = try await items("Note", [Item(1)], in: store)
        let drafts = try await items("Draft", [Item(7)], in: store)
        let ada = server("Ada")
        try await notes.synchronize(with: ada, policy: .localWins)
        try await notes.synchronize(with: server("Bob"), onAccountChange: change, policy: .localWins)
        #expect(try await notes.account == "Bob")
        let text = "'Draft' has records that were never sent, and they were made for another account than the remote"
        try await expectRefused(text, store) {
            try await drafts.synchronize(with: server("Bob"), policy: .localWins)
        }
        // They are Ada's, wherever the others belong.
        let other = server("Ada")
        try await drafts.synchronize(with: other, policy: .localWins)
        #expect(await other.remote.elements == [Item(7)])
        // What is made afterwards belongs to Bob.
        try await notes.upsert(Item(9))
        try await notes.synchronize(with: server("Bob"), policy: .localWins)
    }

    @Test(arguments: [true, false])
    func documentsAndLinksBelongToAnAccountToo(isInMemory: Bool) async throws {
        let schema = try Schema([
            Entity("Tag", attributes: [Attribute("id", .integer, isPrimaryKey: true)]),
            Entity(
                "Task", attributes: [Attribute("id", .integer, isPrimaryKey: true)],
                relationships: [Relationship("tags", toMany: "Tag")]),
        ])
        let store = try await store(isInMemory, schema)
        let notes = try await items("Note", [Item(1)], in: store)
        var cycle = DurableCycle(notes.documents, account: "Ada", policy: .localWins)
        _ = try await cycle.begin()
        #expect(try await notes.account == "Ada")
        try await expectRefused(nil, store) {
            var cycle = DurableCycle(notes.documents, account: "Bob", policy: .localWins)
            _ = try await cycle.begin()
        }

        let links = try await store.linkCollection(of: "Task", relationship: "tags")
        var changes = ChangeSet()
        for entity in ["Task", "Tag"] { changes.put(Record(try #require(schema[entity]), ["id": 1])) }
        changes.link(RecordID("Task", 1), "tags", to: 1)
        try await store.commit(changes)
        try await expectRefused(nil, store) {
            var cycle = DurableCycle(links, account: "Bob", policy: .localWins)
            _ = try await cycle.begin()
        }
        var begun = DurableCycle(links, account: "Ada", policy: .localWins)
        _ = try await begun.begin()
        let tasks = try await store.recordCollection(of: "Task")
        try await expectRefused(nil, store) {
            var cycle = DurableCycle(tasks, account: "Bob", policy: .localWins)
            _ = try await cycle.begin()
        }
    }

    @Test(arguments: [true, false])
    func namesOfPushesOutliveTheProcess(isInMemory: Bool) async throws {
        let store = try await store(isInMemory, Schema([]))
        let ada = server("Ada")
        for (number, name) in ["a", "b", "c"].enumerated() {
            let notes = try await items("Note", [Item(1, number), Item(2, number)], in: store)
            try await notes.synchronize(with: ada, pushID: name, limit: .records(count: 1), policy: .localWins)
        }
        let notes = try await items("Note", [Item(1, 9)], in: store)
        for name in ["a", "a.2", "b", "c.2"] {
            let before = try await StoreDump(of: store)
            let error = await #expect(throws: CycleError.self) {
                try await notes.synchronize(with: ada, pushID: name, policy: .localWins)
            }
            #expect(error?.code == .usedName)
            #expect(try await StoreDump(of: store) == before)
        }
        try await notes.synchronize(with: ada, pushID: "d", policy: .localWins)
        #expect(Set(await ada.remote.elements) == [Item(1, 9), Item(2, 2)])

        try await store.write { try $0.setMetadataForTest("cycle.Note.pushNames", "damaged") }
        let error = await #expect(throws: PersistenceError.self) { try await notes.version }
        #expect(error?.code == .unreadable)
    }

    @Test(arguments: [true, false])
    func limitsThatAllowNothingAreErrors(isInMemory: Bool) async throws {
        let store = try await store(isInMemory, Schema([]))
        let notes = try await items("Note", [Item(1)], in: store)
        let ada = server("Ada")
        let before = try await StoreDump(of: store)
        for number in [0, -1, Int.min] {
            for body in [
                { try await notes.synchronize(with: ada, maximumRounds: number, policy: .localWins) },
                { try await notes.synchronize(with: ada, limit: .records(count: number), policy: .localWins) },
            ] as [@Sendable () async throws -> CycleOutcome] {
                let error = await #expect(throws: CycleError.self) { _ = try await body() }
                #expect(error?.code == .invalidLimit)
            }
        }
        #expect(try await StoreDump(of: store) == before)
        for (bytes, rounds) in [(Int.min, 1), (0, 2), (.max, .max)] {
            try await notes.upsert(contentsOf: [Item(1, rounds), Item(2, rounds), Item(3, rounds)])
            let outcome = try await notes.synchronize(
                with: ada, maximumRounds: rounds, limit: .records(count: .max, bytes: bytes), policy: .localWins)
            #expect(outcome.isSynced, "\(bytes): \(outcome)")
            #expect(await ada.remote.elements == Array(try await notes.elements()), "\(bytes)")
        }
    }

    @Test(arguments: [true, false])
    func elementsThatExceedTheLimitGoOutOneByOneInOneRound(isInMemory: Bool) async throws {
        let store = try await store(isInMemory, Schema([]))
        let ada = server("Ada")
        let notes = try await items("Note", (0..<20).map { Item($0) }, in: store)
        for round in 1...2 {
            let outcome = try await notes.synchronize(
                with: ada, maximumRounds: 1, limit: .records(bytes: 1), policy: .localWins)
            #expect(outcome.isSynced, "\(outcome)")
            #expect(await ada.remote.elements == Array(try await notes.elements()))
            try await notes.upsert(contentsOf: (0..<20).map { Item($0, round) })
        }
    }

    @Test(arguments: [true, false])
    func negativeLimitsAndOffsetsOfQueriesAreErrors(isInMemory: Bool) async throws {
        let store = try await store(isInMemory, Schema([]))
        _ = try await items("Note", [Item(1), Item(2), Item(3)], in: store)
        for number in [-1, Int.min] {
            for (name, query) in [("offset", Query("Note", offset: number)), ("limit", Query("Note", limit: number))] {
                for sort in [[], [Query.SortKey("id", isDescending: true)]] {
                    let query = Query("Note", sort: sort, offset: query.offset, limit: query.limit)
                    for body in [
                        { _ = try $0.records(query) }, { _ = try $0.count(query) },
                        { try $0.forEach(query) { _ in true } },
                    ] as [@Sendable (ReadTransaction) throws -> Void] {
                        let error = await #expect(throws: PersistenceError.self) { try await store.read(body) }
                        #expect(error?.code == .negativeNumber)
                        #expect(
                            error?.description == "a query of 'Note' has the \(name) \(number): give 0 or more")
                    }
                }
            }
        }
        for (offset, limit, count) in [(0, 0, 0), (Int.max, 1, 0), (1, Int.max, 2), (.max, .max, 0), (0, .max, 3)] {
            for sort in [[], [Query.SortKey("id")]] {
                let query = Query("Note", sort: sort, offset: offset, limit: limit)
                #expect(try await store.read { try $0.records(query).count } == count)
                #expect(try await store.read { try $0.count(query) } == count)
            }
        }
    }
}

extension WriteTransaction {
    fileprivate func setMetadataForTest(_ name: String, _ value: String) throws {
        var changes = ChangeSet()
        changes.setMetadata(name, value)
        try apply(changes)
    }
}
