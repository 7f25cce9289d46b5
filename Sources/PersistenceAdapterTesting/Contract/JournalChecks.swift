import DifferentialSync
import SyncPersistence

/// Checks that the journal has exactly the records that differ from the shadow.
///
/// The next cycle sends these, and no others.
///
/// The journal has one entry for each record that differs from the remote's version. It is written in the transaction
/// of the change.
///
/// An adapter stores entries as records of a shape of its own, or implements `insertEntry(_:key:of:in:)`,
/// `forEachEntry(in:of:_:)` and `removeResolvedEntries(_:in:of:)` faster. If a check of this topic fails, compare these
/// with their default implementations.
enum JournalChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("journal.localChanges", localChanges),
        ContractCheck("journal.firstImageStays", firstImageStays),
        ContractCheck("journal.backToTheBase", backToTheBase),
        ContractCheck("journal.diffs", diffs),
        ContractCheck("journal.consequences", consequences),
        ContractCheck("journal.links", links),
        ContractCheck("journal.inheritance", inheritance),
        ContractCheck("journal.setShadow", setShadow),
        ContractCheck("journal.setShadowOfOtherKeys", setShadowOfOtherKeys),
    ]

    /// Makes a store with three notes that are agreed with the remote.
    ///
    /// Other topics use it too.
    static func notes(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.notes(isIndexed: false)
        // Agreed changes become the shadow.
        try await store.put(
            "Note", ["id": 1, "text": "a"], ["id": 2, "text": "b"], ["id": 3, "text": "c"], origin: .agreed)
        return store
    }

    /// Returns the keys of the journal's entries, in the order of keys.
    ///
    /// An empty result means that records and shadow are the same, so that nothing would be sent.
    static func journal(_ store: TestStore, _ entity: String = "Note") async throws -> [Value] {
        try await store.read { try $0.journal(of: entity) }.map(\.id.key)
    }

    /// Checks that insertions, updates and deletions add entries with the shadow's image.
    ///
    /// Unchanged records have none.
    ///
    /// Look at `insertEntry`: the image is the record before the change, or nil for a new record.
    static func localChanges(_ trial: Trial) async throws {
        let store = try await notes(trial)
        trial.expect("the journal of what is agreed on", try await journal(store), is: [])
        try await store.update("Note", 3, ["text": "C"])
        try await store.put("Note", ["id": 4, "text": "d"])
        try await store.delete("Note", 1)
        trial.expect("the journal, sorted by key", try await journal(store), is: [1, 3, 4])
        trial.expect(
            "the base of an update", try await store.entry("Note", 3)?.base,
            is: store.make("Note", ["id": 3, "text": "c"]))
        trial.expect("the base of a new one", try await store.entry("Note", 4)?.base, is: nil)
        trial.expect(
            "the base of a deleted one", try await store.entry("Note", 1)?.base,
            is: store.make("Note", ["id": 1, "text": "a"]))
        trial.expect("what is not changed", try await store.entry("Note", 2) == nil, is: true)
        trial.expect("whether they are unresolved", try await store.entry("Note", 3)?.isUnresolved, is: false)
        let shadow = try await store.read { transaction in
            try (1...5).map { try transaction.shadow(RecordID("Note", .integer($0)))?["text"] }
        }
        trial.expect("the shadow", shadow, is: ["a", "b", "c", nil, nil])
    }

    /// Checks that later changes keep the first image as the base.
    ///
    /// A newer base would make the merge lose the remote's changes.
    ///
    /// Look at caches of entries: `record(_:in:)` must find an entry that `insertEntry` has stored.
    static func firstImageStays(_ trial: Trial) async throws {
        let store = try await notes(trial)
        let old = store.make("Note", ["id": 1, "text": "a"])
        try await store.update("Note", 1, ["text": "x"])
        try await store.update("Note", 1, ["stars": 1])
        trial.expect("the base after two updates", try await store.entry("Note", 1)?.base, is: old)
        try await store.delete("Note", 1)
        trial.expect("the base after a deletion", try await store.entry("Note", 1)?.base, is: old)
        try await store.put("Note", ["id": 1, "text": "y"])
        trial.expect("the base after storing anew", try await store.entry("Note", 1)?.base, is: old)
    }

    /// Checks that a record that is changed back leaves the journal, within one transaction or several.
    ///
    /// Otherwise it would be sent without need.
    ///
    /// Look at `remove` of journal entries, and at the equality of records with values of every type.
    static func backToTheBase(_ trial: Trial) async throws {
        let store = try await notes(trial)
        try await store.update("Note", 1, ["text": "x"])
        try await store.update("Note", 1, ["text": "a"])
        trial.expect("an edit and back", try await journal(store), is: [])
        try await store.delete("Note", 2)
        try await store.put("Note", ["id": 2, "text": "b"])
        trial.expect("a deletion and back", try await journal(store), is: [])
        try await store.put("Note", ["id": 9])
        try await store.delete("Note", 9)
        trial.expect("a new one that is deleted", try await journal(store), is: [])
        try await store.change {
            $0.put(store.make("Note", ["id": 9]))
            $0.update(RecordID("Note", 1), ["text": "x"])
            $0.delete(RecordID("Note", 9))
            $0.update(RecordID("Note", 1), ["text": "a"])
        }
        trial.expect("the same in one transaction", try await journal(store), is: [])
    }

    /// Checks that the local diff has all local changes, and the outgoing diff only those without an unresolved
    /// conflict.
    ///
    /// A change that is sent although it is in conflict would overwrite the remote's version.
    ///
    /// Look at queries of journals: their entities are ordinary shapes with an image of each slot.
    static func diffs(_ trial: Trial) async throws {
        let store = try await notes(trial)
        trial.expect("the diff of nothing", try await store.read { try $0.localDiff(of: "Note") } == nil, is: true)
        try await store.update("Note", 3, ["text": "C"])
        try await store.put("Note", ["id": 4, "text": "d"])
        try await store.delete("Note", 1)
        let expected = Diff<Record>([
            .delete(store.make("Note", ["id": 1, "text": "a"])),
            .replace(
                old: store.make("Note", ["id": 3, "text": "c"]), new: store.make("Note", ["id": 3, "text": "C"])),
            .add(store.make("Note", ["id": 4, "text": "d"])),
        ])
        trial.expect("the local diff", try await store.read { try $0.localDiff(of: "Note") }, is: expected)
        trial.expect("the outgoing diff", try await store.read { try $0.outgoingDiff(of: "Note") }, is: expected)
        try await store.put("Note", ["id": 3, "text": "c", "stars": 9], origin: .remote)
        let outgoing = try await store.read { try $0.outgoingDiff(of: "Note") }
        trial.expect("what is unresolved does not go out", outgoing?.counts, is: ChangeCounts(added: 1, deleted: 1))
        trial.expect("the local diff", try await store.read { try $0.localDiff(of: "Note") }, is: expected)
    }

    /// Checks that consequences of a local deletion are local changes with a base of their own.
    ///
    /// A remote that has other rules, or none, must receive them as changes.
    ///
    /// Look at `insertEntry` for records that are changed while others are read.
    static func consequences(_ trial: Trial) async throws {
        let store = try await trial.blog()
        try await store.put("User", ["id": 1], ["id": 2], origin: .agreed)
        try await store.put("Post", ["id": 1, "author": 1], origin: .agreed)
        try await store.delete("User", 1)
        trial.expect("who named a deleted one", try await journal(store, "Post"), is: [1])
        trial.expect("its base", try await store.entry("Post", 1)?.base?["author"], is: 1)
    }

    /// Checks that links have journal entries as records have, and that restored links leave the journal.
    ///
    /// Otherwise a pushed list would miss an element, or repeat one that was removed.
    ///
    /// Look at the journals of links, whose keys have two parts.
    static func links(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tags", toMany: "Tag")
            }
            Entity("Tag") { Attribute("id", .integer, isPrimaryKey: true) }
        }
        try await store.change(origin: .agreed) {
            $0.put(store.make("Note", ["id": 1]))
            $0.put(store.make("Tag", ["id": 1]))
            $0.put(store.make("Tag", ["id": 2]))
            $0.link(RecordID("Note", 1), "tags", to: 1)
        }
        let name = "sync.links.Note.tags"
        trial.expect("the journal of links that are agreed on", try await journal(store, name), is: [])
        try await store.change { $0.setLinks(RecordID("Note", 1), "tags", to: [2]) }
        let entries = try await store.read { try $0.journal(of: name) }
        trial.expect("the journal of links", entries.map(\.id.key), is: [[1, 1], [1, 2]])
        trial.expect("whether they were there", entries.map { $0.base != nil }, is: [true, false])
        try await store.change { $0.setLinks(RecordID("Note", 1), "tags", to: [1]) }
        trial.expect("links and back", try await journal(store, name), is: [])
    }

    /// Checks that an entry is found under every name of the hierarchy, and that its images keep their own entity.
    ///
    /// A record may change its entity.
    ///
    /// Look at the slots of a hierarchy's journal: it has an image of each slot of every entity.
    static func inheritance(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Animal") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
            }
            Entity("Cat", parent: "Animal") { Attribute("lives", .integer) }
        }
        try await store.put("Cat", ["id": 1, "name": "Tom", "lives": 9], origin: .agreed)
        try await store.update("Animal", 1, ["name": "Tim"])
        trial.expect("the journal of the parent", try await journal(store, "Animal"), is: [1])
        trial.expect("the journal of the child", try await journal(store, "Cat"), is: [1])
        let base = try await store.entry("Animal", 1)?.base
        trial.expect("the base", base, is: store.make("Cat", ["id": 1, "name": "Tom", "lives": 9]))
        // The remote's version of the cat is a plain animal.
        try await store.change(origin: .remote) { $0.put(store.make("Animal", ["id": 1, "name": "Tam"])) }
        let entry = try await store.entry("Cat", 1)
        trial.expect("the base after a remote's change", entry?.base, is: base)
        trial.expect("the remote's version", entry?.remote, is: store.make("Animal", ["id": 1, "name": "Tam"]))
        try await store.put("Cat", ["id": 2, "lives": 7], origin: .agreed)
        try await store.put("Animal", ["id": 2, "name": "Rex"])
        let second = try await store.entry("Animal", 2)?.base
        trial.expect("what it was", second, is: store.make("Cat", ["id": 2, "lives": 7]))
        let diff = try await store.read { try $0.localDiff(of: "Animal") }
        trial.expect("how many have changed", diff?.changes.count, is: 2)
        try await store.delete("Cat", 1)
        trial.expect("the base of a deleted one", try await store.entry("Animal", 1)?.base, is: base)
    }

    /// Checks that `.setShadow` replaces an entry without changing the record, and removes an entry whose base equals
    /// the record.
    ///
    /// Merges and migrations write the journal this way.
    ///
    /// Look at `put` of entries whose image differs in one slot from the stored one.
    static func setShadow(_ trial: Trial) async throws {
        let store = try await notes(trial)
        let id = RecordID("Note", 1)
        let (base, remote) = (store.make("Note", ["id": 1, "text": "x"]), store.make("Note", ["id": 1, "stars": 1]))
        func set(_ entry: JournalEntry) async throws -> Commit { try await store.change { $0.add(.setShadow(entry)) } }
        let first = JournalEntry(id: id, base: base, isUnresolved: true, remote: remote)
        _ = try await set(first)
        trial.expect("an entry that was set", try await store.entry("Note", 1), is: first)
        trial.expect("the record", try await store.value("Note", 1, "text"), is: "a")
        let before = try await store.dump()
        _ = try await set(first)
        trial.expect("the same again", try await store.dump().differences(from: before), is: [])
        let second = JournalEntry(id: id, base: nil, isUnresolved: true, remote: nil)
        _ = try await set(second)
        trial.expect("another", try await store.entry("Note", 1), is: second)
        _ = try await set(JournalEntry(id: id, base: store.make("Note", ["id": 1, "text": "a"])))
        trial.expect("one that says what is there", try await store.entry("Note", 1), is: nil)
        let gone = JournalEntry(id: RecordID("Note", 8), base: store.make("Note", ["id": 8]))
        _ = try await set(gone)
        trial.expect("one of no record", try await store.entry("Note", 8), is: gone)
        let diff = try await store.read { try $0.localDiff(of: "Note") }
        trial.expect("the local diff", diff, is: Diff([.delete(store.make("Note", ["id": 8]))]))
    }

    /// Checks that images with another key, or of an unknown entity, are refused.
    ///
    /// They would attach one record's history to another.
    static func setShadowOfOtherKeys(_ trial: Trial) async throws {
        let store = try await notes(trial)
        let other = store.make("Note", ["id": 2])
        try await trial.expectRefusal(.wrongType, "a base with another key", by: store) {
            $0.add(.setShadow(JournalEntry(id: RecordID("Note", 1), base: other)))
        }
        try await trial.expectRefusal(.wrongType, "a remote version with another key", by: store) {
            $0.add(.setShadow(JournalEntry(id: RecordID("Note", 1), base: nil, isUnresolved: true, remote: other)))
        }
        try await trial.expectRefusal(.unknownName, "a shadow of an unknown entity", by: store) {
            $0.add(.setShadow(JournalEntry(id: RecordID("Nota", 1), base: nil)))
        }
    }
}
