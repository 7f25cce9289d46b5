import SyncPersistence

/// Checks of tombstones and of metadata.
enum NoteChecks {
    static let all = [
        ContractCheck("tombstones.deletions", deletions),
        ContractCheck("tombstones.notKept", notKept),
        ContractCheck("tombstones.whatWasNeverThere", whatWasNeverThere),
        ContractCheck("tombstones.equalKeys", equalKeys),
        ContractCheck("tombstones.horizon", horizon),
        ContractCheck("metadata.setAndForget", setAndForget),
        ContractCheck("metadata.setToTheSame", setToTheSame),
    ]

    /// Makes a store that keeps tombstones, with notes, a draft and a tag.
    private static func store(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.store {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tags", toMany: "Tag", deleteRule: .cascade)
            }
            Entity("Tag") { Attribute("name", .string, isPrimaryKey: true) }
            Entity("Draft", parent: "Note") { Attribute("text", .string) }
        }
        try await store.change { $0.add(.keepTombstones(true)) }
        try await store.put("Note", ["id": 1], ["id": 2], ["id": 3])
        try await store.put("Draft", ["id": 4])
        try await store.put("Tag", ["name": "a"])
        return store
    }

    /// Returns the tombstones after a commit as text, such as `Note 2 at 7`; nil if the store no longer has all of
    /// them.
    private static func tombstones(_ store: TestStore, since sequence: Int64) async throws -> [String]? {
        try await store.read { try $0.tombstones(since: sequence) }?.map { "\($0.id.text) at \($0.sequence)" }
    }

    /// Checks that each deletion leaves a tombstone with its commit's number, including links and cascades.
    ///
    /// A record that is stored again has none, or another device would delete it.
    static func deletions(_ trial: Trial) async throws {
        let store = try await store(trial)
        let start = try await store.read { try $0.sequence }
        trial.expect("before any deletion", try await tombstones(store, since: 0), is: [])
        trial.expect("kept already", try await store.change { $0.add(.keepTombstones(true)) }.isEmpty, is: true)
        let first = try await store.delete("Note", 2).sequence
        let second = try await store.delete("Draft", 4).sequence
        trial.expect(
            "deletions in their order, under the topmost entity", try await tombstones(store, since: start),
            is: ["Note 2 at \(first)", "Note 4 at \(second)"])
        trial.expect("later ones", try await tombstones(store, since: first), is: ["Note 4 at \(second)"])
        trial.expect("since the last", try await tombstones(store, since: second), is: [])
        try await store.put("Note", ["id": 2])
        trial.expect("of what is there again", try await tombstones(store, since: start), is: ["Note 4 at \(second)"])
        let third = try await store.delete("Note", 2).sequence
        trial.expect(
            "deleted again", try await tombstones(store, since: start),
            is: ["Note 4 at \(second)", "Note 2 at \(third)"])
        try await store.change { $0.link(RecordID("Note", 1), "tags", to: "a") }
        let cascade = try await store.delete("Note", 1).sequence
        trial.expect(
            "what went with it", Set(try await tombstones(store, since: third) ?? []),
            is: ["Note 1 at \(cascade)", "Tag a at \(cascade)", "sync.links.Note.tags [1, a] at \(cascade)"])
    }

    /// Checks that a store keeps no tombstones unless told to, and returns nil for the time before.
    ///
    /// An empty list would claim that nothing was deleted.
    static func notKept(_ trial: Trial) async throws {
        let store = try await trial.store { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        try await store.put("Note", ["id": 1], ["id": 2], ["id": 3])
        let first = try await store.delete("Note", 1).sequence
        trial.expect("a deletion that was not kept", try await tombstones(store, since: first - 1), is: nil)
        trial.expect("since the last commit", try await tombstones(store, since: first), is: [])
        trial.expect("what is stored of it", try await store.read { try $0.count(Query("sync.tombstones")) }, is: 0)
        try await store.change { $0.add(.keepTombstones(true)) }
        let second = try await store.delete("Note", 2).sequence
        trial.expect("before they were kept", try await tombstones(store, since: first - 1), is: nil)
        trial.expect("since they are kept", try await tombstones(store, since: first), is: ["Note 2 at \(second)"])
        try await store.change { $0.add(.keepTombstones(false)) }
        trial.expect("what was kept", try await store.read { try $0.count(Query("sync.tombstones")) }, is: 0)
        trial.expect("no longer kept", try await tombstones(store, since: first), is: nil)
        // The deletion precedes the operation that turns tombstones on, in the same commit.
        let third = try await store.change {
            $0.delete(RecordID("Note", 3))
            $0.add(.keepTombstones(true))
        }.sequence
        trial.expect("of the same commit", try await tombstones(store, since: third - 1), is: ["Note 3 at \(third)"])
        trial.expect("of the commit before", try await tombstones(store, since: third - 2), is: nil)
        trial.expect("since the same commit", try await tombstones(store, since: third), is: [])
    }

    /// Checks that a record that is inserted and deleted in one transaction leaves no trace, for every origin.
    static func whatWasNeverThere(_ trial: Trial) async throws {
        let store = try await store(trial)
        let before = try await store.dump()
        for origin in [ChangeSet.Origin.local, .remote, .agreed] {
            let commit = try await store.change(origin: origin) {
                $0.put(store.make("Note", ["id": 9]))
                $0.delete(RecordID("Note", 9))
            }
            trial.expect("a commit (\(origin))", commit.isEmpty, is: true)
            trial.expect("what is left (\(origin))", try await store.dump().differences(from: before), is: [])
        }
    }

    /// Checks that a record with the key 0.0 removes the tombstone of -0.0, because the two keys are equal.
    static func equalKeys(_ trial: Trial) async throws {
        let store = try await trial.store { Entity("Point") { Attribute("x", .double, isPrimaryKey: true) } }
        try await store.change { $0.add(.keepTombstones(true)) }
        try await store.put("Point", ["x": -0.0])
        try await store.delete("Point", 0.0)
        try await store.put("Point", ["x": 0.0])
        trial.expect("of what is there again under the other zero", try await tombstones(store, since: 0), is: [])
    }

    /// Checks that forgotten tombstones are never claimed again: for the time before the horizon, the result is nil.
    ///
    /// The horizon does not move back, nor beyond the last commit.
    static func horizon(_ trial: Trial) async throws {
        let store = try await store(trial)
        let first = try await store.delete("Note", 1).sequence
        let second = try await store.delete("Note", 2).sequence
        try await store.change { $0.add(.forgetTombstones(through: first)) }
        trial.expect("what is not forgotten", try await tombstones(store, since: first), is: ["Note 2 at \(second)"])
        trial.expect("before what is forgotten", try await tombstones(store, since: first - 1), is: nil)
        try await store.change { $0.add(.forgetTombstones(through: 0)) }
        trial.expect("a horizon does not go back", try await tombstones(store, since: first - 1), is: nil)
        try await store.change { $0.add(.forgetTombstones(through: .max)) }
        let third = try await store.delete("Note", 3).sequence
        trial.expect(
            "what comes after all is forgotten", try await tombstones(store, since: third - 1),
            is: ["Note 3 at \(third)"])
        trial.expect("all that was forgotten", try await tombstones(store, since: second - 1), is: nil)
    }

    /// Checks that metadata is set, replaced, removed and read in the same transaction, under any name.
    ///
    /// A change of metadata alone is a commit with its own number.
    static func setAndForget(_ trial: Trial) async throws {
        let store = try await store(trial)
        func metadata(_ name: String) async throws -> String? { try await store.read { try $0.metadata(name) } }
        trial.expect("what was never set", try await metadata("cursor"), is: nil)
        let before = try await store.read { try $0.sequence }
        let commit = try await store.change {
            $0.setMetadata("cursor", "42")
            $0.setMetadata("", "")
            $0.setMetadata("a'b\"c\n", "\u{0}\u{1F468}")
        }
        trial.expect("the names", commit.metadata, is: ["cursor", "", "a'b\"c\n"])
        trial.expect("whether the commit is empty", commit.isEmpty, is: false)
        trial.expect("whether it has a number of its own", commit.sequence > before, is: true)
        trial.expect("what was set", try await metadata("cursor"), is: "42")
        trial.expect("the empty text under the empty name", try await metadata(""), is: "")
        trial.expect("hostile text", try await metadata("a'b\"c\n"), is: "\u{0}\u{1F468}")
        try await store.change { $0.setMetadata("cursor", "43") }
        trial.expect("what was set anew", try await metadata("cursor"), is: "43")
        try await store.change { $0.setMetadata("cursor", nil) }
        trial.expect("what was forgotten", try await metadata("cursor"), is: nil)
        let read = try await store.adapter.write { transaction in
            var changes = ChangeSet()
            changes.setMetadata("cursor", "44")
            try transaction.apply(changes)
            return try transaction.metadata("cursor")
        }.result
        trial.expect("what is read in the same transaction", read, is: "44")
    }

    /// Checks that setting metadata to its present value is no commit.
    ///
    /// Otherwise observers would be called for nothing.
    static func setToTheSame(_ trial: Trial) async throws {
        let store = try await store(trial)
        try await store.change { $0.setMetadata("cursor", "42") }
        let before = try await store.dump()
        let commit = try await store.change {
            $0.setMetadata("cursor", "42")
            $0.setMetadata("other", nil)
        }
        trial.expect("whether the commit is empty", commit.isEmpty, is: true)
        trial.expect("what is stored", try await store.dump().differences(from: before), is: [])
    }
}
