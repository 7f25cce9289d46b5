import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The marks by which a file of this library is recognized.
enum Format {
    /// The application id in SQLite's header: "DSnc".
    static let applicationID: Int64 = 0x4453_6E63

    /// The version of the format: of the tables that the library keeps besides those of the schema.
    ///
    /// Version 2 has the payload memory. Version 3 stores the records of a push in flight instead of its text.
    /// Version 4 has a history instead of tombstones.
    ///
    /// Each update of an older file must store its layout, so that stores that have the file open notice the version.
    static let version: Int64 = 4

    /// Returns the first version with the table of the library's own records; 1 for those that each version has.
    static func version(adding role: Shape.Role) -> Int64 {
        switch role {
        case .journal, .links, .metadata: 1
        case .payloads: 2
        case .inFlight: 3
        case .history: 4
        }
    }

    /// The pragmas that a file made from a `.dump` lacks.
    static let pragmas = "'PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)'"

    /// The commands that save the readable part of a damaged file, with the sqlite3 program of any system.
    static let rescue =
        "sqlite3 damaged.db .dump | sed 's/^ROLLBACK.*/COMMIT;/' | sqlite3 saved.db, and then sqlite3 saved.db \(pragmas)"
}

/// The file of a store: its owner, the version of its format, and the layout of its tables.
///
/// Its functions run within a transaction of the connection.
struct StoreFile {
    /// The connection to the file, within a transaction.
    private let connection: Connection

    /// Creates the access to a file that may have no tables yet.
    init(_ connection: Connection) { self.connection = connection }

    /// Throws unless the database belongs to this library in a supported version, or is empty and may be.
    func verifyOwner(mayBeEmpty: Bool = true) throws {
        let isEmpty = try connection.integer(ofPragma: "schema_version") == 0
        let application = try connection.integer(ofPragma: "application_id")
        let version = try connection.integer(ofPragma: "user_version")
        if mayBeEmpty && isEmpty && application == 0 { return }
        // A dump has neither number, and without them the version of the tables is unknown.
        guard application == Format.applicationID, version > 0 else {
            throw SQLiteError.foreignFile(path: connection.location.path)
        }
        guard version <= Format.version else {
            throw SQLiteError.newerFormat(Int(version), supported: Int(Format.version), path: connection.location.path)
        }
    }

    /// Returns the layout if the file already has the result of a schema change; nil if the file must be written.
    func layout(unlessChangedBy change: LayoutChange) throws -> KnownLayout? {
        try verifyOwner()
        guard let old = try storedLayout(), try connection.integer(ofPragma: "user_version") == Format.version else {
            return nil
        }
        let new = try change.applied(to: old.schema, added: old.added)
        guard new.schema == old.schema && new.added == old.added else { return nil }
        return KnownLayout(layout: old, version: try connection.integer(ofPragma: "schema_version"))
    }

    /// Returns the error for a change of the schema or the format of a file that is opened for reading only.
    ///
    /// - Throws: `PersistenceError` if the change would be refused in any case.
    func readOnlyRefusal(of change: LayoutChange) throws -> PersistenceError {
        if try connection.integer(ofPragma: "user_version") < Format.version {
            return PersistenceError(
                .readOnly,
                "the file has an earlier format, and is opened for reading only: open it once with 'isReadOnly' false, "
                    + "which updates it")
        }
        if let old = try storedLayout() {
            let new = try change.applied(to: old.schema, added: old.added)
            let migration = try Migration(from: old.schema, to: new.schema, by: change.steps)
            _ = try SchemaChanges(from: migration.reduced, to: new.schema)
        }
        return PersistenceError(
            .readOnly,
            "the file lacks entities or properties of the schema, and is opened for reading only: open it once with "
                + "'isReadOnly' false, which adds what is missing")
    }

    /// Changes the schema of the database within a transaction, and returns the layout.
    func migrate(by change: LayoutChange) throws -> KnownLayout {
        let layout = try migrated(by: change)
        return KnownLayout(layout: layout, version: try connection.integer(ofPragma: "schema_version"))
    }

