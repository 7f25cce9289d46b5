import StoreSync
import SyncCoordination
import SyncPersistence
import Testing

/// The marks beside the rows of a list.
@Suite struct ObservedSyncStateTests {
    private let first = RecordID("Photo", 1)
    private let second = RecordID("Photo", 2)

    @Test func aMarkFollowsItsRecordFromTheEditToTheResponse() async throws {
        let review = Review { change, _ in
            change.new?["title"] == "" ? .refuse(code: "empty", reason: "without a title") : .accept
        }
        let world = try PhotoWorld(review: review)
        let store = world.store
        var observation = store.syncStates(of: [first, second]).makeAsyncIterator()
        #expect(try await observation.next() == [first: .synced, second: .synced])
        try await world.addPhoto(1)
        #expect(try await observation.next() == [first: .pending, second: .synced])
        try await world.addPhoto(2, "")
        #expect(try await observation.next() == [first: .pending, second: .pending])
        // Nothing of this concerns the records.
        var settings = ChangeSet()
        settings.setMetadata("settings", "1")
        try await store.commit(settings)
        // The handshake and the page come before the push.
        let remote = world.remote
        remote.hold(after: 2)
        let cycle = Task { try await store.synchronize(with: remote, makeName: { "device" }) }
        #expect(try await observation.next() == [first: .inFlight, second: .inFlight])
        remote.release()
        _ = try await cycle.value
        let states = try await observation.next()
        #expect(states?[first] == .synced)
        guard case .refused(let refused)? = states?[second] else { throw Unexpected() }
        #expect(refused.code == "empty")
        try await world.setPhoto(2, ["title": "b"])
        #expect(try await observation.next() == [first: .synced, second: .pending])
    }

    @Test func theInboxFollowsConflictsAndRefusals() async throws {
        let review = Review { change, _ in
            change.new?["title"] == "" ? .refuse(code: "empty", reason: "without a title") : .accept
        }
        let world = try PhotoWorld(review: review)
        let store = world.store
        var observation = store.inbox().makeAsyncIterator()
        #expect(try await observation.next()?.isEmpty == true)
        try await world.addPhoto(1, "")
        try await world.addPhoto(2)
        try await store.synchronize(with: world.remote, makeName: { "device" })
        let refused = try await observation.next()
        #expect(refused?.refused.map(\.id) == [first] && refused?.conflicts == [])
        try await world.addPhoto(2, "there", in: world.server)
        try await world.setPhoto(2, ["title": "here"])
        try await store.synchronize(with: world.remote, makeName: { "device" })
        let inbox = try await observation.next()
        #expect(inbox?.conflicts.map(\.id) == [second] && inbox?.refused.map(\.id) == [first])
        let conflict = try #require(inbox?.conflicts.first)
        try await store.resolve(conflict, with: .local)
        #expect(try await observation.next()?.conflicts == [])
    }

    @Test func anUnknownEntityEndsTheObservationWithAnError() async throws {
        var observation = try PhotoWorld().store.syncStates(of: [RecordID("Song", 1)]).makeAsyncIterator()
        await #expect(throws: PersistenceError.self) { try await observation.next() }
        #expect(try await observation.next() == nil)
    }
}
