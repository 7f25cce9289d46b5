import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncCoordination
import SyncPersistence
import Testing

/// The last events that a store keeps for tools.
@Suite(.timeLimit(.minutes(5))) struct RecordedEventTests {
    private func texts(in store: any PersistenceAdapter) async throws -> [String] {
        try await store.read { try $0.recordedEvents }.map(\.text)
    }

    @Test func aCycleIsRecordedUnlessItHadNothingToDo() async throws {
        let world = try PhotoWorld()
        #expect(try await texts(in: world.store) == [])
        try await world.addPhoto(1, "a secret title")
        let coordinator = world.coordinator()
        await world.start(coordinator)
        let texts = try await texts(in: world.store)
        #expect(texts.count == 1 && texts[0].hasPrefix("cycle ended: 0 pulled, 1 pushed"))
        #expect(!texts[0].contains("secret"))
        let events = try await world.store.read { try $0.recordedEvents }
        #expect(events.map(\.date) == [Date(timeIntervalSinceReferenceDate: 0)])
        for _ in 0..<3 { await world.sync(coordinator) }
        #expect(try await self.texts(in: world.store) == texts)
        await coordinator.stop()
    }

    @Test func aFailureIsRecordedWithoutACommit() async throws {
        let world = try PhotoWorld()
        let coordinator = world.coordinator()
        await world.start(coordinator)
        let sequence = try await world.store.read { try $0.sequence }
        world.remote.failAlways(RemoteError.unauthorized)
        await world.sync(coordinator)
        #expect(try await texts(in: world.store).contains("cycle: unauthorized, no retry"))
        #expect(try await world.store.read { try $0.sequence } == sequence)
        world.remote.failAlways(RemoteError.later())
        for _ in 0..<3 { await world.sync(coordinator) }
        #expect(
            try await texts(in: world.store) == [
                "cycle: unauthorized, no retry", "cycle: unavailable, to be tried again",
            ])
        await coordinator.stop()
    }

    /// Lets a coordinator send photos, so many at a time, and returns the texts that are kept.
    private func texts(afterSending counts: [Int]) async throws -> [String] {
        let world = try PhotoWorld()
        let coordinator = world.coordinator()
        await world.start(coordinator)
        for (round, count) in counts.enumerated() {
            for number in 0..<count { try await world.addPhoto(Int64(round * 10 + number)) }
            await world.pass(.seconds(6), coordinator)
        }
        await coordinator.stop()
        return try await texts(in: world.store)
    }

    @Test func theLastTwentyAreKept() async throws {
        let texts = try await texts(afterSending: (1...25).map { $0.isMultiple(of: 2) ? 2 : 1 })
        #expect(texts.count == 20)
        for (text, count) in zip(texts.reversed(), (1...20).map { $0.isMultiple(of: 2) ? 2 : 1 }) {
            #expect(text.hasPrefix("cycle ended: 0 pulled, \(count) pushed"))
        }
    }

    @Test func equalEventsInSuccessionAreOne() async throws {
        let texts = try await texts(afterSending: [1, 1, 1, 2, 1])
        #expect(texts.map { $0.dropFirst("cycle ended: 0 pulled, ".count).first } == ["1", "2", "1"])
    }
}
