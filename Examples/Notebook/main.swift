import ExampleSupport
import Foundation
import SQLitePersistence

let help = """
    notebook: two devices and a remote share notes, each with a file of its own.

      notebook           the files are in a temporary folder, which is deleted at the end
      notebook FOLDER    the files are in the folder, which is made if there is none: phone.sqlite, tablet.sqlite and
                         remote.sqlite

    Exit codes: 0 all of them agree, 1 they do not, or a file cannot be used, 64 the command line is wrong.
    """
let path = PathCommand.path(of: "notebook", help: help)
let temporaryName = "notebook-\(ProcessInfo.processInfo.processIdentifier)"
let folder =
    path.map { URL(fileURLWithPath: $0, isDirectory: true) }
    ?? FileManager.default.temporaryDirectory.appendingPathComponent(temporaryName)
let stores = Stores(
    open: { name in
        try await SQLiteAdapter.open(at: folder.appendingPathComponent("\(name).sqlite").path, schema: Schema([]))
    },
    close: { store in await store.close() })
var isAgreed = false
do {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var tour = try await NotebookTour(stores) { print($0) }
    isAgreed = try await tour.run()
} catch {
    print("notebook: \(error)")
}
if path == nil {
    try? FileManager.default.removeItem(at: folder)
} else {
    print("The files are in \(folder.path): sqlite3 phone.sqlite 'SELECT * FROM Note' shows the phone's notes.")
}
exit(isAgreed ? ExitCode.success : ExitCode.failure)
