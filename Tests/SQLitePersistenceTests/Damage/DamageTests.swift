import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Files that were damaged: no call traps, and each error is one of a store that names the file.
struct DamageTests {
    private let world = DamagedWorld()

    @Test(
        arguments: [
            ("text", "x'FF'", "the value is blob, and no string"),
            ("text", "CAST(x'61FF' AS TEXT)", "the value is text that is not UTF-8, and no string"),
            ("isDone", "'maybe'", "the value is text, and no bool"),
            ("weight", "'heavy'", "the value is text, and no double"),
            ("price", "'dear'", "the value is text, and no decimal"),
            ("due", "x'00'", "the value is blob, and no date"),
            ("token", "'none'", "the value is text, and no uuid"),
            ("data", "7", "the value is integer, and no bytes"),
            ("extra", "'{'", "the value is text, and no json"),
        ])
    func unreadableValueIsNamedByFileRecordAndProperty(column: String, value: String, message: String) async throws {
        try await world.make()
        try world.copy(to: "copy.db", damagedBy: "UPDATE Note SET \"\(column)\" = \(value) WHERE id = 6")
        let store = try await SQLiteAdapter.open(at: world.folder.file("copy.db"), schema: DamagedWorld.schema)
        let expected = """
            '\(world.folder.file("copy.db"))', Note 6.\(column): \(message): was the file changed by another program? \
            Correct or delete the row there, or restore the file from a copy
            """
        // By its key, among others, and where it is written.
        var edit = ChangeSet()
        edit.put(DamagedWorld.note(6, "changed"))
        let found = [
            await error { _ = try await store.read { try $0.record(RecordID("Note", 6)) } },
            await error { _ = try await store.read { try $0.records(Query("Note")) } },
            await error { [edit] in _ = try await store.commit(edit) },
        ]
        for error in found {
            #expect(error?.code == .unreadable)
            #expect(error?.id == RecordID("Note", 6))
            #expect(error?.property == column)
            #expect(error?.description == expected)
        }
        // The others are there.
        #expect(try await store.read { try $0.record(RecordID("Note", 7)) } == DamagedWorld.note(7, "text of 7"))
        await store.close()
    }

    @Test(
        arguments: [
            (
                "UPDATE \"sync.metadata\" SET value = 'many' WHERE name = 'sync.sequence'",
                "sync.metadata \"sync.sequence\""
            ),
            (
                "UPDATE \"sync.metadata\" SET value = '9223372036854775807' WHERE name = 'sync.sequence'",
                "sync.metadata \"sync.sequence\""
            ),
            ("UPDATE \"sync.journal.Note\" SET \"sync.remote\" = '{' WHERE id = 2", "sync.journal.Note 2.sync.remote"),
            (
                "UPDATE \"sync.journal.Note\" SET \"sync.remote\" = '[1]' WHERE id = 2",
                "sync.journal.Note 2.sync.remote"
            ),
            ("UPDATE \"sync.journal.Note\" SET \"sync.isInShadow\" = x'00' WHERE id = 2", "sync.journal.Note 2"),
            ("UPDATE \"sync.layout\" SET value = '{' WHERE name = 'schema'", "sync.layout"),
            (
                "UPDATE \"sync.layout\" SET value = '{\"tables\":{\"Note\":\"\"},\"columns\":{}}' WHERE name = 'names'",
                "sync.layout"
            ),
            (
                "UPDATE \"sync.layout\" SET value = replace(value, '[\"text\"]', '[\"text\",\"id\"]') WHERE name = 'names'",
                "sync.layout"
            ),
            ("UPDATE \"sync.layout\" SET value = 'x' WHERE name = 'digestSeed'", "sync.layout"),
            ("DELETE FROM \"sync.layout\"", "sync.layout"),
            ("DROP TABLE \"sync.layout\"", "sync.layout"),
            ("DROP TABLE Note", "Note"),
            ("UPDATE Note SET \"sync.row\" = 9223372036854775807 WHERE id = 6", ""),
            ("UPDATE Note SET \"sync.entity\" = 'Letter' WHERE id = 6", "Letter"),
        ])
    func brokenLibraryRowIsNamed(sql: String, part: String) async throws {
        try await world.make()
        try world.copy(to: "copy.db", damagedBy: sql)
        let errors = await world.use("copy.db")
        if !part.isEmpty { #expect(!errors.isEmpty) }
        for error in errors {
            #expect(
                (part.isEmpty || "\(error)".contains(part))
                    && "\(error)".hasPrefix("'\(world.folder.file("copy.db"))'"), "\(error)")
            #expect((error as? PersistenceError)?.code == .unreadable, "\(error)")
        }
    }

