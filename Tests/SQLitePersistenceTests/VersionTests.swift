import CDifferentialSyncSQLite
import Testing

@Test func version() { #expect(sqlite3_libversion_number() > 3_030_000) }
