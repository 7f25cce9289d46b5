import DifferentialSyncTesting

/// Names that are difficult for a store, in an order that is reproducible from a seed.
struct RandomNames {
    /// The number of names before they repeat with a suffix.
    static let count = pool.count

    private let order: [String]

    /// Creates an order of the names.
    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        order = RandomNames.pool.shuffled(using: &generator)
    }

    /// Returns the name with a number.
    ///
    /// Different numbers have different names.
    func name(_ number: Int) -> String {
        number < order.count ? order[number] : "\(order[number % order.count]) \(number / order.count)"
    }

    /// The names, from plain to hostile.
    private static let pool =
        [
            // Plain names, and names that a store may use itself.
            "id", "name", "title", "User", "Post", "rank", "createdAt", "value", "entity", "key", "source", "target",
            "position", "rowid", "oid", "_rowid_", "sequence", "type", "sync", "Sync.own", "syncs",
            // Names that differ only in upper and lower case.
            "ID", "Name", "NAME", "user",
            // Key words.
            "select", "TABLE", "order", "group", "index", "null", "default", "self",
            // Characters with a special meaning in SQL, JSON or paths.
            "quote\"d", "\"", "it's", "';--", "a;b", "back\\slash", "dot.ted", ".", "..", "per%cent", "under_score",
            "[bracket]", "`tick`", "$1", "?1", ":name", "@name", "#", "a/b", "a,b", "(", " ", " padded ", "tab\tbed",
            "line\nbreak", "\r\n", "nul\0", "\0", "1", "-1", "1e5", "true", "/* */", "{}", "SELF.x", "a.b.c",
            // Characters beyond ASCII.
            "é", "ÿ", "ß", "ſ", "İ", "名前", "اسم", "🚀", "👩‍👩‍👧‍👦", "\u{301}", "\u{FEFF}", "\u{200B}", "\u{FFFF}", "\u{10FFFF}",
        ] + [String(repeating: "long", count: 60), String(repeating: "🐘", count: 50)]
}
