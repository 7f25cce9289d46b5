import Foundation
import Testing

@testable import SQLitePersistence

struct FunctionTests {
    let connection: Connection

    init() throws { connection = try .inMemory() }

    @Test func argumentsAndResultsOfEveryType() throws {
        try connection.registerFunction("same", argumentCount: 1, isDeterministic: true) { arguments in
            switch arguments.type(at: 0) {
            case .null: .null
            case .integer: .integer(arguments.int64(at: 0))
            case .double: .double(arguments.double(at: 0))
            case .text: .text(arguments.text(at: 0))
            case .blob: .blob(arguments.data(at: 0))
            }
        }
        for value in ["NULL", "-7", "1.5", "''", "'ä'", "CAST(x'610062' AS TEXT)", "x''", "x'00ff'"] {
            let sql = "SELECT same(\(value)) IS \(value) AND typeof(same(\(value))) = typeof(\(value))"
            #expect(try connection.integer(sql) == 1, "\(value)")
        }
    }

    @Test func anyNumberOfArguments() throws {
        try connection.registerFunction("total", argumentCount: nil, isDeterministic: true) { arguments in
            .integer((0..<arguments.count).reduce(0) { $0 + arguments.int64(at: $1) })
        }
        #expect(try connection.integer("SELECT total()") == 0)
        #expect(try connection.integer("SELECT total(1, 2, 3)") == 6)
    }

    @Test func aFailureFailsTheStatement() throws {
        try connection.registerFunction("fail", argumentCount: 0, isDeterministic: false) { _ in .failure("no luck") }
        let error = sqliteError { try connection.run("SELECT fail()") }
        #expect(error?.message == "no luck")
        #expect(error?.code == .structure)
    }

    @Test func onlyADeterministicFunctionIsAllowedInTheSchema() throws {
        for isDeterministic in [true, false] {
            try connection.registerFunction("size", argumentCount: 1, isDeterministic: isDeterministic) {
                .integer(Int64($0.text(at: 0).count))
            }
            let error = sqliteError {
                try connection.execute("CREATE TABLE t\(isDeterministic) (v, size AS (size(v)))")
                try connection.execute("INSERT INTO t\(isDeterministic) VALUES ('four')")
                #expect(try connection.integer("SELECT size FROM t\(isDeterministic)") == 4)
            }
            #expect((error == nil) == isDeterministic)
        }
    }

    @Test func closuresAreReleasedWithTheConnection() throws {
        final class Token {}
        weak var token: Token?
        try {
            let kept = Token()
            token = kept
            try connection.registerFunction("f", argumentCount: 0, isDeterministic: true) { _ in
                .text("\(ObjectIdentifier(kept))")
            }
            try connection.registerCollation("c") { _, _ in withExtendedLifetime(kept) { 0 } }
        }()
        #expect(token != nil)
        connection.close()
        #expect(token == nil)
    }

    @Test func aCollationOrders() throws {
        // By length, then by bytes from the end.
        try connection.registerCollation("odd") { left, right in
            if left.count != right.count { return left.count < right.count ? -1 : 1 }
            guard let (left, right) = zip(left.reversed(), right.reversed()).first(where: { $0 != $1 }) else {
                return 0
            }
            return left < right ? -1 : 1
        }
        try connection.execute("CREATE TABLE t (v TEXT COLLATE odd UNIQUE)")
        try connection.run("INSERT INTO t VALUES ('ab'), ('ba'), ('c'), (''), ('aaa')")
        #expect(try connection.texts("SELECT v FROM t ORDER BY v") == ["", "c", "ba", "ab", "aaa"])
        #expect(sqliteError { try connection.run("INSERT INTO t VALUES ('ba')") }?.code == .constraint)
    }
}
