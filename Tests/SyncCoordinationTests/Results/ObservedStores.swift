import SyncPersistence
import TestSupport

/// How many records queries have read.
final class ReadCounter: Sendable {
    private let counts = Locked(StorageCounts())

    var transactions: Int { counts.current.transactions }
    var records: Int { counts.current.rows }

    func reset() { counts.reset() }

    /// Returns a store on the records of another one, whose reads are counted.
    ///
    /// Closing it ends its observers, which can still read: so what they read after the last commit is counted too.
    func store(on base: any PersistenceAdapter) -> any PersistenceAdapter {
        HookedAdapter(base, closesBase: false).counted(by: counts)
    }
}

extension HookedAdapter {
    /// Creates a store in which others commit just before and just after a read; the first interruption is next.
    static func interrupted(
        _ base: any PersistenceAdapter, by interruptions: [@Sendable () async throws -> Void]
    ) -> HookedAdapter {
        let left = Locked(interruptions)
        let interrupt: Hook = {
            let next = left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            try await next?()
        }
        return HookedAdapter(base, willRead: interrupt, didRead: interrupt)
    }
}
