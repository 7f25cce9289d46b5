import ExampleSupport
import Foundation
import SQLitePersistence

let help = """
    countries: JSON into a store and back, with what each sync changes and reports.

      countries         the store is a temporary file, which is deleted at the end
      countries FILE    the store is the SQLite file, which is made if there is none

    Exit codes: 0 all is well, 1 it is not, or the file cannot be used, 64 the command line is wrong.
    """
let path = PathCommand.path(of: "countries", help: help)
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
exit(isDone ? ExitCode.success : ExitCode.failure)
