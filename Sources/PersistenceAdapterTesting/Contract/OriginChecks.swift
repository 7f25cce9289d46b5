import DifferentialSync
import SyncPersistence

/// Checks of the origins of changes.
///
/// A remote change must never overwrite a local one, and neither may be lost.
///
/// A change comes from the app, from the remote, or is agreed by both. The origin decides what happens to record,
/// shadow and conflict; an adapter never sees it.
///
/// If only checks of this topic fail, entries of the journal are read or written wrongly: see those of `JournalChecks`
/// first.
enum OriginChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("origins.remoteOnUnchanged", remoteOnUnchanged),
        ContractCheck("origins.remoteMeetsLocal", remoteMeetsLocal),
        ContractCheck("origins.remotePartMeetsLocal", remotePartMeetsLocal),
        ContractCheck("origins.remoteAgreesWithLocal", remoteAgreesWithLocal),
        ContractCheck("origins.remoteSaysTheBase", remoteSaysTheBase),
        ContractCheck("origins.remoteInsertionMeetsLocal", remoteInsertionMeetsLocal),
        ContractCheck("origins.remoteDeletion", remoteDeletion),
        ContractCheck("origins.remoteDeletionOfOthersBase", remoteDeletionOfOthersBase),
        ContractCheck("origins.remoteExact", remoteExact),
        ContractCheck("origins.agreed", agreed),
        ContractCheck("origins.consequencesForLocalChanges", consequencesForLocalChanges),
    ]

    /// Checks that remote changes of unchanged records change records and shadow, and leave the journal empty.
    ///
    /// Otherwise they would be sent back to the remote.
    ///
    /// Look at `put` without `insertEntry`: the adapter must add no entry by itself.
    static func remoteOnUnchanged(_ trial: Trial) async throws {
        let store = try await JournalChecks.notes(trial)
        let commit = try await store.change(origin: .remote) {
            $0.put(store.make("Note", ["id": 4]))
            $0.update(RecordID("Note", 1), ["text": "A"])
            $0.delete(RecordID("Note", 2))
        }
        trial.expect("a commit", commit.summary, is: ["+Note 4", "-Note 2", "Note 1: text"])
        trial.expect("origins", Set(commit.changes.map(\.origin)), is: [.remote])
        trial.expect("what is held back", commit.heldBack, is: [])
        trial.expect("the journal", try await JournalChecks.journal(store), is: [])
        let shadow = try await store.read { try $0.shadow(RecordID("Note", 1)) }
        trial.expect("the shadow", shadow, is: store.make("Note", ["id": 1, "text": "A"]))
    }

    /// Checks that a record with a local change keeps it, and that the remote's version is kept in the journal.
    ///
    /// Otherwise the next cycle could not detect the conflict.
    ///
    /// Look at the columns of an entry for the remote's version, beside those of the base.
    static func remoteMeetsLocal(_ trial: Trial) async throws {
        let store = try await JournalChecks.notes(trial)
        try await store.update("Note", 1, ["text": "local"])
        let remote = store.make("Note", ["id": 1, "text": "remote"])
        let base = store.make("Note", ["id": 1, "text": "a"])
        let id = RecordID("Note", 1)
        let commit = try await store.change(origin: .remote) { $0.put(remote) }
        trial.expect("what is held back", commit.heldBack, is: [id])
        trial.expect("what has changed", commit.summary, is: [])
        trial.expect("whether the commit is empty", commit.isEmpty, is: false)
        trial.expect("the record", try await store.value("Note", 1, "text"), is: "local")
        trial.expect(
            "the entry", try await store.entry("Note", 1),
            is: JournalEntry(id: id, base: base, isUnresolved: true, remote: remote))
        // A later local edit keeps the remote's version, even if it returns to the base.
        try await store.update("Note", 1, ["text": "a"])
        trial.expect("the entry after an edit", try await store.entry("Note", 1)?.remote, is: remote)
        try await store.change(origin: .agreed) { $0.put(remote) }
        trial.expect("the entry after an agreement", try await store.entry("Note", 1), is: nil)
        trial.expect("the record after it", try await store.record("Note", 1), is: remote)
    }

    /// Checks that partial remote updates apply to the remote's version, not to the locally edited record.
    ///
    /// Otherwise local edits would pass for the remote's.
    ///
    /// Look at images: each slot of an entry is stored and read as exactly as that of a record.
    static func remotePartMeetsLocal(_ trial: Trial) async throws {
        let store = try await JournalChecks.notes(trial)
        try await store.update("Note", 1, ["text": "local"])
        try await store.update("Note", 1, ["stars": 5], origin: .remote)
        trial.expect(
            "what the remote holds, without the local edit", try await store.entry("Note", 1)?.remote,
            is: store.make("Note", ["id": 1, "text": "a", "stars": 5]))
        try await store.update("Note", 1, ["text": "remote"], origin: .remote)
        trial.expect(
            "what it holds after a second update", try await store.entry("Note", 1)?.remote,
            is: store.make("Note", ["id": 1, "text": "remote", "stars": 5]))
        try await store.delete("Note", 2)
        try await store.update("Note", 2, ["stars": 7], origin: .remote)
        trial.expect(
            "what it holds of one that was deleted here", try await store.entry("Note", 2)?.remote,
            is: store.make("Note", ["id": 2, "text": "b", "stars": 7]))
        try await store.put("Note", ["id": 8, "text": "local"])
        try await store.update("Note", 8, ["stars": 1], origin: .remote)
        trial.expect(
            "what it holds of one that was new here", try await store.entry("Note", 8)?.remote,
            is: store.make("Note", ["id": 8, "text": "local", "stars": 1]))
        await trial.expectError(.missingRecord, "an update of what is nowhere") {
            try await store.update("Note", 9, ["stars": 1], origin: .remote)
        }
    }

    /// Checks that equal changes at both ends resolve each other: no conflict, and no journal entry.
    ///
    /// Otherwise a user would be asked about a conflict between equal values.
    ///
    /// Look at the equality of records: equal values of any type must be equal after they were stored.
    static func remoteAgreesWithLocal(_ trial: Trial) async throws {
        let store = try await JournalChecks.notes(trial)
        try await store.update("Note", 1, ["text": "same"])
        try await store.put("Note", ["id": 4, "text": "same"])
        try await store.delete("Note", 2)
        let commit = try await store.change(origin: .remote) {
            $0.put(store.make("Note", ["id": 1, "text": "same"]))
            $0.put(store.make("Note", ["id": 4, "text": "same"]))
            $0.delete(RecordID("Note", 2))
        }
        trial.expect("what is held back", commit.heldBack, is: [])
        trial.expect("what has changed", commit.summary, is: [])
        trial.expect("the journal", try await JournalChecks.journal(store), is: [])
    }

    /// Checks that a remote change back to the base leaves the local change, and resolves the conflict.
    ///
    /// The remote has withdrawn its change, so only the local one remains.
    ///
    /// Look at flags of an entry that change without another image.
    static func remoteSaysTheBase(_ trial: Trial) async throws {
        let store = try await JournalChecks.notes(trial)
        try await store.update("Note", 1, ["text": "local"])
        let commit = try await store.put("Note", ["id": 1, "text": "a"], origin: .remote)
        trial.expect("what is held back", commit.heldBack, is: [])
        trial.expect("whether it is unresolved", try await store.entry("Note", 1)?.isUnresolved, is: false)
        // The remote reverts its change, so the conflict is resolved.
        try await store.put("Note", ["id": 1, "text": "remote"], origin: .remote)
        try await store.put("Note", ["id": 1, "text": "a"], origin: .remote)
        trial.expect("whether it is unresolved after all", try await store.entry("Note", 1)?.isUnresolved, is: false)
        trial.expect("the record", try await store.value("Note", 1, "text"), is: "local")
    }

    /// Checks that a remote insertion conflicts with a local one of the same key.
    ///
    /// A record that was deleted locally stays deleted, with the remote's version in the journal.
    ///
    /// Look at entries of records that do not exist, which some adapters store beside the record's row.
    static func remoteInsertionMeetsLocal(_ trial: Trial) async throws {
        let store = try await JournalChecks.notes(trial)
        try await store.put("Note", ["id": 4, "text": "local"])
        let remote = store.make("Note", ["id": 4, "text": "remote"])
        let commit = try await store.change(origin: .remote) { $0.put(remote) }
        trial.expect("what is held back", commit.heldBack, is: [RecordID("Note", 4)])
        trial.expect(
            "the entry", try await store.entry("Note", 4),
            is: JournalEntry(id: RecordID("Note", 4), base: nil, isUnresolved: true, remote: remote))
        try await store.delete("Note", 1)
        try await store.put("Note", ["id": 1, "text": "remote"], origin: .remote)
        trial.expect("a change of what was deleted here", try await store.record("Note", 1), is: nil)
        trial.expect("what is noted of it", try await store.entry("Note", 1)?.remote?["text"], is: "remote")
    }

    /// Makes a store with two users and four posts, all agreed with the remote.
    ///
    /// Any later entry of the journal is therefore that of a change which the check has made.
    ///
    /// Posts are deleted with their author and with the post that they reply to.
    private static func users(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.store {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade)
            }
            Entity("Post") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("author", to: "User", inverse: "posts")
                Relationship("editor", to: "User")
                Relationship("replies", toMany: "Post", inverse: "original", deleteRule: .cascade)
                Relationship("original", to: "Post", inverse: "replies")
            }
        }
        try await store.put("User", ["id": 1], ["id": 2], origin: .agreed)
        try await store.put(
            "Post", ["id": 1, "author": 1], ["id": 2, "original": 1], ["id": 3, "editor": 1], ["id": 4, "editor": 2],
            origin: .agreed)
        return store
    }

    /// Checks that a remote deletion waits if it would delete a record with a local change, at any depth of a cascade.
    ///
    /// Otherwise the edit would be lost.
    ///
    /// Look at the journal while a cascade is followed: each dependent record's entry is looked up.
    static func remoteDeletion(_ trial: Trial) async throws {
        let store = try await users(trial)
        try await store.update("Post", 2, ["text": "local"])
        let commit = try await store.delete("User", 1, origin: .remote)
        trial.expect("what is held back", commit.heldBack, is: [RecordID("User", 1)])
        trial.expect("what has changed", commit.summary, is: [])
        trial.expect("the posts", try await store.keys("Post"), is: [1, 2, 3, 4])
        let user = store.make("User", ["id": 1])
        trial.expect(
            "the entry", try await store.entry("User", 1),
            is: JournalEntry(id: RecordID("User", 1), base: user, isUnresolved: true, remote: nil))
        try await store.put("Post", ["id": 2, "original": 1], origin: .local)
        let second = try await store.delete("Post", 1, origin: .remote)
        trial.expect(
            "without local changes", second.summary, is: ["-Post 1", "-Post 2 (consequence)"])
        try await store.update("Post", 4, ["text": "local"])
        let third = try await store.delete("Post", 4, origin: .remote)
        trial.expect("a record with a local change", third.heldBack, is: [RecordID("Post", 4)])
        trial.expect("what the remote holds of it", try await store.entry("Post", 4)?.remote, is: nil)
        trial.expect("whether it is unresolved", try await store.entry("Post", 4)?.isUnresolved, is: true)
    }

    /// Checks that a record that was deleted at both ends leaves no journal entry.
    ///
    /// A remote deletion of an unknown record changes nothing.
    ///
    /// Look at `remove` of a key that has neither a record nor an entry.
    static func remoteDeletionOfOthersBase(_ trial: Trial) async throws {
        let store = try await users(trial)
        try await store.delete("Post", 4)
        let both = try await store.delete("Post", 4, origin: .remote)
        trial.expect("deleted at both ends", both.heldBack, is: [])
        trial.expect("the journal", try await JournalChecks.journal(store, "Post"), is: [])
        try await store.put("Post", ["id": 9])
        let none = try await store.delete("Post", 8, origin: .remote)
        trial.expect("of what is nowhere", none.isEmpty, is: true)
    }

    /// Checks that exact remote changes are compared with the remote's version of a record, not with the local one.
    ///
    /// A change of another version throws `.mismatch`.
    ///
    /// Look at images of every type, with which the expected version is compared.
    static func remoteExact(_ trial: Trial) async throws {
        let store = try await JournalChecks.notes(trial)
        try await store.update("Note", 1, ["text": "local"])
        let base = store.make("Note", ["id": 1, "text": "a"])
        let remote = store.make("Note", ["id": 1, "text": "remote"])
        let commit = try await store.change(origin: .remote) { $0.add(.exact(.replace(old: base, new: remote))) }
        trial.expect("a change of the shadow", commit.heldBack, is: [RecordID("Note", 1)])
        let next = store.make("Note", ["id": 1, "text": "next"])
        try await store.change(origin: .remote) { $0.add(.exact(.replace(old: remote, new: next))) }
        trial.expect("a change of what was held back", try await store.entry("Note", 1)?.remote, is: next)
        await trial.expectError(.mismatch, "a change of what the remote does not hold") {
            try await store.change(origin: .remote) {
                $0.add(.exact(.replace(old: remote, new: store.make("Note", ["id": 1]))))
            }
        }
    }

    /// Checks that an agreed change overwrites local changes and conflicts, and clears the journal.
    ///
    /// A cycle applies its result this way.
    ///
    /// Look at `removeResolvedEntries`, if the adapter implements it: it removes all but unresolved entries.
    static func agreed(_ trial: Trial) async throws {
        let store = try await JournalChecks.notes(trial)
        try await store.update("Note", 1, ["text": "local"])
        try await store.put("Note", ["id": 4])
        try await store.delete("Note", 2)
        try await store.update("Note", 3, ["text": "local"])
        try await store.put("Note", ["id": 3, "text": "remote"], origin: .remote)
        let commit = try await store.change(origin: .agreed) {
            $0.put(store.make("Note", ["id": 1, "text": "local"]))
            $0.put(store.make("Note", ["id": 4, "text": "agreed"]))
            $0.delete(RecordID("Note", 2))
            $0.delete(RecordID("Note", 3))
        }
        trial.expect("what has changed", commit.summary, is: ["-Note 3", "Note 4: text"])
        trial.expect("origins", Set(commit.changes.map(\.origin)), is: [.agreed])
        trial.expect("the journal", try await JournalChecks.journal(store), is: [])
        trial.expect("the records", try await store.keys("Note"), is: [1, 4])
    }

    /// Checks that consequences of a deletion for a record with a local change keep that change and its base.
    ///
    /// Consequences of an agreed deletion are local changes, to be sent.
    ///
    /// Look at `put` of an existing entry by a consequence: its base is kept.
    static func consequencesForLocalChanges(_ trial: Trial) async throws {
        for origin in [ChangeSet.Origin.remote, .agreed] {
            let store = try await users(trial)
            try await store.update("Post", 3, ["text": "local"])
            try await store.delete("User", 2, origin: origin)
            // A cycle agrees on one entity. Consequences for another entity must still be sent.
            trial.expect(
                "the journal of what has none (\(origin))", try await store.entry("Post", 4)?.base,
                is: origin == .remote ? nil : store.make("Post", ["id": 4, "editor": 2]))
            try await store.update("Post", 2, ["original": .null])
            try await store.delete("User", 1, origin: origin)
            trial.expect(
                "the record with a local change (\(origin))", try await store.record("Post", 3),
                is: store.make("Post", ["id": 3, "text": "local"]))
            trial.expect(
                "its entry (\(origin))", try await store.entry("Post", 3)?.base,
                is: store.make("Post", ["id": 3, "editor": 1]))
        }
    }
}
