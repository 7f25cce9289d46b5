import BenchmarkSupport
import GRDB

extension DatabasePool {
    /// A file that is set as this library sets its own.
    ///
    /// It has a write-ahead log, `synchronous = FULL` and a cache of 16 MB.
    static func open(path: String) -> DatabasePool {
        unfailing {
            var configuration = Configuration()
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -16000") }
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.writeWithoutTransaction { database in
                // A pool chooses NORMAL as it opens, after what `prepareDatabase` has set.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
                precondition(level == 2)
            }
            return pool
        }
    }
}
