import Dispatch
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Stores that are suspended while others have their file open.
///
/// The commits of the other adapter give a waiting call the time to fail if it does not wait.
@Suite(.timeLimit(.minutes(5)))
struct SuspendedStoreTests {
    private let folder = TemporaryFolder()

    private func open(isReadOnly: Bool = false) async throws -> SQLiteAdapter {
        var options = SQLiteAdapter.Options()
        options.busyTimeout = .zero
        options.isReadOnly = isReadOnly
        return try await SQLiteAdapter.open(at: folder.file(), schema: Authorship.schema, options: options)
    }

    private func count(_ store: SQLiteAdapter) async throws -> Int {
        try await store.read { try $0.count(Query("Tag")) }
    }

    /// Stores tags with these keys, each by a commit of its own.
    private func commit(_ keys: ClosedRange<Int64>, to store: SQLiteAdapter) async throws {
        for key in keys { try await store.commit(Authorship.tag(key)) }
    }

    /// Begins a write of the tag 100 and a read.
    private func callsOf(_ store: SQLiteAdapter) -> [Task<Void, any Error>] {
        [
            Task { _ = try await store.commit(Authorship.tag(100)) },
            Task { _ = try await store.read { try $0.count(Query("Tag")) } },
        ]
    }

    @Test func writeThatWaitsIsMadeAfterTheResumption() async throws {
        let (store, other) = (try await open(), try await open())
        await store.suspend()
        let write = Task { try await store.commit(Authorship.tag(100)).sequence }
        try await commit(1...20, to: other)
        try await store.resume()
        #expect(try await write.value == 21)
        #expect(try await count(other) == 21)
        await store.close()
        await other.close()
    }

    @Test(arguments: [true, false]) func readThatWaitsSeesTheCommitsOfOthers(isReadOnly: Bool) async throws {
        let other = try await open()
        let store = try await open(isReadOnly: isReadOnly)
        await store.suspend()
        let read = Task { try await count(store) }
        try await commit(1...20, to: other)
        try await store.resume()
        #expect(try await read.value == 20)
        await store.close()
        await other.close()
    }

    @Test(arguments: [true, false]) func suspensionWaitsForRunningTransactions(isWrite: Bool) async throws {
        let (store, other) = (try await open(), try await open())
        try await store.commit(Authorship.tag(1))
        let begun = Signal()
        let mayEnd = DispatchSemaphore(value: 0)
        let lines = Locked<[String]>([])
        let body: @Sendable () -> Void = {
            begun.send()
            mayEnd.wait()
            lines.withLock { $0.append("ended") }
        }
        let running = Task {
            guard isWrite else { return try await store.read { _ in body() } }
            try await store.write { _ in body() }
        }
        await begun.wait()
        let suspending = Task {
            await store.suspend()
            lines.withLock { $0.append("suspended") }
        }
        for _ in 1...20 { #expect(try await count(other) == 1) }
        mayEnd.signal()
        await suspending.value
        #expect(lines.current == ["ended", "suspended"])
        // Without a busy timeout, a lock of the suspended store would be an error.
        try await other.commit(Authorship.tag(2))
        try await running.value
        await store.close()
        await other.close()
    }

    @Test func callsThatWaitCanBeCancelled() async throws {
        let (store, other) = (try await open(), try await open())
        await store.suspend()
        let calls = callsOf(store)
        try await commit(1...20, to: other)
        for call in calls {
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        try await store.resume()
        #expect(try await count(store) == 20)
        await store.close()
        await other.close()
    }

    @Test func closingASuspendedStoreFailsTheCallsThatWait() async throws {
        let (store, other) = (try await open(), try await open())
        await store.suspend()
        let calls = callsOf(store)
        try await commit(1...20, to: other)
        await store.close()
        let usual = await #expect(throws: PersistenceError.self) { try await count(store) }
        #expect(usual?.code == .closed)
        for call in calls {
            let error = await #expect(throws: PersistenceError.self) { try await call.value }
            #expect(error?.description == usual?.description)
        }
        let resumption = await #expect(throws: PersistenceError.self) { try await store.resume() }
        #expect(resumption?.code == .closed)
        await store.suspend()
        #expect(try await count(other) == 20)
        await other.close()
    }

    @Test func storeInMemoryIsSuspendedAndClosed() async throws {
        let store = try await SQLiteAdapter.inMemory(schema: Authorship.schema)
        await store.suspend()
        let write = Task { try await store.commit(Authorship.tag(1)).sequence }
        try await store.resume()
        #expect(try await write.value == 1)
        #expect(try await count(store) == 1)
        await store.suspend()
        let calls = callsOf(store)
        await store.close()
        for call in calls {
            let error = await #expect(throws: PersistenceError.self) { try await call.value }
            #expect(error?.code == .closed)
        }
    }

    @Test func secondSuspensionOrResumptionChangesNothing() async throws {
        let store = try await open()
        try await store.resume()
        try await store.commit(Authorship.tag(1))
        await store.suspend()
        await store.suspend()
        try await store.resume()
        try await store.commit(Authorship.tag(2))
        try await store.resume()
        try await store.commit(Authorship.tag(3))
        #expect(try await count(store) == 3)
        await store.close()
    }

    @MainActor @Test func resumptionEndsASuspensionThatWaits() async throws {
        let store = try await open()
        let begun = Signal()
        let mayEnd = DispatchSemaphore(value: 0)
        let running = Task {
            try await store.read { _ in
                begun.send()
                mayEnd.wait()
            }
        }
        await begun.wait()
        let suspending = Task { await store.suspend() }
        // The tasks of an actor start in their order.
        try await Task { try await store.resume() }.value
        await suspending.value
        try await store.commit(Authorship.tag(1))
        mayEnd.signal()
        try await running.value
        await store.close()
    }

    @Test func observersReceiveLaterCommitsAndThoseOfOthers() async throws {
        let (store, other) = (try await open(), try await open())
        var commits = store.commits().makeAsyncIterator()
        await store.suspend()
        try await commit(1...3, to: other)
        try await store.resume()
        #expect(await commits.next()?.isOfOthers == true)
        try await store.commit(Authorship.tag(4))
        #expect(await commits.next()?.inserted == [RecordID("Tag", 4)])
        await store.close()
        #expect(await commits.next() == nil)
        await other.close()
    }
}
