import Foundation
import SQLitePersistence
import SyncPersistence

// countries [FILE]: the store is the SQLite file, or a temporary one that goes with the program.
let path = CommandLine.arguments.dropFirst().first
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "countries-\(ProcessInfo.processInfo.processIdentifier)")
var isDone = false
do {
    if path == nil { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    let file = path ?? folder.appendingPathComponent("countries.sqlite").path
    let store = try await SQLiteAdapter.open(at: file, schema: .ofCountries())
    isDone = try await CountriesTour(store: store) { print($0) }.run()
    await store.close()
} catch {
    print("countries: \(error)")
}
if let path {
    print("The store is \(path): sqlite3 '\(path)' 'SELECT * FROM Country' shows the countries.")
} else {
    try? FileManager.default.removeItem(at: folder)
}
exit(isDone ? 0 : 1)
