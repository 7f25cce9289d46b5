import Dispatch
import SyncPersistence

/// New rows on their way into the database: a second thread writes them, a batch at a time, while the transaction goes on.
///
/// SQLite takes about as long for a new row as all that leads to it. Rows that are known to be new answer nothing, so
/// nobody waits for them, before something is to be read or changed: ``settle()`` comes before all else that a
/// transaction does with its connection. So one thread uses that at a time, as ``Connection`` asks.
final class WriteBehind {
    /// A row to be written.
    enum Row: Sendable {
        case record(Record)
        case entry(Record?, key: Value, of: Shape, in: Shape)

        /// The record that it is about.
        var id: RecordID {
            switch self {
            case .record(let record): record.id
            case .entry(_, let key, let shape, _): RecordID(shape.name, key)
            }
        }
    }

    /// What writes a row.
    private let write: (Row) throws -> Void

    /// Called before the rows of a batch are written.
    private let prepare: ([Row]) throws -> Void

    /// The rows that nobody writes yet.
    private var waiting: [Row] = []

    /// The rows that the other thread writes, or has written, those of the oldest batch first.
    private var batches: [Batch] = []
    private var thread: DispatchQueue?

    /// Why rows could not be written; nothing can be done in the transaction any more.
    private var failure: (any Error)?

    /// How many rows go to the other thread at once: fewer are written where they are waited for.
    static let batchSize = 256

    /// How many batches are on their way at once: neither thread waits for the other because of one row that takes long.
    private static let batchLimit = 4

    init(_ write: @escaping (Row) throws -> Void, preparing prepare: @escaping ([Row]) throws -> Void = { _ in }) {
        self.write = write
        self.prepare = prepare
    }

    /// Rows that one thread writes.
    // because: whoever makes it hands it over with all that it uses, and touches none of that before it has waited for
    // all batches.
    private final class Batch: @unchecked Sendable {
        private let rows: [Row]
        private let write: (Row) throws -> Void
        private let prepare: ([Row]) throws -> Void
        private let completion = DispatchSemaphore(value: 0)
        private var failure: (any Error)?

        init(_ rows: [Row], _ write: @escaping (Row) throws -> Void, _ prepare: @escaping ([Row]) throws -> Void) {
            self.rows = rows
            self.write = write
            self.prepare = prepare
        }

        func run() {
            do {
                try prepare(rows)
                for row in rows { try write(row) }
            } catch {
                failure = error
            }
            completion.signal()
        }

        /// Waits until the rows are written; answers why one could not be.
        ///
        /// It is called once.
        func wait() -> (any Error)? {
            completion.wait()
            return failure
        }
    }
}

extension WriteBehind {
    /// Writes a row, at once or later.
    ///
    /// - Throws: Why a row before it could not be written.
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

    /// Writes all rows.
    ///
    /// - Throws: Why one could not be written; also when it is called again.
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

    /// Waits until nobody uses the connection; rows that nobody writes yet are left out.
    func abandon() {
        waiting = []
        thread?.sync {}
    }

    /// Waits until the other thread has so many batches left.
    private func join(leaving count: Int) throws {
        while batches.count > count {
            let error = batches.removeFirst().wait()
            failure = failure ?? error
        }
        if let failure { throw failure }
    }
}
