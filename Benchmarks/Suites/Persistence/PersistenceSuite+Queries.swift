import BenchmarkSupport
import SQLitePersistence
import SyncPersistence

extension PersistenceSuite {
    /// Queries that mean few of many records, in a file without statistics.
    static func searchers(count: Int) -> [Contestant] {
        let file = StoreFile(schema: tasks)
        let adapter = file.adapter
        let shape = tasks["Task"]!
        unfailing {
            _ = try blocking {
                var changes = ChangeSet(origin: .agreed)
                for number in 0..<count {
                    let digits = String(number + 10_000_000)
                    changes.put(
                        Record(
                            shape,
                            slots: [
                                .integer(Int64(number)), .string("task \(digits.dropFirst())"),
                                .integer(Int64(number % 3)), .integer(Int64(number % (count / 1_000))),
                                .integer(Int64(number * 7_919 % count)),
                            ]))
                }
                try await adapter.commit(changes)
            }
        }
        let keys = (0..<1_000).map { Value.integer(Int64($0 * (count / 1_000))) }
        let queries = [
            (
                "two conditions and a sort",
                Query("Task", where: Field("status") == 1 && Field("project") == 7, sort: [Query.SortKey("rank")])
            ),
            ("range of the key", Query("Task", where: Field("id") < 50)),
            ("1,000 keys", Query("Task", where: Field("id").isOne(of: keys))),
            ("prefix", Query("Task", where: Field("name").hasPrefix("task 00000"))),
        ]
        return queries.map { name, query in
            Contestant(name, .ours) {
                withExtendedLifetime(file) {
                    _ = unfailing { try blocking { try await adapter.read { try $0.records(query).count } } }
                }
            }
        }
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
