import Dispatch
import Foundation
import SyncPersistence

/// A store in a file, to which each commit adds a line; it is read as a whole when it is opened.
///
/// It is written as the author of another package writes one: `Scripts/check-adapter` compiles it with what is public.
// because: all access to the state goes through the lock, and to the file through the queue of turns.
final class FileAdapter: PersistenceAdapter, @unchecked Sendable {
    let path: String

    private let file: FileHandle
    private let feed = CommitFeed()
    private let turns = DispatchQueue(label: "FileAdapter.turns")
    private let readers = DispatchQueue(label: "FileAdapter.readers", attributes: .concurrent)
    private let lock = NSLock()
    private var state: FileState
    private var isClosed = false

    /// Opens the store in a file, which is made if there is none.
    init(path: String, schema: Schema) throws {
        self.path = path
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let data = try file.readToEnd() ?? Data()
        let (state, length) = try FileState.read(data)
        self.state = state
        // What a crash has left of a last line.
        try file.truncate(atOffset: UInt64(length))
        try file.seekToEnd()
        try grow(by: schema.entities)
    }

    var schema: Schema { lock.withLock { state.schema } }
}

extension FileAdapter {
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await run(on: readers) {
            let state = self.lock.withLock { self.state }
            return try ReadTransaction.run(on: FileStorage(state), body)
        }
    }

    @discardableResult
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        try await run(on: turns) {
            let storage = FileStorage(self.lock.withLock { self.state })
            let outcome = try WriteTransaction.run(on: storage, body)
            if storage.changes.isEmpty { return outcome }
            try self.append(.array(storage.changes))
            self.lock.withLock { self.state = storage.state }
            self.feed.publish(outcome.commit)
            return outcome
        }
    }

    func commits() -> AsyncStream<Commit> { feed.commits() }

    func add(_ entities: [Entity]) async throws { try await run(on: turns) { try self.grow(by: entities) } }

    func close() async {
        await withCheckedContinuation { continuation in
            turns.async {
                self.lock.withLock { self.isClosed = true }
                self.readers.async(flags: .barrier) {
                    try? self.file.close()
                    self.feed.finish()
                    continuation.resume()
                }
            }
        }
    }
}

extension FileAdapter {
    private func grow(by entities: [Entity]) throws {
        var state = lock.withLock { self.state }
        let schema = try state.schema.adding(entities)
        if schema == state.schema { return }
        state.adopt(schema)
        try append([["schema", .string(String(decoding: try JSONEncoder().encode(schema), as: UTF8.self))]])
        lock.withLock { self.state = state }
    }

    private func append(_ line: Value) throws { try file.write(contentsOf: Data((line.taggedJSON + "\n").utf8)) }

    /// Runs work on a queue, unless the task is cancelled or the store is closed before.
    private func run<Result: Sendable>(
        on queue: DispatchQueue, _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(
                        with: Swift.Result {
                            if cancellation.hasCome { throw CancellationError() }
                            if self.lock.withLock({ self.isClosed }) {
                                throw PersistenceError(.closed, "the store was closed: open '\(self.path)' again")
                            }
                            return try work()
                        })
                }
            }
        } onCancel: {
            cancellation.come()
        }
    }
}

/// Whether a task was cancelled.
// because: all access to the variable goes through the lock.
private final class Cancellation: @unchecked Sendable {
    private let lock = NSLock()
    private var isHere = false

    var hasCome: Bool { lock.withLock { isHere } }
    func come() { lock.withLock { isHere = true } }
}
