import SyncPersistence

/// A layout and the version of the file's tables for which it is valid.
///
/// Another process may change the schema of the file at any time. Each transaction checks for that.
struct KnownLayout: Sendable {
    /// The tables of the schema that the file had when it was last looked at.
    let layout: Layout

    /// The value of SQLite's `schema_version` for which the layout is valid.
    let version: Int64

    /// Returns the layout of the file in the current transaction of a connection.
    ///
    /// It includes entities that were added since this layout was read.
    ///
    /// - Throws: `PersistenceError` if an entity was changed or removed, or if the file has a later format.
    /// - Complexity: O(1) if nothing has changed
    func current(on connection: Connection) throws -> KnownLayout {
        let version = try connection.integer(ofPragma: "schema_version")
        if version == self.version { return self }
        let file = StoreFile(connection)
        try file.verifyOwner(mayBeEmpty: false)
        guard let stored = try file.storedLayout() else {
            throw SQLiteError.foreignFile(path: connection.location.path)
        }
        if stored.schema == layout.schema && stored.names == layout.names {
            return KnownLayout(layout: layout, version: version)
        }
        let entities = Dictionary(uniqueKeysWithValues: stored.schema.entities.map { ($0.name, $0) })
        let others = layout.schema.entities.filter { entities[$0.name] != $0 }.map { "'\($0.name)'" }
        guard others.isEmpty else {
            throw PersistenceError(
                .schemaChange,
                "the file was opened with another schema meanwhile, in which \(others.joined(separator: ", ")) is "
                    + "another: close this store, and open the file with that schema")
        }
        return KnownLayout(layout: stored, version: version)
    }
}

extension Locked<KnownLayout> {
    /// Replaces the known layout by a later one; an older one is ignored.
    func learn(_ new: KnownLayout) {
        withLock { if new.version > $0.version { $0 = new } }
    }
}
