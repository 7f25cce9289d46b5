import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct PushInFlightTests {
    private struct Page: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
    }

    /// A page with keys of other records.
    private struct TaggedPage: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
        var tags: [Int]
    }

    /// Pages of a kilobyte, all edited since they were synchronized.
    private func editedPages(
        _ count: Int
    ) async throws -> (SimulatedRemoteServer<Page, Int>, PersistentCollection<Page, Int>) {
        let server = SimulatedRemoteServer<Page, Int>(primaryKey: \.id)
        let pages = try await emptyStore().collection(of: Page.self, entity: "Page")
        let limit = PushLimit<Record>.records(count: count, bytes: .max)
        try await pages.upsert(contentsOf: (0..<count).map { Page(id: $0, text: String(repeating: "a", count: 1_000)) })
        try await pages.synchronize(with: server, pushID: "first", limit: limit, policy: .unexpected)
        try await pages.upsert(contentsOf: (0..<count).map { Page(id: $0, text: String(repeating: "b", count: 1_000)) })
        return (server, pages)
    }

    /// The size of all that a store holds, and of its largest value.
    private func size(of store: any PersistenceAdapter) async throws -> (all: Int, largest: Int) {
        let sizes = try await StoreDump(of: store).records.values.joined().flatMap { record in
            record.values.map { if case .string(let text) = $0 { text.utf8.count } else { 8 } }
        }
        return (sizes.reduce(0, +), sizes.max() ?? 0)
    }

    @Test func pushInFlightCostsNextToNothingBesideItsRecords() async throws {
        let (server, pages) = try await editedPages(isFullScale ? 20_000 : 500)
        let before = try await size(of: pages.store)
        await #expect(throws: LostMessage.self) {
            try await pages.synchronize(
                with: FaultyRemote(server) { _ in .requestLost }, pushID: "a",
                limit: .records(count: 20_000, bytes: .max), policy: .unexpected)
        }
        #expect(try await pages.pendingPush?.changes.replace.count == pages.count)
        let after = try await size(of: pages.store)
        #expect(Double(after.all) <= 1.1 * Double(before.all), "\(before) → \(after)")
        #expect(after.largest == before.largest)
    }

    @Test func whatWasSentIsSavedOnceWhenItIsEdited() async throws {
        let (server, pages) = try await editedPages(3)
        await #expect(throws: LostMessage.self) {
            try await pages.synchronize(
                with: FaultyRemote(server) { _ in .answerLost }, pushID: "a", policy: .unexpected)
        }
        let sent = try #require(try await pages.pendingPush)
        for text in ["c", "d", String(repeating: "a", count: 1_000)] {
            try await pages.edit(0) { $0.text = text }
            #expect(try await pages.pendingPush == sent)
        }
        try await pages.remove(1)
        #expect(try await pages.pendingPush == sent)
        let images = try await pages.store.read { transaction in
            try transaction.records(Query("sync.inFlight")).filter { $0["image"] != .null }.count
        }
        #expect(images == 2)
        try await pages.synchronize(with: server, pushID: "b", policy: .unexpected)
        let elements = Array(try await pages.elements())
        #expect(elements.map(\.id) == [0, 2])
        #expect(await server.remote.elements == elements)
        #expect(try await pages.store.read { try $0.count(Query("sync.inFlight")) } == 0)
    }

    @Test func aPushIsReadByATypeThatHasKeysOfOtherRecords() async throws {
        let store = InMemoryAdapter(
            schema: try Schema {
                Entity("Page") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("tags", toMany: "Tag", inverse: "pages")
                }
                Entity("Tag") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("pages", toMany: "Page", inverse: "tags")
                }
            })
        let server = SimulatedRemoteServer<Page, Int>(primaryKey: \.id)
        let pages = try await store.collection(of: Page.self, entity: "Page")
        try await pages.insert(Page(id: 1, text: "a"))
        try await pages.synchronize(with: server, pushID: "first", policy: .unexpected)
        try await pages.edit(1) { $0.text = "b" }
        let remote = FaultyRemote(server) { request in
            if case .push = request { return .requestLost }
            return .delivered
        }
        await #expect(throws: LostMessage.self) {
            try await pages.synchronize(with: remote, pushID: "a", policy: .unexpected)
        }
        var changes = ChangeSet()
        try changes.put(Record("Tag", in: store.schema, ["id": 5]))
        changes.link(RecordID("Page", 1), "tags", to: 5)
        try await store.commit(changes)
        let tagged = try await store.collection(of: TaggedPage.self, entity: "Page")
        let sent = try #require(try await tagged.pendingPush)
        let (old, new) = (TaggedPage(id: 1, text: "a", tags: [5]), TaggedPage(id: 1, text: "b", tags: [5]))
        #expect(sent.id == "a" && sent.changes == Diff([.replace(old: old, new: new)]))
        #expect(try await tagged.snapshot().pendingPush == sent)
    }

    @Test func pushesAreBoundedByCountAndBytes() async throws {
        let server = SimulatedRemoteServer<Page, Int>(primaryKey: \.id)
        let pages = try await emptyStore().collection(of: Page.self, entity: "Page")
        let pushes = Locked<[String: Int]>([:])
        let remote = FaultyRemote(server) { request in
            if case .push(let push) = request { pushes.withLock { $0[push.id] = push.changes.changes.count } }
            return .delivered
        }
        try await pages.upsert(contentsOf: (0..<12).map { Page(id: $0, text: "short") })
        let outcome = try await pages.synchronize(
            with: remote, pushID: "a", maximumRounds: 1, limit: .records(count: 5), policy: .unexpected)
        #expect(outcome.isSynced && outcome.counts.pushed.added == 12)
        #expect(pushes.exchange(with: [:]) == ["a": 5, "a.2": 5, "a.3": 2])
        try await pages.upsert(contentsOf: (0..<4).map { Page(id: $0, text: String(repeating: "x", count: 1_000)) })
        try await pages.synchronize(
            with: remote, pushID: "b", limit: .records(bytes: 2_500), policy: .unexpected)
        #expect(pushes.exchange(with: [:]) == ["b": 2, "b.2": 2])
        try await pages.upsert(contentsOf: (0..<2).map { Page(id: $0, text: String(repeating: "y", count: 5_000)) })
        try await pages.synchronize(
            with: remote, pushID: "c", limit: .records(bytes: 2_500), policy: .unexpected)
        #expect(pushes.current == ["c": 1, "c.2": 1], "each holds one at least")
        #expect(await server.remote.elements == Array(try await pages.elements()))
    }

    @Test func costOfManyPushesIsThatOfTheirChanges() async throws {
        var costs: [Int] = []
        for count in [100, 400] {
            let counts = Locked(StorageCounts())
            let store = try emptyStore().counted(by: counts)
            let items = try await store.collection(of: Item.self, entity: "Item")
            let server = SimulatedRemoteServer<Item, Int>(primaryKey: \.id)
            try await items.upsert(contentsOf: (0..<count).map { Item($0) })
            counts.reset()
            try await items.synchronize(with: server, limit: .records(count: 10), policy: .unexpected)
            #expect(await server.remote.elements.count == count)
            costs.append(counts.current.records)
        }
        #expect(costs[1] < 4 * costs[0] + 100, "\(costs)")
        #expect(costs[1] < 20 * 400, "\(costs)")
    }

    @Test func openConflictIsResolvedWithoutReadingTheOthers() async throws {
        var costs: [Int] = []
        for count in [10, 1_000] {
            let counts = Locked(StorageCounts())
            let store = try emptyStore().counted(by: counts)
            let items = try await store.collection(of: Item.self, entity: "Item")
            var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
            remote.reset(to: (0..<count).map { Item($0) })
            try await items.synchronize(with: SimulatedRemoteServer(remote), policy: .unexpected)
            try await items.upsert(contentsOf: (0..<count).map { Item($0, 1) })
            remote.reset(to: (0..<count).map { Item($0, 2) })
            let outcome = try await items.synchronize(with: SimulatedRemoteServer(remote), policy: .leaveOpen)
            #expect(outcome.counts.open == count)
            counts.reset()
            let conflict = try #require(try await items.conflict(for: 5))
            try await items.resolve(5, with: .merged(Item(5, 3)), of: conflict)
            costs.append(counts.current.records)
            #expect(try await items.element(5) == Item(5, 3))
            #expect(try await items.outgoingDiff?.changes == [.replace(old: Item(5, 2), new: Item(5, 3))])
            #expect(try await items.conflicts.count == count - 1)
        }
        #expect(costs[0] == costs[1] && costs[1] < 40, "\(costs)")
    }
}
