import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence

extension SimulatedFiles {
    /// Returns stores of SQLite in a new folder.
    static func sqlite() throws -> SimulatedFiles {
        let manager = FileManager.default
        let folder = try manager.url(
            for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: manager.temporaryDirectory,
            create: true)
        @Sendable func path(_ name: String) -> String { folder.appending(path: name).path }
        return SimulatedFiles { name, schema in
            var options = SQLiteAdapter.Options()
            (options.isDurable, options.readerCount, options.cacheSize) = (false, 1, 500)
            return try await SQLiteAdapter.open(at: path(name), schema: schema, options: options)
        } copy: { name, copy in
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path(copy) + suffix)
                if FileManager.default.fileExists(atPath: path(name) + suffix) {
                    try FileManager.default.copyItem(atPath: path(name) + suffix, toPath: path(copy) + suffix)
                }
            }
        } remove: {
            try FileManager.default.removeItem(at: folder)
        }
    }
}
