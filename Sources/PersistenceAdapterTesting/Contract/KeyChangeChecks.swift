import DifferentialSync
import SyncPersistence

/// Checks that a record can change its key, with all references, links and journal entries.
///
/// A remote that assigns keys to new records depends on this.
///
/// A record that was made offline gets its final key from the server. The library stores it under the new key, and
/// changes all references and links in the same transaction.
///
/// If a check of this topic fails, look at a removal that is followed by an insertion of the same content. Look also at
/// the order of records, which a new key must not change.
enum KeyChangeChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("keyChanges.references", references),
        ContractCheck("keyChanges.journal", journal),
        ContractCheck("keyChanges.localKeys", localKeys),
        ContractCheck("keyChanges.takenKeys", takenKeys),
        ContractCheck("keyChanges.severalParts", severalParts),
        ContractCheck("keyChanges.refusals", refusals),
    ]

    /// Makes a store with user 1, which the remote knows, and the local user -1.
    ///
    /// Notes, tags, friends, bosses and a desk connect the two with each other and with other records.
    private static func users(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.store(
            Schema([
                Entity(
                    "User",
                    attributes: [Attribute("id", .integer, isPrimaryKey: true), Attribute("name", .string)],
                    relationships: [
                        Relationship("notes", toMany: "Note", isOrdered: true, inverse: "user", deleteRule: .cascade),
                        Relationship("tags", toMany: "Tag", isOrdered: true),
                        Relationship("friends", toMany: "User", inverse: "friends"),
                        Relationship("boss", to: "User"),
                        Relationship("desk", to: "Window", inverse: "user", deleteRule: .cascade),
                    ]),
                Entity(
                    "Note", attributes: [Attribute("id", .integer, isPrimaryKey: true)],
                    relationships: [Relationship("user", to: "User", inverse: "notes", isOptional: false)]),
                Entity("Tag", attributes: [Attribute("id", .integer, isPrimaryKey: true)], relationships: []),
                Entity(
                    "Window", attributes: [Attribute("id", .integer, isPrimaryKey: true)],
                    relationships: [Relationship("user", to: "User", inverse: "desk")]),
            ]))
        try await store.put("User", ["id": 1, "name": "Ada"], origin: .agreed)
        try await store.put("Tag", ["id": 1], ["id": 2], ["id": 3], origin: .agreed)
        try await store.put("Window", ["id": 1], origin: .agreed)
        try await store.put("Note", ["id": 1, "user": 1], origin: .agreed)
        let user = RecordID("User", -1)
        try await store.change {
            $0.put(store.make("User", ["id": -1, "name": "new", "boss": -1, "desk": 1]))
            $0.put(store.make("Note", ["id": -1, "user": -1]))
            $0.put(store.make("Note", ["id": -2, "user": -1]))
            $0.setLinks(user, "notes", to: [-2, 1, -1])
            $0.setLinks(user, "tags", to: [1, 3])
            $0.setLinks(user, "tags", to: [3, 1])
            $0.setLinks(user, "friends", to: [1])
            $0.update(RecordID("User", 1), ["boss": -1])
        }
        return store
    }

    /// Changes a key in a transaction of its own.
    ///
    /// With a policy, a record that has the key already is merged with it.
    @discardableResult
    private static func changeKey(
        _ store: TestStore, _ id: RecordID, to key: Value, origin: ChangeSet.Origin = .local,
        merging policy: ConflictPolicy<Record>? = nil
    ) async throws -> Commit {
        try await store.adapter.write {
            _ = try $0.changeKey(of: id, to: key, origin: origin, merging: policy)
        }.commit
    }

    /// Checks that the user with the new key has all relationships of the old one, in the same order.
    ///
    /// It also checks that nothing is found under the old key.
    private static func expectUser(_ key: Value, _ store: TestStore, _ trial: Trial) async throws {
        let user = store.make("User", ["id": key, "name": "new", "boss": key, "desk": 1])
        trial.expect("the record", try await store.record("User", key), is: user)
        trial.expect("the keys", Set(try await store.keys("User")), is: [key, 1])
        trial.expect("references in an order", try await store.related("User", key, "notes"), is: [-2, 1, -1])
        trial.expect("links in an order", try await store.related("User", key, "tags"), is: [3, 1])
        trial.expect("links of one entity", try await store.related("User", key, "friends"), is: [1])
        trial.expect("their other ends", try await store.related("User", 1, "friends"), is: [key])
        trial.expect("a reference without an inverse", try await store.value("User", 1, "boss"), is: key)
        trial.expect("the other end of one to one", try await store.related("Window", 1, "user"), is: [key])
    }

    /// Checks that references, ordered links and both ends of relationships follow a key change of every origin.
    ///
    /// A forgotten one would dangle, or escape the delete rules.
    ///
    /// Look at equality look-ups in every slot that refers to the record, with and without an index.
    static func references(_ trial: Trial) async throws {
        for origin in [ChangeSet.Origin.local, .remote, .agreed] {
            let store = try await users(trial)
            let commit = try await changeKey(store, RecordID("User", -1), to: 7, origin: origin)
            try await expectUser(7, store, trial)
            trial.expect("the record that is new", commit.inserted.contains(RecordID("User", 7)), is: true)
            trial.expect("the record that is gone", commit.deleted.contains(RecordID("User", -1)), is: true)
            try await store.delete("User", 7)
            trial.expect("what a delete rule reaches", try await store.keys("Note"), is: [])
        }
    }

    /// Checks that a key from the remote is no local change.
    ///
    /// The journal entry moves to the new key, bases refer to it, and no entry is added.
    ///
    /// Look at `remove` and `put` of entries under the old and the new key.
    static func journal(_ trial: Trial) async throws {
        for origin in [ChangeSet.Origin.remote, .agreed] {
            let store = try await users(trial)
            let known = store.make("User", ["id": 1, "name": "Ada"])
            try await changeKey(store, RecordID("User", -1), to: 7, origin: origin)
            trial.expect("the journal", try await JournalChecks.journal(store, "User"), is: [1, 7])
            trial.expect("the base of a new one", try await store.entry("User", 7)?.base, is: nil)
            trial.expect("a base without the key", try await store.entry("User", 1)?.base, is: known)
            try await store.change(origin: .agreed) {
                $0.put(store.make("User", ["id": 7, "name": "new", "boss": 7, "desk": 1]))
                $0.put(store.make("User", ["id": 1, "name": "Ada", "boss": 7]))
            }
            trial.expect("the journal of agreed records", try await JournalChecks.journal(store, "User"), is: [])
            try await store.update("User", 1, ["boss": .null])
            try await changeKey(store, RecordID("User", 7), to: 8, origin: origin)
            trial.expect("a base that names it", try await store.entry("User", 1)?.base?["boss"], is: 8)
            trial.expect("the journal of one that is agreed", try await store.entry("User", 8), is: nil)
        }
    }

    /// Checks that a local key change of a known record is sent as a deletion and an insertion.
    ///
    /// Changing the key back undoes that.
    ///
    /// Look at caches that find a record by its former key.
    static func localKeys(_ trial: Trial) async throws {
        let store = try await users(trial)
        try await changeKey(store, RecordID("User", -1), to: 7)
        trial.expect("the journal of a new one", try await JournalChecks.journal(store, "User"), is: [1, 7])
        trial.expect("its base", try await store.entry("User", 7)?.base, is: nil)
        try await changeKey(store, RecordID("User", 1), to: 2)
        trial.expect("the journal of a known one", try await JournalChecks.journal(store, "User"), is: [1, 2, 7])
        let known = store.make("User", ["id": 1, "name": "Ada"])
        trial.expect("the base under the old key", try await store.entry("User", 1)?.base, is: known)
        trial.expect("the record under the old key", try await store.record("User", 1), is: nil)
        trial.expect("the base under the new key", try await store.entry("User", 2)?.base, is: nil)
        try await changeKey(store, RecordID("User", 2), to: 1)
        let entry = try await store.entry("User", 1)
        trial.expect("the base of the way back", entry?.base, is: known)
        trial.expect("the journal of the way back", try await JournalChecks.journal(store, "User"), is: [1, 7])
    }

    /// Checks that a key of another record throws `.mismatch`, unless a policy merges the two.
    ///
    /// A merged record has the links of both.
    ///
    /// Look at unique keys: for a moment of the transaction, both records exist under different keys only.
    static func takenKeys(_ trial: Trial) async throws {
        let store = try await users(trial)
        let id = RecordID("User", -1)
        let before = try await store.dump()
        await trial.expectError(.mismatch, "a taken key") { try await changeKey(store, id, to: 1, origin: .remote) }
        trial.expect("the store", try await store.dump().differences(from: before), is: [])
        try await store.put("User", ["id": 7, "name": "new", "boss": 1], origin: .remote)
        try await store.change(origin: .remote) { $0.setLinks(RecordID("User", 7), "tags", to: [1, 2]) }
        try await changeKey(store, id, to: 7, origin: .remote, merging: .localWins)
        let merged = store.make("User", ["id": 7, "name": "new", "boss": 7, "desk": 1])
        trial.expect("the merged record", try await store.record("User", 7), is: merged)
        trial.expect("the keys", Set(try await store.keys("User")), is: [1, 7])
        trial.expect("members of both", Set(try await store.related("User", 7, "tags")), is: [1, 2, 3])
        let base = store.make("User", ["id": 7, "name": "new", "boss": 1])
        trial.expect("what the remote has", try await store.entry("User", 7)?.base, is: base)
    }

    /// Checks key changes of composite keys, with a reference and a link of the record to itself.
    ///
    /// A part of the key may itself refer to the record.
    ///
    /// Look at keys with several columns. Any of these columns may be a reference.
    static func severalParts(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Place") {
                Attribute("text", .string, isPrimaryKey: true)
                Attribute("number", .integer, isPrimaryKey: true)
                Relationship("words", toMany: "Word", inverse: "place")
                Relationship("next", toMany: "Place")
            }
            Entity("Word") {
                Attribute("text", .string, isPrimaryKey: true)
                Relationship("place", to: "Place", inverse: "words")
            }
        }
        try await store.put("Place", ["text": "a", "number": 1])
        try await store.put("Word", ["text": "w", "place": ["a", 1]])
        try await store.change { $0.link(RecordID("Place", ["a", 1]), "next", to: ["a", 1]) }
        try await changeKey(store, RecordID("Place", ["a", 1]), to: ["b", 2], origin: .remote)
        trial.expect("the keys", try await store.keys("Place"), is: [["b", 2]])
        trial.expect("a reference", try await store.value("Word", "w", "place"), is: ["b", 2])
        trial.expect("a link to itself", try await store.related("Place", ["b", 2], "next"), is: [["b", 2]])
    }

    /// Checks that missing records, invalid keys, unknown entities and the library's own records throw and change nothing.
    ///
    /// The same key is no change.
    ///
    /// Look at rollback after the first of several rows was renamed.
    static func refusals(_ trial: Trial) async throws {
        let store = try await users(trial)
        let before = try await store.dump()
        for (id, key, code): (RecordID, Value, PersistenceError.Code) in [
            (RecordID("User", 9), 10, .missingRecord), (RecordID("User", 1), "x", .wrongType),
            (RecordID("User", 1), .null, .missingValue), (RecordID("Person", 1), 2, .unknownName),
            (RecordID("sync.metadata", "sync.sequence"), "x", .unknownName),
            (RecordID("sync.links.User.tags", [-1, 3]), [-1, 2], .wrongType),
        ] {
            await trial.expectError(code, "\(id) to \(key)") { try await changeKey(store, id, to: key) }
        }
        try await changeKey(store, RecordID("User", 1), to: 1)
        trial.expect("the store", try await store.dump().differences(from: before), is: [])
    }
}
