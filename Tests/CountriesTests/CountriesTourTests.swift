import Foundation
import SQLitePersistence
import SyncPersistence
import Testing

@testable import countries

@Suite("The tour of countries")
struct CountriesTourTests {
    @Test("counts what each list changes, reports faults, and ends well")
    func fresh() async throws {
        let lines = try await run(on: InMemoryAdapter(schema: .ofCountries()))
        #expect(lines == CountriesTourTests.lines)
    }

    @Test("over a file: it can be run again")
    func again() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "CountriesTourTests-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("countries.sqlite").path
        for isFirst in [true, false] {
            let store = try await SQLiteAdapter.open(at: path, schema: .ofCountries())
            let lines = try await run(on: store)
            #expect((lines == CountriesTourTests.lines) == isFirst)
            #expect(lines.suffix(20) == CountriesTourTests.lines.suffix(20))
            await store.close()
        }
    }

    private func run(on store: any PersistenceAdapter) async throws -> [String] {
        var lines: [String] = []
        #expect(try await CountriesTour(store: store, write: { lines.append($0) }).run())
        return lines
    }

    private static let lines: [String] = []
}
