import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The layout of a store as the database has it, within a transaction.
///
/// The table `sync.layout` has these rows:
///
/// | name | value |
/// |---|---|
/// | `format` | the version of the library's own tables |
/// | `version` | the number of changes of the schema so far |
/// | `schema` | the schema as JSON |
/// | `names` | the names of tables and columns as JSON |
/// | `digestSeed` | the seed of the records' digests |
/// | `added` | the entities that were added to an open store |
/// | `shared` | present if the tables have the records of several accounts |
struct LayoutStore {
    /// The connection that runs the transaction.
    let connection: Connection
    /// The namespace of the store.
    let namespace: Namespace
}

extension LayoutStore {
    /// Returns the layout if the store already has the result of a schema change; nil if it must be written.
    func layout(unlessChangedBy change: LayoutChange) throws -> KnownLayout? {
        guard let old = try read() else { return nil }
        let new = try change.applied(to: old.layout.schema, added: old.layout.added)
        return new.schema == old.layout.schema && new.added == old.layout.added ? old : nil
    }

    /// Requires that the store still has the entities of an open store's layout if others are added to them.
    ///
    /// - Throws: `PersistenceError` if an entity was changed or removed, or the store was removed.
    func requireEntities(of known: KnownLayout, before change: LayoutChange) throws {
        guard case .add = change, known.version > 0 else { return }
        guard let stored = try read() else { throw Format.missing(namespace) }
        _ = try known.current(on: connection, version: stored.version, in: namespace)
    }

    /// Changes the schema of the store, or creates its first tables, and returns the layout.
    ///
    /// Readers of an existing table must have ended. New tables do not disturb them.
    func migrate(by change: LayoutChange) throws -> KnownLayout {
        let stored = try read()
        if stored == nil { try create() }
        let old =
            try stored?.layout
            ?? Layout(Schema([]), in: namespace, names: NameMap(), digestSeed: newSeed(), added: [])
        let new = try change.applied(to: old.schema, added: old.added)
        if stored == nil {
            try connection.execute(old.schema.roots.flatMap { old.table(of: $0).definition }.joined(separator: ";\n"))
        } else if let stored, new.schema == old.schema && new.added == old.added {
            return stored
        }
        let migration = try Migration(from: old.schema, to: new.schema, by: change.steps)
        let changes = try SchemaChanges(from: migration.reduced, to: new.schema)
        if stored != nil && (namespace.isShared || !migration.isEmpty || !changes.onlyAddTables) {
            try lockOutReaders()
        }
        // Statements for tables in between must not be found later, even if all of this is rolled back.
        defer { connection.statements.removeAll() }
        let tables = PostgreSQLMigration(connection: connection, namespace: namespace)
        let reduced = try tables.apply(migration, to: old)
        let layout = try tables.apply(changes, to: reduced, for: new.schema, added: new.added)
        let known = KnownLayout(layout: layout, version: (stored?.version ?? 0) + 1)
        try store(known)
        try connection.forgetStatements()
        return known
    }

    /// Waits for the transactions that read the store, and makes later ones wait for the end of this one.
    ///
    /// PostgreSQL shows an older snapshot the columns of the changed tables, and none of the rows of a rewritten one.
    private func lockOutReaders() throws {
        try connection.execute("LOCK TABLE \(namespace.qualified(Table.layoutName)) IN ACCESS EXCLUSIVE MODE")
    }

    /// Creates the PostgreSQL schema of a store if there is none, and the table that describes the store.
    ///
    /// - Throws: `PersistenceError` if the PostgreSQL schema has tables of another program.
    private func create() throws {
        var parameters = Parameters()
        parameters.append(namespace.name)
        let found = try connection.query(
            "SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid) FROM pg_namespace AS n WHERE nspname = $1",
            parameters)
        if found.count == 0 {
            try connection.execute("CREATE SCHEMA \(namespace.quotedName)")
        } else if found.int64(0, 0) > 0 {
            throw PersistenceError(
                .foreignNamespace,
                "the namespace '\(namespace.name)' has tables of another program: choose another namespace")
        }
        try connection.execute(
            "CREATE TABLE \(namespace.qualified(Table.layoutName)) (name text PRIMARY KEY, value text NOT NULL)")
    }

