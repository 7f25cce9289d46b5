import SyncPersistence

/// A column of a slot.
///
/// Most values are stored in a column with the name of the attribute. For two types, PostgreSQL's own type does not hold
/// each value exactly. Then a second column holds the exact value, from which PostgreSQL computes the readable one:
///
/// | Type | Exact column | Readable column |
/// |---|---|---|
/// | date | `due.seconds`: `double precision`, the seconds since 2001 | `due`: `timestamptz`, to the microsecond |
/// | JSON | `place.text`: `text`, the JSON | `place`: `jsonb` |
///
/// The readable column is NULL for a value that its type does not have. Dates before 4714 BC or after 294276 are such
/// values. So is JSON with U+0000 in a string, or of 30 MB. Text has the form of `TextForm`.
struct Column: SQLColumn {
    /// The name in quotes.
    let name: String
    /// The name without quotes.
    let plainName: String
    /// The type of the values.
    let type: AttributeType
    /// The slot of the column.
    let slot: Slot
    /// Whether an index finds the values by their hash, also if it has no other column.
    let isHashed: Bool
    /// The quoted name of the readable column that is computed from this one; nil if there is none.
    let readableName: String?

    /// What may follow the name of a slot in the name of its column.
    static let suffixes = ["", ".seconds", ".text"]

    /// Creates the column of a slot.
    ///
    /// - Parameters:
    ///   - name: The name that `NameMap` has chosen.
    ///   - type: The type of the values.
    ///   - slot: The slot.
    ///   - isShared: Whether the table has the records of several accounts.
    ///   - isReadable: Whether the table is made to be read, and not one of the library's own.
    init(_ name: String, _ type: AttributeType, of slot: Slot, isShared: Bool, isReadable: Bool) {
        let suffix = !isReadable ? "" : type == .date ? ".seconds" : type == .json ? ".text" : ""
        plainName = name + suffix
        self.name = quoted(plainName)
        self.type = type
        self.slot = slot
        isHashed = isShared && type.isLong
        readableName = suffix.isEmpty ? nil : quoted(name)
    }

    /// The definitions of the column, and of the readable one if there is one.
    var definitions: [String] {
        let exact = "\(name) \(type.sqlName)" + (type.sqlName == "text" ? " COLLATE \"C\"" : "")
        return [exact] + (readableDefinition.map { [$0] } ?? [])
    }

    /// The definition of the readable column; nil if there is none.
    ///
    /// PostgreSQL makes no `jsonb` of an array of more than 16,777,216 elements, which have at least 33 MB. The columns of
    /// earlier versions of the library have a limit of 200 MB.
    private var readableDefinition: String? {
        guard let readableName else { return nil }
        // Seconds since 1970 are those since 2001 and 978,307,200 more.
        return type == .date
            ? "\(readableName) timestamptz GENERATED ALWAYS AS (CASE WHEN \(name) BETWEEN -211845110400 AND 9223339708799 "
                + "THEN to_timestamp(\(name) + 978307200) END) STORED"
            : "\(readableName) jsonb GENERATED ALWAYS AS (CASE WHEN strpos(\(name), '\\u0000') = 0 "
                + "AND octet_length(\(name)) < 30000000 THEN \(name)::jsonb END) STORED"
    }

    /// The expression by which an index of several columns finds values.
    ///
    /// Entries of a B-tree are limited to 2,704 bytes, so long values are replaced by their hashes.
    var indexExpression: String { type.isLong ? Column.hash(of: name, type) : name }

    /// Returns the hash of an expression of a long type.
    static func hash(of expression: String, _ type: AttributeType) -> String {
        "hashtextextended(\(type == .bytes ? "encode(\(expression), 'hex')" : expression), 0)"
    }

    /// The expression that returns the value, in a form that can be read in the binary format.
    func selection(_ alias: String? = nil) -> String {
        let name = alias.map { "\($0).\(self.name)" } ?? self.name
        return type == .decimal ? "\(name)::text" : name
    }
}
