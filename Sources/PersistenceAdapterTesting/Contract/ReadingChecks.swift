import SyncPersistence

/// Checks that records are read as they were stored, in the order in which they were first stored.
///
/// Records are read by key, or by a query in insertion order, sorted, and limited.
///
/// If a check of this topic fails, look at the order of rows without a sort key, and at limits together with a sort
/// order. Look also at queries that are nested in each other.
enum ReadingChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("reading.byKey", byKey),
        ContractCheck("reading.bySeveralKeys", bySeveralKeys),
        ContractCheck("reading.allKeys", allKeys),
        ContractCheck("reading.someKeys", someKeys),
        ContractCheck("reading.insertionOrder", insertionOrder),
        ContractCheck("reading.limitAndOffset", limitAndOffset),
        ContractCheck("reading.count", count),
        ContractCheck("reading.earlyStop", earlyStop),
        ContractCheck("reading.errorOfBody", errorOfBody),
        ContractCheck("reading.unknownNames", unknownNames),
        ContractCheck("reading.answerOfBody", answerOfBody),
        ContractCheck("reading.readYourOwnWrites", readYourOwnWrites),
        ContractCheck("reading.nested", nested),
        ContractCheck("reading.largeBatches", largeBatches),
    ]

    /// Checks that a key finds its record, and that a missing key, a key of another type and null find none.
    ///
    /// A lookup that converts `"1"` to 1 would return the wrong record.
    ///
    /// Look at conversions of the key's value: text that looks like a number, and an integer for a double.
    static func byKey(_ trial: Trial) async throws {
        let store = try await trial.notes()
        trial.expect("a key of an empty store", try await store.record("Note", 1), is: nil)
        try await store.put("Note", ["id": 1, "text": "milk"], ["id": 2])
        let milk = store.make("Note", ["id": 1, "text": "milk"])
        trial.expect("a record", try await store.record("Note", 1), is: milk)
        trial.expect("a record without values", try await store.record("Note", 2), is: store.make("Note", ["id": 2]))
        trial.expect("a key that no record has", try await store.record("Note", 3), is: nil)
        trial.expect("a key of another type", try await store.record("Note", "1"), is: nil)
        trial.expect("the key null", try await store.record("Note", .null), is: nil)
    }

    /// Checks that a lookup of several keys returns a record or nil for each, in the order of the keys.
    ///
    /// Callers pair the results with their keys by position.
    ///
    /// Look at a query for all keys together: its rows come in another order, and repeated keys come once.
    static func bySeveralKeys(_ trial: Trial) async throws {
        let store = try await trial.notes(count: 5)
        let found = try await store.read { try $0.records("Note", keys: [4, 9, 0, 4]) }
        trial.expect("the keys of records by their keys", found.map { $0?.key }, is: [4, nil, 0, 4])
    }

    /// Checks that all keys are returned in insertion order, without reading records.
    ///
    /// A sync reads the keys of a whole entity, and its records would need far more memory.
    ///
    /// Look at `forEachKey`, and at a column of row numbers that keeps the order of insertion.
    static func allKeys(_ trial: Trial) async throws {
        let store = try await trial.notes()
        trial.expect("all keys of an empty store", try await store.read { try $0.keys(of: "Note") }, is: [])
        try await store.put("Note", ["id": 3], ["id": 1], ["id": 2])
        trial.expect("all keys", try await store.read { try $0.keys(of: "Note") }, is: [3, 1, 2])
    }

    /// Checks that the keys of a filter are the keys of its records, and that unknown names throw.
    ///
    /// A sync decides by these keys what to delete.
    ///
    /// Look at `forEachKey` with a filter, which must select the same records as `forEach`.
    static func someKeys(_ trial: Trial) async throws {
        let store = try await trial.notes()
        try await store.put("Note", ["id": 3, "stars": 1], ["id": 1, "stars": 2], ["id": 2, "stars": 1])
        for (filter, keys) in [(Field("stars") == 1, [3, 2]), (Field("stars") > 2, []), (Field("id") < 3, [1, 2])]
            as [(Filter, [Value])]
        {
            trial.expect(
                "the keys where \(filter)", try await store.read { try $0.keys(of: "Note", where: filter) }, is: keys)
        }
        await trial.expectError(.unknownName, "keys with a filter by an unknown name") {
            _ = try await store.read { try $0.keys(of: "Note", where: Field("starz") == 1) }
        }
    }

    /// Checks that an update keeps the place of a record, and that a record stored again comes last.
    ///
    /// Otherwise lists without a sort order would jump after each edit.
    ///
    /// Look at `put` that deletes and inserts a row: the record would move to the end.
    static func insertionOrder(_ trial: Trial) async throws {
        let store = try await trial.notes()
        try await store.put("Note", ["id": 5], ["id": 3], ["id": 9], ["id": 1])
        trial.expect("the order of records", try await store.keys("Note"), is: [5, 3, 9, 1])
        try await store.update("Note", 3, ["text": "changed"])
        try await store.put("Note", ["id": 5, "text": "replaced"], ["id": 7])
        trial.expect("the order after updates", try await store.keys("Note"), is: [5, 3, 9, 1, 7])
        try await store.delete("Note", 3)
        trial.expect("the order after a deletion", try await store.keys("Note"), is: [5, 9, 1, 7])
        try await store.put("Note", ["id": 3])
        trial.expect("the order after storing anew", try await store.keys("Note"), is: [5, 9, 1, 7, 3])
        trial.expect(
            "the order of all keys", try await store.read { try $0.keys(of: "Note") }, is: [5, 9, 1, 7, 3])
        try await store.delete("Note", 5, 9, 1, 7, 3)
        try await store.put("Note", ["id": 2], ["id": 1])
        trial.expect("the order after storing into the emptied store", try await store.keys("Note"), is: [2, 1])
    }

    /// Checks limits and offsets, alone, together, with sorting, and at the largest integers.
    ///
    /// An adapter that adds the two without care overflows.
    ///
    /// Look at the sum of limit and offset, and at databases in which an offset needs a limit.
    static func limitAndOffset(_ trial: Trial) async throws {
        let store = try await trial.notes(count: 10)
        let byStars = [Query.SortKey("stars", isDescending: true)]
        trial.expect("limit 3", try await store.keys("Note", limit: 3), is: [0, 1, 2])
        trial.expect("offset 7", try await store.keys("Note", offset: 7), is: [7, 8, 9])
        trial.expect("offset 4, limit 2", try await store.keys("Note", offset: 4, limit: 2), is: [4, 5])
        trial.expect("offset 8, limit 5", try await store.keys("Note", offset: 8, limit: 5), is: [8, 9])
        trial.expect("offset 10", try await store.keys("Note", offset: 10), is: [])
        trial.expect("offset 100, limit 1", try await store.keys("Note", offset: 100, limit: 1), is: [])
        trial.expect("the largest limit", try await store.keys("Note", offset: 8, limit: .max), is: [8, 9])
        trial.expect("the largest offset", try await store.keys("Note", offset: .max, limit: .max), is: [])
        trial.expect(
            "sorted, the largest limit", try await store.keys("Note", sort: byStars, offset: 9, limit: .max), is: [9])
        trial.expect("limit 0", try await store.keys("Note", limit: 0), is: [])
        trial.expect("sorted, limit 4", try await store.keys("Note", sort: byStars, limit: 4), is: [2, 5, 8, 1])
        trial.expect(
            "filtered, sorted, offset 1, limit 3",
            try await store.keys("Note", where: Field("stars") < 2, sort: byStars, offset: 1, limit: 3), is: [4, 7, 0])
    }

    /// Checks that a count is the number of records that the same query returns, including its limit and offset.
    ///
    /// A view shows the count without reading the records.
    ///
    /// Look at `count` with a limit and an offset: count the rows of the limited query.
    static func count(_ trial: Trial) async throws {
        let store = try await trial.notes(count: 10)
        let queries = [
            Query("Note"), Query("Note", where: Field("stars") == 0), Query("Note", where: Field("stars") == 7),
            Query("Note", limit: 3), Query("Note", offset: 8), Query("Note", offset: 8, limit: 1),
            Query("Note", offset: 80), Query("Note", limit: 0), Query("Note", where: Field("stars") > 0, limit: 100),
            Query("Note", where: Field("text").isNull, sort: [Query.SortKey("stars")], offset: 1),
        ]
        let counts = try await store.read { transaction in try queries.map { try transaction.count($0) } }
        trial.expect("counts", counts, is: [10, 4, 0, 3, 2, 1, 0, 0, 6, 9])
        let empty = try await trial.notes()
        trial.expect("the count of an empty store", try await empty.read { try $0.count(Query("Note")) }, is: 0)
    }

    /// Checks that reading stops when the body returns false.
    ///
    /// Otherwise a search for one record would read the whole store.
    ///
    /// Look at `forEach`: fetch rows while they are read, and close the cursor when the body returns false.
    static func earlyStop(_ trial: Trial) async throws {
        let store = try await trial.notes(count: 10)
        for sort in [[], [Query.SortKey("id", isDescending: true)]] {
            let seen = try await store.read { transaction in
                var seen: [Value] = []
                try transaction.forEach(Query("Note", sort: sort)) { record in
                    seen.append(record.key)
                    return seen.count < 3
                }
                return seen
            }
            trial.expect("records until the body answers false", seen, is: sort.isEmpty ? [0, 1, 2] : [9, 8, 7])
        }
    }

    /// Checks that an error of a body is rethrown unchanged, and that the store can be read afterwards.
    ///
    /// A cursor that stays open after the error would block the next write.
    ///
    /// Look at errors that are wrapped or replaced on their way out, and at cursors without a `defer`.
    static func errorOfBody(_ trial: Trial) async throws {
        let store = try await trial.notes(count: 3)
        for isInForEach in [false, true] {
            do {
                try await store.read { transaction in
                    if !isInForEach { throw Stop() }
                    try transaction.forEach(Query("Note")) { _ in throw Stop() }
                }
                trial.report("what a body throws", expected: "that it is thrown", found: "nothing")
            } catch is Stop {
                trial.expect("reading after an error", try await store.keys("Note"), is: [0, 1, 2])
            }
        }
    }

    /// Checks that unknown entities, relationships and attributes throw `.unknownName` wherever a query can name them.
    ///
    /// An empty result would hide the misspelling.
    ///
    /// Look at `forEach`, `count` and `forEachKey`: each must bind its names to the schema.
    static func unknownNames(_ trial: Trial) async throws {
        let store = try await trial.notes(count: 1)
        await trial.expectError(.unknownName, "records of an unknown entity") { _ = try await store.keys("Nota") }
        await trial.expectError(.unknownName, "a record of an unknown entity") { _ = try await store.record("Nota", 1) }
        await trial.expectError(.unknownName, "a count of an unknown entity") {
            _ = try await store.read { try $0.count(Query("Nota")) }
        }
        await trial.expectError(.unknownName, "keys of an unknown entity") {
            _ = try await store.read { try $0.keys(of: "Nota") }
        }
        await trial.expectError(.unknownName, "an unknown relationship") { _ = try await store.related("Note", 0, "x") }
        await trial.expectError(.unknownName, "a filter by an unknown name") {
            _ = try await store.keys("Note", where: Field("starz") == 1)
        }
        await trial.expectError(.unknownName, "a sort by an unknown name") {
            _ = try await store.keys("Note", sort: [Query.SortKey("starz")])
        }
        await trial.expectError(.unknownName, "a count with a filter by an unknown name") {
            _ = try await store.read { try $0.count(Query("Note", where: Field("stars.x") == 1)) }
        }
    }

    /// Checks that `read` and `write` return the result of their body.
    ///
    /// The result crosses from the thread of the transaction to the task of the caller.
    ///
    /// Look at results of `Void` and of optional types.
    static func answerOfBody(_ trial: Trial) async throws {
        let store = try await trial.notes(count: 2)
        let number = try await store.read { try $0.count(Query("Note")) * 21 }
        trial.expect("what a reading body answers", number, is: 42)
        let written = try await store.adapter.write { transaction in
            try transaction.change { $0.delete(RecordID("Note", 1)) }
            return "deleted"
        }
        trial.expect("what a writing body answers", written.result, is: "deleted")
        trial.expect("what it has changed", written.commit.summary, is: ["-Note 1"])
    }

    /// Checks that a transaction reads its own changes by key, filter, count and list.
    ///
    /// An adapter that reads from an older snapshot or a stale index would miss them.
    ///
    /// Look at writes that are buffered: they must be written before the next read of the same table.
    static func readYourOwnWrites(_ trial: Trial) async throws {
        let store = try await trial.notes(count: 3)
        let seen = try await store.adapter.write { transaction in
            var seen: [[Value]] = []
            func apply(_ build: (inout ChangeSet) -> Void) throws {
                try transaction.change(build)
                seen.append(try transaction.records(Query("Note", where: Field("stars") == 1)).map(\.key))
                seen.append([.integer(Int64(try transaction.count(Query("Note"))))])
                seen.append(try transaction.keys(of: "Note"))
            }
            try apply { $0.put(store.make("Note", ["id": 7, "stars": 1])) }
            try apply { $0.update(RecordID("Note", 0), ["stars": 1]) }
            try apply { $0.delete(RecordID("Note", 1)) }
            seen.append([try transaction.record(RecordID("Note", 1))?.key ?? "none"])
            return seen
        }.result
        trial.expect(
            "what a writing body reads", seen,
            is: [
                [1, 7], [4], [0, 1, 2, 7],
                [0, 1, 7], [4], [0, 1, 2, 7],
                [0, 7], [3], [0, 2, 7],
                ["none"],
            ])
    }

    /// Checks queries within the same query, in read and write transactions.
    ///
    /// An adapter that shares one cursor or statement would skip records.
    ///
    /// Look at prepared statements that are reused by their text while an outer query still steps through them.
    static func nested(_ trial: Trial) async throws {
        let store = try await trial.notes(count: 4)
        @Sendable func seen(in transaction: ReadTransaction) throws -> [[Value]] {
            var seen: [[Value]] = []
            for query in [Query("Note"), Query("Note", where: Field("stars") == 0)] {
                try transaction.forEach(query) { outer in
                    var inner: [Value] = []
                    try transaction.forEach(query) { record in
                        inner.append(record.key)
                        return inner.count < 3
                    }
                    _ = try transaction.record(RecordID("Note", 3))
                    _ = try transaction.count(query)
                    seen.append([outer.key] + inner)
                    return true
                }
            }
            return seen
        }
        let expected: [[Value]] = [[0, 0, 1, 2], [1, 0, 1, 2], [2, 0, 1, 2], [3, 0, 1, 2], [0, 0, 3], [3, 0, 3]]
        trial.expect("records, each with the first three", try await store.read { try seen(in: $0) }, is: expected)
        let written = try await store.adapter.write { try seen(in: $0) }.result
        trial.expect("the same in a transaction that writes", written, is: expected)
    }

    /// Checks thousands of new records of two entities in one commit.
    ///
    /// An adapter that writes in batches must keep order, keys, indexes and journal across their borders.
    ///
    /// Look at the border of a batch: a record that is changed again after its row was buffered.
    static func largeBatches(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string, isIndexed: true)
                Relationship("parent", to: "Note")
            }
            Entity("Draft", parent: "Note") { Attribute("stars", .integer) }
            Entity("Line") { Attribute("text", .string) }
        }
        let count: Int64 = 3_001
        let commit = try await store.change { changes in
            for key in 0..<count as Range<Int64> {
                let text = Value.string("text \(key)")
                if key.isMultiple(of: 3) {
                    changes.put(store.make("Draft", ["id": .integer(key), "text": text, "stars": .integer(key)]))
                } else {
                    changes.put(store.make("Note", ["id": .integer(key), "text": text, "parent": .integer(count - 1)]))
                }
                changes.put(store.make("Line", ["text": text]))
            }
        }
        let keys = (0..<count).map { Value.integer($0) }
        trial.expect("how many are new", commit.inserted.count, is: Int(count) * 2)
        trial.expect("the keys", try await store.keys("Note") == keys, is: true)
        let counted = (0..<count).map { Value.integer($0 + 1) }
        trial.expect("the counted keys", try await store.keys("Line") == counted, is: true)
        trial.expect("how many inherit", try await store.keys("Draft").count, is: Int(count + 2) / 3)
        trial.expect("the journal", try await JournalChecks.journal(store) == keys, is: true)
        for key in [0, 1, 254, 255, 256, 257, 511, 512, 999, 1_000, 1_001, 2_047, 2_048, 2_999, 3_000] as [Int64] {
            let text = Value.string("text \(key)")
            trial.expect("a value", try await store.value("Note", .integer(key), "text"), is: text)
            trial.expect("by its text", try await store.keys("Note", where: Field("text") == text), is: [.integer(key)])
        }
    }
}
