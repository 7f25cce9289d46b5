import CoreDataModel
import EntitySync
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Where a case keeps its records.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case inMemory = "in memory"
    case sqlite = "SQLite"

    var testDescription: String { rawValue }
}

/// A store with a model of the catalogue, into which its payloads are synced.
final class CatalogueStore: Sendable {
    let adapter: any PersistenceAdapter
    private let folder: TemporaryFolder

    /// An empty store with a model, read from the shared folder.
    ///
    /// - Parameters:
    ///   - kind: Where the records are kept.
    ///   - model: The name of the model.
    ///   - keyed: The entities without a primary key that get one here, `id`, so that objects can be stored by themselves.
    init(_ kind: StoreKind, model: String, keyed: Set<String> = []) async throws {
        let models = try #require(SharedFiles.folder).appendingPathComponent("conformance/entity-sync/models")
        var schema = try Schema(contentsOf: models.appendingPathComponent("\(model).xcdatamodeld"))
        if !keyed.isEmpty {
            schema = try Schema(
                schema.entities.map { entity in
                    var entity = entity
                    if keyed.contains(entity.name) {
                        entity.attributes.append(Attribute("id", .integer, isPrimaryKey: true))
                    }
                    return entity
                })
        }
        folder = TemporaryFolder()
        adapter =
            switch kind {
            case .inMemory: InMemoryAdapter(schema: schema)
            case .sqlite: try await SQLiteAdapter.open(at: folder.file(), schema: schema)
            }
    }

    /// Syncs a payload of the catalogue, and once more, which changes nothing.
    @discardableResult
    func sync(
        _ fixture: String, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all, options: SyncOptions = SyncOptions(), settles: Bool = true
    ) async throws -> SyncResult {
        var options = options
        options.json.allowsTrailingCommas = true
        let json = try SharedFiles.contents(of: "conformance/entity-sync/json/\(fixture).json")
        let result = try await adapter.sync(
            json, into: entity, filter: filter, parent: parent, operations: operations, options: options)
        let again = try await adapter.sync(
            json, into: entity, filter: filter, parent: parent, operations: operations, options: options)
        if settles { #expect(again.isUnchanged, "\(fixture) again changes \(again.changes)") }
        return result
    }

    /// Syncs a payload, and once more, which changes nothing.
    @discardableResult
    func sync(_ json: Value, into entity: String, options: SyncOptions = SyncOptions()) async throws -> SyncResult {
        let result = try await adapter.sync(json, into: entity, options: options)
        let again = try await adapter.sync(json, into: entity, options: options)
        #expect(again.isUnchanged, "\(json) again changes \(again.changes)")
        return result
    }

    /// Stores an object, and once more, which changes nothing.
    @discardableResult
    func insertOrUpdate(
        _ json: Value, into entity: String, options: SyncOptions = SyncOptions()
    ) async throws -> (record: Record?, result: SyncResult) {
        let first = try await adapter.insertOrUpdate(json, into: entity, options: options)
        let again = try await adapter.insertOrUpdate(json, into: entity, options: options)
        #expect(again.result.isUnchanged, "\(json) again changes \(again.result.changes)")
        #expect(again.record == first.record, "\(json)")
        return first
    }

    /// How many records of an entity there are.
    func count(_ entity: String, where filter: Filter? = nil) async throws -> Int {
        try await adapter.read { try $0.count(Query(entity, where: filter)) }
    }

    /// The record with a key.
    func record(_ entity: String, _ key: Value) async throws -> Record {
        try #require(try await adapter.fetch(entity, key), "\(entity) \(key)")
    }

    /// The keys that a relationship leads to.
    func related(_ entity: String, _ key: Value, _ relationship: String) async throws -> [Value] {
        let id = try await record(entity, key).id
        return try await adapter.read { try $0.related(id, relationship) }
    }

    /// Stores records as a remote has them.
    func put(_ entity: String, _ records: [[String: Value]]) async throws {
        let shape = try #require(adapter.schema[entity])
        var changes = ChangeSet(origin: .remote)
        for values in records { changes.put(Record(shape, values)) }
        try await adapter.commit(changes)
    }
}
