extension PersistenceAdapter {
    /// The collection of all elements of a type in this store: a place for an app's own type, which needs no schema.
    ///
    /// ```swift
    /// struct Note: Codable, Identifiable, Equatable {
    ///     var id: UUID
    ///     var text: String
    /// }
    /// let notes = try await store.collection(of: Note.self)
    /// ```
    ///
    /// The store gets an entity of that name, unless it has it: its attribute `id` is the key, an integer, a UUID or
    /// text, and its attribute `content` is the element's JSON. A type that has changed reads what was stored before as
    /// far as its `init(from:)` does; what it cannot read stays as it is, and reading it throws.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - name: The name of the entity, or nil for that of the type. Two types of one name need one.
    /// - Throws: ``PersistenceError`` if there is another entity of that name, or if the store cannot be written;
    ///   ``SchemaError`` for a name that no entity can have.
    public func collection<Element: Codable & Identifiable & Equatable & Sendable>(
        of type: Element.Type, named name: String? = nil
    ) async throws -> PersistentCollection<Element, Element.ID> where Element.ID: Codable & Sendable {
        let coding = RecordCoding<Element, Element.ID>.json(entity: name)
        try await add([RecordCoding<Element, Element.ID>.jsonEntity(named: coding.entity)])
        return PersistentCollection(in: self, coding: coding)
    }

    /// The records of one of the schema's entities, as a collection that can be synchronized by itself.
    ///
    /// - Throws: ``PersistenceError`` if there is no such entity.
    public func recordCollection(of entity: String) async throws -> PersistentCollection<Record, Value> {
        _ = try await read { try $0.shape(entity) }
        return PersistentCollection(in: self, coding: .records(of: entity))
    }
}
