import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// How far the synchronization of one record is, and records that are not ready to be sent.
@Suite struct RecordSyncStateTests {
    private let store = InMemoryAdapter(
        schema: try! Schema {
            Entity("Album") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Relationship("photos", toMany: "Photo", inverse: "album")
            }
            Entity("Photo") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Relationship("album", to: "Album", inverse: "photos")
            }
        })
    private let album = RecordID("Album", 1)
    private let photo = RecordID("Photo", 1)

    private func put(_ id: RecordID, _ title: String, album: Value = .null) async throws {
        var changes = ChangeSet()
        var values: [String: Value] = ["id": id.key, "title": .string(title)]
        if id.entity == "Photo" { values["album"] = album }
        try changes.put(Record(id.entity, in: store.schema, values))
        try await store.commit(changes)
    }

    private func cycle(
        isReady: @escaping @Sendable (Record, ReadTransaction) throws -> Bool = { _, _ in true }
    ) -> StoreCycle {
        StoreCycle(isReady: isReady, makeName: countedNames("name"))
    }

    /// Runs a cycle up to its first push, against a service without records.
    private func greet(_ cycle: StoreCycle) async throws -> (StoreCycle, StoreCycle.Step) {
        try await store.write { transaction in
            var cycle = cycle
            _ = try cycle.begin(in: transaction)
            var step = try cycle.received(HandshakeResponse(account: "ada", epoch: "e", sequence: 0), in: transaction)
            if case .pull = step {
                let page = PullResponse(entries: [], cursor: SyncCursor(epoch: "e", sequence: 0), hasMore: false)
                step = try cycle.received(page, in: transaction)
            }
            return (cycle, step)
        }.result
    }

    private func answer(
        _ cycle: StoreCycle, _ push: PushRequest, _ outcomes: [PushResponse.Outcome]
    ) async throws -> StoreCycle.Step {
        try await store.write { transaction in
            var cycle = cycle
            return try cycle.received(PushResponse(name: push.name, outcomes: outcomes), in: transaction)
        }.result
    }

    @Test func aRecordIsPendingThenInFlightThenSynced() async throws {
        #expect(try await store.syncState(of: photo) == .synced)
        try await put(photo, "a")
        #expect(try await store.syncState(of: photo) == .pending)
        let (cycle, step) = try await greet(cycle())
        guard case .push(let push) = step else { throw Unexpected() }
        #expect(try await store.syncState(of: photo) == .inFlight)
        _ = try await answer(cycle, push, [.accepted()])
        #expect(try await store.syncState(of: photo) == .synced)
    }

    @Test func anEditDuringTheFlightIsPending() async throws {
        try await put(photo, "a")
        let (cycle, step) = try await greet(cycle())
        guard case .push(let push) = step else { throw Unexpected() }
        try await put(photo, "b")
        #expect(try await store.syncState(of: photo) == .pending)
        try await put(photo, "a")
        #expect(try await store.syncState(of: photo) == .inFlight)
        try await put(photo, "b")
        _ = try await answer(cycle, push, [.accepted()])
        #expect(try await store.syncState(of: photo) != .synced)
    }

    @Test func aRefusedRecordHasItsReasonUntilItIsEdited() async throws {
        try await put(photo, "a")
        let (cycle, step) = try await greet(cycle())
        guard case .push(let push) = step else { throw Unexpected() }
        _ = try await answer(cycle, push, [.refused(code: "long", reason: "too long")])
        guard case .refused(let refused) = try await store.syncState(of: photo) else { throw Unexpected() }
        #expect(refused.id == photo && refused.code == "long" && refused.reason == "too long")
        try await put(photo, "b")
        #expect(try await store.syncState(of: photo) == .pending)
    }

    @Test func aConflictIsOneUntilItIsResolved() async throws {
        try await put(photo, "a")
        let (first, step) = try await greet(cycle())
        guard case .push(let push) = step else { throw Unexpected() }
        _ = try await answer(first, push, [.accepted()])
        try await put(photo, "mine")
        let second = cycle()
        let pulled = try await store.write { transaction in
            var cycle = second
            _ = try cycle.begin(in: transaction)
            _ = try cycle.received(
                HandshakeResponse(
                    account: "ada", epoch: "e", sequence: 2,
                    lastPush: PushResponse(name: push.name, outcomes: [.accepted()])),
                in: transaction)
            let entry = PullResponse.Entry(
                photo, .present(ValueObject(names: ["id", "title"], values: [1, "theirs"])))
            let page = PullResponse(entries: [entry], cursor: SyncCursor(epoch: "e", sequence: 2), hasMore: false)
            return try cycle.received(page, in: transaction)
        }.result
        guard case .finished = pulled else { throw Unexpected() }
        #expect(try await store.syncState(of: photo) == .conflict)
        let conflict = try #require(try await store.openConflicts.first)
        try await store.resolve(conflict, with: .remote)
        #expect(try await store.syncState(of: photo) == .synced)
    }

    @Test func anUnknownEntityIsAnError() async throws {
        await #expect(throws: PersistenceError.self) { try await store.syncState(of: RecordID("Song", 1)) }
    }

    @Test func recordsThatAreNotReadyAreKeptWithWhatRefersToThem() async throws {
        try await put(album, "draft")
        try await put(photo, "a", album: 1)
        try await put(RecordID("Photo", 2), "b")
        let isReady: @Sendable (Record, ReadTransaction) throws -> Bool = { record, _ in record["title"] != "draft" }
        let (cycle, step) = try await greet(cycle(isReady: isReady))
        guard case .push(let push) = step else { throw Unexpected() }
        #expect(push.mutations.map(\.id) == [RecordID("Photo", 2)])
        guard case .finished(let outcome) = try await answer(cycle, push, [.accepted()]) else { throw Unexpected() }
        #expect(outcome.unready == [album] && outcome.pending == [photo] && !outcome.isSynced)
        #expect(try await store.syncState(of: album) == .pending)
    }

    @Test func aDeletionIsAlwaysReady() async throws {
        try await put(photo, "a")
        let (first, step) = try await greet(cycle())
        guard case .push(let push) = step else { throw Unexpected() }
        _ = try await answer(first, push, [.accepted()])
        var changes = ChangeSet()
        changes.delete(photo)
        try await store.commit(changes)
        let second = try await store.write { transaction in
            var cycle = cycle(isReady: { _, _ in false })
            _ = try cycle.begin(in: transaction)
            return try cycle.received(
                HandshakeResponse(
                    account: "ada", epoch: "e", sequence: 0,
                    lastPush: PushResponse(name: push.name, outcomes: [.accepted()])), in: transaction)
        }.result
        guard case .push(let deletion) = second else { throw Unexpected() }
        #expect(deletion.mutations == [Mutation(photo, .delete)])
    }
}

/// A step of a cycle that a test does not expect.
private struct Unexpected: Error {}
