public import DifferentialSync
public import SyncPersistence

extension StoreConflict {
    /// Returns the versions as elements of a collection; nil if one of them is a record of another entity.
    ///
    /// ```swift
    /// for conflict in try await store.openConflicts {
    ///     if let todo = try conflict.elements(of: todos) { show(todo, conflict.fields) }
    /// }
    /// ```
    ///
    /// A base that cannot be read as an element is nil. The elements have no keys of relationships that the record does
    /// not store, such as many-to-many ones: those are not part of the conflict.
    ///
    /// - Parameter collection: A collection of the entity of the record, or of one that it inherits.
    /// - Throws: `PersistenceError` if a side cannot be read as an element. The records are in ``versions``.
    public func elements<Element: Equatable & Sendable, Key: Hashable & Sendable>(
        of collection: PersistentCollection<Element, Key>
    ) throws -> Conflict<Element>? {
        let records = [versions.base, versions.local, versions.remote].compactMap { $0 }
        guard records.allSatisfy({ $0.shape.inherits(collection.entity) }) else { return nil }
        return try collection.coding.elements(versions) { _ in { _ in [] } }
    }
}

extension PersistentCollection {
    /// Resolves a conflict of a store that is synchronized as a whole, by an element.
    ///
    /// ```swift
    /// if let todo = try conflict.elements(of: todos), var merged = todo.local, let remote = todo.remote {
    ///     merged.title += ", \(remote.title)"
    ///     try await todos.resolve(conflict, with: .merged(merged))
    /// }
    /// ```
    ///
    /// It is ``SyncPersistence/PersistenceAdapter/resolve(_:with:)`` for elements. The resolution decides the fields
    /// that both sides have changed, and the changes of other fields are kept from both sides. An element that is
    /// stored as JSON is one field. A value that the type does not read is that of the side that has changed it. If both
    /// sides have changed it, it is the remote's for `.remote`, and the local one otherwise.
    ///
    /// - Parameters:
    ///   - conflict: The conflict, an unchanged member of ``SyncPersistence/PersistenceAdapter/openConflicts``.
    ///   - resolution: The resolution. `.open` changes nothing.
    /// - Returns: What ``SyncPersistence/PersistenceAdapter/undo(_:)`` needs to take the resolution back.
    /// - Throws: `ConflictError` if there is no such conflict, or if the record has changed meanwhile; `KeyError` if
    ///   the merged element has another key; `PersistenceError` in these cases. Nothing has changed then.
    ///   - A version is a record of another entity, or a side cannot be read as an element.
    ///   - The merged element has keys of related records that its own record does not store.
    ///   - The schema does not allow the resolution, or the store cannot be written.
    /// - Complexity: O(1); for a deletion O(*d*) for *d* changed records
    @discardableResult
    public func resolve(
        _ conflict: StoreConflict, with resolution: Resolution<Element>
    ) async throws -> ResolvedConflict {
        guard let elements = try conflict.elements(of: self) else {
            throw PersistenceError(
                .mismatch,
                "the conflict is not one of the collection of '\(entity)': resolve it by a collection of its entity, "
                    + "or by 'resolve(_:with:)' of the store",
                id: conflict.id)
        }
        let decision = try coding.resolution(resolution, elements, conflict.versions)
        return try await store.resolve(conflict, with: decision)
    }
}
