import Dispatch
import SyncPersistence

/// New rows that a second thread writes in batches, while the transaction goes on.
///
/// SQLite takes about as long for a new row as the code that produces it. Rows with new keys return no result, so the
/// transaction waits for them only before it reads or changes records. `settle()` precedes every other use of the
/// connection in the transaction. So only one thread uses the connection at a time, as `Connection` requires.
final class WriteBehind {
    /// A row that is still to be written.
    enum Row: Sendable {
        /// A new record.
        case record(Record)
        /// A record that may replace the one with its key.
        case replacement(Record)
        /// A new journal entry: the old image, its key, and the shapes.
        case entry(Record?, key: Value, of: Shape, in: Shape)

        /// The identity of the record in the row, or of the record that the entry describes.
        var id: RecordID {
            switch self {
            case .record(let record), .replacement(let record): record.id
            case .entry(_, let key, let shape, _): RecordID(shape.name, key)
            }
        }
    }

    /// Writes a row, on either thread.
    private let write: (Row) throws -> Void

    /// Called with the rows of a batch before they are written.
    private let prepare: ([Row]) throws -> Void

    /// The rows that are not yet in a batch.
    private var waiting: [Row] = []

    /// The batches of the other thread, oldest first, including those that it has written.
    private var batches: [Batch] = []
    /// The serial queue of the second thread; nil until the first batch.
    private var thread: DispatchQueue?

    /// The first error of a row.
    ///
    /// After it, every operation of the transaction throws.
    private var failure: (any Error)?

    /// The number of rows in a batch.
    ///
    /// Fewer rows are written by the transaction's own thread.
    static let batchSize = 256

    /// The maximum number of unfinished batches.
    ///
    /// A buffer of several keeps both threads busy if a single row takes long.
    private static let batchLimit = 4

    /// Creates an empty buffer.
    ///
    /// - Parameters:
    ///   - write: Writes a row, on either thread.
    ///   - prepare: Called with the rows of a batch before they are written.
    init(_ write: @escaping (Row) throws -> Void, preparing prepare: @escaping ([Row]) throws -> Void = { _ in }) {
        self.write = write
        self.prepare = prepare
    }

    /// A batch of rows that one thread writes.
    // because: the creator passes the batch and all that it uses to the other thread, and uses none of it before it has
    // waited for all batches.
    private final class Batch: @unchecked Sendable {
        /// The rows, in the order of the transaction, until they are written.
        private var rows: [Row]
        /// Writes one row.
        private let write: (Row) throws -> Void
        /// Called with all rows before the first is written.
        private let prepare: ([Row]) throws -> Void
        /// Signals that all rows are written.
        private let completion = DispatchSemaphore(value: 0)
        /// The first error of writing.
        private var failure: (any Error)?

        /// Creates a batch that is not written yet.
        init(_ rows: [Row], _ write: @escaping (Row) throws -> Void, _ prepare: @escaping ([Row]) throws -> Void) {
            self.rows = rows
            self.write = write
            self.prepare = prepare
        }

        /// Writes the rows, and signals the completion.
        func run() {
            do {
                try prepare(rows)
                for row in rows { try write(row) }
            } catch {
                failure = error
            }
            // Otherwise the transaction's thread would release them.
            rows = []
            completion.signal()
        }

        /// Waits until the rows are written, and returns the error if one failed.
        ///
        /// It must be called once.
        func wait() -> (any Error)? {
            completion.wait()
            return failure
        }
    }
}

extension WriteBehind {
    /// Writes a row, now or later.
    ///
    /// - Throws: The error of an earlier row.
    func append(_ row: Row) throws {
        waiting.append(row)
        if waiting.count < Self.batchSize { return }
        try join(leaving: Self.batchLimit - 1)
        let thread = thread ?? DispatchQueue(label: "DifferentialSync.WriteBehind")
        let batch = Batch(waiting, write, prepare)
        self.thread = thread
        batches.append(batch)
        waiting.removeAll(keepingCapacity: true)
        thread.async { batch.run() }
    }

    /// Writes all remaining rows.
    ///
    /// - Throws: The error of a row, in every call after the failure.
    func settle() throws {
        if batches.isEmpty, waiting.isEmpty, failure == nil { return }
        try join(leaving: 0)
        defer { waiting.removeAll(keepingCapacity: true) }
        do {
            for row in waiting { try write(row) }
        } catch {
            failure = error
            throw error
        }
    }

    /// Discards the rows that are not yet in a batch, and waits until the other thread is idle.
    func abandon() {
        waiting = []
        thread?.sync {}
    }

    /// Waits until at most `count` batches are unfinished, and throws the first error.
    private func join(leaving count: Int) throws {
        while batches.count > count {
            let error = batches.removeFirst().wait()
            failure = failure ?? error
        }
        if let failure { throw failure }
    }
}
