extension PersistenceAdapter {
    /// Returns the collection of all elements of an app's own type.
    ///
    /// ```swift
    /// struct Note: Codable, Identifiable, Equatable {
    ///     var id: UUID
    ///     var text: String
    /// }
    /// let notes = try await store.collection(of: Note.self, entity: "Note")
    /// ```
    ///
    /// If the schema defines the entity, each coding key of the type names an attribute or a relationship of it, and
    /// each element is a record. A to-one relationship is the key of a record, and a to-many relationship an array of
    /// keys. The name `id` also stands for a primary key of another name. Properties that the type does not have are
    /// kept untouched. <doc:KeepingElements> lists the types of the attributes.
    ///
    /// Otherwise the collection needs no schema: the call adds an entity of that name to the store. Its attribute `id`
    /// is the key: an integer, a UUID or text. Its attribute `content` is the element's JSON. Such an entity stores the
    /// elements of one type. A renamed type lists its former names permanently:
    ///
    /// ```swift
    /// let notes = try await store.collection(of: RichNote.self, entity: "Note", formerly: "Note")
    /// ```
    ///
    /// <doc:KeepingElements> also shows how an app moves elements from JSON to attributes later.
    ///
    /// A changed type reads older elements as far as its `init(from:)` can. An element that it cannot read is kept
    /// unchanged, and reported by ``PersistentCollection/elements()``. Members of the JSON that the type neither reads
    /// nor writes are kept when an element is edited. <doc:KeepingElements> lists the rules for a type.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - entity: The name of the entity. It is part of the file, so it does not change when the type is renamed.
    ///   - formerNames: The former names of a type that is stored as JSON, with the types around it and without the
    ///     module: `Model.Note`.
    /// - Throws: ``PersistenceError`` if the entity stores the JSON of another type, or if the store cannot be read or
    ///   written; ``SchemaError`` for an invalid name. A coding key without a property is an error at the first use of
    ///   an element.
    public func collection<Element: Codable & Identifiable & Equatable & Sendable>(
        of type: Element.Type, entity: String, formerly formerNames: String...
    ) async throws -> PersistentCollection<Element, Element.ID> where Element.ID: Codable & Sendable {
        let columns = try await read { transaction in
            try transaction.columnShape(of: entity).map { shape in
                RecordCoding<Element, Element.ID>.columns(of: shape, in: transaction.schema)
            }
        }
        if let columns { return PersistentCollection(in: self, coding: columns) }
        let coding = RecordCoding<Element, Element.ID>.json(entity: entity)
        let elementType = ElementType(type, formerly: formerNames, in: entity)
        try await add([RecordCoding<Element, Element.ID>.jsonEntity(named: entity)])
        let isKnown = try await read(elementType.isKnown)
        try LocalTypes.add(type, named: elementType.name, to: entity, of: self)
        if !isKnown { try await write(elementType.addName) }
        return PersistentCollection(in: self, coding: coding)
    }

    /// Returns the records of one of the schema's entities, as a collection that can be synchronized by itself.
    ///
    /// A record may become one of another entity of its hierarchy. The collection of the former entity then sends a
    /// deletion, and that of the present one an insertion. The deletion is sent first. Until then, a cycle of the
    /// present entity's collection leaves the record out. It does everything else, and lists the record in
    /// ``CycleOutcome/waitingForOthers``. The collection of the hierarchy's root sends one change.
    ///
    /// - Throws: ``PersistenceError`` if there is no such entity.
    public func recordCollection(of entity: String) async throws -> PersistentCollection<Record, Value> {
        _ = try await read { try $0.shape(entity) }
        return PersistentCollection(in: self, coding: .records(of: entity))
    }
}
