import CoreDataModel
import EntitySync
import Foundation
import SyncPersistence
import TestSupport
import Testing

/// A store with the model `Festival`, whose entities have the forms that the catalogue's cases need.
final class CatalogueStore: Sendable {
    let adapter: any PersistenceAdapter

    private static let schema = Result {
        try Schema(
            contentsOf: URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
                .appendingPathComponent("Fixtures/Festival.xcdatamodeld"))
    }

    /// Reads the schema of the model.
    static func festival() throws -> Schema { try schema.get() }

    /// Creates an empty store.
    init(_ kind: StoreKind) async throws {
        adapter = try await kind.store(Self.festival())
    }

    /// Syncs JSON text, and once more, which changes nothing.
    @discardableResult
    func sync(
        _ json: String, into entity: String, filter: Filter? = nil, parent: RecordID? = nil,
        operations: SyncOperations = .all, options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        let result = try await adapter.sync(
            json, into: entity, filter: filter, parent: parent, operations: operations, options: options)
        let again = try await adapter.sync(
            json, into: entity, filter: filter, parent: parent, operations: operations, options: options)
        #expect(again.isUnchanged, "\(json) again changes \(again.changes)")
        return result
    }

    /// Syncs a value, and once more, which changes nothing.
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
    ) async throws -> ObjectSyncResult {
        let first = try await adapter.insertOrUpdate(json, into: entity, options: options)
        let again = try await adapter.insertOrUpdate(json, into: entity, options: options)
        #expect(again.result.isUnchanged, "\(json) again changes \(again.result.changes)")
        #expect(again.record == first.record, "\(json)")
        return first
    }

    /// Returns the number of records of an entity.
    func count(_ entity: String, where filter: Filter? = nil) async throws -> Int {
        try await adapter.read { try $0.count(Query(entity, where: filter)) }
    }

    /// Returns the record with a key.
    func record(_ entity: String, _ key: Value) async throws -> Record {
        try #require(try await adapter.fetch(entity, key), "\(entity) \(key)")
    }

    /// Returns the keys of a relationship's members.
    func related(_ entity: String, _ key: Value, _ relationship: String) async throws -> [Value] {
        let id = try await record(entity, key).id
        return try await adapter.read { try $0.related(id, relationship) }
    }

    /// Stores records as changes of a remote.
    func put(_ entity: String, _ records: [[String: Value]]) async throws {
        let shape = try #require(adapter.schema[entity])
        var changes = ChangeSet(origin: .remote)
        for values in records { changes.put(Record(shape, values)) }
        try await adapter.commit(changes)
    }
}
