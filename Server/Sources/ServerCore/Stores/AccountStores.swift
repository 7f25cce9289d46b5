import StoreSync
package import SyncPersistence

/// The open stores of accounts, at most so many at the same time.
///
/// The store that was not used for the longest time is closed for another one. A store in use stays open.
package actor AccountStores {
    private struct Entry {
        let store: Task<any PersistenceAdapter, any Error>
        var users = 0
        var lastUse = 0
    }

    private let backend: StoreBackend
    private let capacity: Int
    private var entries: [String: Entry] = [:]
    /// The stores that are being closed.
    private var closing: [String: Task<Void, Never>] = [:]
    private var useCount = 0
    private var isClosed = false

    package init(_ backend: StoreBackend, capacity: Int) {
        self.backend = backend
        self.capacity = capacity
    }

    /// The number of open stores.
    package var openCount: Int { entries.count }

    /// The names of the open stores.
    var openNames: Set<String> { Set(entries.keys) }

    /// Whether an account has a store, which is not opened for that.
    func exists(_ name: String) -> Bool { entries[name] != nil || backend.exists(name) }

    /// Calls the body with an account's store, which stays open meanwhile.
    ///
    /// - Throws: `RemoteError.later` if too many stores are in use; the errors of opening, and of the body.
    package func use<Result: Sendable>(
        _ name: String, _ body: @Sendable (any PersistenceAdapter) async throws -> Result
    ) async throws -> Result {
        // Another call may open the store while this one waits for the end of closing.
        while entries[name] == nil, let end = closing[name] { await end.value }
        if isClosed { throw RemoteError.later() }
        if entries[name] == nil {
            if entries.count >= capacity, !closeLeastRecentlyUsed() { throw RemoteError.later(after: 1) }
            entries[name] = Entry(store: Task { [backend] in try await backend.open(name) })
        }
        useCount += 1
        entries[name]?.users += 1
        entries[name]?.lastUse = useCount
        guard let opening = entries[name]?.store else { throw RemoteError.later() }
        let store: any PersistenceAdapter
        do {
            store = try await opening.value
        } catch {
            // The next call tries again. An entry of a later call is kept.
            if entries[name]?.store == opening { entries[name] = nil }
            throw error
        }
        defer { entries[name]?.users -= 1 }
        return try await body(store)
    }

    /// Closes the store that was not used for the longest time; returns false if all are in use.
    private func closeLeastRecentlyUsed() -> Bool {
        let idle = entries.filter { $0.value.users == 0 }.min { $0.value.lastUse < $1.value.lastUse }
        guard let (name, entry) = idle else { return false }
        entries[name] = nil
        closing[name] = Task {
            await (try? entry.store.value)?.close()
            closing[name] = nil
        }
        return true
    }

    /// Closes all stores after the calls under way.
    package func close() async {
        isClosed = true
        let stores = entries.values.map(\.store)
        for store in stores { await (try? store.value)?.close() }
        for end in closing.values { await end.value }
        await backend.close()
    }
}
