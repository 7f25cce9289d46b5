public import SyncPersistence

extension ReadTransaction {
    /// Returns the records of a query as JSON objects in an array.
    ///
    /// ```swift
    /// let users = try await store.read { try $0.export(Query("User", sort: [Query.SortKey("name")], limit: 20)) }
    /// ```
    ///
    /// The content is that of ``PersistenceAdapter/export(_:where:sort:options:)``.
    ///
    /// - Throws: `PersistenceError` as for the query, and as ``PersistenceAdapter/export(_:where:sort:options:)``.
    /// - Complexity: O(number of records and of links between them)
    public func export(_ query: Query, options: ExportOptions = ExportOptions()) throws -> Value {
        try export(query, options, to: ValueSink(keepsCases: false)).document
    }

    /// Returns the records of a query as the UTF-8 bytes of a JSON array.
    ///
    /// The text is written while the records are read, so that memory holds no value of the document besides it.
    ///
    /// - Throws: As ``export(_:options:)-(Query,_)``.
    /// - Complexity: O(number of records and of links between them)
    ///
    /// The content is that of ``export(_:options:)-(Query,_)``.
    public func exportJSON(
        _ query: Query, options: ExportOptions = ExportOptions(), format: JSONFormat = []
    ) throws -> [UInt8] {
        try export(query, options, format, to: JSONSink(format: format)).bytes
    }

    /// Returns the record with a key, in any form that a remote uses, as a JSON object; nil if there is none.
    ///
    /// - Throws: As ``export(_:options:)-(Query,_)``.
    public func export(_ id: RecordID, options: ExportOptions = ExportOptions()) throws -> Value? {
        try export(id, options, to: ValueSink(keepsCases: false))?.document
    }

    /// Returns the record with a key as the UTF-8 bytes of a JSON object; nil if there is none.
    ///
    /// - Throws: As ``export(_:options:)-(Query,_)``.
    public func exportJSON(
        _ id: RecordID, options: ExportOptions = ExportOptions(), format: JSONFormat = []
    ) throws -> [UInt8]? {
        try export(id, options, format, to: JSONSink(format: format))?.bytes
    }
}

extension ReadTransaction {
    /// The number of records of the query that are arranged at a time.
    private static let batchCount = 1_000

    /// Exports the records of a query as an array or map.
    func export<Sink: ExportSink>(
        _ query: Query, _ options: ExportOptions, _ format: JSONFormat = [], to sink: Sink
    ) throws -> Sink {
        var (sink, graph) = (sink, try graph(options, format))
        var records = try records(query)
        var names: [ExportPlan.Key]?
        if options.writesMap { (records, names) = try graph.mapMembers(records) }
        try graph.expect(records)
        if names == nil { sink.beginArray() } else { sink.beginObject() }
        let writer = ExportWriter(sink)
        defer { writer.stop() }
        var start = 0
        while start < records.count {
            let end = min(start + Self.batchCount, records.count)
            try graph.arrange(records[start..<end], depth: 2)
            try writer.write(graph, count: end - start, names: names?[start..<end])
            start = end
        }
        return try writer.finish(isMap: names != nil)
    }

    /// Exports a record; returns nil if there is none.
    func export<Sink: ExportSink>(
        _ id: RecordID, _ options: ExportOptions, _ format: JSONFormat = [], to sink: Sink
    ) throws -> Sink? {
        var (sink, graph) = (sink, try graph(options, format))
        let map = try Mapping(schema, SyncOptions()).map(of: id.entity)
        let key = map.hasKey && map.isKeyPrimary ? try id.key.key(of: map) : id.key
        guard let key, let record = try record(RecordID(id.entity, key)) else { return nil }
        try graph.expect([record])
        try graph.arrange([record], depth: 1)
        try graph.write(0, to: &sink)
        return sink
    }

    /// Creates a graph without records, by options that are checked against the schema.
    private func graph(_ options: ExportOptions, _ format: JSONFormat) throws -> ExportGraph {
        ExportGraph(self, try ExportPlanner(schema, options, format))
    }
}
