extension PersistenceAdapter {
    /// Returns the collection of all elements of a type in this store: a place for an app's own type, which needs no
    /// schema.
    ///
    /// ```swift
    /// struct Note: Codable, Identifiable, Equatable {
    ///     var id: UUID
    ///     var text: String
    /// }
    /// let notes = try await store.collection(of: Note.self, entity: "Note")
    /// ```
    ///
    /// Adds an entity of that name to the store, unless the store has it: its attribute `id` is the key, an integer, a
    /// UUID or text, and its attribute `content` is the element's JSON. An entity keeps the elements of one type. A type
    /// that was renamed names its former names, for good:
    ///
    /// ```swift
    /// let notes = try await store.collection(of: RichNote.self, entity: "Note", formerly: "Note")
    /// ```
    ///
    /// A type that has changed reads what was stored before as far as its `init(from:)` does. An element that it cannot
    /// read is kept as it is, and reported by ``PersistentCollection/elements()``. Members of the JSON that the type
    /// neither reads nor writes are kept when an element is edited. <doc:KeepingElements> says what a type must keep to.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - entity: The name of the entity. It is part of the file: it stays when the type is renamed.
    ///   - formerNames: The names that the type had before, without the module, with the types around it: `Model.Note`.
    /// - Throws: ``PersistenceError`` if the entity keeps elements of another type or records that JSON was synced into, if
    ///   there is another entity of that name, or if the store cannot be written; ``SchemaError`` for a name that no entity
    ///   can have.
    public func collection<Element: Codable & Identifiable & Equatable & Sendable>(
        of type: Element.Type, entity: String, formerly formerNames: String...
    ) async throws -> PersistentCollection<Element, Element.ID> where Element.ID: Codable & Sendable {
        let coding = RecordCoding<Element, Element.ID>.json(entity: entity)
        let elementType = ElementType(type, formerly: formerNames, in: entity)
        try await add([RecordCoding<Element, Element.ID>.jsonEntity(named: entity)])
        let isKnown = try await read(elementType.isKnown)
        try LocalTypes.add(type, named: elementType.name, to: entity, of: self)
        if !isKnown { try await write(elementType.note) }
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
