package import SQLitePersistence
package import SyncPersistence

/// An SQLite store in a folder of its own.
package struct StoreFile {
    package let folder = TemporaryFolder()
    package let adapter: SQLiteAdapter

    /// The file of the database.
    package var path: String { StoreFile.path(in: folder) }

    /// A store without records.
    package init(schema: Schema) {
        let path = StoreFile.path(in: folder)
        adapter = unfailing { try blocking { try await SQLiteAdapter.open(at: path, schema: schema) } }
    }

    private static func path(in folder: TemporaryFolder) -> String { "\(folder.path)/store.sqlite" }

    /// Gives the file to others.
    package func close() {
        let adapter = adapter
        unfailing { try blocking { await adapter.close() } }
    }
}
