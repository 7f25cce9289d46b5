import SyncPersistence

/// A layout and its version in the database.
///
/// Another process may change the schema of the store at any time. Each transaction checks for that.
struct KnownLayout: Sendable {
    let layout: Layout

    /// The number of changes of the schema so far.
    let version: Int64

    /// Returns the layout of the store in the current transaction of a connection.
    ///
    /// It includes entities that were added since this layout was read.
    ///
    /// - Parameters:
    ///   - connection: The connection that runs the transaction.
    ///   - version: The version in the transaction.
    ///   - namespace: The namespace of the store.
    /// - Throws: `PersistenceError` if an entity was changed or removed.
    /// - Complexity: O(1) if nothing has changed
    func current(on connection: Connection, version: Int64, in namespace: Namespace) throws -> KnownLayout {
        if version == self.version { return self }
        // The adapters of all accounts share the layout.
        guard let stored = try LayoutStore(connection: connection, namespace: namespace.ofAllAccounts).read() else {
            throw Format.missing(namespace)
        }
        if stored.layout.schema == layout.schema && stored.layout.names == layout.names {
            return KnownLayout(layout: layout, version: stored.version)
        }
        let entities = Dictionary(uniqueKeysWithValues: stored.layout.schema.entities.map { ($0.name, $0) })
        let others = layout.schema.entities.filter { entities[$0.name] != $0 }.map { "'\($0.name)'" }
        guard others.isEmpty else {
            throw PersistenceError(
                .schemaChange,
                "the store was opened with another schema meanwhile, in which \(others.joined(separator: ", ")) is "
                    + "another: close this store, and open it with that schema")
        }
        return stored
    }
}

extension Locked<KnownLayout> {
    /// Replaces the known layout by a later one; an older one is ignored.
    func learn(_ new: KnownLayout) {
        withLock { if new.version > $0.version { $0 = new } }
    }
}