    /// Returns a random seed for the digests of a new store.
    private func newSeed() throws -> UInt64 {
        let rows = try connection.query("SELECT gen_random_uuid(), gen_random_uuid()")
        // The first half of an identifier has fixed bits, which the second one covers.
        return try (0..<2).reduce(0) { seed, column in
            guard case .uuid(let id) = try rows.value(.uuid, 0, column) else { return seed }
            return withUnsafeBytes(of: id.uuid) { seed.byteSwapped ^ $0.loadUnaligned(as: UInt64.self) }
        }
    }

    /// Reads the layout of a store; nil if the namespace has none.
    ///
    /// - Throws: `PersistenceError` if the stored layout is damaged, or of a later version of this library.
    func read() throws -> KnownLayout? {
        var name = Parameters()
        name.append(namespace.qualified(Table.layoutName))
        if try connection.query("SELECT to_regclass($1)", name).isNull(0, 0) { return nil }
        let rows = try connection.query("SELECT name, value FROM \(namespace.qualified(Table.layoutName))")
        var values: [String: String] = [:]
        for row in 0..<rows.count { values[rows.text(row, 0) ?? ""] = rows.text(row, 1) }
        func decoded<Part: Decodable>(_ type: Part.Type, _ name: String) throws -> Part {
            guard let text = values[name] else { throw unreadable(name, "it is missing") }
            do {
                return try JSONDecoder().decode(type, from: Data(text.utf8))
            } catch {
                throw unreadable(name, "\(error)")
            }
        }
        let format = try decoded(Int64.self, "format")
        guard format <= Format.version else {
            throw PersistenceError(
                PersistenceError.Code("newerFormat"),
                "the store in the namespace '\(namespace.name)' has the format \(format), and the latest one known here is "
                    + "\(Format.version): update this program; the store was not changed")
        }
        if (values["shared"] != nil) != namespace.isShared {
            throw PersistenceError(
                .foreignNamespace,
                "the namespace '\(namespace.name)' has "
                    + (namespace.isShared ? "a single store" : "the stores of accounts") + ": choose another namespace")
        }
        let schema = try decoded(Schema.self, "schema")
        let names = try decoded(NameMap.self, "names")
        if let problem = names.problem(in: schema) { throw unreadable("names", problem) }
        let layout = Layout(
            schema, in: namespace, names: names, digestSeed: try decoded(UInt64.self, "digestSeed"),
            added: try decoded(Set<String>.self, "added"))
        return KnownLayout(layout: layout, version: try decoded(Int64.self, "version"))
    }

    /// Returns the error for a row of `sync.layout` that is missing or damaged.
    private func unreadable(_ name: String, _ problem: String) -> PersistenceError {
        PersistenceError(
            .unreadable,
            "the row '\(name)' of \(namespace.qualified(Table.layoutName)), which says what the store's tables hold, cannot "
                + "be read: \(problem). Restore the database from a copy")
    }

    /// Writes a layout into the table `sync.layout`.
    private func store(_ known: KnownLayout) throws {
        let layout = known.layout
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var values = [
            "format": "\(Format.version)",
            "version": "\(known.version)",
            "schema": String(decoding: try encoder.encode(layout.schema), as: UTF8.self),
            "names": String(decoding: try encoder.encode(layout.names), as: UTF8.self),
            "digestSeed": "\(layout.digestSeed)",
            "added": String(decoding: try encoder.encode(layout.added.sorted()), as: UTF8.self),
        ]
        if namespace.isShared { values["shared"] = "true" }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            var parameters = Parameters()
            parameters.append(name)
            parameters.append(value)
            try connection.query(
                "INSERT INTO \(namespace.qualified(Table.layoutName)) AS l (name, value) VALUES ($1, $2) "
                    + "ON CONFLICT (name) DO UPDATE SET value = excluded.value", parameters)
        }
    }
}

extension SchemaChanges {
    /// Whether no existing table changes.
    fileprivate var onlyAddTables: Bool {
        steps.allSatisfy { if case .addHierarchy = $0 { true } else { false } }
    }
}
