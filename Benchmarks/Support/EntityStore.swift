package import EntitySync
package import Foundation
import SQLitePersistence
package import SyncPersistence

/// A store of what a ``JSONPayload`` holds, in a file of its own.
package struct EntityStore {
    package let file: StoreFile

    package init(_ payload: Data? = nil, schema: Schema = EntityStore.schema) {
        file = StoreFile(schema: schema)
        if let payload { sync(payload) }
    }

    /// Syncs a payload; answers how many records it has changed.
    @discardableResult
    package func sync(_ payload: Data, into entity: String = "Item", operations: SyncOperations = .all) -> Int {
        let adapter = file.adapter
        return changes { try await adapter.sync(payload, into: entity, operations: operations) }
    }

    /// Syncs the payload of a file.
    package func sync(file path: String) -> Int {
        let adapter = file.adapter
        return changes { try await adapter.sync(contentsOfFile: path, into: "Item") }
    }

    /// Syncs a payload that comes byte by byte.
    package func sync(stream: ByteStream) -> Int {
        let adapter = file.adapter
        return changes { try await adapter.sync(stream: stream, into: "Item") }
    }

    private func changes(_ sync: @escaping @Sendable () async throws -> SyncResult) -> Int {
        unfailing { try blocking(sync) }.changes.values.reduce(0) { $0 + $1.count }
    }
}

extension EntityStore {
    /// All items as JSON.
    package func export() -> [UInt8] {
        let adapter = file.adapter
        return unfailing { try blocking { try await adapter.exportJSON("Item") } }
    }

    /// All items as a value.
    package func exportedValue() -> Value {
        let adapter = file.adapter
        return unfailing { try blocking { try await adapter.export("Item") } }
    }

    /// Reads all records; answers how many values they have.
    package func readAll() -> Int {
        let adapter = file.adapter
        return unfailing {
            try blocking {
                try await adapter.read { transaction in
                    var count = 0
                    for entity in ["Item", "Child"] {
                        try transaction.forEach(Query(entity)) { record in
                            count += record.values.count
                            return true
                        }
                    }
                    return count
                }
            }
        }
    }

    /// All records.
    package func records() -> [Record] {
        let adapter = file.adapter
        return unfailing {
            try blocking {
                try await adapter.read { try $0.records(Query("Item")) + $0.records(Query("Child")) }
            }
        }
    }
}
