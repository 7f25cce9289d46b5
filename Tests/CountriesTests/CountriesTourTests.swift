import Foundation
import SQLitePersistence
import SyncPersistence
import Testing

@testable import countries

struct CountriesTourTests {
    @Test func tourCountsChangesReportsFaultsAndSucceeds() async throws {
        let lines = try await run(on: InMemoryAdapter(schema: .ofCountries()))
        #expect(lines == CountriesTourTests.lines)
    }

    @Test func tourOverAFileCanRunAgain() async throws {
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

    private static let lines = """
        Countries and their subdivisions, from JSON into a store and back

        1  The list of 2010
                         inserted   updated   deleted
           Country              5         ·         ·
           Subdivision         49         ·         ·

        2  The list of 2020: what is gone is deleted, with what belongs to it
                         inserted   updated   deleted
           Country              1         2         1
           Subdivision          7         4        15
           ~ Country "NO": lastChange
           ~ Country "SZ": name, lastChange

        3  The same list again
           nothing has changed: 5 countries are as they were

        4  A name is changed here, and the remote has another one
           = Country "LI" keeps its edit of name

        5  A page of two countries, with faults: each is reported, and the rest is stored
                         inserted   updated   deleted
           Country              ·         1         ·
           Subdivision          ·         ·         ·
           ~ Country "NO": name
           ! [0].last_change (Country "NO".lastChange): expected a date, as text of ISO 8601 or in seconds, \
        milliseconds or microseconds since 1970, found the text "2020-02-30"
           ! [1]: expected a value of the primary key, 'code' of 'Country', found none

        6  A strict sync of such a page: it fails, and stores nothing
           ✗ [0].is_independent (Country "NO".isIndependent): expected true or false, also as 1 or 0, or either \
        as text, found the text "maybe". Nothing has been stored, as the sync is strict

        7  One country as JSON again
           {
             "code": "SZ",
             "is_independent": true,
             "last_change": "2018-04-19T00:00:00Z",
             "name": "Eswatini",
             "numeric_code": "748",
             "subdivisions": [
               {
                 "category": "region",
                 "code": "SZ-HH",
                 "name": "Hhohho"
               },
               {
                 "category": "region",
                 "code": "SZ-LU",
                 "name": "Lubombo"
               },
               {
                 "category": "region",
                 "code": "SZ-MA",
                 "name": "Manzini"
               },
               {
                 "category": "region",
                 "code": "SZ-SH",
                 "name": "Shiselweni"
               }
             ]
           }

        ✓ the same list has changed nothing, and faults have harmed nothing
        """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}
