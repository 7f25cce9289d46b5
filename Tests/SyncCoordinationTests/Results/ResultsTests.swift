import SQLitePersistence
import SyncCoordination
import SyncPersistence
import TestSupport
import Testing

@Suite
struct ResultsTests {
    private static let open = Query("Todo", where: Field("isDone") == false, sort: [Query.SortKey("due")])

    @Test(arguments: StoreKind.allCases)
    func firstSnapshotHasThePresentElementsAndLaterOnesTheDifferences(kind: StoreKind) async throws {
        let store = try await kind.store()
        try await store.put("Todo", ["id": 1, "title": "milk", "due": 2], ["id": 2, "title": "eggs", "due": 1])
        var results = store.results(Self.open, as: Todo.self).makeAsyncIterator()
        let (milk, eggs) = (Todo(id: 1, title: "milk", due: 2), Todo(id: 2, title: "eggs", due: 1))
        var snapshot = try await results.next()
        #expect(snapshot.map { Array($0.elements) } == [eggs, milk])
        #expect(snapshot?.changes?.add == [eggs, milk])

        let tea = Todo(id: 3, title: "tea", due: 1)
        try await store.put("Todo", ["id": 3, "title": "tea", "due": 1])
        snapshot = try await results.next()
        #expect(snapshot.map { Array($0.elements) } == [eggs, tea, milk])
        #expect(snapshot?.changes?.changes == [.add(tea)])

        let oatMilk = Todo(id: 1, title: "oat milk", due: 0)
        try await store.update("Todo", 1, ["title": "oat milk", "due": 0])
        snapshot = try await results.next()
        #expect(snapshot.map { Array($0.elements) } == [oatMilk, eggs, tea])
        #expect(snapshot?.changes?.changes == [.replace(old: milk, new: oatMilk)])

        try await store.update("Todo", 2, ["isDone": true])
        snapshot = try await results.next()
        #expect(snapshot?.changes?.changes == [.delete(eggs)])
        try await store.delete("Todo", 3)
        snapshot = try await results.next()
        #expect(snapshot.map { Array($0.elements) } == [oatMilk])
        await store.close()
        #expect(try await results.next() == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func commitsThatDoNotConcernTheQueryCauseNeitherSnapshotNorRead(kind: StoreKind) async throws {
        let counter = ReadCounter()
        let store = counter.store(on: try await kind.store())
        try await store.put("Todo", ["id": 1, "isDone": true], ["id": 2])
        var results = store.results(Self.open).makeAsyncIterator()
        #expect(try await results.next()?.elements.map(\.key) == [2])
        try await store.put("Project", ["id": 1])
        try await store.put("Todo", ["id": 3, "isDone": true])
        try await store.update("Todo", 1, ["title": "tea", "due": 5])
        try await store.delete("Todo", 1)
        try await store.commitMetadata("1")
        try await store.put("Tag", ["id": 1])
        counter.reset()
        await store.close()
        #expect(try await results.next() == nil)
        #expect(counter.transactions == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func changeOfAnAttributeThatTheTypeLacksCausesNoSnapshot(kind: StoreKind) async throws {
        struct Title: Codable, Identifiable, Equatable, Sendable {
            var id: Int
            var title: String
        }
        let store = try await kind.store()
        try await store.put("Todo", ["id": 1, "title": "milk"])
        var results = store.results(Query("Todo"), as: Title.self).makeAsyncIterator()
        #expect(try await results.next()?.elements.map(\.title) == ["milk"])
        try await store.update("Todo", 1, ["due": 7])
        try await store.update("Todo", 1, ["title": "eggs"])
        let snapshot = try await results.next()
        #expect(snapshot?.changes?.delete == [Title(id: 1, title: "milk")])
        #expect(snapshot?.changes?.replace == [Title(id: 1, title: "eggs")])
    }

    @Test(arguments: StoreKind.allCases)
    func slowConsumerReceivesTheLatestStateWithTheDifferenceToWhatItHasSeen(kind: StoreKind) async throws {
        let counter = ReadCounter()
        let store = counter.store(on: try await kind.store())
        try await store.put("Todo", ["id": 0])
        var results = store.results(Query("Todo")).makeAsyncIterator()
        _ = try await results.next()
        for key in 1...100 as ClosedRange<Int64> {
            try await store.put("Todo", ["id": .integer(key)])
            try await store.update("Todo", 0, ["due": .integer(key)])
        }
        try await store.delete("Todo", 50)
        let snapshot = try await results.next()
        #expect(snapshot?.elements.count == 100)
        #expect(snapshot?.changes?.add.count == 99)
        #expect(snapshot?.changes?.replacements.map { $0.new["due"] } == [100])
        #expect(snapshot?.changes?.delete.count == 1)
        // The commits that the snapshot includes are not read again.
        counter.reset()
        await store.close()
        #expect(try await results.next() == nil)
        #expect(counter.transactions == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func noCommitIsLostAroundTheFirstRead(kind: StoreKind) async throws {
        let base = try await kind.store()
        try await base.put("Todo", ["id": 1])
        let store = HookedAdapter.interrupted(
            base,
            by: [
                { try await base.put("Todo", ["id": 2]) }, { try await base.put("Todo", ["id": 3]) },
                { try await base.put("Todo", ["id": 4]) }, { try await base.put("Todo", ["id": 5]) },
            ])
        var results = store.results(Query("Todo")).makeAsyncIterator()
        #expect(try await results.next()?.elements.map(\.key) == [1, 2])
        // The commit after the first read leads to a second one, in which one more has happened.
        let second = try await results.next()
        #expect(second?.elements.map(\.key) == [1, 2, 3, 4])
        #expect(second?.changes?.add.map(\.key) == [3, 4])
        #expect(try await results.next()?.elements.map(\.key) == [1, 2, 3, 4, 5])
    }

