/// Checks records against the schema before a transaction stores them.
struct RecordChecks {
    /// Has the schema.
    private let store: ReadTransaction

    /// The shapes of the last checked records, which the next record usually shares.
    private var latestShape: Shape?
    /// The shape that was checked before the latest one.
    private var previousShape: Shape?

    /// Creates the checks of a transaction.
    ///
    /// - Parameter store: Has the schema.
    init(in store: ReadTransaction) {
        self.store = store
    }

    /// Requires that records of a shape may be changed: those of the user, and links.
    func checkIsOpen(_ shape: Shape) throws {
        switch shape.role {
        case nil, .links: return
        case .journal, .metadata, .history, .payloads, .inFlight:
            throw PersistenceError(
                .unknownName,
                "'\(shape.name)' is the library's own: use 'setShadow', 'setMetadata' or 'forgetHistory'")
        }
    }

    /// Whether a record has the shape of the last one, which needs no adoption.
    func isLatest(_ shape: Shape) -> Bool { shape === latestShape }

    /// Gives a record the schema's current shape of its name.
    mutating func adopt(_ record: inout Record) throws {
        if record.shape === latestShape { return }
        if record.shape === previousShape { return swap(&latestShape, &previousShape) }
        let shape = try store.shape(record.entity)
        try checkIsOpen(shape)
        (latestShape, previousShape) = (shape, latestShape)
        if shape === record.shape { return }
        guard shape.slots == record.shape.slots else {
            throw PersistenceError(
                .wrongType, "the record is of another schema, in which its entity has other properties", id: record.id)
        }
        record = Record(shape, slots: record.values)
    }

    /// Checks the values of a record.
    func check(_ record: Record) throws(PersistenceError) {
        let shape = record.shape
        if shape.isAbstract {
            throw PersistenceError(
                .wrongType, "'\(shape.name)' is abstract: store a record of an entity that inherits it", id: record.id)
        }
        if let position = shape.firstInvalidSlot(record.values) { throw invalid(position, of: record) }
    }

    /// Returns why the schema does not allow a record, apart from its references; nil if it does.
    func problem(of record: Record) -> PersistenceError? {
        do {
            try check(record)
            return nil
        } catch {
            return error
        }
    }

    /// Adopts and checks both images of a journal entry.
    mutating func checked(_ entry: JournalEntry) throws -> JournalEntry {
        let root = try store.shape(entry.id.entity).root
        var images = [entry.base, entry.remote]
        for position in images.indices {
            guard var image = images[position] else { continue }
            try adopt(&image)
            try check(image)
            if image.key != entry.id.key || image.shape.root != root {
                throw PersistenceError(
                    .wrongType, "its version in the journal has another key, or is of another entity",
                    id: entry.id)
            }
            images[position] = image
        }
        return JournalEntry(id: entry.id, base: images[0], isUnresolved: entry.isUnresolved, remote: images[1])
    }

    /// Returns the error for an invalid value.
    func invalid(_ position: Int, of record: Record) -> PersistenceError {
        let slot = record.shape.slots[position]
        let value = record.values[position]
        if value.isNull {
            return PersistenceError(
                .missingValue, "it is mandatory, and has no value: give it one", id: record.id, property: slot.name)
        }
        let expected = slot.columnTypes.map(\.rawValue).joined(separator: ", ")
        return PersistenceError(
            .wrongType, "it holds \(expected), and the value is \(value.typeName)", id: record.id, property: slot.name)
    }

    /// Returns the error for a name that is not one of a slot.
    func unknownName(_ name: String, in shape: Shape) -> PersistenceError {
        if shape.relationship(named: name) != nil {
            return PersistenceError(
                .unknownName, "'\(shape.name).\(name)' is not kept in the record: use 'link', 'unlink' or 'setLinks'",
                property: name)
        }
        let names = shape.slots.filter { !$0.isInternal }.map(\.name)
        return PersistenceError(
            .unknownName, "'\(shape.name)' has no '\(name)': it has \(names.joined(separator: ", "))", property: name)
    }
}

extension Value {
    /// The kind of a value, for an error that does not show the value.
    var typeName: String {
        if isDeeper() { return "nested more than \(Value.maximumJSONDepth) deep" }
        return switch self {
        case .null: "null"
        case .bool: "bool"
        case .integer: "integer"
        case .double(let number): number.isNaN ? "not a number" : "double"
        case .decimal: "decimal"
        case .string: "string"
        case .bytes: "bytes"
        case .date: "date"
        case .uuid: "uuid"
        case .url: "url"
        case .array: "array"
        case .object: "object"
        }
    }
}
