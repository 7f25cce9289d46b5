#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SyncPersistence

/// Checks of names and values that are hard to store.
///
/// Remotes and models may use all of them.
///
/// Names and values come from schemas and remotes, and may have any content. An adapter that writes names into
/// statements must quote them, and values belong into parameters.
///
/// If a check of this topic fails, the adapter changes values on their way. It ends text at a null byte, composes,
/// folds or cuts it, or rounds numbers.
enum HostileChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("hostile.entityNames", entityNames),
        ContractCheck("hostile.attributeNames", attributeNames),
        ContractCheck("hostile.relationshipNames", relationshipNames),
        ContractCheck("hostile.texts", texts),
        ContractCheck("values.extremes", extremes),
        ContractCheck("values.exactlyAsGiven", exactlyAsGiven),
        ContractCheck("values.large", large),
        ContractCheck("values.manyAttributes", manyAttributes),
        ContractCheck("values.json", json),
    ]

    /// Names that are keywords, contain quotes, or collide in databases that ignore case.
    ///
    /// All of them may occur: a schema can be read from a model, and Swift allows any text as a name in backticks or
    /// JSON.
    private static let names: [String] = [
        "select", "TABLE", "Group", "order", "index", "rowid", "_rowid_", "oid", "sqlite_master", "main", "temp",
        "id", "ID", "Id", "key", "digest", "position", "value", "source", "target", "sequence", "entity",
        "quote\"d", "\"", "\"\"", "it's", "'", "`tick`", "[bracket]", "x]; --", "Robert'); DROP TABLE Note;--",
        "a.b", "Sync.layout", ".", "a b", " ", "\t", "line\nbreak", "back\\slash", "per%cent", "under_score", "?1",
        ":name", "@x",
        "$y",
        "1", "-1", "null", "true", "\u{E9}", "ß", "SS", "İ", "名前", "👩‍🚀", "\u{200B}", "/* */",
        String(repeating: "long ", count: 200),
    ]

    /// Checks entities with these names, side by side in one store.
    ///
    /// Their tables and journals must not collide.
    ///
    /// Look at quoting: double the quotation mark, and do not limit the length of a name without a mapping.
    static func entityNames(_ trial: Trial) async throws {
        let store = try await trial.store(
            Schema(
                names.map { name in
                    Entity(
                        name, attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("name", .string)])
                }))
        for (place, name) in names.enumerated() {
            try await store.put(name, ["id": .integer(Int64(place)), "name": .string(name)], ["id": -1])
        }
        for (place, name) in names.enumerated() {
            trial.expect("the records of '\(name)'", try await store.keys(name), is: [.integer(Int64(place)), -1])
            trial.expect(
                "a filter of '\(name)'", try await store.keys(name, where: Field("name") == .string(name)),
                is: [.integer(Int64(place))])
            try await store.delete(name, -1)
            trial.expect(
                "the journal of '\(name)'", try await JournalChecks.journal(store, name), is: [.integer(Int64(place))])
        }
    }

    /// Checks attributes with these names, as keys, in filters and in sort keys.
    ///
    /// A name without quotes would be read as a keyword, or end the statement.
    ///
    /// Look at generated text that is not quoted: names of indexes, of parameters and of columns of a result.
    static func attributeNames(_ trial: Trial) async throws {
        for isKey in [false, true] {
            let store = try await trial.store(
                Schema([
                    Entity(
                        "Item",
                        attributes: [Attribute("the key", .integer, isPrimaryKey: !isKey)]
                            + names.map {
                                Attribute($0, .string, isPrimaryKey: isKey && $0 == names[0], isIndexed: true)
                            })
                ]))
            var row: [String: Value] = ["the key": 1]
            for name in names { row[name] = .string("value of \(name)") }
            try await store.put("Item", row)
            let key: Value = isKey ? .string("value of \(names[0])") : 1
            trial.expect("a record", try await store.record("Item", key), is: store.make("Item", row))
            for name in names where !name.contains(".") {
                trial.expect(
                    "a filter by '\(name)'",
                    try await store.keys(
                        "Item", where: Field(name) == .string("value of \(name)"), sort: [Query.SortKey(name)]),
                    is: [key])
            }
            for name in names.dropFirst() { row[name] = .null }
            try await store.update("Item", key, row)
            trial.expect("a record without values", try await store.record("Item", key), is: store.make("Item", row))
        }
    }

    /// Checks relationships with these names, to one and to many.
    ///
    /// Links have tables of their own, whose names are made of two names.
    ///
    /// Look at the separator between the two names: a name may contain it.
    static func relationshipNames(_ trial: Trial) async throws {
        let store = try await trial.store(
            Schema([
                Entity(
                    "No\"de's", attributes: [Attribute("id", .integer, isPrimaryKey: true)],
                    relationships: names.filter { $0 != "id" }.enumerated().map { place, name in
                        place.isMultiple(of: 2)
                            ? Relationship(name, to: "No\"de's")
                            : Relationship(name, toMany: "No\"de's", isOrdered: place.isMultiple(of: 3))
                    })
            ]))
        try await store.put("No\"de's", ["id": 1], ["id": 2])
        for name in names where name != "id" {
            try await store.change { $0.link(RecordID("No\"de's", 1), name, to: 2) }
            trial.expect("related by '\(name)'", try await store.related("No\"de's", 1, name), is: [2])
        }
        try await store.delete("No\"de's", 2)
        for name in names where name != "id" {
            trial.expect("related by '\(name)' after all", try await store.related("No\"de's", 1, name), is: [])
        }
    }

    /// Checks texts with null bytes, combining characters and thousands of characters, as keys and as indexed values.
    ///
    /// Each must be read as it was stored.
    ///
    /// Look at the binding of text by its length, not up to the first null byte, and at normalization by the database.
    static func texts(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Text") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("text", .string, isIndexed: true)
            }
        }
        let texts =
            names + [
                "", "e\u{301}", "\u{0}", "a\u{0}b", "a\u{0}", "\u{FEFF}bom", "\u{FFFF}", "\u{10FFFF}", "\r\n", "\n\r",
                "\r",
                "%_\\", "\u{301}", "a\u{301}", "a ", "a", "A", "\u{212B}", "\u{C5}", "\u{1F1E9}", "\u{D7FF}",
                String(repeating: "k", count: 5_000), String(repeating: "k", count: 5_001),
            ]
        try await store.put("Text", rows: texts.map { ["id": .string($0), "text": .string($0)] })
        trial.expect("all keys", try await store.keys("Text"), is: texts.map { .string($0) })
        for text in texts {
            trial.expect("a text", try await store.value("Text", .string(text), "text"), is: .string(text))
            trial.expect(
                "a filter", try await store.keys("Text", where: Field("text") == .string(text)), is: [.string(text)])
        }
    }

    /// Checks that values at the limits of each type are read as they were stored, after insertions and updates.
    ///
    /// Text forms of numbers lose digits, and times in whole milliseconds lose fractions.
    ///
    /// Look at the smallest and the greatest value of each column type, and at times before 1970.
    static func extremes(_ trial: Trial) async throws {
        for (type, samples) in SampleValues.all {
            let store = try await trial.store(SampleValues.schema(isIndexed: type != .json))
            try await store.put(
                "Sample", rows: samples.enumerated().map { ["id": .integer(Int64($0)), type.rawValue: $1] })
            for (place, sample) in samples.enumerated() {
                trial.expect(
                    "a value of \(type)", try await store.value("Sample", .integer(Int64(place)), type.rawValue),
                    is: sample)
            }
            for (place, sample) in samples.reversed().enumerated() {
                try await store.update("Sample", .integer(Int64(place)), [type.rawValue: sample])
            }
            trial.expect(
                "updated values of \(type)", try await store.records(Query("Sample")).map { $0[type.rawValue] },
                is: samples.reversed())
        }
    }

    /// Checks that the composition of texts, the order of members and integers in JSON are kept.
    ///
    /// Only the sign of zero may be lost. Objects that differ only in the order of members are equal.
    ///
    /// Look at a JSON type of the database: it may reorder members, merge numbers or normalize text. Plain text keeps
    /// all.
    static func exactlyAsGiven(_ trial: Trial) async throws {
        let store = try await trial.store(SampleValues.schema(isIndexed: false))
        // These values are equal or similar to others, and still must be read as they were stored.
        try await store.put("Sample", ["id": 1, "double": -0.0, "string": "e\u{301}", "json": ["b": 1, "a": 2.0]])
        guard let record = try await store.record("Sample", 1) else {
            return trial.report("a record", expected: "that it is there", found: "nothing")
        }
        if case .string(let text) = record["string"] {
            trial.expect("the scalars of a text", Array(text.unicodeScalars.map(\.value)), is: [0x65, 0x301])
        }
        if case .double(let zero) = record["double"] { trial.expect("a zero", zero, is: 0) }
        if case .object(let object) = record["json"] {
            trial.expect("the order of an object's members", object.members.map(\.name), is: ["b", "a"])
        }
        let other = try await store.put(
            "Sample", ["id": 1, "double": 0.0, "string": "\u{E9}", "json": ["a": 2.0, "b": 1]])
        trial.expect(
            "another composition is another text, another order the same object", other.summary,
            is: ["Sample 1: string"])
        let number = try await store.put(
            "Sample", ["id": 1, "string": "\u{E9}", "double": 0.0, "json": ["a": 2, "b": 1]])
        trial.expect("an integer where a double was is another value", number.summary, is: ["Sample 1: json"])
    }

    /// Checks large texts, bytes and arrays, and JSON of 512 levels, in records and in the journal.
    ///
    /// Some databases limit the size of a value or a row, and move large ones elsewhere.
    ///
    /// Look at limits of the database for a value, a row and a message, and at parsers with a limit of depth.
    static func large(_ trial: Trial) async throws {
        let store = try await trial.store(SampleValues.schema(isIndexed: false))
        let text = Value.string(String(repeating: "0123456789abcdef\u{E9}", count: 60_000))
        let bytes = Value.bytes(Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
        let array = Value.array((0..<20_000).map { .integer($0) })
        let (deep, objects) = (SampleValues.nested(512) { [$0] }, SampleValues.nested(512) { ["": $0] })
        try await store.put(
            "Sample", ["id": 1, "string": text, "bytes": bytes, "json": array],
            ["id": 2, "string": "", "bytes": .bytes(Data())],
            ["id": 3, "json": deep])
        try await store.put("Sample", ["id": 4, "json": objects], origin: .agreed)
        try await store.update("Sample", 4, ["json": deep])
        trial.expect("a long text", try await store.value("Sample", 1, "string") == text, is: true)
        trial.expect("many bytes", try await store.value("Sample", 1, "bytes") == bytes, is: true)
        trial.expect("a long array", try await store.value("Sample", 1, "json") == array, is: true)
        trial.expect("a deep array", try await store.value("Sample", 3, "json") == deep, is: true)
        trial.expect(
            "deep objects in the journal", try await store.entry("Sample", 4)?.base?["json"] == objects, is: true)
        trial.expect("an empty text", try await store.value("Sample", 2, "string"), is: "")
        trial.expect("no bytes", try await store.value("Sample", 2, "bytes"), is: .bytes(Data()))
        let commit = try await store.update("Sample", 1, ["string": "short"])
        trial.expect("a change of one", commit.summary, is: ["Sample 1: string"])
        trial.expect("the others", try await store.value("Sample", 1, "bytes") == bytes, is: true)
    }

    /// Checks an entity with 300 attributes.
    ///
    /// Some databases limit columns or parameters to fewer.
    ///
    /// Look at statements with one parameter for each column, such as an insertion of several rows.
    static func manyAttributes(_ trial: Trial) async throws {
        let count = 300
        let store = try await trial.store(
            Schema([
                Entity(
                    "Wide",
                    attributes: [Attribute("id", .integer, isPrimaryKey: true)]
                        + (0..<count).map { Attribute("a\($0)", .integer) })
            ]))
        var row: [String: Value] = ["id": 1]
        for number in 0..<count { row["a\(number)"] = .integer(Int64(number)) }
        try await store.put("Wide", row)
        trial.expect("a record", try await store.record("Wide", 1), is: store.make("Wide", row))
        try await store.update("Wide", 1, ["a299": .null])
        trial.expect("a record without its last value", try await store.value("Wide", 1, "a299"), is: .null)
        trial.expect("and with the one before", try await store.value("Wide", 1, "a298"), is: 298)
    }

    /// Checks that JSON values of different types are different, such as `1`, `1.0`, `"1"` and `true`.
    ///
    /// A database that parses JSON itself merges numbers that are equal, and sorts members.
    ///
    /// Look at the comparison of a stored record with a new one, by which `put` decides whether anything changes.
    static func json(_ trial: Trial) async throws {
        let store = try await trial.store(SampleValues.schema(isIndexed: false))
        let values: [Value] = [1, 1.0, "1", true, [1], ["1": 1]]
        try await store.put("Sample", rows: values.enumerated().map { ["id": .integer(Int64($0)), "json": $1] })
        for (place, value) in values.enumerated() {
            trial.expect("a value of JSON", try await store.value("Sample", .integer(Int64(place)), "json"), is: value)
            for (other, value) in values.enumerated() where other != place {
                let commit = try await store.update("Sample", .integer(Int64(place)), ["json": value])
                trial.expect("another in its place", commit.summary, is: ["Sample \(place): json"])
            }
            try await store.update("Sample", .integer(Int64(place)), ["json": value])
        }
    }
}
