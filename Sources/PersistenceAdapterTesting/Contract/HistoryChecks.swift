import SyncPersistence

/// Checks of the history and of the fingerprint.
///
/// A history gives each change a number, in the transaction of the change. A device that has seen a number reads what
/// was changed since.
///
/// The library writes the rows as records of a shape of its own. If a check of this topic fails, look at records with a
/// key of two parts, and at what `put(_:)` returns. Look also at queries that sort by an indexed integer with a limit.
enum HistoryChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("history.changes", changes),
        ContractCheck("history.cascade", cascade),
        ContractCheck("history.notKept", notKept),
        ContractCheck("history.existingRecords", existingRecords),
        ContractCheck("history.begunBetweenChanges", begunBetweenChanges),
        ContractCheck("history.oneNumberForATransaction", oneNumberForATransaction),
        ContractCheck("history.whatWasNeverThere", whatWasNeverThere),
        ContractCheck("history.equalKeys", equalKeys),
        ContractCheck("history.keyChanges", keyChanges),
        ContractCheck("history.pages", pages),
        ContractCheck("history.horizon", horizon),
        ContractCheck("history.writers", writers),
        ContractCheck("history.fingerprint", fingerprint),
    ]

    /// The origins of changes; the history does not distinguish them.
    private static let origins: [ChangeSet.Origin] = [.local, .remote, .agreed]

    /// Makes a store that keeps a history, with entities for notes, drafts and tags.
    private static func store(_ trial: Trial, keepsHistory: Bool = true) async throws -> TestStore {
        let store = try await trial.store {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("stars", .integer)
                Relationship("tags", toMany: "Tag", deleteRule: .cascade)
            }
            Entity("Tag") { Attribute("name", .string, isPrimaryKey: true) }
            Entity("Draft", parent: "Note") { Attribute("text", .string) }
        }
        if keepsHistory { try await store.change { $0.keepHistory(true) } }
        return store
    }

    /// Returns the history after a number as text, such as `Note 2 #7`, or `Note 2 #7 by phone`.
    private static func history(
        _ store: TestStore, after sequence: Int64 = 0, limit: Int = 100
    ) async throws -> [String] {
        try await store.read { transaction in
            try transaction.history(after: sequence, limit: limit).map { entry in
                "\(entry.id.text) #\(entry.sequence)" + (entry.writer.map { " by \($0)" } ?? "")
            }
        }
    }

    /// Checks that each effective change has the next number, under the root's name, and that each record is listed
    /// once, where it was last changed.
    ///
    /// A second row for a record would make a device read it twice, and a missing number would make it read everything
    /// again.
    static func changes(_ trial: Trial) async throws {
        let store = try await store(trial)
        trial.expect("before any change", try await history(store), is: [])
        trial.expect("kept already", try await store.change { $0.keepHistory(true) }.isEmpty, is: true)
        try await store.put("Note", ["id": 3], ["id": 1], ["id": 2])
        try await store.put("Draft", ["id": 4], origin: .agreed)
        try await store.put("Tag", ["name": "a"], origin: .remote)
        trial.expect(
            "insertions in their order", try await history(store),
            is: ["Note 3 #1", "Note 1 #2", "Note 2 #3", "Note 4 #4", "Tag a #5"])
        try await store.update("Draft", 4, ["text": "x"])
        try await store.delete("Note", 1)
        try await store.put("Note", ["id": 3])
        try await store.change { $0.setMetadata("a", "b") }
        trial.expect(
            "an update and a deletion", try await history(store, after: 4),
            is: ["Tag a #5", "Note 4 #6", "Note 1 #7"])
        try await store.put("Note", ["id": 1])
        trial.expect(
            "inserted again", try await history(store, after: 3), is: ["Tag a #5", "Note 4 #6", "Note 1 #8"])
        let (last, changed, never) = try await store.read { transaction in
            try (
                transaction.historySequence, transaction.lastChange(of: RecordID("Draft", 4)),
                transaction.lastChange(of: RecordID("Note", 9))
            )
        }
        trial.expect("the last number", last, is: 8)
        trial.expect("the last change of a draft", changed.map { "\($0.id.text) #\($0.sequence)" }, is: "Note 4 #6")
        trial.expect("the last change of no record", never, is: nil)
    }

    /// Checks that links and the consequences of delete rules have numbers of their own.
    ///
    /// A device that reads the history must be able to delete them without knowing the rules.
    static func cascade(_ trial: Trial) async throws {
        let store = try await store(trial)
        try await store.put("Note", ["id": 1])
        try await store.put("Tag", ["name": "a"])
        try await store.change { $0.link(RecordID("Note", 1), "tags", to: "a") }
        trial.expect("a link", try await history(store, after: 2), is: ["sync.links.Note.tags [1, a] #3"])
        try await store.delete("Note", 1)
        let entries = try await store.read { try $0.history(after: 3, limit: 9) }
        trial.expect("the numbers of a cascade", entries.map(\.sequence), is: [4, 5, 6])
        trial.expect(
            "the records of a cascade", Set(entries.map(\.id.text)),
            is: ["Note 1", "Tag a", "sync.links.Note.tags [1, a]"])
        let isDeleted = try await store.read { transaction in
            try entries.allSatisfy { try transaction.record($0.id) == nil }
        }
        trial.expect("whether they are tombstones", isDeleted, is: true)
    }

    /// Checks that a store keeps no history unless told to, and that its numbers never go back.
    ///
    /// A number that is used again would hide a change from a device that has seen it.
    static func notKept(_ trial: Trial) async throws {
        let store = try await store(trial, keepsHistory: false)
        try await store.put("Note", ["id": 1], ["id": 2], ["id": 3])
        try await store.delete("Note", 1)
        func rows() async throws -> Int { try await store.read { try $0.count(Query("sync.history")) } }
        trial.expect("rows that are not kept", try await rows(), is: 0)
        trial.expect("a history that is not kept", try await history(store), is: [])
        trial.expect("whether one is kept", try await store.read { try $0.keepsHistory }, is: false)
        trial.expect("its fingerprint", try await store.read { try $0.fingerprint() }, is: nil)
        try await store.change { $0.keepHistory(true) }
        trial.expect("existing records", try await history(store), is: ["Note 2 #1", "Note 3 #2"])
        trial.expect("the first horizon", try await store.read { try $0.historyHorizon }, is: 0)
        try await store.delete("Note", 2)
        try await store.change { $0.keepHistory(false) }
        try await store.put("Note", ["id": 4])
        trial.expect("rows that are no longer kept", try await rows(), is: 0)
        trial.expect("the fingerprint then", try await store.read { try $0.fingerprint() }, is: nil)
        try await store.change { $0.keepHistory(true) }
        trial.expect("kept again", try await history(store), is: ["Note 3 #4", "Note 4 #5"])
        trial.expect("the horizon then", try await store.read { try $0.historyHorizon }, is: 3)
    }

    /// Checks that the history begins with all existing records, those first to which others refer.
    ///
    /// A device that begins with an empty store can then store each record when it reads it, because its references are
    /// there. References that need not lead to a record do not count.
    ///
    /// Look at the order of `forEach` without a sort key: the order of insertion.
    static func existingRecords(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("File") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("folder", to: "Folder")
                Relationship("tags", toMany: "Tag")
            }
            Entity("Folder") { Attribute("id", .integer, isPrimaryKey: true) }
            Entity("Tag") { Attribute("name", .string, isPrimaryKey: true) }
        }
        try await store.put("Folder", ["id": 1])
        try await store.put("File", ["id": 2, "folder": 1], ["id": 1, "folder": 1])
        try await store.put("Tag", ["name": "a"])
        try await store.change { $0.link(RecordID("File", 1), "tags", to: "a") }
        try await store.change { $0.keepHistory(true) }
        trial.expect(
            "the first history", try await history(store),
            is: ["Folder 1 #1", "File 2 #2", "File 1 #3", "Tag a #4", "sync.links.File.tags [1, a] #5"])
    }

    /// Checks that a history which begins between changes of one transaction has all records, and no others.
    ///
    /// The records that exist at that moment are listed, with the changes that the transaction has made before.
    ///
    /// Look at whether `forEach` includes the rows that the same transaction has inserted.
    static func begunBetweenChanges(_ trial: Trial) async throws {
        let store = try await store(trial, keepsHistory: false)
        try await store.put("Note", ["id": 1], ["id": 2], ["id": 3])
        try await store.change {
            $0.delete(RecordID("Note", 1))
            $0.update(RecordID("Note", 2), ["stars": 1])
            $0.delete(RecordID("Note", 3))
            $0.put(store.make("Note", ["id": 8]))
            $0.put(store.make("Note", ["id": 9]))
            $0.keepHistory(true)
            $0.put(store.make("Note", ["id": 3]))
            $0.update(RecordID("Note", 2), ["stars": nil])
            $0.delete(RecordID("Note", 9))
        }
        let (entries, last) = try await store.read { try ($0.history(after: 0, limit: 9), $0.historySequence) }
        trial.expect(
            "the records", Set(entries.map(\.id.text)), is: ["Note 1", "Note 2", "Note 3", "Note 8"])
        trial.expect("how many", entries.count, is: 4)
        trial.expect("the last number", entries.last?.sequence, is: last)
        let counted = try await store.read { try StoreFingerprint(ofAllIn: $0) }
        trial.expect("the fingerprint", try await store.read { try $0.fingerprint() }, is: counted)
    }

    /// Checks that a record that a transaction changes several times has one number.
    ///
    /// The number is that of the last change, so that a page which ends between the changes is consistent.
    static func oneNumberForATransaction(_ trial: Trial) async throws {
        let store = try await store(trial)
        try await store.put("Note", ["id": 1])
        try await store.adapter.write { transaction in
            for stars in [1, 2, 3] as [Value] {
                try transaction.change {
                    $0.update(RecordID("Note", 1), ["stars": stars])
                    $0.put(store.make("Note", ["id": 2, "stars": stars]))
                }
            }
        }
        trial.expect("numbers", try await history(store), is: ["Note 1 #2", "Note 2 #3"])
    }

    /// Checks that a transaction whose changes cancel out leaves no trace, for every origin.
    ///
    /// Otherwise a device would receive a deletion of a record that it never had.
    static func whatWasNeverThere(_ trial: Trial) async throws {
        let store = try await store(trial)
        try await store.put("Note", ["id": 1], ["id": 2], origin: .agreed)
        try await store.delete("Note", 2, origin: .agreed)
        let before = try await store.dump()
        for origin in origins {
            let commit = try await store.change(origin: origin) {
                $0.put(store.make("Note", ["id": 9]))
                $0.update(RecordID("Note", 1), ["stars": 1])
                $0.put(store.make("Note", ["id": 2]))
                $0.delete(RecordID("Note", 9))
                $0.update(RecordID("Note", 1), ["stars": nil])
                $0.delete(RecordID("Note", 2))
            }
            trial.expect("changes (\(origin))", commit.changes.count, is: 0)
            for name in ["sync.history", "sync.metadata"] {
                trial.expect(
                    "\(name) (\(origin))",
                    try await store.dump().records[name]?.filter { $0["name"] != "sync.sequence" },
                    is: before.records[name]?.filter { $0["name"] != "sync.sequence" })
            }
        }
    }

    /// Checks that the keys 0.0 and -0.0 have one entry, because they are equal.
    ///
    /// Two rows for one record would give it two numbers, and one of them would never be removed.
    ///
    /// Look at the text form of keys, in which both zeros must be alike.
    static func equalKeys(_ trial: Trial) async throws {
        let store = try await trial.store { Entity("Point") { Attribute("x", .double, isPrimaryKey: true) } }
        try await store.change { $0.keepHistory(true) }
        try await store.put("Point", ["x": -0.0])
        try await store.delete("Point", 0.0)
        try await store.put("Point", ["x": 0.0])
        trial.expect("how many entries", try await history(store).count, is: 1)
        let last = try await store.read { try $0.lastChange(of: RecordID("Point", -0.0)) }
        trial.expect("the number of the last change", last?.sequence, is: 3)
    }

    /// Checks that a changed key is a deletion under the old key and an insertion under the new one.
    ///
    /// A device that has the record under the old key must delete it there.
    static func keyChanges(_ trial: Trial) async throws {
        for origin in origins {
            let store = try await store(trial)
            try await store.put("Note", ["id": 1], origin: .agreed)
            try await store.put("Tag", ["name": "a"], origin: .agreed)
            try await store.change(origin: .agreed) { $0.link(RecordID("Note", 1), "tags", to: "a") }
            try await store.adapter.write { transaction in
                _ = try transaction.changeKey(of: RecordID("Note", 1), to: 7, origin: origin)
            }
            let (entries, deleted) = try await store.read { transaction in
                let entries = try transaction.history(after: 3, limit: 9)
                return (entries, try entries.filter { try transaction.record($0.id) == nil })
            }
            let links = "sync.links.Note.tags"
            trial.expect(
                "changed records (\(origin))", entries.map(\.id.text).sorted(),
                is: ["Note 1", "Note 7", "\(links) [1, a]", "\(links) [7, a]"])
            trial.expect(
                "deleted ones (\(origin))", deleted.map(\.id.text).sorted(), is: ["Note 1", "\(links) [1, a]"])
        }
    }

    /// Checks that pages of any size make up the whole history, also where numbers are missing.
    ///
    /// A page ends at a number. The next one begins after it, even if the row of that number was replaced meanwhile.
    ///
    /// Look at ranges with two ends on an integer column, with a limit.
    static func pages(_ trial: Trial) async throws {
        let store = try await store(trial)
        try await store.put("Note", rows: (0..<40 as Range<Int64>).map { ["id": .integer($0)] })
        for stars in 1...9 as ClosedRange<Int64> {
            try await store.change { changes in
                for id in 0..<40 as Range<Int64> where id % 3 != 0 {
                    changes.update(RecordID("Note", .integer(id)), ["stars": .integer(stars)])
                }
            }
        }
        let whole = try await history(store)
        trial.expect("how many entries", whole.count, is: 40)
        for limit in [1, 7, 40, 41, Int.max] {
            let found = try await store.read { transaction in
                var found: [HistoryEntry] = []
                while true {
                    let page = try transaction.history(after: found.last?.sequence ?? 0, limit: limit)
                    if page.isEmpty { return found }
                    found += page
                }
            }
            trial.expect("pages of \(limit)", found.map { "\($0.id.text) #\($0.sequence)" }, is: whole)
        }
        trial.expect("a limit of 0", try await history(store, limit: 0), is: [])
        trial.expect("a negative limit", try await history(store, limit: -1), is: [])
        trial.expect("after a negative number", try await history(store, after: .min), is: whole)
        trial.expect("after all numbers", try await history(store, after: .max), is: [])
    }

    /// Checks that only deleted records are removed from the history, and that the horizon never moves back or beyond
    /// the last number.
    ///
    /// A device with a number before the horizon may have missed a deletion, and must compare its whole store.
    static func horizon(_ trial: Trial) async throws {
        let store = try await store(trial)
        try await store.put("Note", ["id": 1], ["id": 2], ["id": 3])
        try await store.delete("Note", 1)
        try await store.delete("Note", 2)
        func horizon() async throws -> Int64 { try await store.read { try $0.historyHorizon } }
        try await store.change { $0.forgetHistory(through: 4) }
        trial.expect("the rest", try await history(store), is: ["Note 3 #3", "Note 2 #5"])
        trial.expect("the horizon", try await horizon(), is: 4)
        for number in [0, -1, .min] as [Int64] { try await store.change { $0.forgetHistory(through: number) } }
        trial.expect("the horizon after smaller numbers", try await horizon(), is: 4)
        try await store.change { $0.forgetHistory(through: .max) }
        trial.expect("the rest after all numbers", try await history(store), is: ["Note 3 #3"])
        trial.expect("the horizon after all numbers", try await horizon(), is: 5)
        try await store.delete("Note", 3)
        trial.expect("a later change", try await history(store), is: ["Note 3 #6"])
        trial.expect("the horizon after it", try await horizon(), is: 5)
    }

    /// Checks that the history names the writer of the stated records, and of no later change.
    ///
    /// A device skips its own changes by the writer. A wrong name would hide the change of another device from it.
    static func writers(_ trial: Trial) async throws {
        let store = try await store(trial)
        let phone = "phone '\"\u{0}\u{1F468}"
        try await store.adapter.write { transaction in
            try transaction.setHistoryWriter(
                phone, of: [RecordID("Draft", 1), RecordID("Tag", "b"), RecordID("Note", 5)])
            try transaction.change(origin: .agreed) {
                $0.put(store.make("Draft", ["id": 1]))
                $0.put(store.make("Note", ["id": 2]))
                $0.put(store.make("Tag", ["name": "b"]))
            }
        }
        trial.expect(
            "writers", try await history(store), is: ["Note 1 #1 by \(phone)", "Note 2 #2", "Tag b #3 by \(phone)"])
        try await store.delete("Tag", "b")
        try await store.put("Note", ["id": 5])
        trial.expect(
            "the writer of a later change", try await history(store, after: 1),
            is: ["Note 2 #2", "Tag b #4", "Note 5 #5"])
    }

    /// Checks that the fingerprint is that of the contents after each change, also within a transaction and after one
    /// that fails.
    ///
    /// Two stores are compared by their fingerprints. One that is kept wrongly would report a difference forever, or
    /// hide one.
    ///
    /// Look at reads of one row that is replaced often within a transaction: each read returns the last version.
    static func fingerprint(_ trial: Trial) async throws {
        let (store, other) = (try await store(trial), try await store(trial, keepsHistory: false))
        func check(_ subject: String) async throws {
            let (kept, counted) = try await store.read { try ($0.fingerprint(), StoreFingerprint(ofAllIn: $0)) }
            trial.expect(subject, kept, is: counted)
        }
        trial.expect("of an empty store", try await store.read { try $0.fingerprint() }, is: StoreFingerprint())
        try await store.put("Note", ["id": 1, "stars": 1], ["id": 2])
        try await store.put("Draft", ["id": 3, "text": "x"], origin: .remote)
        try await check("after insertions")
        try await store.put("Tag", ["name": "a"])
        try await store.change { $0.link(RecordID("Note", 1), "tags", to: "a") }
        try await check("with a link")
        try await store.update("Note", 1, ["stars": 2], origin: .agreed)
        try await store.delete("Note", 2)
        try await check("after an update and a deletion")
        let within = try await store.adapter.write { transaction in
            try transaction.change {
                $0.put(store.make("Note", ["id": 9]))
                $0.delete(RecordID("Note", 1))
            }
            return try (kept: transaction.fingerprint(), counted: StoreFingerprint(ofAllIn: transaction))
        }.result
        trial.expect("within a transaction", within.kept, is: within.counted)
        try await check("after a cascade")
        await trial.expectError(.missingRecord, "a failing change") { try await store.update("Note", 77, [:]) }
        try await check("after a failing change")
        try await other.put("Note", ["id": 9])
        try await other.put("Draft", ["id": 3, "text": "x"])
        try await other.change { $0.keepHistory(true) }
        let equal = try await other.read { try $0.fingerprint() }
        trial.expect("of equal contents", try await store.read { try $0.fingerprint() }, is: equal)
    }
}
