import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// Transactions with so many changes that new records are kept in a compact form.
@Suite struct LargeCommitTests {
    /// More records than a transaction keeps as they are.
    private static let fillerCount = 5_000

    private let schema: Schema
    private let store: InMemoryAdapter

    init() throws {
        schema = try Schema {
            Entity("Filler") { Attribute("id", .integer, isPrimaryKey: true) }
            Entity("Sample") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("bool", .bool)
                Attribute("integer", .integer)
                Attribute("double", .double)
                Attribute("decimal", .decimal)
                Attribute("text", .string)
                Attribute("bytes", .bytes)
                Attribute("date", .date)
                Attribute("uuid", .uuid)
                Attribute("url", .url)
                Attribute("json", .json)
                Relationship("cells", toMany: "Cell", inverse: "sample", deleteRule: .cascade)
            }
            Entity("Cell") {
                Attribute("row", .integer, isPrimaryKey: true)
                Attribute("column", .string, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("sample", to: "Sample", inverse: "cells")
            }
        }
        store = InMemoryAdapter(schema: schema)
    }

    private func fill(_ transaction: WriteTransaction) throws {
        var changes = ChangeSet()
        for id in 0..<Int64(Self.fillerCount) {
            try changes.put(Record("Filler", in: schema, ["id": .integer(id)]))
        }
        try transaction.apply(changes)
    }

    private func cell(_ row: Int64, _ column: Value, _ text: Value = .null, sample: Value = .null) throws -> Record {
        try Record("Cell", in: schema, ["row": .integer(row), "column": column, "text": text, "sample": sample])
    }

    @Test func newRecordsHaveAllTheirValues() async throws {
        var values = RandomValues(seed: SeededGenerator.testSeed(31))
        let shape = try #require(schema["Sample"])
        let records = (0..<2_000).map { number in
            Record(
                shape,
                slots: shape.slots.map { slot in
                    if slot.name == "id" { return .string("sample \(number)") }
                    // Texts repeat: next to each other, further apart, empty ones and those of another slot.
                    if slot.name == "text", number % 4 > 0 {
                        return .string(["", "sample \(number)", "again"][number / 3 % 3])
                    }
                    return values.value(for: slot)
                })
        }
        let commit = try await store.write { transaction in
            try fill(transaction)
            for record in records { try transaction.put(record) }
            for record in records { #expect(try transaction.record(record.id) == record) }
        }.commit
        #expect(commit.changes.count == Self.fillerCount + records.count)
        let stored = commit.changes.dropFirst(Self.fillerCount)
        #expect(stored.map(\.new) == records)
        #expect(stored.allSatisfy { $0.old == nil && $0.origin == .local && !$0.isConsequence })
        #expect(commit.inserted.suffix(3) == records.suffix(3).map(\.id))
    }

    @Test(arguments: [ChangeSet.Origin.local, .remote, .agreed])
    func newRecordsHaveTheirOrigin(origin: ChangeSet.Origin) async throws {
        var changes = ChangeSet(origin: origin)
        for id in 0..<Int64(Self.fillerCount) {
            try changes.put(Record("Filler", in: schema, ["id": .integer(id)]))
        }
        let commit = try await store.commit(changes)
        #expect(commit.changes.count == Self.fillerCount)
        #expect(commit.changes.allSatisfy { $0.origin == origin })
    }

    @Test func changesAreThoseOfASmallTransaction() async throws {
        let before = try (0..<20).map { try cell($0, "a", "before") }
        @Sendable func change(_ transaction: WriteTransaction) throws {
            try transaction.put(Record("Sample", in: schema, ["id": "é", "text": "new"]))
            for row in 10..<30 as Range<Int64> { try transaction.put(cell(row, "a", "after", sample: "é")) }
            // Again, before and after they were deleted.
            for row in 25..<28 as Range<Int64> { try transaction.put(cell(row, "a", "twice")) }
            for row in 26..<29 as Range<Int64> { try transaction.delete(RecordID("Cell", [.integer(row), "a"])) }
            try transaction.put(cell(26, "a", "back"))
            try transaction.put(cell(0, "a", "changed"))
            try transaction.put(cell(0, "a", "before"))
            try transaction.delete(RecordID("Sample", "é"))
        }
        var commits: [[Commit.RecordChange]] = []
        for isLarge in [false, true] {
            let store = InMemoryAdapter(schema: schema)
            try await store.write { transaction in for record in before { try transaction.put(record) } }
            let commit = try await store.write { transaction in
                if isLarge { try fill(transaction) }
                try change(transaction)
            }.commit
            commits.append(Array(commit.changes.dropFirst(isLarge ? Self.fillerCount : 0)))
        }
        #expect(commits[0].count == 20 - 10 + 2)
        #expect(commits[0].map(\.change) == commits[1].map(\.change))
        #expect(commits[0].map(\.origin) == commits[1].map(\.origin))
        #expect(commits[0].map(\.isConsequence) == commits[1].map(\.isConsequence))
    }

    @Test func recordsAreFoundByTheirKeysWithinTheTransaction() async throws {
        try await store.write { transaction in
            try fill(transaction)
            try transaction.put(Record("Sample", in: schema, ["id": "é", "text": "composed"]))
            try transaction.put(Record("Sample", in: schema, ["id": "e\u{301}", "text": "decomposed"]))
            try transaction.put(cell(1, "a", "one", sample: "é"))
            #expect(try transaction.record(RecordID("Sample", "é"))?["text"] == "composed")
            #expect(try transaction.record(RecordID("Sample", "e\u{301}"))?["text"] == "decomposed")
            #expect(try transaction.record(RecordID("Sample", "e")) == nil)
            #expect(try transaction.record(RecordID("Cell", [1, "a"]))?["text"] == "one")
            #expect(try transaction.record(RecordID("Cell", [1, "b"])) == nil)
            #expect(try transaction.record(RecordID("Filler", 4_999)) != nil)
            #expect(try transaction.record(RecordID("Filler", 5_000)) == nil)
            #expect(try transaction.related(RecordID("Sample", "é"), "cells") == [[1, "a"]])
        }
    }
}

extension WriteTransaction {
    fileprivate func put(_ record: Record) throws {
        var changes = ChangeSet()
        changes.put(record)
        try apply(changes)
    }

    fileprivate func delete(_ id: RecordID) throws {
        var changes = ChangeSet()
        changes.delete(id)
        try apply(changes)
    }
}
