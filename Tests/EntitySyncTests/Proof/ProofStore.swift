import DifferentialSyncTesting
import EntitySync
import SQLitePersistence
import SyncPersistence
import TestSupport

/// One of several stores that receive the same steps.
final class ProofStore: CustomStringConvertible {
    let description: String
    let usesMemory: Bool
    private(set) var adapter: any PersistenceAdapter
    private let schema: Schema
    private let folder: TemporaryFolder?

    init(_ kind: StoreKind, usesMemory: Bool, _ schema: Schema) async throws {
        description = "\(kind.rawValue), \(usesMemory ? "with" : "without") memory"
        self.usesMemory = usesMemory
        self.schema = schema
        if kind == .sqlite {
            let folder = TemporaryFolder()
            self.folder = folder
            adapter = try await ProofStore.open(folder, schema)
        } else {
            folder = nil
            adapter = InMemoryAdapter(schema: schema)
        }
    }

    private static func open(_ folder: TemporaryFolder, _ schema: Schema) async throws -> SQLiteAdapter {
        var options = SQLiteAdapter.Options()
        options.isDurable = false
        options.readerCount = 1
        return try await SQLiteAdapter.open(at: folder.file(), schema: schema, options: options)
    }

    /// Closes the file and opens it again.
    func reopen() async throws {
        guard let folder, let file = adapter as? SQLiteAdapter else { return }
        await file.close()
        adapter = try await ProofStore.open(folder, schema)
    }

    func close() async {
        if let file = adapter as? SQLiteAdapter { await file.close() }
    }
}

extension PersistenceAdapter {
    /// All records, links and journal entries by entity, without the payload memory.
    func proofContents() async throws -> [String: Set<String>] {
        let dump = try await StoreDump(of: self)
        var contents: [String: Set<String>] = [:]
        for (name, records) in dump.records where !["sync.payloads", "sync.metadata"].contains(name) {
            contents[name] = Set(
                records.map { record in
                    let values = record.shape.slots.indices.filter { record.shape.slots[$0].name != "sequence" }
                    return "\(record.entity) \(values.map { record.values[$0].description })"
                })
        }
        return contents
    }
}

extension SyncResult {
    /// The contents of a result, except times.
    var lines: [String] {
        var lines: [String] = []
        for (entity, changes) in changes.sorted(by: { $0.key < $1.key }) {
            func add(_ name: String, _ ids: [String]) {
                if !ids.isEmpty { lines.append("\(entity) \(name): \(ids.sorted().joined(separator: ", "))") }
            }
            add("inserted", changes.inserted.map(\.description))
            add("updated", changes.updated.map { "\($0.id) \($0.properties.sorted())" })
            add("deleted", changes.deleted.map(\.description))
            if changes.unchangedCount > 0 { lines.append("\(entity) unchanged: \(changes.unchangedCount)") }
        }
        lines.append("links: \(linkedCount), \(unlinkedCount)")
        lines.append("held back: \(Set(heldBack.map(\.description)).sorted())")
        // The next sync reports a contradiction with a skipped object.
        return lines + reports.filter { $0.kind != .contradiction }.map { "\($0.kind) \($0)" }
    }
}
