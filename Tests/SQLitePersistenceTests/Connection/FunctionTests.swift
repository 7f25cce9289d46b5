import Foundation
import Testing

@testable import SQLitePersistence

struct FunctionTests {
    let connection: Connection

    init() throws { connection = try .inMemory() }

    @Test func argumentsOfEveryType() throws {
        var found: [String] = []
        try connection.registerFunction("note", argumentCount: 1) { arguments in
            switch arguments.type(at: 0) {
            case .null: found.append("null")
            case .integer: found.append("\(arguments.int64(at: 0))")
            case .double: found.append("\(arguments.double(at: 0))")
            case .text: found.append("'\(arguments.text(at: 0))'")
            case .blob: found.append("\(Array(arguments.data(at: 0)))")
            }
            return true
        }
        for value in ["NULL", "-7", "1.5", "''", "'ä'", "CAST(x'610062' AS TEXT)", "x''", "x'00ff'"] {
            #expect(try connection.integer("SELECT note(\(value))") == 1, "\(value)")
        }
        #expect(found == ["null", "-7", "1.5", "''", "'ä'", "'a\0b'", "[]", "[0, 255]"])
    }

    @Test func resultsOfEveryKind() throws {
        try connection.registerFunction("isPositive", argumentCount: 1) { arguments in
            arguments.type(at: 0) == .null ? nil : arguments.int64(at: 0) > 0
        }
        #expect(try connection.integer("SELECT isPositive(7) = 1 AND isPositive(-7) = 0") == 1)
        #expect(try connection.integer("SELECT isPositive(NULL) IS NULL") == 1)
    }

    @Test func anyNumberOfArguments() throws {
        try connection.registerFunction("isSix", argumentCount: nil) { arguments in
            (0..<arguments.count).reduce(Int64(0)) { $0 + arguments.int64(at: $1) } == 6
        }
        #expect(try connection.integer("SELECT isSix()") == 0)
        #expect(try connection.integer("SELECT isSix(1, 2, 3)") == 1)
    }

    @Test func noFunctionIsAllowedInTheSchema() throws {
        try connection.registerFunction("isLong", argumentCount: 1) { $0.text(at: 0).count > 3 }
        let error = sqliteError { try connection.execute("CREATE TABLE t (v, isLong AS (isLong(v)))") }
        #expect(error?.code == .structure)
    }

    @Test func closuresAreReleasedWithTheConnection() throws {
        final class Token {}
        weak var token: Token?
        try {
            let kept = Token()
            token = kept
            try connection.registerFunction("f", argumentCount: 0) { _ in withExtendedLifetime(kept) { true } }
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
