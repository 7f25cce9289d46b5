import HTTPSync
import ServerCore
import Synchronization
import SyncPersistence
import TestSupport
import Testing

@Suite struct AccountStoresTests {
    /// Counts the stores that are opened.
    private final class Opener: Sendable {
        let names = Mutex<[String]>([])
        let failures = Mutex(0)

        func stores(capacity: Int) -> AccountStores {
            AccountStores(
                StoreBackend(
                    open: { [self] name in
                        names.withLock { $0.append(name) }
                        let fails = failures.withLock { count in
                            defer { count = max(0, count - 1) }
                            return count > 0
                        }
                        if fails { throw PersistenceError(.ioFailure, "no disk") }
                        return InMemoryAdapter(schema: try TestSchema.schema())
                    }, announcements: nil, close: {}),
                capacity: capacity)
        }
    }

    @Test func aStoreIsOpenedOnceAndTheOldestIsClosed() async throws {
        let opener = Opener()
        let stores = opener.stores(capacity: 2)
        for name in ["a", "b", "a", "c", "a", "b"] { try await stores.use(name) { _ in } }
        #expect(opener.names.withLock { $0 } == ["a", "b", "c", "b"])
        #expect(await stores.openCount == 2)
    }

    @Test func aStoreInUseStaysOpen() async throws {
        let stores = Opener().stores(capacity: 1)
        try await stores.use("a") { store in
            await #expect(throws: RemoteError.later(after: 1)) { try await stores.use("b") { _ in } }
            _ = try await store.read { try $0.sequence }
        }
        try await stores.use("b") { _ in }
    }

    @Test func aStoreThatDidNotOpenIsOpenedAgain() async throws {
        let opener = Opener()
        opener.failures.withLock { $0 = 1 }
        let stores = opener.stores(capacity: 1)
        await #expect(throws: PersistenceError.self) { try await stores.use("a") { _ in } }
        try await stores.use("a") { _ in }
        #expect(opener.names.withLock { $0 }.count == 2)
    }

    @Test func concurrentCallsShareAStore() async throws {
        let opener = Opener()
        let stores = opener.stores(capacity: 3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask {
                    do {
                        try await stores.use("\(number % 5)") { store in _ = try await store.read { try $0.sequence } }
                    } catch RemoteError.later {
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await stores.openCount <= 3)
    }

    @Test func nothingIsOpenedAfterTheEnd() async throws {
        let opener = Opener()
        let stores = opener.stores(capacity: 2)
        try await stores.use("a") { _ in }
        await stores.close()
        await #expect(throws: RemoteError.later()) { try await stores.use("a") { _ in } }
        #expect(opener.names.withLock { $0 } == ["a"])
    }
}

@Suite struct ChangeHubTests {
    @Test func aListenerThatHasEndedIsReplacedByTheNextWait() async throws {
        let count = Mutex(0)
        let hub = ChangeHub(waitLimit: 9, accountWaitLimit: 2, listenerLimit: 1) { _, _ in count.withLock { $0 += 1 } }
        // This wait goes on, so that the account keeps its listener.
        let wait = try #require(hub.changes(of: "a"))
        var turns = 0
        while count.withLock({ $0 }) < 2, turns < 1_000_000 {
            _ = hub.changes(of: "a")
            await Task.yield()
            turns += 1
        }
        #expect(count.withLock { $0 } >= 2)
        withExtendedLifetime(wait) {}
    }

    @Test func aChangeEndsTheWaitsOfItsAccount() async throws {
        let hub = ChangeHub(waitLimit: 9, accountWaitLimit: 2, listenerLimit: 0, listen: nil)
        var waits = [try #require(hub.changes(of: "a")), try #require(hub.changes(of: "a"))]
        #expect(hub.changes(of: "a") == nil)
        let other = try #require(hub.changes(of: "b"))
        #expect(hub.waitCount == 3)
        hub.publish("a")
        for wait in waits { for await _ in wait { break } }
        waits = []
        #expect(hub.waitCount == 1)
        #expect(hub.changes(of: "a") != nil)
        hub.answerAll()
        for await _ in other { break }
        for await _ in try #require(hub.changes(of: "b")) { break }
    }

    @Test func theWaitsOfAllAccountsHaveALimit() throws {
        let hub = ChangeHub(waitLimit: 2, accountWaitLimit: 2, listenerLimit: 0, listen: nil)
        var waits = [try #require(hub.changes(of: "a")), try #require(hub.changes(of: "b"))]
        #expect(hub.changes(of: "c") == nil)
        waits.removeLast()
        #expect(hub.waitCount == 1)
        #expect(hub.changes(of: "c") != nil)
        withExtendedLifetime(waits) {}
    }

    @Test func changesOfOtherProcessesAreReceivedWhileSomeoneWaits() async throws {
        let (begun, beginning) = AsyncStream.makeStream(of: String.self)
        let (ended, ending) = AsyncStream.makeStream(of: String.self)
        let hub = ChangeHub(waitLimit: 9, accountWaitLimit: 9, listenerLimit: 1) { account, changed in
            beginning.yield(account)
            changed()
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in stream {}
            continuation.finish()
            ending.yield(account)
        }
        var wait = hub.changes(of: "a")
        // The limit is reached: this account receives the changes of its own process alone.
        let other = try #require(hub.changes(of: "b"))
        for await account in begun {
            #expect(account == "a")
            break
        }
        if let wait { for await _ in wait { break } }
        wait = nil
        for await account in ended {
            #expect(account == "a")
            break
        }
        hub.publish("b")
        for await _ in other { break }
    }
}
