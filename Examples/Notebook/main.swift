import Foundation
import SQLitePersistence
import SyncPersistence

// notebook [FOLDER]: the stores are files in the folder, or in a temporary one that goes with the program.
let arguments = CommandLine.arguments.dropFirst()
let isTemporary = arguments.isEmpty
let temporaryName = "notebook-\(ProcessInfo.processInfo.processIdentifier)"
let folder =
    arguments.first.map { URL(fileURLWithPath: $0, isDirectory: true) }
    ?? FileManager.default.temporaryDirectory.appendingPathComponent(temporaryName)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let stores = Stores(
    open: { name in
        try await SQLiteAdapter.open(at: folder.appendingPathComponent("\(name).sqlite").path, schema: Schema([]))
    },
    close: { store in await (store as? SQLiteAdapter)?.close() })
var isAgreed = false
do {
    var tour = try await NotebookTour(stores) { print($0) }
    isAgreed = try await tour.run()
} catch {
    print("notebook: \(error)")
}
if isTemporary {
    try FileManager.default.removeItem(at: folder)
} else {
    print("The files are in \(folder.path): sqlite3 phone.sqlite 'SELECT * FROM Note' shows the phone's notes.")
}
exit(isAgreed ? 0 : 1)
