import EntitySync
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

extension Schema {
    /// Items with parts, and users with items.
    static func shop() throws -> Schema {
        try Schema {
            Entity("Item") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("user", to: "User", inverse: "items")
                Relationship("parts", toMany: "Part", inverse: "item", deleteRule: .cascade)
            }
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("items", toMany: "Item", inverse: "user")
            }
            Entity("Part") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("item", to: "Item", inverse: "parts")
            }
        }
    }
}

/// The forms in which a payload is given.
enum PayloadForm: CaseIterable {
    case text, value, file, stream, onePage

    /// Syncs the lists of JSON text in this form.
    @discardableResult
    func sync(
        _ json: String, _ store: SyncStore, _ roots: [SyncRoot], options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        switch self {
        case .text: return try await store.adapter.sync(json, roots: roots, options: options)
        case .value: return try await store.adapter.sync(Value(json: json), roots: roots, options: options)
        case .file:
            let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: path) }
            try Data(json.utf8).write(to: URL(fileURLWithPath: path))
            return try await store.adapter.sync(contentsOfFile: path, roots: roots, options: options)
        case .stream:
            let bytes = AsyncStream { continuation in
                for byte in json.utf8 { continuation.yield(byte) }
                continuation.finish()
            }
            return try await store.adapter.sync(stream: bytes, roots: roots, options: options)
        case .onePage: return try await store.adapter.sync(pages: [json.utf8], roots: roots, options: options)
        }
    }
}

extension SyncStore {
    /// A shop with the items 1 to 3.
    static func shop(_ kind: StoreKind = .inMemory) async throws -> SyncStore {
        let store = try await SyncStore(kind, .shop())
        try await store.sync(#"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"}]"#, into: "Item")
        return store
    }
}
