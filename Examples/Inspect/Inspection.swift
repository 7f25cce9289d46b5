import Foundation
import SQLitePersistence
import StoreSync
import SyncCoordination
import SyncPersistence

/// What a store has, and what its synchronization waits for.
struct Inspection: Sendable {
    /// The path of the file.
    let path: String

    /// The sizes of the file and of its write-ahead log, in bytes.
    let size: (file: Int, log: Int)

    /// How far the synchronization is.
    let state: StoreSyncState

    /// The number of the last commit.
    let commit: Int64

    /// The history that devices of this store pull; nil if it keeps none.
    let history: (sequence: Int64, horizon: Int64)?

    /// The last events of the store's coordinators, the latest one last.
    let events: [RecordedEvent]

    /// The entities with the number of their records, those of inheriting entities included.
    let entities: [(name: String, count: Int)]

    /// The library's own tables with the number of their rows, without empty ones.
    let tables: [(name: String, count: Int)]

    /// Reads a store without changing it.
    ///
    /// - Throws: ``InspectionError`` if there is no file, or one of an earlier version; `PersistenceError` if it cannot be read.
    init(path: String) async throws {
        var isFolder: ObjCBool = false
        if !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
            throw InspectionError("'\(path)' does not exist: name the SQLite file of a store")
        }
        if isFolder.boolValue { throw InspectionError("'\(path)' is a folder: name the SQLite file of a store") }
        var options = SQLiteAdapter.Options()
        options.isReadOnly = true
        options.readerCount = 1
        let store: SQLiteAdapter
        do {
            store = try await SQLiteAdapter.open(existing: path, options: options)
        } catch let error as PersistenceError where error.code == .readOnly {
            throw InspectionError(
                "'\(path)' has an earlier version of the format: open it once with the app, or inspect a copy that was")
        }
        do {
            let size = (Self.size(of: path), Self.size(of: path + "-wal"))
            self = try await store.read { try Inspection(path, size, $0) }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// Reads a store in one transaction, so that all parts fit each other.
    private init(_ path: String, _ size: (file: Int, log: Int), _ transaction: ReadTransaction) throws {
        (self.path, self.size) = (path, size)
        state = try transaction.syncState
        commit = try transaction.sequence
        events = try transaction.recordedEvents
        history =
            try transaction.keepsHistory
            ? (sequence: transaction.historySequence, horizon: transaction.historyHorizon) : nil
        entities = try transaction.schema.shapes.map { ($0.name, try transaction.count(Query($0.name))) }
        tables = try transaction.schema.internalShapes.filter(\.isRoot)
            .map { ($0.name, try transaction.count(Query($0.name))) }
            .filter { $0.1 > 0 }
    }

    private static func size(of path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
}

extension Inspection {
    /// Whether the store has been synchronized as a whole, or is that of a service.
    var isSynchronized: Bool { state.account != nil || history != nil }

    /// Why something has not been synchronized, with what to do about it; empty if nothing waits.
    var reasons: [String] {
        var reasons: [String] = []
        func add(_ count: Int, _ one: String, _ several: String) {
            if count > 0 { reasons.append("\(count) \(count == 1 ? one : several)") }
        }
        if !isSynchronized { reasons.append("the store has not been synchronized as a whole yet") }
        if state.isComparing {
            reasons.append("a comparison with the remote is incomplete: the next cycle continues it")
        }
        if !state.inFlight.isEmpty {
            let count = state.inFlight.count
            reasons.append(
                "push \(state.pushNumber) with \(count) record\(count == 1 ? "" : "s") has no response yet: the next "
                    + "cycle finds out whether it arrived")
        }
        add(
            state.pendingCounts.values.reduce(0, +),
            "local change is not sent yet: the next cycle sends it, unless it waits for a processor or another record",
            "local changes are not sent yet: the next cycle sends those that wait for no processor or other record")
        add(
            state.openConflicts.count, "conflict is open: resolve it",
            "conflicts are open: resolve them")
        add(
            state.refused.count, "change is refused by the remote: edit, release or discard it",
            "changes are refused by the remote: edit, release or discard them")
        add(
            state.waiting.count, "record of the remote waits for one that it refers to",
            "records of the remote wait for others that they refer to")
        add(
            state.unreadable.count, "record of the remote does not fit the schema: update the app",
            "records of the remote do not fit the schema: update the app")
        return reasons
    }
}
