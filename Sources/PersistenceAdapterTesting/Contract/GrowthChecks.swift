import SyncPersistence

/// Checks that a schema can gain entities, and that stored data survives.
///
/// An app may add entities while its store is in use.
///
/// An adapter implements `add(_:)` with the changes that `SchemaChanges` lists. It creates storage for new entities,
/// and leaves existing rows alone.
///
/// If a check of this topic fails, the adapter keeps something of the older schema. It may be prepared statements,
/// names of tables, or the shapes of records that it returns.
enum GrowthChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("growth.newEntities", newEntities),
        ContractCheck("growth.whatIsThereAlready", whatIsThereAlready),
        ContractCheck("growth.newRelationships", newRelationships),
        ContractCheck("growth.unsoundSchema", unsoundSchema),
        ContractCheck("growth.hostileNames", hostileNames),
    ]

    /// The entity that is in the schema from the start.
    ///
    /// Checks add others to it while the store is open.
    private static let note = Entity(
        "Note", attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("text", .string)])

    /// Makes a store with one note, which has a local change, and the history of another.
    ///
    /// The journal and the history have rows for the older schema then, which an addition must keep.
    private static func notes(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.store(Schema([note]))
        try await store.change { $0.keepHistory(true) }
        try await store.put("Note", ["id": 1, "text": "a"], ["id": 2])
        try await store.delete("Note", 2)
        return store
    }

    /// Checks that a new entity is usable at once, and that records, journal and history of the old ones are kept.
    ///
    /// Records that were created with the older schema must still be accepted.
    ///
    /// Look at how an open store learns of new tables: prepared statements and cached layouts of other connections.
    static func newEntities(_ trial: Trial) async throws {
        let store = try await notes(trial)
        let tag = Entity("Tag", attributes: [Attribute("name", .string, isPrimaryKey: true)])
        try await store.add(tag)
        trial.expect("the schema", store.adapter.schema, is: try Schema([note, tag]))
        for schema in [
            try await store.read { $0.schema }, try await store.adapter.write { $0.schema }.result,
        ] { trial.expect("the schema of a transaction", schema, is: store.adapter.schema) }
        try await store.put("Tag", ["name": "x"])
        trial.expect("a record of the new entity", try await store.keys("Tag"), is: ["x"])
        trial.expect("a record of the old one", try await store.value("Note", 1, "text"), is: "a")
        trial.expect("the journal", try await JournalChecks.journal(store), is: [1])
        trial.expect("the journal of the new one", try await JournalChecks.journal(store, "Tag"), is: ["x"])
        let history = try await store.read { try $0.history(after: 0, limit: 9) }
        trial.expect("the history", history.map(\.id.text), is: ["Note 1", "Note 2", "Tag x"])
        let old = Record(try Schema([note])["Note"]!, ["id": 3])
        try await store.change { $0.put(old) }
        trial.expect("a record that was made before", try await store.keys("Note"), is: [1, 3])
    }

    /// Checks that adding an existing entity changes nothing, and that another definition of it throws `.schemaChange`.
    ///
    /// Otherwise two parts of an app could overwrite each other's definitions.
    ///
    /// Look at how definitions are compared: by all of their properties, not by name.
    static func whatIsThereAlready(_ trial: Trial) async throws {
        let store = try await notes(trial)
        let before = try await store.dump()
        try await store.adapter.add([note])
        try await store.adapter.add([])
        trial.expect("what the same entity changes", try await store.dump().differences(from: before), is: [])
        var other = note
        other.attributes.append(Attribute("stars", .integer))
        await trial.expectError(.schemaChange, "another definition of what is there") {
            try await store.adapter.add([other])
        }
        trial.expect("the schema", store.adapter.schema, is: try Schema([note]))
        trial.expect("what it has changed", try await store.dump().differences(from: before), is: [])
    }

    /// Checks that a new entity can refer to existing ones.
    ///
    /// Paths, delete rules and links must reach the older records, or deletions would leave dangling keys.
    ///
    /// Look at shapes that were resolved with the older schema: the inverse end must be known to existing entities
    /// too.
    static func newRelationships(_ trial: Trial) async throws {
        let store = try await notes(trial)
        try await store.add(
            Entity(
                "Folder", attributes: [Attribute("id", .integer, isPrimaryKey: true)],
                relationships: [
                    Relationship("cover", to: "Note"), Relationship("notes", toMany: "Note", isOrdered: true),
                ]))
        try await store.put("Folder", ["id": 1, "cover": 1])
        try await store.change { $0.link(RecordID("Folder", 1), "notes", to: 1) }
        trial.expect(
            "a path to what was there", try await store.keys("Folder", where: Field("cover.text") == "a"), is: [1])
        try await store.delete("Note", 1)
        trial.expect("a deletion of what was there", try await store.value("Folder", 1, "cover"), is: .null)
        trial.expect("links to it", try await store.related("Folder", 1, "notes"), is: [])
    }

    /// Checks that an invalid addition throws a `SchemaError`, and that the schema stays as it was.
    ///
    /// A half-added entity would make the store unusable.
    ///
    /// Look at when tables are created: only after the whole schema was resolved, and in one transaction.
    static func unsoundSchema(_ trial: Trial) async throws {
        let store = try await notes(trial)
        do {
            try await store.adapter.add([Entity("Tag", relationships: [Relationship("notes", toMany: "Nota")])])
            trial.report("an entity that leads nowhere", expected: "a SchemaError", found: "nothing")
        } catch is SchemaError {
            trial.expect("the schema", store.adapter.schema, is: try Schema([note]))
        }
    }

    /// Checks that names which differ only in case, or contain quotes or dots, make separate entities.
    ///
    /// Tables with such names collide in many databases.
    ///
    /// Look at the names of tables: the adapter needs a mapping to names that are unique without regard to case.
    static func hostileNames(_ trial: Trial) async throws {
        let store = try await notes(trial)
        let names = ["note", "NOTE", "no\"te", "Note.x", "'", "select"]
        for name in names {
            try await store.add(Entity(name, attributes: [Attribute("id", .integer, isPrimaryKey: true)]))
            try await store.put(name, ["id": 7])
        }
        for name in names { trial.expect("the records of '\(name)'", try await store.keys(name), is: [7]) }
        trial.expect("the records of 'Note'", try await store.keys("Note"), is: [1])
    }
}
