import SyncPersistence

/// The kind of a row: what a message states of a record.
protocol MessageRowKind: RawRepresentable<String>, Hashable, Sendable {
    /// Whether a row of this kind has values.
    var hasValues: Bool { get }
}

/// What a message states of one record.
///
/// Many records of a message have the same entity, kind and names of values: the same *shape*. The message has each
/// shape once, and for each record a row: the position of its shape, the key, and the values.
///
/// ```
/// "shapes":[{"entity":"Note","kind":"update","values":["text"]},{"entity":"Note","kind":"delete"}],
/// "mutations":[[0,7,"milk"],[0,8,"tea"],[1,9]]
/// ```
struct MessageRow<Kind: MessageRowKind> {
    var id: RecordID
    var kind: Kind
    /// The values by name; empty for a kind without values.
    var values = ValueObject()
}

extension MessageWriter {
    /// Writes the shapes of rows, and the rows as text.
    ///
    /// To build a value of each row first would take as long as to write it.
    ///
    /// - Complexity: O(*n*) for rows with *n* values
    mutating func set<Kind>(_ name: String, rows: some Sequence<MessageRow<Kind>>) {
        var shapes: [Value] = []
        var positions: [Value: Int] = [:]
        var last: (row: MessageRow<Kind>, position: Int)?
        var text = JSONWriter()
        text.open("[")
        var isFirst = true
        for row in rows {
            let position: Int
            if let last, last.row.kind == row.kind, last.row.values.hasNames(of: row.values),
                last.row.id.entity.hasSameScalars(as: row.id.entity)
            {
                position = last.position
            } else {
                var shape = MessageWriter()
                shape.set("entity", row.id.entity)
                shape.set("kind", row.kind.rawValue)
                if row.kind.hasValues { shape.set("values", .array(row.values.names.map(Value.string))) }
                position = positions[shape.json] ?? shapes.count
                if position == shapes.count {
                    positions[shape.json] = position
                    shapes.append(shape.json)
                }
                last = (row, position)
            }
            text.separate(isFirst: isFirst)
            isFirst = false
            text.write(row, ofShape: position)
        }
        text.close("]", isEmpty: isFirst)
        set("shapes", .array(shapes))
        set(name, text: text.bytes)
    }
}

extension JSONWriter {
    /// Writes a row: the position of its shape, the key, and the values.
    fileprivate mutating func write<Kind>(_ row: MessageRow<Kind>, ofShape position: Int) {
        open("[")
        writeTagged(.integer(Int64(position)))
        separate(isFirst: false)
        writeTagged(row.id.key)
        for value in row.values.values {
            separate(isFirst: false)
            writeTagged(value)
        }
        close("]", isEmpty: false)
    }
}

extension MessageReader {
    /// Reads rows and their shapes.
    ///
    /// - Complexity: O(*n*) for rows with *n* values
    func rows<Kind>(_ name: String, of kind: Kind.Type) throws(MessageError) -> [MessageRow<Kind>] {
        let shapes = try list("shapes") { value, path throws(MessageError) in
            try Shape<Kind>(MessageReader(value, path: path))
        }
        let rows = try list(name) { value, path throws(MessageError) in
            guard case .array(let parts) = value, parts.count >= 2, case .integer(let position) = parts[0] else {
                throw MessageError(path: path, problem: "expected an array of a shape's position, a key and values")
            }
            guard let shape = Int(exactly: position), shapes.indices.contains(shape) else {
                throw MessageError(path: path, problem: "there is no shape \(position)")
            }
            let names = shapes[shape].names
            guard parts.count == names.count + 2 else {
                throw MessageError(
                    path: path, problem: "expected \(names.count) values, as the shape has, found \(parts.count - 2)")
            }
            guard !parts[1].isNull else { throw MessageError(path: path, problem: "the key is null") }
            return MessageRow(
                id: RecordID(shapes[shape].entity, parts[1]), kind: shapes[shape].kind,
                values: ValueObject(distinct: names, Array(parts[2...])))
        }
        guard rows.count <= StoreProtocol.maximumRecords else {
            throw error(name, "\(rows.count) records are more than \(StoreProtocol.maximumRecords)")
        }
        return rows
    }

    /// The entity, the kind and the names of the values of rows.
    private struct Shape<Kind: MessageRowKind> {
        let entity: String
        let kind: Kind
        let names: [String]

        init(_ message: MessageReader) throws(MessageError) {
            entity = try message.text("entity")
            guard let kind = Kind(rawValue: try message.text("kind")) else {
                throw message.error("kind", "the kind is unknown to this version")
            }
            self.kind = kind
            names = kind.hasValues ? try message.texts("values") : []
            let object = ValueObject(names.map { ValueObject.Member(name: $0, value: .null) })
            guard object.members.count == names.count else { throw message.error("values", "a name is repeated") }
        }
    }
}

extension Mutation {
    /// The kinds of mutations in messages.
    enum Kind: String, MessageRowKind {
        case insert, update, delete

        var hasValues: Bool { self != .delete }
    }

    var row: MessageRow<Kind> {
        switch change {
        case .insert(let values): MessageRow(id: id, kind: .insert, values: values)
        case .update(let values): MessageRow(id: id, kind: .update, values: values)
        case .delete: MessageRow(id: id, kind: .delete)
        }
    }

    init(_ row: MessageRow<Kind>) {
        switch row.kind {
        case .insert: self.init(row.id, .insert(row.values))
        case .update: self.init(row.id, .update(row.values))
        case .delete: self.init(row.id, .delete)
        }
    }
}

extension PullResponse.Entry {
    /// The kinds of entries in messages.
    enum Kind: String, MessageRowKind {
        case present, deleted, outOfScope

        var hasValues: Bool { self == .present }
    }

    var row: MessageRow<Kind> {
        switch state {
        case .present(let values): MessageRow(id: id, kind: .present, values: values)
        case .deleted: MessageRow(id: id, kind: .deleted)
        case .outOfScope: MessageRow(id: id, kind: .outOfScope)
        }
    }

    init(_ row: MessageRow<Kind>) {
        switch row.kind {
        case .present: self.init(row.id, .present(row.values))
        case .deleted: self.init(row.id, .deleted)
        case .outOfScope: self.init(row.id, .outOfScope)
        }
    }
}
