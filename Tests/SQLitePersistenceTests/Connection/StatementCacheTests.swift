import Testing

@testable import SQLitePersistence

struct StatementCacheTests {
    let connection: Connection

    init() throws {
        var configuration = Connection.Configuration()
        configuration.statementCapacity = 3
        connection = try .open(.memory, configuration)
    }

    @Test func aStatementIsPreparedOnce() throws {
        let first = try connection.withStatement("SELECT 1") { $0 }
        let second = try connection.withStatement("SELECT 1") { $0 }
        #expect(first === second)
        #expect(connection.statements.count == 1)
    }

    @Test func aStatementInUseIsNotGivenOutTwice() throws {
        let query = "SELECT ?1 UNION ALL SELECT ?1 + 1"
        try connection.withStatement(query) { outer throws in
            try outer.bind(1 as Int64, at: 1)
            #expect(try outer.step())
            let inner = try connection.withStatement(query) { inner throws in
                #expect(inner !== outer)
                try inner.bind(10 as Int64, at: 1)
                #expect(try inner.step())
                #expect(inner.int64(at: 0) == 10)
                return inner
            }
            // The second one is not kept.
            #expect(inner.handle == nil)
            #expect(try outer.step())
            #expect(outer.int64(at: 0) == 2)
        }
        #expect(connection.statements.count == 1)
    }

    @Test func theLeastRecentOneGoes() throws {
        let first = try connection.withStatement("SELECT 1") { $0 }
        let second = try connection.withStatement("SELECT 2") { $0 }
        try connection.run("SELECT 3")
        try connection.run("SELECT 1")
        try connection.run("SELECT 4")
        #expect(connection.statements.count == 3)
        #expect(first.handle != nil)
        #expect(second.handle == nil)
    }

    @Test func statementsInUseStay() throws {
        try connection.withStatement("SELECT 1") { one throws in
            try connection.withStatement("SELECT 2") { two throws in
                try connection.withStatement("SELECT 3") { three throws in
                    let four = try connection.withStatement("SELECT 4") { four throws in
                        #expect(try one.step() && two.step() && three.step() && four.step())
                        return four
                    }
                    #expect(four.handle == nil)
                }
            }
        }
        #expect(connection.statements.count == 3)
    }

    @Test func aStatementIsAsNewAfterABodyThatThrows() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try connection.withStatement("SELECT ?1") { statement throws in
                try statement.bind(1 as Int64, at: 1)
                #expect(try statement.step())
                throw Stop()
            }
        }
        try connection.withStatement("SELECT ?1") { statement throws in
            #expect(try statement.step())
            #expect(statement.type(at: 0) == .null)
        }
    }

    @Test func aStatementOutlivesAChangeOfTheSchema() throws {
        try connection.execute("CREATE TABLE t (a)")
        try connection.run("INSERT INTO t VALUES (1)")
        try connection.withStatement("SELECT * FROM t") { #expect($0.columnCount == 1) }
        try connection.execute("ALTER TABLE t ADD COLUMN b")
        try connection.withStatement("SELECT * FROM t") { statement throws in
            #expect(try statement.step())
            #expect(statement.columnCount == 2)
        }
    }

    @Test func closingFinalisesStatements() throws {
        let statement = try connection.withStatement("SELECT 1") { $0 }
        connection.close()
        #expect(statement.handle == nil)
        #expect(connection.statements.count == 0)
    }

    @Test func nothingIsKeptWithoutCapacity() throws {
        var configuration = Connection.Configuration()
        configuration.statementCapacity = 0
        let connection = try Connection.open(.memory, configuration)
        #expect(try connection.withStatement("SELECT 1") { $0 }.handle == nil)
    }
}
