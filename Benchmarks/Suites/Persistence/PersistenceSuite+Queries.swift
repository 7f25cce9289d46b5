import BenchmarkSupport
import SQLitePersistence
import SyncPersistence

extension PersistenceSuite {
    /// A query that matches few of many records, with the best plan that SQLite has for it.
    struct Search {
        let name: String
        let query: Query

        /// The index to use, by the attribute at which it begins.
        fileprivate let index: String

        /// The conditions and the order, as SQL.
        fileprivate let condition: String

        /// What is bound to the conditions.
        fileprivate let parameters: [Value]
    }

    static let searchWorkloads = ["two conditions and a sort", "range of the key", "1,000 keys", "prefix"]
        .map { "\(queries): \($0)" }

    /// The queries on so many records.
    static func searches(count: Int) -> [Search] {
        let keys = (0..<1_000).map { Value.integer(Int64($0 * (count / 1_000))) }
        let places = repeatElement("?", count: keys.count).joined(separator: ", ")
        return [
            Search(
                name: searchWorkloads[0],
                query: Query(
                    "Task", where: Field("status") == 1 && Field("project") == 7, sort: [Query.SortKey("rank")]),
                index: "slot.project", condition: "status = ? AND project = ? ORDER BY rank", parameters: [1, 7]),
            Search(
                name: searchWorkloads[1], query: Query("Task", where: Field("id") < 50), index: "key",
                condition: "id < ?", parameters: [50]),
            Search(
                name: searchWorkloads[2], query: Query("Task", where: Field("id").isOne(of: keys)), index: "key",
                condition: "id IN (\(places))", parameters: keys),
            Search(
                name: searchWorkloads[3], query: Query("Task", where: Field("name").hasPrefix("task 00000")),
                index: "slot.name", condition: "name >= ? AND name < ?",
                parameters: ["task 00000", "task 00001"]),
        ]
    }

    /// A store of tasks, in a file without statistics.
    static func taskFile(count: Int) -> StoreFile {
        let file = StoreFile(schema: tasks)
        let shape = tasks["Task"]!
        var changes = ChangeSet(origin: .agreed)
        for number in 0..<count {
            let digits = String(number + 10_000_000)
            changes.put(
                Record(
                    shape,
                    slots: [
                        .integer(Int64(number)), .string("task \(digits.dropFirst())"), .integer(Int64(number % 3)),
                        .integer(Int64(number % (count / 1_000))), .integer(Int64(number * 7_919 % count)),
                    ]))
        }
        file.adapter.commitNow(changes)
        return file
    }

    /// How often a transaction searches: what a transaction costs is a small part of that.
    static let searchCount = 20

    /// A search by a prepared statement that names its index, and by the library.
    static func searchers(_ search: Search, in file: StoreFile) -> [Contestant] {
        let adapter = file.adapter
        let query = search.query
        let raw = RawQuery(
            path: file.path,
            sql: "SELECT id, name, status, project, rank FROM Task INDEXED BY \"sync.index.Task.\(search.index)\" "
                + "WHERE \(search.condition)", shape: tasks["Task"]!)
        return [
            Contestant("prepared statement", .bound, summary: { "\($0) rows" }) {
                raw.run(search.parameters, times: searchCount)
            },
            Contestant("records(_:)", .ours, summary: { "\($0) rows" }) {
                unfailing {
                    try blocking {
                        try await adapter.read { transaction in
                            try (0..<searchCount).reduce(0) { count, _ in
                                try count + transaction.records(query).count
                            }
                        }
                    }
                }
            },
        ]
    }

    private static let tasks = unfailing {
        try Schema {
            Entity("Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string, isIndexed: true)
                Attribute("status", .integer, isIndexed: true)
                Attribute("project", .integer, isIndexed: true)
                Attribute("rank", .integer, isIndexed: true)
            }
        }
    }
}
