import SyncPersistence

/// Checks of remote changes that affect other records.
///
/// A change waits in the journal if it would lose a local change, or if the schema does not allow it yet.
///
/// A remote's changes may contradict the schema for a while: they delete what local changes need, or refer to records
/// of a later page. They then wait in the journal, and the transaction succeeds.
///
/// The library decides what waits. If a check of this topic fails and those of the journal pass, look at reading within
/// a transaction what it has just written or removed.
enum IncomingChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("incoming.cascade", cascade),
        ContractCheck("incoming.cascadeTogether", cascadeTogether),
        ContractCheck("incoming.nullify", nullify),
        ContractCheck("incoming.deny", deny),
        ContractCheck("incoming.mandatory", mandatory),
        ContractCheck("incoming.dangling", dangling),
        ContractCheck("incoming.danglingChain", danglingChain),
        ContractCheck("incoming.displacement", displacement),
        ContractCheck("incoming.laterChanges", laterChanges),
        ContractCheck("incoming.ownRemotes", ownRemotes),
        ContractCheck("incoming.ownRemotesOfReferences", ownRemotesOfReferences),
        ContractCheck("incoming.arrival", arrival),
    ]

    /// The origins of changes from outside.
    ///
    /// Both must behave alike here.
    private static let origins: [ChangeSet.Origin] = [.remote, .agreed]

    /// Makes a store with folders and files, all agreed with the remote.
    ///
    /// Files are deleted with their folder; a deleted reader is cleared.
    private static func folders(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.store {
            Entity("Folder") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("parent", to: "Folder", inverse: "folders")
                Relationship("folders", toMany: "Folder", inverse: "parent", deleteRule: .cascade)
                Relationship("files", toMany: "File", inverse: "folder", deleteRule: .cascade)
            }
            Entity("File") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("folder", to: "Folder", inverse: "files")
                Relationship("reader", to: "Reader", inverse: "files")
            }
            Entity("Reader") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("files", toMany: "File", inverse: "reader")
            }
        }
        try await store.put("Reader", ["id": 1], ["id": 2], origin: .agreed)
        try await store.put("Folder", ["id": 1], ["id": 2, "parent": 1], origin: .agreed)
        try await store.put(
            "File", ["id": 1, "text": "a", "folder": 2, "reader": 1], ["id": 2, "folder": 1], origin: .agreed)
        return store
    }

    /// Checks that a deletion waits while its cascade would delete a local change.
    ///
    /// After the edit was reverted, the same deletion is made.
    ///
    /// Look at `forEachEntry`, which passes each journal entry with the present record.
    static func cascade(_ trial: Trial) async throws {
        for origin in origins {
            let store = try await folders(trial)
            try await store.update("File", 1, ["text": "local"])
            let commit = try await store.delete("Folder", 1, origin: origin)
            trial.expect("what is held back (\(origin))", commit.heldBack, is: [RecordID("Folder", 1)])
            trial.expect("what has changed (\(origin))", commit.summary, is: [])
            trial.expect(
                "the entry (\(origin))", try await store.entry("Folder", 1),
                is: JournalEntry(
                    id: RecordID("Folder", 1), base: store.make("Folder", ["id": 1]), isUnresolved: true, remote: nil))
            // Once no local change is affected, the deletion is made.
            try await store.update("File", 1, ["text": "a"])
            try await store.delete("Folder", 1, origin: origin)
            trial.expect("what is left (\(origin))", try await store.keys("File"), is: [])
            trial.expect(
                "the journal (\(origin))", try await JournalChecks.journal(store, "Folder").count,
                is: origin == .agreed ? 1 : 0)
        }
    }

    /// Checks that deletions in a circle are made together, although each would delete the others.
    ///
    /// Records that the remote did not delete itself are still to be sent.
    ///
    /// Look at `remove` of records that refer to each other, without foreign keys that are checked at once.
    static func cascadeTogether(_ trial: Trial) async throws {
        let store = try await folders(trial)
        try await store.put("Folder", ["id": 3, "parent": 2], origin: .agreed)
        try await store.put("Folder", ["id": 1, "parent": 3], origin: .agreed)
        let commit = try await store.change(origin: .agreed) { changes in
            for key: Value in [3, 1, 2] { changes.delete(RecordID("Folder", key)) }
        }
        trial.expect("a circle", commit.deleted.filter { $0.entity == "Folder" }.count, is: 3)
        trial.expect("what is to be sent of it", try await JournalChecks.journal(store, "Folder"), is: [])
        trial.expect("what is to be sent of what went with it", try await store.entry("File", 2)?.base != nil, is: true)
    }

    /// Checks that a deletion waits if it would clear a reference that was edited locally.
    ///
    /// Unedited references are cleared, beside other edits of the record.
    ///
    /// Look at whether a record and its journal entry can be changed in one transaction in any order.
    static func nullify(_ trial: Trial) async throws {
        for origin in origins {
            let store = try await folders(trial)
            try await store.update("File", 1, ["text": "local"])
            try await store.update("File", 2, ["reader": 2])
            let commit = try await store.change(origin: origin) {
                $0.delete(RecordID("Reader", 1))
                $0.delete(RecordID("Reader", 2))
            }
            trial.expect("what is held back (\(origin))", commit.heldBack, is: [RecordID("Reader", 2)])
            trial.expect("a reference of before (\(origin))", try await store.value("File", 1, "reader"), is: .null)
            trial.expect("the edit beside it (\(origin))", try await store.value("File", 1, "text"), is: "local")
            trial.expect("an edited reference (\(origin))", try await store.value("File", 2, "reader"), is: 2)
        }
    }

    /// Makes a store with customers, a debt that denies the deletion of its customer, and a card that must have an
    /// owner.
    private static func debts(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.store {
            Entity("Customer") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("debts", toMany: "Debt", inverse: "customer", deleteRule: .deny)
                Relationship("card", to: "Card", inverse: "owner")
                Relationship("friend", to: "Customer", inverse: "friend")
            }
            Entity("Debt") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("customer", to: "Customer", inverse: "debts")
            }
            Entity("Card") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("owner", to: "Customer", inverse: "card", isOptional: false)
            }
        }
        try await store.put("Customer", ["id": 1], ["id": 2], ["id": 3], origin: .agreed)
        try await store.put("Debt", ["id": 1, "customer": 1], origin: .agreed)
        try await store.put("Card", ["id": 2, "owner": 2], origin: .agreed)
        return store
    }

    /// Checks that a remote deletion waits while a delete rule denies it, and that the other changes are made.
    ///
    /// Together with the deletion of the denying record, it is made.
    ///
    /// Look at whether the rest of a transaction is kept when a part of it is taken back: it is not a savepoint that
    /// is rolled back.
    static func deny(_ trial: Trial) async throws {
        for origin in origins {
            let store = try await debts(trial)
            let commit = try await store.change(origin: origin) {
                $0.delete(RecordID("Customer", 1))
                $0.delete(RecordID("Customer", 3))
            }
            trial.expect("what is held back (\(origin))", commit.heldBack, is: [RecordID("Customer", 1)])
            trial.expect("what has changed (\(origin))", commit.summary, is: ["-Customer 3"])
            let both = try await store.change(origin: origin) {
                $0.delete(RecordID("Customer", 1))
                $0.delete(RecordID("Debt", 1))
            }
            trial.expect("with its reason (\(origin))", both.summary, is: ["-Customer 1", "-Debt 1"])
            trial.expect("the journal (\(origin))", try await JournalChecks.journal(store, "Customer"), is: [])
        }
    }

    /// Checks that changes wait that would take a mandatory reference from another record, by deletion or displacement.
    ///
    /// Otherwise one record would block the whole sync.
    ///
    /// Look at constraints of the database: a mandatory column may be null until the transaction ends.
    static func mandatory(_ trial: Trial) async throws {
        for origin in origins {
            let store = try await debts(trial)
            let commit = try await store.delete("Customer", 2, origin: origin)
            trial.expect("what is held back (\(origin))", commit.heldBack, is: [RecordID("Customer", 2)])
            let second = try await store.put("Card", ["id": 3, "owner": 2], origin: origin)
            trial.expect("what would take it (\(origin))", second.heldBack, is: [RecordID("Card", 3)])
            trial.expect("who has it (\(origin))", try await store.related("Customer", 2, "card"), is: [2])
            let both = try await store.change(origin: origin) {
                $0.put(store.make("Card", ["id": 3, "owner": 2]))
                $0.update(RecordID("Card", 2), ["owner": 3])
            }
            trial.expect("with another for the first (\(origin))", both.summary, is: ["+Card 3", "Card 2: owner"])
            trial.expect("the journal (\(origin))", try await JournalChecks.journal(store, "Card"), is: [])
        }
    }

    /// Checks that remote records with references to missing records wait, and that the other changes are made.
    ///
    /// They are stored when they are sent again after their target; local changes are refused at once.
    ///
    /// Look at foreign keys: the record is stored first and removed again at the end of the transaction.
    static func dangling(_ trial: Trial) async throws {
        for origin in origins {
            let store = try await folders(trial)
            let file = store.make("File", ["id": 3, "text": "b", "folder": 9])
            let commit = try await store.change(origin: origin) {
                $0.put(file)
                $0.put(store.make("File", ["id": 4]))
                $0.update(RecordID("File", 1), ["folder": 9])
            }
            trial.expect(
                "what is held back (\(origin))", Set(commit.heldBack), is: [RecordID("File", 1), RecordID("File", 3)])
            trial.expect("what has changed (\(origin))", commit.summary, is: ["+File 4"])
            trial.expect(
                "the entry (\(origin))", try await store.entry("File", 3),
                is: JournalEntry(id: RecordID("File", 3), base: nil, isUnresolved: true, remote: file))
            trial.expect("what waits with its old image (\(origin))", try await store.value("File", 1, "folder"), is: 2)
            let again = try await store.change(origin: origin) { $0.put(file) }
            trial.expect("the same once more (\(origin))", again.isEmpty, is: true)
            try await store.put("Folder", ["id": 9], origin: origin)
            try await store.change(origin: origin) { $0.put(file) }
            trial.expect("after its folder (\(origin))", try await store.record("File", 3), is: file)
            trial.expect("the journal after it (\(origin))", try await store.entry("File", 3), is: nil)
            await trial.expectError(.danglingReference, "a local change") {
                try await store.put("File", ["id": 5, "folder": 8])
            }
        }
    }

    /// Checks that a chain of records, each naming a missing one, waits as a whole, and is not in the history.
    ///
    /// Putting one back makes the next one dangle.
    ///
    /// Look at repeated `put` and `remove` of the same keys in one transaction.
    static func danglingChain(_ trial: Trial) async throws {
        for origin in origins {
            let store = try await folders(trial)
            try await store.change { $0.keepHistory(true) }
            let start = try await store.read { try $0.historySequence }
            let commit = try await store.change(origin: origin) { changes in
                for key: Int64 in [10, 11, 12] {
                    changes.put(store.make("Folder", ["id": .integer(key), "parent": .integer(key + 1)]))
                }
                changes.put(store.make("File", ["id": 9, "folder": 10]))
                changes.put(store.make("Folder", ["id": 20, "parent": 1]))
            }
            trial.expect("what has changed (\(origin))", commit.summary, is: ["+Folder 20"])
            trial.expect("how many are held back (\(origin))", commit.heldBack.count, is: 4)
            let history = try await store.read { try $0.history(after: start, limit: 9) }
            trial.expect("the history (\(origin))", history.map(\.id.text), is: ["Folder 20"])
        }
    }

    /// Checks that a remote reference does not displace a local one in a one-to-one relationship.
    ///
    /// It waits, and the local pair is kept.
    ///
    /// Look at unique indexes on reference slots: two records may have one target until the transaction ends.
    static func displacement(_ trial: Trial) async throws {
        for origin in origins {
            let store = try await debts(trial)
            try await store.update("Customer", 1, ["friend": 2])
            let commit = try await store.update("Customer", 3, ["friend": 2], origin: origin)
            trial.expect("what is held back (\(origin))", commit.heldBack, is: [RecordID("Customer", 3)])
            trial.expect("what has changed (\(origin))", commit.summary, is: [])
            trial.expect("friends (\(origin))", try await store.related("Customer", 2, "friend"), is: [1])
            trial.expect(
                "what is to be sent (\(origin))", try await store.entry("Customer", 2)?.base,
                is: store.make("Customer", ["id": 2]))
        }
    }

    /// Checks that a later change replaces one that waits: a local deletion, or a remote version without the missing
    /// reference.
    ///
    /// Otherwise the older version would be stored later, over the newer one.
    ///
    /// Look at `put` of a journal entry that exists: it replaces the image, and keeps the order.
    static func laterChanges(_ trial: Trial) async throws {
        for origin in origins {
            let store = try await folders(trial)
            try await store.update("File", 1, ["text": "local"])
            try await store.delete("Folder", 1, origin: origin)
            let deletion = try await store.delete("Folder", 1)
            trial.expect("a local deletion (\(origin))", deletion.deleted.count, is: 4)
            try await store.delete("Folder", 1, origin: origin)
            trial.expect("deleted at both ends (\(origin))", try await store.entry("Folder", 1), is: nil)
            try await store.put("File", ["id": 7, "folder": 8], origin: origin)
            let remote = store.make("File", ["id": 7])
            try await store.change(origin: origin) { $0.put(remote) }
            trial.expect("without the reference (\(origin))", try await store.record("File", 7), is: remote)
            trial.expect("the entry without it (\(origin))", try await store.entry("File", 7), is: nil)
        }
    }

    /// Marks entities as synchronized with remotes of their own, as collections do.
    ///
    /// A deletion that this remote sends then waits until the other remote deletes the record as well.
    private static func synchronize(_ entities: [String], in store: TestStore) async throws {
        try await store.change { for entity in entities { $0.setMetadata("cycle.\(entity).turn", "1") } }
    }

    /// Checks that deletions never reach records that another remote synchronizes.
    ///
    /// They wait until that remote deletes them, and then are made by themselves.
    ///
    /// Look at queries of metadata by the beginning of their names.
    static func ownRemotes(_ trial: Trial) async throws {
        for origin in origins {
            let store = try await folders(trial)
            try await synchronize(["Folder", "File"], in: store)
            let commit = try await store.delete("Folder", 1, 2, origin: origin)
            trial.expect(
                "what is held back (\(origin))", commit.heldBack, is: [RecordID("Folder", 1), RecordID("Folder", 2)])
            trial.expect("what has changed (\(origin))", commit.summary, is: [])
            let first = try await store.delete("File", 1, origin: origin)
            trial.expect("with the first file (\(origin))", first.summary, is: ["-File 1", "-Folder 2"])
            let second = try await store.delete("File", 2, origin: origin)
            trial.expect("with the second file (\(origin))", second.summary, is: ["-File 2", "-Folder 1"])
            for entity in ["Folder", "File"] {
                trial.expect("the journal (\(origin))", try await JournalChecks.journal(store, entity), is: [])
            }
        }
    }

    /// Checks that a deletion waits while a record of another remote refers to it, and is made when that reference is
    /// cleared.
    ///
    /// The deletion would clear a reference that this remote knows nothing of.
    ///
    /// Look at whether entries of the journal are found by the references in their images.
    static func ownRemotesOfReferences(_ trial: Trial) async throws {
        for origin in origins {
            let store = try await folders(trial)
            try await synchronize(["Reader", "File"], in: store)
            let commit = try await store.delete("Reader", 1, 2, origin: origin)
            trial.expect("what is held back (\(origin))", commit.heldBack, is: [RecordID("Reader", 1)])
            trial.expect("what has changed (\(origin))", commit.summary, is: ["-Reader 2"])
            let file = store.make("File", ["id": 1, "text": "a", "folder": 2])
            let cleared = try await store.change(origin: origin) { $0.put(file) }
            trial.expect("with the reference (\(origin))", cleared.summary, is: ["-Reader 1", "File 1: reader"])
            trial.expect("the journal (\(origin))", try await JournalChecks.journal(store, "File"), is: [])
        }
    }

    /// Checks that records that wait for a missing one are stored when it arrives.
    ///
    /// Without this, they would wait until the remote sends them again.
    ///
    /// Look at metadata with many names, which are added and removed in one transaction.
    static func arrival(_ trial: Trial) async throws {
        for origin in origins {
            let store = try await folders(trial)
            try await synchronize(["Folder", "File"], in: store)
            let early = try await store.put(
                "File", ["id": 8, "folder": 8], ["id": 9, "folder": 8, "reader": 9], origin: origin)
            trial.expect(
                "what is held back (\(origin))", Set(early.heldBack), is: [RecordID("File", 8), RecordID("File", 9)])
            let folder = try await store.put("Folder", ["id": 8], origin: origin)
            trial.expect("with the folder (\(origin))", folder.summary, is: ["+File 8", "+Folder 8"])
            let reader = try await store.put("Reader", ["id": 9], origin: origin)
            trial.expect("with the reader (\(origin))", reader.summary, is: ["+File 9", "+Reader 9"])
            trial.expect("the journal (\(origin))", try await JournalChecks.journal(store, "File"), is: [])
        }
    }
}
