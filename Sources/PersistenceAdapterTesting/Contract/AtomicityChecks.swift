import SyncPersistence

/// Checks that a transaction changes the store as a whole or not at all.
///
/// A transaction is stored as a whole or not at all. If a check of this topic fails, something outlives the rollback of
/// the storage. It may be a cache of records, an index, the last assigned key, a count, or a statement that is still
/// reading.
///
/// The checks compare a dump of the whole store before and after the failure, with the library's own rows.
enum AtomicityChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("atomicity.throwingBody", throwingBody),
        ContractCheck("atomicity.failingOperation", failingOperation),
        ContractCheck("atomicity.failingEnd", failingEnd),
        ContractCheck("atomicity.afterAnError", afterAnError),
        ContractCheck("atomicity.keysAfterAnError", keysAfterAnError),
        ContractCheck("atomicity.caughtError", caughtError),
        ContractCheck("atomicity.whileReading", whileReading),
    ]

    /// Makes a store with everything that a rollback must restore: orders, links, history, metadata and assigned
    /// keys.
    private static func library(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.store {
            Entity("Author") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string, isIndexed: true)
                Relationship("books", toMany: "Book", isOrdered: true, inverse: "author", deleteRule: .cascade)
            }
            Entity("Book") {
                Attribute("title", .string)
                Relationship("author", to: "Author", inverse: "books")
                Relationship("tags", toMany: "Tag", isOrdered: true, inverse: "books")
                Relationship("sequel", to: "Book", inverse: "sequel")
            }
            Entity("Tag") {
                Attribute("name", .string, isPrimaryKey: true)
                Relationship("books", toMany: "Book", inverse: "tags")
            }
        }
        try await store.change { $0.keepHistory(true) }
        try await store.put("Author", ["id": 1, "name": "Ada"], ["id": 2, "name": "Bo"], origin: .agreed)
        try await store.put("Tag", ["name": "a"], ["name": "b"])
        try await store.put("Book", ["title": "x", "author": 1], ["title": "y", "author": 1], ["title": "z"])
        try await store.change {
            $0.setLinks(RecordID("Book", 1), "tags", to: ["b", "a"])
            $0.setMetadata("cursor", "1")
        }
        try await store.delete("Book", 3)
        return store
    }

    /// Checks that lookups by key and index forget what a failed transaction did.
    ///
    /// A cache that survives the rollback would return records that do not exist.
    ///
    /// Look at caches by key, and at indexes that are kept outside of the database's own transaction. The transaction
    /// is run twice, because a cache may be filled by the first run only.
    static func keysAfterAnError(_ trial: Trial) async throws {
        let store = try await library(trial)
        for _ in 0..<2 {
            do {
                _ = try await store.adapter.write { transaction in
                    try transaction.change {
                        $0.put(store.make("Author", ["id": 7, "name": "Cy"]))
                        $0.put(store.make("Book", [Schema.implicitKey: 70, "title": "new", "author": 7]))
                        $0.update(RecordID("Author", 1), ["name": "Cy"])
                        $0.delete(RecordID("Author", 2))
                        $0.delete(RecordID("Tag", "b"))
                        $0.put(store.make("Tag", ["name": "c"]))
                        $0.setMetadata("cursor", "9")
                        $0.setMetadata("new", "1")
                    }
                    // Reading may fill caches.
                    _ = try transaction.records(Query("Author", where: Field("name") == "Cy"))
                    for key in [1, 2, 7] as [Value] { _ = try transaction.record(RecordID("Author", key)) }
                    throw Stop()
                }
            } catch is Stop {}
            trial.expect("a record that was new", try await store.record("Author", 7), is: nil)
            trial.expect("a text key that was new", try await store.record("Tag", "c"), is: nil)
            trial.expect("a counted one", try await store.record("Book", 70), is: nil)
            trial.expect("one that was changed", try await store.value("Author", 1, "name"), is: "Ada")
            trial.expect("one that was deleted", try await store.value("Author", 2, "name"), is: "Bo")
            trial.expect("a text key that was deleted", try await store.record("Tag", "b")?.key, is: "b")
            for (name, keys) in [("Cy", []), ("Ada", [1]), ("Bo", [2])] as [(Value, [Value])] {
                let found = try await store.keys("Author", where: Field("name") == name)
                trial.expect("by the name \(name)", found, is: keys)
            }
            trial.expect("by the key", try await store.keys("Author", where: Field("id") == 7), is: [])
            trial.expect("the old metadata", try await store.read { try $0.metadata("cursor") }, is: "1")
            trial.expect("the new metadata", try await store.read { try $0.metadata("new") }, is: nil)
            trial.expect("what the journal has of a new one", try await store.entry("Author", 7) == nil, is: true)
            try await trial.expectRefusal(.missingRecord, "an update of one that was new", by: store) {
                $0.update(RecordID("Author", 7), ["name": "x"])
            }
            try await trial.expectRefusal(.danglingReference, "a reference to one that was new", by: store) {
                $0.update(RecordID("Book", 1), ["author": 7])
            }
        }
        let commit = try await store.put("Author", ["id": 7, "name": "Cy"], ["id": 2, "name": "B"])
        trial.expect("what is new afterwards", commit.summary, is: ["+Author 7", "Author 2: name"])
        trial.expect("the order", try await store.keys("Author"), is: [1, 2, 7])
    }

    /// Checks that a body that catches the error of a change set still stores nothing.
    ///
    /// Half of that change set may have been applied.
    ///
    /// Look at the error path of `write`: the adapter must roll back although the body has returned a value.
    static func caughtError(_ trial: Trial) async throws {
        let store = try await library(trial)
        let before = try await store.dump()
        await trial.expectError(.wrongType, "a body that goes on") {
            _ = try await store.adapter.write { transaction in
                try? transaction.change {
                    $0.put(store.make("Author", ["id": 7]))
                    $0.put(store.make("Author", ["id": 8, "name": 1]))
                }
                try? transaction.change { $0.put(store.make("Author", ["id": 9])) }
            }
        }
        trial.expect("the store", try await store.dump().differences(from: before), is: [])
    }

    /// Checks that a change within `forEach` throws `.mismatch`.
    ///
    /// A cursor over changing rows may skip or repeat records.
    static func whileReading(_ trial: Trial) async throws {
        let store = try await library(trial)
        let before = try await store.dump()
        await trial.expectError(.mismatch, "a body that changes what it is handed") {
            _ = try await store.adapter.write { transaction in
                try transaction.forEach(Query("Author")) { author in
                    try transaction.change { $0.put(store.make("Author", ["id": .integer(Int64(100))])) }
                    return true
                }
            }
        }
        trial.expect("the store", try await store.dump().differences(from: before), is: [])
    }

    /// Returns operations of all kinds.
    ///
    /// They insert, update, link, order and delete, so that each prefix of the list leaves other rows to be undone.
    ///
    /// Each depends on the ones before it.
    private static func script(_ store: TestStore) -> [ChangeSet.Operation] {
        [
            .put(store.make("Book", ["title": "new"])),
            .update(RecordID("Author", 1), ["name": "Ada L."]),
            .link(RecordID("Author", 2), relationship: "books", to: 4, at: nil),
            .update(RecordID("Book", 1), ["sequel": 2]),
            .setLinks(RecordID("Book", 1), relationship: "tags", to: ["a"]),
            .setMetadata("cursor", "2"),
            .put(store.make("Book", [Schema.implicitKey: 3, "title": "z again"])),
            .delete(RecordID("Author", 1)),
            .setShadow(JournalEntry(id: RecordID("Tag", "c"), base: store.make("Tag", ["name": "c"]))),
            .unlink(RecordID("Author", 2), relationship: "books", from: 4),
            .delete(RecordID("Tag", "a")),
            .forgetHistory(through: 100),
        ]
    }

    /// Checks that an error after any number of operations leaves the store unchanged.
    ///
    /// A body that throws after *k* operations is run for each *k*, so that no operation can be the last one that is
    /// not undone.
    ///
    /// Look at operations that the database commits by itself, such as creating a table or assigning a key.
    static func throwingBody(_ trial: Trial) async throws {
        let store = try await library(trial)
        let before = try await store.dump()
        let operations = script(store)
        for count in 0...operations.count {
            do {
                _ = try await store.adapter.write { transaction in
                    try transaction.change { for operation in operations.prefix(count) { $0.add(operation) } }
                    throw Stop()
                }
                trial.report("what a body throws", expected: "that it is thrown", found: "nothing")
            } catch is Stop {
                trial.expect(
                    "what \(count) changes leave after an error", try await store.dump().differences(from: before),
                    is: [])
            }
        }
    }

    /// Checks that an invalid operation at any position rolls back all others, for every origin.
    ///
    /// Without it, the same operations succeed.
    ///
    /// Look at savepoints: an error in the middle must undo the operations before it too.
    static func failingOperation(_ trial: Trial) async throws {
        let store = try await library(trial)
        let operations = script(store)
        for origin in [ChangeSet.Origin.local, .remote, .agreed] {
            for count in 0...operations.count {
                try await trial.expectRefusal(.unknownName, "a failing change after \(count)", by: store) { changes in
                    changes.origin = origin
                    for operation in operations.prefix(count) { changes.add(operation) }
                    changes.add(.delete(RecordID("Nobody", 1)))
                    for operation in operations.suffix(operations.count - count) { changes.add(operation) }
                }
            }
        }
        let commit = try await store.change { for operation in operations { $0.add(operation) } }
        trial.expect("whether the same changes succeed without the failing one", commit.isEmpty, is: false)
    }

    /// Checks that an error that is found only at the end of a transaction rolls back everything.
    ///
    /// References are checked when all operations were made. So the storage has all changes by then, and must undo
    /// them.
    ///
    /// Look at the order of commit and check: `WriteTransaction.run` must have returned before the database commits.
    static func failingEnd(_ trial: Trial) async throws {
        let store = try await library(trial)
        try await trial.expectRefusal(.danglingReference, "what is found only at the end", by: store) { changes in
            changes.put(store.make("Book", [Schema.implicitKey: 50, "author": 99]))
            for operation in script(store)
            where operation != .link(RecordID("Author", 2), relationship: "books", to: 4, at: nil) {
                changes.add(operation)
            }
        }
    }

    /// Checks that errors leave no trace: later commits have the same keys, numbers and orders as in a store without
    /// errors.
    ///
    /// The two stores are compared by the dumps of their contents, and by the numbers of their commits.
    ///
    /// Look at counters that the adapter keeps in memory: the last key, the sequence number, and row numbers that
    /// determine the order.
    static func afterAnError(_ trial: Trial) async throws {
        let store = try await library(trial)
        let other = try await library(trial)
        for operation in script(store) {
            _ = try? await store.change {
                $0.add(operation)
                $0.update(RecordID("Author", 99), ["name": "nobody"])
            }
        }
        // The two stores must make the same commits, although the first has seen errors.
        for operation in script(store) {
            let (one, two) = (
                try await store.change { $0.add(operation) }, try await other.change { $0.add(operation) }
            )
            trial.expect("the commit of \(operation)", one.summary, is: two.summary)
            trial.expect("its number", one.sequence, is: two.sequence)
        }
        trial.expect("what differs", try await store.dump().differences(from: other.dump()), is: [])
    }
}
