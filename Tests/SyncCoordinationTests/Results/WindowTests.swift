import SyncCoordination
import SyncPersistence
import Testing

/// A window of few among many records: what is read does not depend on how many there are.
@Suite
struct WindowTests {
    private static func store(
        _ kind: StoreKind, count: Int64, _ counter: ReadCounter
    ) async throws -> any PersistenceAdapter {
        let store = counter.store(on: try await kind.store())
        var changes = ChangeSet()
        for key in 0..<count {
            changes.put(
                try Record("Todo", in: store.schema, ["id": .integer(key), "due": .integer(key * 10), "title": "a"]))
        }
        try await store.commit(changes)
        return store
    }

    @Test(arguments: StoreKind.allCases, [1_000, 5_000])
    func changesWithinTheWindowReadNoRecord(kind: StoreKind, count: Int64) async throws {
        let counter = ReadCounter()
        let store = try await Self.store(kind, count: count, counter)
        let offset = count / 2
        let query = Query("Todo", sort: [Query.SortKey("due")], offset: Int(offset), limit: 50)
        var results = store.results(query, as: Todo.self).makeAsyncIterator()
        #expect(try await results.next()?.elements.map(\.id) == Array(Int(offset)..<Int(offset) + 50))

        try await store.update("Todo", .integer(offset + 3), ["title": "b"])
        counter.reset()
        #expect(try await results.next()?.elements[3].title == "b")
        #expect(counter.records == 0)

        // A record that is inserted or moved within the window.
        try await store.put("Todo", ["id": -1, "due": .integer(offset * 10 + 5)])
        counter.reset()
        #expect(try await results.next()?.elements.prefix(3).map(\.id) == [Int(offset), -1, Int(offset) + 1])
        #expect(counter.records == 0)
        try await store.update("Todo", -1, ["due": .integer(offset * 10 + 15)])
        counter.reset()
        #expect(try await results.next()?.elements.prefix(3).map(\.id) == [Int(offset), Int(offset) + 1, -1])
        #expect(counter.records == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func changesOutsideTheWindowCauseNoRead(kind: StoreKind) async throws {
        let counter = ReadCounter()
        let store = try await Self.store(kind, count: 300, counter)
        let query = Query("Todo", sort: [Query.SortKey("due")], offset: 100, limit: 50)
        var results = store.results(query).makeAsyncIterator()
        _ = try await results.next()
        try await store.update("Todo", 10, ["title": "before"])
        try await store.update("Todo", 10, ["due": 5])
        try await store.update("Todo", 200, ["title": "after"])
        try await store.delete("Todo", 250)
        try await store.put("Todo", ["id": 1_000, "due": 99_999])
        counter.reset()
        await store.close()
        #expect(try await results.next() == nil)
        #expect(counter.transactions == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func recordsEnterFromBothSidesOfTheWindow(kind: StoreKind) async throws {
        let counter = ReadCounter()
        let store = try await Self.store(kind, count: 300, counter)
        let query = Query("Todo", sort: [Query.SortKey("due")], offset: 100, limit: 50)
        var results = store.results(query).makeAsyncIterator()
        _ = try await results.next()
        try await store.delete("Todo", 120)
        counter.reset()
        let next = try await results.next()
        #expect(next?.elements.last?.key == 150)
        #expect(next?.changes?.changes.count == 2)
        // Records beside the window are read, and not those before its offset.
        #expect(counter.records <= 10)
        try await store.put("Todo", ["id": -1, "due": -1])
        counter.reset()
        #expect(try await results.next()?.elements.first?.key == 99)
        #expect(counter.records <= 10)
        try await store.delete("Todo", -1)
        counter.reset()
        let last = try await results.next()
        #expect(last?.elements.map(\.key) == (100...150).filter { $0 != 120 }.map { .integer($0) })
        #expect(counter.records <= 10)
    }

    @Test(arguments: StoreKind.allCases)
    func countsEndAtTheLimitOfTheQuery(kind: StoreKind) async throws {
        let store = try await kind.store()
        try await store.put("Todo", ["id": 1])
        var counts = store.counts(of: Query("Todo", limit: 2)).makeAsyncIterator()
        #expect(try await counts.next() == 1)
        try await store.put("Todo", ["id": 2], ["id": 3])
        #expect(try await counts.next() == 2)
        try await store.delete("Todo", 1)
        try await store.delete("Todo", 2)
        #expect(try await counts.next() == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func countAndVersionFollowFromTheCommits(kind: StoreKind) async throws {
        let counter = ReadCounter()
        let store = try await Self.store(kind, count: 300, counter)
        var counts = store.counts(of: Query("Todo", where: Field("title") == "a")).makeAsyncIterator()
        var versions = store.versions(of: RecordID("Todo", 7)).makeAsyncIterator()
        #expect(try await counts.next() == 300)
        #expect(try await versions.next()??["due"] == 70)
        try await store.put("Todo", ["id": 1_000, "title": "a"], ["id": 1_001, "title": "b"])
        try await store.update("Todo", 7, ["title": "b"])
        try await store.update("Todo", 8, ["due": 0])
        try await store.update("Todo", 9, ["title": "c"])
        counter.reset()
        #expect(try await counts.next() == 299)
        #expect(try await versions.next()??["title"] == "b")
        try await store.delete("Todo", 7)
        #expect(try await versions.next() == .some(nil))
        try await store.delete("Todo", 10)
        counter.reset()
        #expect(try await counts.next() == 298)
        #expect(counter.records == 0)
        await store.close()
        #expect(try await counts.next() == nil)
        #expect(try await versions.next() == nil)
    }
}
