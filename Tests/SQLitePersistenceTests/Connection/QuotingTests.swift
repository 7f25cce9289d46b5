import SyncPersistence
import Testing

@testable import SQLitePersistence

struct QuotingTests {
    @Test(arguments: [
        ("note", "\"note\""), ("select", "\"select\""), ("a b", "\"a b\""), ("\"", "\"\"\"\""),
        ("a\"b\"", "\"a\"\"b\"\"\""), ("x'; DROP TABLE t; --", "\"x'; DROP TABLE t; --\""), ("é", "\"é\""),
        ("\"\u{301}", "\"\"\"\u{301}\""),
    ])
    func names(_ name: String, _ expected: String) throws {
        #expect(quoted(name).unicodeScalars.elementsEqual(expected.unicodeScalars))
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE \(quoted(name)) (\(quoted(name)))")
        let read = try connection.texts("SELECT name FROM sqlite_master")
        #expect(read.map { Array($0.utf8) } == [Array(name.utf8)])
        try connection.withStatement("SELECT \(quoted(name)) FROM \(quoted(name))") { statement throws in
            #expect(statement.columnName(at: 0).map { Array($0.utf8) } == Array(name.utf8))
        }
    }

    @Test func aNameThatIsMisspeltIsNoText() throws {
        let error = sqliteError { try Connection.inMemory().execute("SELECT \"nothing\"") }
        #expect(error?.message.hasPrefix("no such column:") == true)
    }

    @Test func aNameIsNotEmpty() async {
        await #expect(processExitsWith: .failure) { _ = quoted("") }
    }
}