    /// Changes the schema of the database, or creates its first tables, and returns the layout.
    private func migrated(by change: LayoutChange) throws -> Layout {
        try verifyOwner()
        let stored = try storedLayout()
        let old =
            try stored.map(upgradeFormat) ?? Layout(Schema([]), names: NameMap(), digestSeed: newSeed(), added: [])
        let new = try change.applied(to: old.schema, added: old.added)
        if stored == nil {
            try connection.setPragma("application_id", to: Format.applicationID)
            try connection.setPragma("user_version", to: Format.version)
            try connection.execute("CREATE TABLE \"sync.layout\" (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
            for root in old.schema.roots {
                for statement in old.table(of: root).definition(in: old) { try connection.execute(statement) }
            }
        } else if new.schema == old.schema && new.added == old.added {
            return old
        }
        let migration = try Migration(from: old.schema, to: new.schema, by: change.steps)
        let changes = try SchemaChanges(from: migration.reduced, to: new.schema)
        let tables = SQLiteMigration(connection: connection)
        if !migration.isEmpty { try tables.requireDropping() }
        let reduced = try tables.apply(migration, to: old)
        let layout = try tables.apply(changes, to: reduced, for: new.schema, added: new.added)
        try store(layout)
        return layout
    }

    /// Adds the tables that a file of an older version lacks, removes data that the present version cannot use, and
    /// returns the layout.
    private func upgradeFormat(of stored: Layout) throws -> Layout {
        let version = try connection.integer(ofPragma: "user_version")
        guard version < Format.version else { return stored }
        var names = stored.names
        // Numbers of deletions alone are not a history.
        if let tombstones = names.tables["sync.tombstones"] {
            try connection.execute("DROP TABLE IF EXISTS \(quoted(tombstones))")
        }
        names.removeRoot("sync.tombstones")
        let layout = Layout(stored.schema, names: names, digestSeed: stored.digestSeed, added: stored.added)
        for root in layout.schema.roots where root.role.map({ version < Format.version(adding: $0) }) == true {
            for statement in layout.table(of: root).definition(in: layout) { try connection.execute(statement) }
        }
        try SchemaChanges.forgetTombstones(SQLiteStorage(connection, layout))
        // The next cycle resolves a push of the older form: the journal still has each edit.
        if version < 3 { try SchemaChanges.forgetPushTexts(SQLiteStorage(connection, layout)) }
        try connection.setPragma("user_version", to: Format.version)
        try store(layout)
        return layout
    }

    /// Returns a random seed for the digests of a new file.
    private func newSeed() throws -> UInt64 {
        try connection.withStatement("SELECT random()") { statement in
            _ = try statement.step()
            return UInt64(bitPattern: statement.int64(at: 0))
        }
    }

    /// Reads the layout from the file; nil if the file is new.
    ///
    /// - Throws: `PersistenceError` if the stored layout is missing or damaged.
    func storedLayout() throws -> Layout? {
        if try connection.integer(ofPragma: "application_id") == 0 { return nil }
        var values: [String: String] = [:]
        try connection.withStatement("SELECT name, value FROM \"sync.layout\"") { statement in
            while try statement.step() { values[statement.text(at: 0)] = statement.text(at: 1) }
        }
        func decoded<Part: Decodable>(_ type: Part.Type, _ name: String, or missing: String? = nil) throws -> Part {
            guard let text = values[name] ?? missing else { throw unreadableLayout(name, "it is missing") }
            do {
                return try JSONDecoder().decode(type, from: Data(text.utf8))
            } catch {
                throw unreadableLayout(name, "\(error)")
            }
        }
        let schema = try decoded(Schema.self, "schema")
        let names = try decoded(NameMap.self, "names")
        if let problem = names.problem(in: schema) { throw unreadableLayout("names", problem) }
        return Layout(
            schema, names: names, digestSeed: try decoded(UInt64.self, "digestSeed"),
            added: try decoded(Set<String>.self, "added", or: "[]"))
    }

    /// Returns the error for a row of `sync.layout` that is missing or damaged.
    private func unreadableLayout(_ name: String, _ problem: String) -> PersistenceError {
        PersistenceError(
            .unreadable,
            "the row '\(name)' of \"sync.layout\", which says what the file's tables hold, cannot be read: \(problem). "
                + "Restore the file from a copy", path: connection.location.path)
    }

    /// Writes the layout into the table `sync.layout`.
    ///
    /// It also changes SQLite's `schema_version`, by which stores that have the file open notice the new layout. Some
    /// layouts differ only in rows, for example by the new name of an entity, or by the order of attributes.
    private func store(_ layout: Layout) throws {
        // No table can have the name of a trigger in its way.
        try connection.execute(
            "CREATE TRIGGER \"sync.changed\" BEFORE DELETE ON \"sync.layout\" BEGIN SELECT 1; END")
        try connection.execute("DROP TRIGGER \"sync.changed\"")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let values = [
            "schema": String(decoding: try encoder.encode(layout.schema), as: UTF8.self),
            "names": String(decoding: try encoder.encode(layout.names), as: UTF8.self),
            "digestSeed": "\(layout.digestSeed)",
            "added": String(decoding: try encoder.encode(layout.added.sorted()), as: UTF8.self),
        ]
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            try connection.withStatement("INSERT OR REPLACE INTO \"sync.layout\" (name, value) VALUES (?, ?)") {
                statement in
                try statement.bind(name, at: 1)
                try statement.bind(value, at: 2)
                try statement.run()
            }
        }
    }
}
