import DifferentialSyncTesting
import Dispatch
import SyncPersistence
import TestSupport

/// A store with one defect in how it runs transactions, and tells of them.
struct BrokenAdapter: PersistenceAdapter {
    enum Defect: String, CaseIterable, Sendable {
        case keepsChangesAfterErrors, undoesLater, ignoresEnds, answersNothing
        case dropsCommits, doublesCommits, publishesNoCommits, publishesWhatIsNoCommit, keepsFewCommits
        case readersSeeTheLatest, writersInterleave
        case addIgnoresDifferences, addForgetsEntities, addEmptiesTheStore, schemaIsStaleAfterAdd
        case ignoresCancellation, looksForCancellationAtTheCall, failsCancelledWritesAfterTheCommit, runsBodiesTwice
        case lastWriterFirst, someReadersLag, readersLagAfterErrors, publishesBeforeCommitting, endsObserversTogether
        case keepsKeysOfFailures
        case ignoresClose, observersOutliveClose, laterObserversNeverEnd, closeForgetsWhatWaits, closesOnce
    }

    let base: InMemoryAdapter
    let defect: Defect
    private let made: Schema
    let feed = CommitFeed()
    let turns = ReversedTurns()
    let readers = Readers()
    let closing = Closing()
    let keys = Locked<[RecordID: Record?]>([:])
    private let count = Locked(0)

    init(_ schema: Schema, _ defect: Defect) {
        base = InMemoryAdapter(schema: schema)
        made = schema
        self.defect = defect
    }

    var schema: Schema { defect == .schemaIsStaleAfterAdd ? made : base.schema }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        switch defect {
        case .readersSeeTheLatest:
            try await base.read { try ReadTransaction.run(on: LatestStorage($0.storage, of: base), body) }
        case .keepsKeysOfFailures:
            try await base.read { try ReadTransaction.run(on: KeyedStorage($0.storage, keys), body) }
        case .ignoresCancellation: try await Task.detached { try await base.read(body) }.value
        case .someReadersLag, .readersLagAfterErrors: try await readers.read(of: self, body)
        case .publishesBeforeCommitting: try await readers.tellOfRead { try await base.read(body) }
        case .runsBodiesTwice:
            try await base.read { transaction in
                _ = try body(transaction)
                return try body(transaction)
            }
        default: try await base.read(body)
        }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        switch defect {
        case .keepsChangesAfterErrors, .undoesLater: return try await writeKeepingChanges(body)
        case .writersInterleave: return try await writeInterleaving(body)
        case .publishesBeforeCommitting: return try await writePublishing(body)
        default: break
        }
        let written = try await writeBeneath(body)
        let commit = written.commit
        let number = count.next()
        switch defect {
        case .publishesNoCommits: break
        case .dropsCommits where number.isMultiple(of: 3): break
        case .doublesCommits where number.isMultiple(of: 3):
            feed.publish(commit)
            feed.publish(commit)
        default: feed.publish(commit)
        }
        if defect == .answersNothing {
            let nothing = Commit(
                sequence: commit.sequence, unchangedCount: 0, heldBack: [], metadata: [])
            return WriteResult(commit: nothing, result: written.result)
        }
        return written
    }

    /// Commits what was done before the error; and undoes it later, or does not.
    private func writeKeepingChanges<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        let before = try await StoreDump(of: base)
        let written = try await base.write { transaction in Swift.Result { try body(transaction) } }
        if case .failure(let error) = written.result {
            if defect == .undoesLater {
                _ = try await base.write { try restore(before, in: $0) }
            }
            throw error
        }
        feed.publish(written.commit)
        return WriteResult(commit: written.commit, result: try written.result.get())
    }

    func restore(_ dump: StoreDump, in transaction: WriteTransaction) throws {
        for (name, records) in dump.records {
            let shape = try transaction.shape(name)
            for record in try transaction.records(Query(name)) {
                _ = try transaction.storage.remove(record.key, in: shape)
            }
            for record in records { _ = try transaction.storage.put(record) }
        }
    }

    /// Runs the body on what was there before, and stores what it has changed in a second transaction.
    private func writeInterleaving<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        let copy = InMemoryAdapter(schema: schema)
        let before = try await StoreDump(of: base)
        _ = try await copy.write { try restore(before, in: $0) }
        let written = try await copy.write(body)
        let after = try await StoreDump(of: copy)
        _ = try await base.write { try restore(after, in: $0) }
        return written
    }

    func commits() -> AsyncStream<Commit> {
        if defect == .laterObserversNeverEnd, closing.isClosed { return closing.endlessStream() }
        if defect == .endsObserversTogether { return readers.commits(of: feed) }
        guard defect == .keepsFewCommits else { return feed.commits() }
        let all = feed.commits()
        return AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
            let task = Task { for await commit in all { continuation.yield(commit) } }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func add(_ entities: [Entity]) async throws {
        switch defect {
        case .addForgetsEntities: break
        case .addIgnoresDifferences:
            try await base.add(entities.filter { schema[$0.name] == nil })
        case .addEmptiesTheStore:
            _ = try await base.write { transaction in
                for shape in transaction.schema.roots {
                    for record in try transaction.records(Query(shape.name)) {
                        _ = try transaction.storage.remove(record.key, in: shape)
                    }
                }
            }
            try await base.add(entities)
        default: try await base.add(entities)
        }
    }
}

/// Rows that are always those of the latest commit.
private final class LatestStorage: ForwardingStorage {
    private let store: InMemoryAdapter

    init(_ base: any RecordStorage, of store: InMemoryAdapter) {
        self.store = store
        super.init(base)
    }

    override func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        let done = DispatchSemaphore(value: 0)
        let found = Locked<[Record]>([])
        let store = store
        Task.detached {
            found.exchange(with: try await store.read { try $0.records(query) })
            done.signal()
        }
        _ = done.wait(timeout: .now() + 5)
        for record in found.current where try !body(record) { return }
    }
}
