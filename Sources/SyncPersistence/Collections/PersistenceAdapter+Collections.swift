extension PersistenceAdapter {
    /// Returns the collection of all elements of an app's own type, which needs no schema.
    ///
    /// ```swift
    /// struct Note: Codable, Identifiable, Equatable {
    ///     var id: UUID
    ///     var text: String
    /// }
    /// let notes = try await store.collection(of: Note.self, entity: "Note")
    /// ```
    ///
    /// Adds an entity of that name to the store if it is missing. Its attribute `id` is the key: an integer, a UUID or
    /// text. Its attribute `content` is the element's JSON. An entity stores the elements of one type. A renamed type
    /// lists its former names permanently:
    ///
    /// ```swift
    /// let notes = try await store.collection(of: RichNote.self, entity: "Note", formerly: "Note")
    /// ```
    ///
    /// A changed type reads older elements as far as its `init(from:)` can. An element that it cannot read is kept
    /// unchanged, and reported by ``PersistentCollection/elements()``. Members of the JSON that the type neither reads
    /// nor writes are kept when an element is edited. <doc:KeepingElements> lists the rules for a type.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - entity: The name of the entity. It is part of the file, so it does not change when the type is renamed.
    ///   - formerNames: The former names of the type, with the types around it and without the module: `Model.Note`.
    /// - Throws: ``PersistenceError`` if the entity stores elements of another type or records that JSON was synced
    ///   into, if there is another entity of that name, or if the store cannot be written; ``SchemaError`` for an
    ///   invalid name.
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

    /// Returns the records of one of the schema's entities, as a collection that can be synchronized by itself.
    ///
    /// - Throws: ``PersistenceError`` if there is no such entity.
    public func recordCollection(of entity: String) async throws -> PersistentCollection<Record, Value> {
        _ = try await read { try $0.shape(entity) }
        return PersistentCollection(in: self, coding: .records(of: entity))
    }
}
