import SyncPersistence

extension NameRules {
    /// SQLite ignores the case of ASCII letters, and reserves `sqlite_`: `sqlite_x` becomes `_sqlite_x`.
    static let sqlite = NameRules(
        reservedTables: ["sync.layout"], reservedColumns: Table.ownColumns, folded: withASCIILettersInLowerCase,
        allowed: { name, _ in withASCIILettersInLowerCase(name).hasPrefix("sqlite_") ? "_" + name : name })

    /// Returns a name as SQLite compares it: only the letters A to Z ignore case.
    private static func withASCIILettersInLowerCase(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
