public import SyncPersistence

extension PersistenceAdapter {
    /// Returns the records of an entity as JSON objects in an array.
    ///
    /// ```swift
    /// let value = try await store.export("User", where: Field("age") > 30, sort: [Query.SortKey("name")])
    /// ```
    ///
    /// An object has all exportable attributes. A null is written, except for attributes of type `json` without a
    /// default value. Relationships are written in the style of the options. A to-one relationship without a record is
    /// omitted, or null with ``ExportOptions/writesNullTargets``. A to-many relationship without records is an empty
    /// array.
    ///
    /// A key is the remote key if there is one, with dots between the keys of nested objects. `id` and `remoteID`
    /// become `id`; `userType`, `userDescription` and `userSigned` of `User` become the word alone. Other properties
    /// have their name. The document can be synced into an empty store, which then has the same exported values.
    /// <doc:ExportingJSON> describes the forms of values and relationships.
    ///
    /// Each record is written with its relationships once: a record of the query at the top, any other where it is
    /// nearest to the top. Everywhere else it is written with its attributes alone, and within itself by its key alone.
    /// A relationship back to the one containing record is omitted. So cycles end, and the size of the document is
    /// that of its records and links.
    ///
    /// - Parameters:
    ///   - entity: The entity. Records of entities that inherit from it are included.
    ///   - filter: The filter of its records; nil for all.
    ///   - sort: The order of the records.
    ///   - options: Which properties are exported, and in which form.
    /// - Throws: `PersistenceError` for names that the schema does not have, for keys that exclude each other, for
    ///   values without a JSON form, and for records that would be nested in more than 512 objects and arrays, which a
    ///   sync does not read by default.
    /// - Complexity: O(number of records and of links between them), with an indexed query for the relationships of 200
    ///   records at a time. The records of the query are in memory.
    public func export(
        _ entity: String, where filter: Filter? = nil, sort: [Query.SortKey] = [],
        options: ExportOptions = ExportOptions()
    ) async throws -> Value {
        try await read { try $0.export(Query(entity, where: filter, sort: sort), options: options) }
    }

    /// Returns the record with a key as a JSON object; nil if there is none.
    ///
    /// ```swift
    /// let user = try await store.export(RecordID("User", 7))
    /// ```
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - options: The options of the export.
    /// - Throws: As ``export(_:where:sort:options:)``.
    /// - Complexity: O(number of records to which the record leads, directly or not, and of links between them)
    public func export(_ id: RecordID, options: ExportOptions = ExportOptions()) async throws -> Value? {
        try await read { try $0.export(id, options: options) }
    }
}

extension PersistenceAdapter {
    /// Returns the records of an entity as the UTF-8 bytes of a JSON array.
    ///
    /// ```swift
    /// let json = try await store.exportJSON("User", format: [.indented, .sortedNames])
    /// ```
    ///
    /// The content is that of ``export(_:where:sort:options:)``.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity; records of inheriting entities are included.
    ///   - filter: The condition; nil for all records.
    ///   - sort: The values to sort by; without any, records are in the order in which they were first stored.
    ///   - options: The options of the export.
    ///   - format: The layout of the text; compact by default.
    /// - Throws: As ``export(_:where:sort:options:)``.
    /// - Complexity: O(number of records and of links between them), without a value of the document
    public func exportJSON(
        _ entity: String, where filter: Filter? = nil, sort: [Query.SortKey] = [],
        options: ExportOptions = ExportOptions(), format: JSONFormat = []
    ) async throws -> [UInt8] {
        try await read {
            try $0.exportJSON(Query(entity, where: filter, sort: sort), options: options, format: format)
        }
    }

    /// Returns the record with a key as the UTF-8 bytes of a JSON object; nil if there is none.
    ///
    /// - Throws: As ``export(_:where:sort:options:)``.
    /// - Complexity: O(number of records to which the record leads, directly or not, and of links between them)
    public func exportJSON(
        _ id: RecordID, options: ExportOptions = ExportOptions(), format: JSONFormat = []
    ) async throws -> [UInt8]? {
        try await read { try $0.exportJSON(id, options: options, format: format) }
    }
}

extension PersistenceAdapter {
    /// Returns the records of an entity as values of a type of the app.
    ///
    /// ```swift
    /// struct User: Decodable {
    ///     var id: Int
    ///     var firstName: String
    ///     var birthDate: Date?
    /// }
    /// let users = try await store.export("User", as: User.self, options: ExportOptions(names: .camelCase))
    /// ```
    ///
    /// Dates, UUIDs, URLs, decimals and bytes can be decoded as these types, or as their JSON text.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity; records of inheriting entities are included.
    ///   - type: The type of the elements.
    ///   - filter: The condition; nil for all records.
    ///   - sort: The values to sort by.
    ///   - options: The options of the export. Their names must be the coding keys of the type.
    /// - Throws: As ``export(_:where:sort:options:)``; `DecodingError` if the type does not match.
    /// - Complexity: O(number of records and of links between them)
    public func export<Element: Decodable>(
        _ entity: String, as type: Element.Type, where filter: Filter? = nil, sort: [Query.SortKey] = [],
        options: ExportOptions = ExportOptions()
    ) async throws -> [Element] {
        let query = Query(entity, where: filter, sort: sort)
        var options = options
        options.writesMap = false
        let document = try await read { [options] in
            try $0.export(query, options, to: ValueSink(keepsCases: true)).document
        }
        return try ValueDecoder.ofExports.decode([Element].self, from: document)
    }

    /// Returns the record with a key as a value of a type of the app; nil if there is none.
    ///
    /// - Throws: As ``export(_:where:sort:options:)``; `DecodingError` if the type does not match.
    /// - Complexity: O(number of records to which the record leads, directly or not, and of links between them)
    public func export<Element: Decodable>(
        _ id: RecordID, as type: Element.Type, options: ExportOptions = ExportOptions()
    ) async throws -> Element? {
        let document = try await read { try $0.export(id, options, to: ValueSink(keepsCases: true))?.document }
        return try document.map { try ValueDecoder.ofExports.decode(Element.self, from: $0) }
    }
}
