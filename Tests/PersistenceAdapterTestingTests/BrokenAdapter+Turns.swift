import DifferentialSyncTesting
import Dispatch
import SyncPersistence

extension BrokenAdapter {
    /// Writes, with the defects that observers have no part in.
    func writeBeneath<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        switch defect {
        case .ignoresCancellation: return try await Task.detached { try await base.write(body) }.value
        case .looksForCancellationAtTheCall:
            try Task.checkCancellation()
            return try await Task.detached { try await base.write(body) }.value
        case .failsCancelledWritesAfterTheCommit:
            let outcome = try await base.write(body)
            try Task.checkCancellation()
            return outcome
        case .runsBodiesTwice:
            return try await base.write { transaction in
                _ = try body(transaction)
                return try body(transaction)
            }
        case .lastWriterFirst:
            await turns.take()
            defer { turns.give() }
            return try await base.write(body)
        case .someReadersLag, .readersLagAfterErrors:
            try await readers.keep(base, by: self)
            return try await base.write(body)
        case .keepsKeysOfFailures:
            return try await base.write { transaction in
                try WriteTransaction.run(on: KeyedStorage(transaction.storage, keys), body)
            }.result
        case .closeForgetsWhatWaits:
            return try await base.write { transaction in
                if closing.isClosed { throw PersistenceError(.closed, "the store was closed") }
                return try body(transaction)
            }
        default: return try await base.write(body)
        }
    }

    /// Publishes a commit before it is stored, and waits for a read, or a short time.
    func writePublishing<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        let copy = InMemoryAdapter(schema: schema)
        let before = try await StoreDump(of: base)
        _ = try await copy.write { try restore(before, in: $0) }
        let written = try await copy.write(body)
        readers.waitForRead { feed.publish(written.commit) }
        let after = try await StoreDump(of: copy)
        _ = try await base.write { try restore(after, in: $0) }
        return written
    }

    func close() async {
        switch defect {
        case .ignoresClose: feed.finish()
        case .observersOutliveClose: await base.close()
        case .closesOnce where !closing.begin():
            for await _ in closing.endlessStream() {}
        default:
            _ = closing.begin()
            await base.close()
            feed.finish()
        }
    }
}

/// Turns that the last to ask for one gets first.
final class ReversedTurns: Sendable {
    private let state = Locked((isTaken: false, waiting: [CheckedContinuation<Void, Never>]()))

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiting.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
    }

    func give() {
        let next = state.withLock { state in
            let next = state.waiting.popLast()
            state.isTaken = next != nil
            return next
        }
        next?.resume()
    }
}

/// Whether a store was closed, and the streams that never end.
final class Closing: Sendable {
    private let state = Locked((isClosed: false, continuations: [AsyncStream<Commit>.Continuation]()))

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Closes; false if it was closed already.
    func begin() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    func endlessStream() -> AsyncStream<Commit> {
        AsyncStream { continuation in state.withLock { $0.continuations.append(continuation) } }
    }
}

/// Readers that see what was there before the last write, and observers.
final class Readers: Sendable {
    private let state = Locked(State())
    private let hasRead = DispatchSemaphore(value: 0)

    private struct State: Sendable {
        var previous: InMemoryAdapter?
        var count = 0
        var hasFailed = false
        var observers: [Task<Void, Never>] = []
    }

    /// Keeps what a store holds.
    func keep(_ store: InMemoryAdapter, by adapter: BrokenAdapter) async throws {
        let copy = InMemoryAdapter(schema: store.schema)
        let dump = try await StoreDump(of: store)
        _ = try await copy.write { try adapter.restore(dump, in: $0) }
        state.withLock { $0.previous = copy }
    }

    func read<Result: Sendable>(
        of adapter: BrokenAdapter, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        let previous: InMemoryAdapter? = state.withLock { state in
            defer { (state.count, state.hasFailed) = (state.count + 1, false) }
            let lags = adapter.defect == .someReadersLag ? state.count > 0 : state.hasFailed
            return lags ? state.previous : nil
        }
        defer { state.withLock { $0.count -= 1 } }
        do {
            return try await (previous ?? adapter.base).read(body)
        } catch {
            state.withLock { $0.hasFailed = true }
            throw error
        }
    }

    func tellOfRead<Result>(_ read: () async throws -> Result) async throws -> Result {
        defer { hasRead.signal() }
        return try await read()
    }

    /// Waits for the end of a read that comes after what is done, or a short while.
    func waitForRead(after work: () -> Void) {
        while hasRead.wait(timeout: .now()) == .success {}
        work()
        _ = hasRead.wait(timeout: .now() + .milliseconds(100))
    }

    /// The commits of a feed, until one of its observers goes.
    func commits(of feed: CommitFeed) -> AsyncStream<Commit> {
        let all = feed.commits()
        return AsyncStream { continuation in
            let task = Task {
                for await commit in all { continuation.yield(commit) }
                continuation.finish()
            }
            state.withLock { $0.observers.append(task) }
            continuation.onTermination = { [state] _ in
                state.withLock { state in for task in state.observers { task.cancel() } }
            }
        }
    }
}

/// Rows that are found by an index of keys, which no rollback changes.
final class KeyedStorage: ForwardingStorage {
    private let keys: Locked<[RecordID: Record?]>

    init(_ base: any RecordStorage, _ keys: Locked<[RecordID: Record?]>) {
        self.keys = keys
        super.init(base)
    }

    override func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
        if let known = keys.current[RecordID(hierarchy.root, key)] { return known }
        return try super.record(key, in: hierarchy)
    }

    override func put(_ record: Record) throws -> Record? {
        keys.withLock { _ = $0.updateValue(record, forKey: RecordID(record.shape.root, record.key)) }
        return try super.put(record)
    }

    override func insert(_ record: Record) throws {
        keys.withLock { _ = $0.updateValue(record, forKey: RecordID(record.shape.root, record.key)) }
        // A stale index takes for new what is there.
        _ = try super.put(record)
    }

    override func remove(_ key: Value, in hierarchy: Shape) throws -> Record? {
        keys.withLock { _ = $0.updateValue(nil, forKey: RecordID(hierarchy.root, key)) }
        return try super.remove(key, in: hierarchy)
    }
}