    @Test(arguments: StoreKind.allCases)
    func differencesLeadToTheLatestStateWhileOthersWrite(kind: StoreKind) async throws {
        let store = try await kind.store()
        async let writing: Void = {
            for key in 1...200 as ClosedRange<Int64> {
                try await store.put("Todo", ["id": .integer(key), "due": .integer(-key)])
                if key.isMultiple(of: 3) { try await store.delete("Todo", .integer(key / 3)) }
            }
            try await store.put("Todo", ["id": 999, "title": "last"])
        }()
        var shown: [Record] = []
        for try await snapshot in store.results(Query("Todo", sort: [Query.SortKey("due")])) {
            shown = merge(into: shown, applying: snapshot.changes)
            #expect(Set(shown) == Set(snapshot.elements))
            if snapshot.elements.contains(where: { $0["title"] == "last" }) { break }
        }
        try await writing
        let stored = try await store.read { try $0.records(Query("Todo")) }
        #expect(Set(shown) == Set(stored))
    }

    @Test func commitsOfOtherProcessesAreNoticedByTheGapInTheNumbers() async throws {
        let folder = TemporaryFolder()
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: StoreKind.schema)
        let other = try await SQLiteAdapter.open(at: folder.file(), schema: StoreKind.schema)
        try await store.put("Todo", ["id": 1])
        var results = store.results(Query("Todo")).makeAsyncIterator()
        var counts = store.counts(of: Query("Todo")).makeAsyncIterator()
        var versions = store.versions(of: RecordID("Todo", 2)).makeAsyncIterator()
        #expect(try await results.next()?.elements.count == 1)
        #expect(try await counts.next() == 1)
        #expect(try await versions.next() == .some(nil))
        try await other.put("Todo", ["id": 2])
        // This commit alone does not concern the query.
        try await store.commitMetadata("1")
        let snapshot = try await results.next()
        #expect(snapshot?.elements.map(\.key) == [1, 2])
        #expect(snapshot?.changes?.add.map(\.key) == [2])
        #expect(try await counts.next() == 2)
        #expect(try await versions.next()??.key == 2)
        // A commit that the store makes after another one determines the results only together with that.
        try await other.put("Todo", ["id": 3])
        try await store.put("Todo", ["id": 4])
        #expect(try await results.next()?.elements.map(\.key) == [1, 2, 3, 4])
        #expect(try await counts.next() == 4)
        await other.close()
        await store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func sequenceEndsWhenTheTaskIsCancelled(kind: StoreKind) async throws {
        let store = try await kind.store()
        let (started, signal) = AsyncStream<Void>.makeStream()
        let observer = Task {
            var count = 0
            for try await _ in store.results(Query("Todo")) {
                count += 1
                signal.yield()
            }
            return count
        }
        for await _ in started { break }
        observer.cancel()
        #expect(try await observer.value == 1)
        try await store.put("Todo", ["id": 1])
    }

    @Test(arguments: StoreKind.allCases)
    func closedStoreHasNoResults(kind: StoreKind) async throws {
        let store = try await kind.store()
        await store.close()
        var results = store.results(Query("Todo")).makeAsyncIterator()
        #expect(try await results.next() == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func unreadableResultsThrowAndEndTheSequence(kind: StoreKind) async throws {
        let store = try await kind.store()
        for query in [Query("Nothing"), Query("Todo", where: Field("titel") == "a"), Query("Todo", limit: -1)] {
            var results = store.results(query).makeAsyncIterator()
            await #expect(throws: PersistenceError.self) { try await results.next() }
            #expect(try await results.next() == nil)
            var counts = store.counts(of: query).makeAsyncIterator()
            await #expect(throws: PersistenceError.self) { try await counts.next() }
        }
        for id in [RecordID("Nothing", 1), RecordID("Todo", [1, 2])] {
            var versions = store.versions(of: id).makeAsyncIterator()
            await #expect(throws: PersistenceError.self) { try await versions.next() }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func iterationsOfOneObservationAreIndependent(kind: StoreKind) async throws {
        let store = try await kind.store()
        let observation = store.counts(of: Query("Todo"))
        var first = observation.makeAsyncIterator()
        #expect(try await first.next() == 0)
        try await store.put("Todo", ["id": 1])
        var second = observation.makeAsyncIterator()
        #expect(try await second.next() == 1)
        #expect(try await first.next() == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func elementsThatAreStoredAsJSONAreObserved(kind: StoreKind) async throws {
        let store = try await kind.store()
        var results = store.results(Query("Memo"), as: Memo.self).makeAsyncIterator()
        #expect(try await results.next()?.elements == [])
        let memos = try await store.collection(of: Memo.self, entity: "Memo")
        try await memos.insert(Memo(id: 1, text: "milk"))
        #expect(try await results.next()?.elements == [Memo(id: 1, text: "milk")])
        var same = memos.results().makeAsyncIterator()
        #expect(try await same.next()?.elements == [Memo(id: 1, text: "milk")])
        // What cannot be read is an error of the snapshot, and can be read again later.
        try await store.put("Memo", ["id": 1, "content": "?"])
        let unreadable = try await results.next()
        #expect(unreadable?.elements.unreadable.map(\.id) == [RecordID("Memo", 1)])
        #expect(unreadable?.changes?.delete == [Memo(id: 1, text: "milk")])
        try await memos.upsert(Memo(id: 1, text: "eggs"))
        #expect(try await results.next()?.elements == [Memo(id: 1, text: "eggs")])
    }
}
