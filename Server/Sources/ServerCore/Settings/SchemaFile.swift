import CoreDataModel
import Foundation
import SyncPersistence

/// Reads the schema of a server's stores.
enum SchemaFile {
    /// Reads a JSON file, which is an encoded `Schema`, or a Core Data model.
    static func read(_ path: String) throws(SettingsError) -> Schema {
        let url = URL(fileURLWithPath: path)
        do {
            if ["xcdatamodel", "xcdatamodeld"].contains(url.pathExtension) { return try Schema(contentsOf: url) }
            return try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
        } catch {
            throw SettingsError("the schema '\(path)' cannot be read: \(error)")
        }
    }
}