    @Test func anyValueInAnyColumnIsReadOrReported() async throws {
        try await world.make()
        let program = try OtherProgram(world.folder.file("whole.db"))
        let tables = try program.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
        var count = 0
        for table in tables {
            let columns = try program.texts("SELECT name FROM pragma_table_info('\(table)')")
            for column in columns where column != "sync.row" {
                for value in ["x'FF00'", "'text'", "9223372036854775807", "NULL"] {
                    let update = "UPDATE OR IGNORE \"\(table)\" SET \"\(column)\" = \(value)"
                    // What is refused is not damaged.
                    do { try world.copy(to: "copy.db", damagedBy: update) } catch { continue }
                    expectReported(await world.use("copy.db"), "\(update)")
                    count += 1
                }
            }
        }
        #expect(count > 100)
    }

    @Test func flippedAndMissingBytesAreReadOrReported() async throws {
        try await world.make()
        let whole = try #require(world.folder.contents(of: "whole.db"))
        for number in 0..<UInt64(fuzzCount(60)) {
            let seed = SeededGenerator.testSeed(number)
            var generator = SeededGenerator(seed: seed)
            var bytes = whole
            if generator.happens(0.2) {
                bytes = bytes.prefix(Int.random(in: 1..<bytes.count, using: &generator))
            }
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            for name in ["copy.db-wal", "copy.db-shm"] {
                try? FileManager.default.removeItem(atPath: world.folder.file(name))
            }
            world.folder.write(bytes, to: "copy.db")
            expectReported(await world.use("copy.db"), "seed \(seed)")
        }
    }

    @Test func damagedFileIsSavedByWhatItsErrorAdvises() async throws {
        guard let shell = Self.shell else { return }
        let script = try await advisedCommands().joined(separator: "\n")
            .replacingOccurrences(of: "sqlite3 ", with: shell + " ")
        _ = try ChildProcess("/bin/sh", ["-c", script], in: world.folder.path).finish()
        #expect(await world.use("saved.db").isEmpty)
        let store = try await SQLiteAdapter.open(at: world.folder.file("saved.db"), schema: DamagedWorld.schema)
        #expect(try await store.read { try $0.keys(of: "Tag") } == [])
        #expect(try await store.read { try $0.record(RecordID("Note", 1_000)) } != nil)
        await store.close()
    }

    /// Damages the file `damaged.db`, and returns the commands that its error advises.
    private func advisedCommands() async throws -> [String] {
        try await world.make()
        var bytes = try #require(world.folder.contents(of: "whole.db"))
        // An inner page of the notes: the last page that has one of their texts.
        let place = try #require(bytes.range(of: Data("text of 9".utf8))?.lowerBound)
        for offset in 0..<8 { bytes[place / 4096 * 4096 + offset] = 0xFF }
        world.folder.write(bytes, to: "damaged.db")
        let errors = await world.use("damaged.db")
        let advice = try #require(errors.map { "\($0)" }.first { $0.contains(".dump") })
        let start = try #require(advice.range(of: "sqlite3 damaged.db"))
        return advice[start.lowerBound...].components(separatedBy: ", and then ")
    }

    @Test func guideShowsWhatTheErrorOfADamagedFileAdvises() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let guide = try String(
            contentsOf: root.appendingPathComponent(
                "Sources/SQLitePersistence/SQLitePersistence.docc/SQLitePersistence.md"), encoding: .utf8)
        let commands = try await advisedCommands()
        #expect(commands.count == 2)
        for command in commands { #expect(guide.contains("$ \(command)\n")) }
    }

    @Test func dumpWithoutItsPragmasNamesThem() async throws {
        try await world.make()
        let version = try #require(OtherProgram(world.folder.file("whole.db")).texts("PRAGMA user_version").first)
        let pragmas = "PRAGMA application_id = 1146318435; PRAGMA user_version = \(version)"
        try world.copy(to: "copy.db", damagedBy: "PRAGMA application_id = 0; PRAGMA user_version = 0")
        let error = try #require(await world.use("copy.db").first as? PersistenceError)
        #expect(error.code == .foreignFile)
        #expect(error.description.contains("'\(pragmas)'"))
        try OtherProgram(world.folder.file("copy.db")).run(pragmas)
        #expect(await world.use("copy.db").isEmpty)
    }
}

extension DamageTests {
    /// The sqlite3 program; nil if there is none.
    private static let shell = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/opt/homebrew/bin/sqlite3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private func error(_ body: () async throws -> Void) async -> PersistenceError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? PersistenceError
        }
    }

    private func expectReported(
        _ errors: [any Error], _ damage: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for error in errors {
            let error = error as? PersistenceError
            #expect(error != nil, "\(damage): \(errors)", sourceLocation: sourceLocation)
            if error?.code == .unreadable {
                #expect(
                    error?.path == world.folder.file("copy.db"), "\(damage): \(errors)", sourceLocation: sourceLocation)
            }
        }
    }
}
