import Foundation
import SQLitePersistence
import SyncPersistence
import Testing

@testable import notebook

struct NotebookTourTests {
    @Test func tourOverFilesConvergesKeepsDeletionsAndCanRunAgain() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "NotebookTourTests-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stores = Stores(
            open: { name in
                try await SQLiteAdapter.open(
                    at: folder.appendingPathComponent("\(name).sqlite").path, schema: Schema([]))
            },
            close: { store in await (store as? SQLiteAdapter)?.close() })
        for _ in 0..<2 {
            let lines = Lines()
            var tour = try await NotebookTour(stores, write: { lines.add($0) })
            #expect(try await tour.run())
            #expect(
                lines.all.suffix(3) == [
                    "✓ phone, tablet and remote agree: 2 notes", "     [x] milk: 3 litres",
                    "     [ ] rent: before Thursday",
                ])
            #expect(lines.all.contains("     ✗ the answer was lost"))
            #expect(lines.all.contains("   the phone starts again: 1 conflict is open"))
        }
    }

    /// The lines that were written.
    // because all access to the lines goes through the serial queue.
    private final class Lines: @unchecked Sendable {
        private let queue = DispatchQueue(label: "lines")
        private var lines: [String] = []
        var all: [String] { queue.sync { lines } }
        func add(_ line: String) { queue.sync { lines.append(line) } }
    }
}
