import Foundation
import SyncPersistence

/// What the file holds at one time.
struct FileState: Sendable {
    private(set) var schema: Schema
    private var tables: [String: Table] = [:]

    /// The records of a hierarchy in the order of storing, with gaps for what was taken away.
    private struct Table: Sendable {
        var rows: [Record?] = []
        var places: [Value: Int] = [:]
    }

    /// Nothing, with room for what the library itself keeps.
    init() throws {
        schema = try Schema([])
        adopt(schema)
    }
}

extension FileState {
    /// What the lines of a file have made, and how many bytes of it are whole lines.
    static func read(_ data: Data) throws -> (state: FileState, length: Int) {
        var state = try FileState()
        var start = data.startIndex
        while let end = data[start...].firstIndex(of: UInt8(ascii: "\n")) {
            try state.replay(Value(taggedJSON: String(decoding: data[start..<end], as: UTF8.self)))
            start = data.index(after: end)
        }
        return (state, start - data.startIndex)
    }

    /// Makes the changes of a line.
    private mutating func replay(_ line: Value) throws {
        guard case .array(let changes) = line else { throw Self.unreadable("a line is no array") }
        for change in changes {
            guard case .array(let parts) = change, parts.count > 1, case .string(let name) = parts[1] else {
                throw Self.unreadable("a change has no name")
            }
            switch (parts[0], parts.dropFirst(2).first) {
            case ("schema", nil): adopt(try JSONDecoder().decode(Schema.self, from: Data(name.utf8)))
            case ("put", .array(let values)?):
                guard let shape = schema[name], shape.slots.count == values.count else {
                    throw Self.unreadable("a record of '\(name)' does not fit the schema")
                }
                _ = put(Record(shape, slots: values))
            case ("remove", let key?): _ = remove(key, from: name)
            default: throw Self.unreadable("a change is of an unknown kind")
            }
        }
    }

    private static func unreadable(_ reason: String) -> PersistenceError {
        PersistenceError(.unreadable, "\(reason): the file was damaged, take a copy of it")
    }

    /// Takes over a schema that has all entities of the former one.
    mutating func adopt(_ schema: Schema) {
        self.schema = schema
        for root in schema.roots {
            let rows = tables[root.name]?.rows ?? []
            // The slots of a record are the same; the shape is that of the new schema.
            tables[root.name, default: Table()].rows = rows.map { row in
                row.map { record in schema[record.entity].map { Record($0, slots: record.values) } ?? record }
            }
        }
    }
}

extension FileState {
    func rows(of root: String) -> [Record?] { tables[root]?.rows ?? [] }

    func record(_ key: Value, in root: String) -> Record? {
        tables[root].flatMap { table in table.places[key].flatMap { table.rows[$0] } }
    }

    mutating func put(_ record: Record) -> Record? {
        let root = record.shape.root
        let old = self.record(record.key, in: root)
        if let place = tables[root]?.places[record.key] {
            tables[root]?.rows[place] = record
        } else if let place = tables[root]?.rows.count {
            tables[root]?.places[record.key] = place
            tables[root]?.rows.append(record)
        }
        return old
    }

    mutating func remove(_ key: Value, from root: String) -> Record? {
        guard let place = tables[root]?.places.removeValue(forKey: key) else { return nil }
        let old = tables[root]?.rows[place]
        tables[root]?.rows[place] = nil
        return old
    }
}

/// The rows of one transaction, and the changes that it has made to them.
final class FileStorage: RecordStorage {
    private(set) var state: FileState
    private(set) var changes: [Value] = []

    init(_ state: FileState) { self.state = state }

    var schema: Schema { state.schema }

    func record(_ key: Value, in hierarchy: Shape) -> Record? { state.record(key, in: hierarchy.root) }

    func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        let rows = schema[query.entity].map { state.rows(of: $0.root) } ?? []
        try select(query, from: rows.lazy.compactMap { $0 }, body)
    }

    func put(_ record: Record) throws -> Record? {
        guard let shape = schema[record.entity], shape == record.shape else {
            throw PersistenceError(.schemaChange, "the record was made with another schema", id: record.id)
        }
        let old = state.record(record.key, in: shape.root)
        if old == record { return old }
        changes.append(["put", .string(shape.name), .array(record.values)])
        return state.put(Record(shape, slots: record.values))
    }

    func remove(_ key: Value, in hierarchy: Shape) -> Record? {
        let old = state.remove(key, from: hierarchy.root)
        if old != nil { changes.append(["remove", .string(hierarchy.root), key]) }
        return old
    }
}
