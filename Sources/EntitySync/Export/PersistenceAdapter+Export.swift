public import SyncPersistence

extension PersistenceAdapter {
    /// The records of an entity, as JSON objects in an array.
    ///
    /// ```swift
    /// let value = try await store.export("User", where: Field("age") > 30, sort: [Query.SortKey("name")])
    /// ```
    ///
    /// An object has all attributes that are exportable, null where there is nothing but in those of type `json`, which
    /// are left out then. It has the records that relationships lead to, in the style of the options; a relationship to
    /// one record that leads to none is left out, and one to any number that leads to none is an empty array.
    ///
    /// Keys are the remote keys, where there are any, with dots between those of objects within each other; `id` for `id`
    /// and `remoteID`; the word alone for `userType`, `userDescription` and `userSigned` of `User`; and else the names.
    /// What was exported can be synced into an empty store, which is then equal to this one as far as it was exported.
    /// <doc:ExportingJSON> has the forms of values and relationships.
    ///
    /// Each record is written with its relationships once: those that were asked for where they stand in the array,
    /// others where they are met first and nearest to the top. Wherever else a record is met it has its attributes
    /// alone, and within itself its key alone; a relationship back to the one record that it stands in is left out. So
    /// cycles end, and the document is as large as the records and the links between them are many.
    ///
    /// - Parameters:
    ///   - entity: The entity; records of those that inherit it are exported too.
    ///   - filter: Which of its records, or nil for all.
    ///   - sort: What they are sorted by.
    ///   - options: What is exported, and in which form.
    /// - Throws: `PersistenceError` for names that the schema does not have; if two keys exclude each other; if a value
    ///   has no form in JSON; or if records would stand in more than 512 objects and arrays, which could not be read.
    /// - Complexity: O(number of records and of links between them), in which the store is asked by an index for what 200
    ///   records lead to at a time; the records that are asked for stand in memory
    public func export(
        _ entity: String, where filter: Filter? = nil, sort: [Query.SortKey] = [],
        options: ExportOptions = ExportOptions()
    ) async throws -> Value {
        try await read { try $0.export(Query(entity, where: filter, sort: sort), options: options) }
    }

    /// The record of an entity with a key, as a JSON object; nil if there is none.
    ///
    /// ```swift
    /// let user = try await store.export(RecordID("User", 7))
    /// ```
    ///
    /// - Throws: As ``export(_:where:sort:options:)``.
    public func export(_ id: RecordID, options: ExportOptions = ExportOptions()) async throws -> Value? {
        try await read { try $0.export(id, options: options) }
    }
}

extension PersistenceAdapter {
    /// The records of an entity, as the UTF-8 bytes of a JSON array.
    ///
    /// ```swift
    /// let json = try await store.exportJSON("User", format: [.indented, .sortedNames])
    /// ```
    ///
    /// - Throws: As ``export(_:where:sort:options:)``, which says what is in it.
    /// - Complexity: O(number of records and of links between them); no value is made of the document
    public func exportJSON(
        _ entity: String, where filter: Filter? = nil, sort: [Query.SortKey] = [],
        options: ExportOptions = ExportOptions(), format: JSONFormat = []
    ) async throws -> [UInt8] {
        try await read {
            try $0.exportJSON(Query(entity, where: filter, sort: sort), options: options, format: format)
        }
    }

    /// The record of an entity with a key, as the UTF-8 bytes of a JSON object; nil if there is none.
    ///
    /// - Throws: As ``export(_:where:sort:options:)``.
    public func exportJSON(
        _ id: RecordID, options: ExportOptions = ExportOptions(), format: JSONFormat = []
    ) async throws -> [UInt8]? {
        try await read { try $0.exportJSON(id, options: options, format: format) }
    }
}

extension PersistenceAdapter {
    /// The records of an entity, as an app's own type.
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
    /// Dates, identifiers, locators, decimals and bytes are decoded as what they are, and also as the text that JSON has
    /// for them.
    ///
    /// - Throws: As ``export(_:where:sort:options:)``; `DecodingError` if the type asks for something else.
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

    /// The record of an entity with a key, as an app's own type; nil if there is none.
    ///
    /// - Throws: As ``export(_:where:sort:options:)``; `DecodingError` if the type asks for something else.
    public func export<Element: Decodable>(
        _ id: RecordID, as type: Element.Type, options: ExportOptions = ExportOptions()
    ) async throws -> Element? {
        let document = try await read { try $0.export(id, options, to: ValueSink(keepsCases: true))?.document }
        return try document.map { try ValueDecoder.ofExports.decode(Element.self, from: $0) }
    }
}

extension ValueDecoder {
    /// A decoder for which bytes are also what they are exported as.
    static var ofExports: ValueDecoder {
        var decoder = ValueDecoder()
        decoder.contentOfBytes = { bytes in
            if case .bytes(let content) = bytes { BytesContent.remoteValue(of: content) } else { bytes }
        }
        return decoder
    }
}
