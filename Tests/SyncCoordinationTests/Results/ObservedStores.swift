import DifferentialSyncTesting
import SyncPersistence

/// How many records queries have read.
final class ReadCounter: Sendable {
    private let counts = Locked((transactions: 0, records: 0))

    var transactions: Int { counts.current.transactions }
    var records: Int { counts.current.records }

    func reset() { counts.exchange(with: (0, 0)) }

    /// Returns a store on the records of another one, whose reads are counted.
    ///
    /// Closing it ends its observers, which can still read: so what they read after the last commit is counted too.
    func store(on base: any PersistenceAdapter) -> any PersistenceAdapter {
        ForwardingAdapter(InterruptedAdapter(base, by: [])) { storage in
            self.counts.withLock { $0.transactions += 1 }
            return CountingStorage(storage, self)
        }
    }

    private final class CountingStorage: ForwardingStorage {
        private let counter: ReadCounter

        init(_ base: any RecordStorage, _ counter: ReadCounter) {
            self.counter = counter
            super.init(base)
        }

        override func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
            try super.forEach(query) { record in
                counter.counts.withLock { $0.records += 1 }
                return try body(record)
            }
        }
    }
}

/// A store in which others commit just before and just after a read.
struct InterruptedAdapter: PersistenceAdapter {
    let base: any PersistenceAdapter

    /// What happens around reads; the first of them is next.
    private let interruptions: Locked<[@Sendable () async throws -> Void]>

    init(_ base: any PersistenceAdapter, by interruptions: [@Sendable () async throws -> Void]) {
        self.base = base
        self.interruptions = Locked(interruptions)
    }

    private func interrupt() async throws {
        let next = interruptions.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        try await next?()
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await interrupt()
        let result = try await base.read(body)
        try await interrupt()
        return result
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        try await base.write(body)
    }

    var schema: Schema { base.schema }
    func commits() -> AsyncStream<Commit> { base.commits() }
    func add(_ entities: [Entity]) async throws { try await base.add(entities) }
    /// Does nothing.
    func close() async {}
}
