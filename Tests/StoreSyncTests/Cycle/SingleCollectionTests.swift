import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// Cycles of single collections beside that of the whole store.
@Suite struct SingleCollectionTests {
    @Test func aCollectionOfASynchronizedStoreHasNoCycleOfItsOwn() async throws {
        let phone = try Device("phone")
        try await phone.sync(with: Planner.service().service)
        let tags = try await phone.store.recordCollection(of: "Tag")
        let remote = SimulatedRemoteServer<Record, Value>(primaryKey: \.key)
        await #expect {
            try await tags.synchronize(with: remote, policy: .localWins)
        } throws: {
            ($0 as? CycleError)?.code == .wholeStore
        }
    }

    /// Its conflicts are those of the whole store.
    @Test func aCollectionOfASynchronizedStoreCannotBeStopped() async throws {
        let phone = try Device("phone")
        try await phone.sync(with: Planner.service().service)
        let tags = try await phone.store.recordCollection(of: "Tag")
        await #expect {
            try await tags.stopSynchronizing()
        } throws: {
            ($0 as? CycleError)?.code == .wholeStore
        }
    }
}
