import Foundation
import PersistenceAdapterTesting
import SyncPersistence
import Testing

struct DatabaseAdapter: PersistenceAdapter {
    let database: Database
    let feed = CommitFeed()

    var schema: Schema { database.schema }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await database.read { rows in try ReadTransaction.run(on: rows, body) }
    }

    @discardableResult
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> WriteResult<Result> {
        try await database.write { rows in
            try WriteTransaction.run(on: rows, body)
        } committed: { outcome in
            feed.publish(outcome.commit)
        }
    }

    func commits() -> AsyncStream<Commit> { feed.commits() }

    func add(_ entities: [Entity]) async throws { try await database.add(entities) }

    func close() async {
        await database.close()
        feed.finish()
    }
}

struct WritingAnAdapterExamples {
    @Test func text() throws {
        let schema = try Schema {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("date", .date)
            }
        }
        let date = Date(timeIntervalSinceReferenceDate: 788_918_400)
        let note = try Record("Note", in: schema, ["id": 1, "date": .date(date)])
        let line = Value.array([.string(note.entity), .array(note.values)]).taggedJSON
        // ["Note",[1,{"date":788918400.0}]]

        guard case .array(let parts) = try Value(taggedJSON: line), case .string(let entity) = parts[0],
            case .array(let values) = parts[1], let shape = schema[entity]
        else { throw PersistenceError(.unreadable, "the line is damaged") }
        let same = Record(shape, slots: values)
        #expect(same == note)
        #expect(line == #"["Note",[1,{"date":788918400.0}]]"#)
    }

    @Test func contract() async throws {
        try await checkPersistenceAdapter { schema in
            DatabaseAdapter(database: Database(schema: schema))
        }
    }
}

/// The records of each hierarchy by key, with their places in the order of insertion.
struct Tables: Sendable {
    struct Row: Sendable {
        let place: Int
        let record: Record
    }

    var rows: [String: [Value: Row]] = [:]
    var nextPlace = 0
}

/// The operations of one transaction.
final class TableStorage: RecordStorage {
    let schema: Schema
    private(set) var tables: Tables

    init(_ tables: Tables, _ schema: Schema) {
        self.tables = tables
        self.schema = schema
    }

    func record(_ key: Value, in hierarchy: Shape) -> Record? { tables.rows[hierarchy.root]?[key]?.record }

    func forEach(_ query: Query, _ body: (Record) throws -> Bool) throws {
        try select(query, from: rows(of: query.entity), body)
    }

    private func rows(of entity: String) -> [Record] {
        let rows = schema[entity].flatMap { tables.rows[$0.root] } ?? [:]
        return rows.values.sorted { $0.place < $1.place }.map(\.record)
    }

    func put(_ record: Record) -> Record? {
        let old = tables.rows[record.shape.root]?[record.key]
        let row = Tables.Row(place: old?.place ?? tables.nextPlace, record: record)
        tables.rows[record.shape.root, default: [:]][record.key] = row
        if old == nil { tables.nextPlace += 1 }
        return old?.record
    }

    func remove(_ key: Value, in hierarchy: Shape) -> Record? {
        tables.rows[hierarchy.root]?.removeValue(forKey: key)?.record
    }
}

struct SelectingExamples {
    @Test func select() throws {
        let schema = try Schema {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
            }
        }
        let rows = TableStorage(Tables(), schema)
        for (id, text) in [(1, "milk"), (2, "bread"), (3, "milk")] as [(Value, Value)] {
            #expect(try rows.put(Record("Note", in: schema, ["id": id, "text": text])) == nil)
        }
        #expect(try rows.count(Query("Note", where: Field("text") == "milk")) == 2)
        #expect(throws: PersistenceError.self) { try rows.count(Query("Note", where: Field("title") == "milk")) }
        let bread = try Record("Note", in: schema, ["id": 2, "text": "rye bread"])
        #expect(rows.put(bread)?["text"] == "bread")
        #expect(rows.remove(1, in: bread.shape)?.key == 1)
        var keys: [Value] = []
        try rows.forEach(Query("Note")) { record in
            keys.append(record.key)
            return true
        }
        #expect(keys == [2, 3])
    }
}
