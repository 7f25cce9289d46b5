import DifferentialSyncTesting
import Foundation
import TestSupport
import Testing

@testable import SQLitePersistence

struct StatementTests {
    let connection: Connection

    init() throws {
        connection = try .inMemory()
        try connection.execute("CREATE TABLE t (v ANY) STRICT")
    }

    /// Stores what is bound, and reads it back.
    private func roundTrip<Result>(_ bind: (Statement) throws -> Void, read: (Statement) throws -> Result) throws
        -> Result
    {
        try connection.execute("DELETE FROM t")
        try connection.withStatement("INSERT INTO t VALUES (?1)") { statement throws in
            try bind(statement)
            try statement.run()
        }
        return try connection.withStatement("SELECT v FROM t") { statement throws in
            try #require(try statement.step())
            return try read(statement)
        }
    }

    @Test(arguments: [0, 1, -1, 255, .max, .min] as [Int64])
    func integers(_ value: Int64) throws {
        let (read, type) = try roundTrip {
            try $0.bind(value, at: 1)
        } read: {
            ($0.int64(at: 0), $0.type(at: 0))
        }
        #expect(read == value)
        #expect(type == .integer)
    }

    @Test(arguments: [
        0, 1.5, -2.25, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity, .pi,
    ])
    func doubles(_ value: Double) throws {
        let (read, type) = try roundTrip {
            try $0.bind(value, at: 1)
        } read: {
            ($0.double(at: 0), $0.type(at: 0))
        }
        #expect(read == value)
        #expect(type == .double)
    }

    @Test func aDoubleThatIsNotANumberIsRefused() throws {
        let error = sqliteError {
            try roundTrip {
                try $0.bind(Double.nan, at: 1)
            } read: { _ in
            }
        }
        #expect(error?.code == .notANumber)
        #expect(
            error?.description
                == "a floating-point value is not a number, in 'INSERT INTO t VALUES (?1)': store a number, or NULL")
    }

    @Test func truthValues() throws {
        #expect(
            try roundTrip {
                try $0.bind(true, at: 1)
            } read: {
                $0.bool(at: 0) && $0.int64(at: 0) == 1
            })
        #expect(
            try roundTrip {
                try $0.bind(false, at: 1)
            } read: {
                !$0.bool(at: 0) && $0.type(at: 0) == .integer
            })
    }

    @Test func null() throws {
        #expect(
            try roundTrip {
                try $0.bindNull(at: 1)
            } read: {
                $0.type(at: 0) == .null
            })
        #expect(
            try roundTrip { _ in
            } read: {
                $0.type(at: 0) == .null
            })
        #expect(
            try roundTrip {
                try $0.bind(0 as Int64, at: 1)
            } read: {
                $0.type(at: 0) != .null
            })
    }

    @Test(arguments: [
        "", "a", "fifteen bytes..", "more than fifteen bytes", "a\0b", "\0", "é", "e\u{301}", "𝕬👩‍👩‍👧‍👦", "\u{FFFD}",
        String(repeating: "ü", count: 1_000_000),
    ])
    func texts(_ value: String) throws {
        let (text, isSame, type) = try roundTrip {
            try $0.bind(value, at: 1)
        } read: {
            ($0.text(at: 0), $0.isText(value, at: 0), $0.type(at: 0))
        }
        #expect(Array(text.utf8) == Array(value.utf8))
        #expect(isSame)
        #expect(type == .text)
    }

    @Test(arguments: [
        Data(), Data([0]), Data([255, 0, 1]), Data(repeating: 7, count: 3_000_000), Data([1, 2, 3])[1...],
    ])
    func blobs(_ value: Data) throws {
        let (read, type) = try roundTrip {
            try $0.bind(value, at: 1)
        } read: {
            ($0.data(at: 0), $0.type(at: 0))
        }
        #expect(read == value)
        #expect(type == .blob)
    }

    @Test func textsThatOnlyLookAlikeAreNotTheSame() throws {
        let (composed, prefix, longer) = try roundTrip {
            try $0.bind("é", at: 1)
        } read: {
            ($0.isText("e\u{301}", at: 0), $0.isText("", at: 0), $0.isText("é\0", at: 0))
        }
        #expect(!composed && !prefix && !longer)
        #expect(
            try !roundTrip {
                try $0.bind("a\0", at: 1)
            } read: {
                $0.isText("a", at: 0)
            })
    }

    // A lone byte, an overlong form, a surrogate, a sequence cut short (as long as its replacement), one within text.
    @Test(arguments: ["ff", "c0af", "eda080", "f09080", "61ff62"])
    func textThatIsNotUTF8IsDetected(_ hex: String) throws {
        try connection.withStatement("SELECT CAST(x'\(hex)' AS TEXT)") { statement throws in
            #expect(try statement.step())
            #expect(statement.type(at: 0) == .text)
            #expect(statement.text(at: 0).contains("\u{FFFD}"))
            #expect(!statement.isText(statement.text(at: 0), at: 0))
        }
    }

    @Test func randomValues() throws {
        let seed = SeededGenerator.testSeed(11)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let scalars = (0..<Int.random(in: 0..<40, using: &generator)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0..<0x11_0000, using: &generator))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let bits = generator.next()
            let blob = Data(
                (0..<Int.random(in: 0..<40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator)
                })
            let number = Double(bitPattern: bits)
            try connection.withStatement("SELECT ?1, ?2, ?3, ?4") { statement throws in
                try statement.bind(text, at: 1)
                try statement.bind(Int64(bitPattern: bits), at: 2)
                try statement.bind(number.isNaN ? 0 : number, at: 3)
                try statement.bind(blob, at: 4)
                #expect(try statement.step())
                #expect(statement.text(at: 0).unicodeScalars.elementsEqual(scalars), "seed \(seed)")
                #expect(statement.int64(at: 1) == Int64(bitPattern: bits), "seed \(seed)")
                #expect(statement.double(at: 2) == (number.isNaN ? 0 : number), "seed \(seed)")
                #expect(statement.data(at: 3) == blob, "seed \(seed)")
            }
        }
    }

    @Test func bindingsAreGoneAfterAReset() throws {
        try connection.withStatement("SELECT ?1, ?2 AS second") { statement throws in
            #expect(statement.columnCount == 2)
            #expect(statement.columnName(at: 1) == "second")
            try statement.bind("text", at: 1)
            try statement.bind(7 as Int64, at: 2)
            #expect(try statement.step())
            #expect(try !statement.step())
            statement.reset()
            #expect(try statement.step())
            #expect(statement.type(at: 0) == .null && statement.type(at: 1) == .null)
        }
    }

    @Test func whatSQLiteRefusesToBindIsThrown() throws {
        try connection.withStatement("SELECT ?1") { statement throws in
            let outOfRange = sqliteError { try statement.bind(1 as Int64, at: 2) }
            #expect(outOfRange?.extendedCode == 25)
            #expect(try statement.step())
            // A statement between its rows.
            #expect(sqliteError { try statement.bind(1 as Int64, at: 1) }?.extendedCode == 21)
        }
    }

    @Test func aFinalisedStatementHasNoRows() throws {
        let statement = try connection.prepare("SELECT 1")
        statement.finalize()
        statement.finalize()
        let error = sqliteError { _ = try statement.step() }
        #expect(
            error?.description
                == "the database is closed, in 'SELECT 1': open it again, and close it after the last use")
        #expect(statement.int64(at: 0) == 0 && statement.text(at: 0) == "" && statement.data(at: 0) == Data())
        #expect(statement.type(at: 0) == .null && statement.columnCount == 0)
        statement.reset()
    }
}
