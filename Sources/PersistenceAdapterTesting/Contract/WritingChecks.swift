import DifferentialSync
import SyncPersistence

/// Checks of insertions, updates and deletions.
///
/// A commit lists exactly what has changed.
///
/// A change set is made in its order. Its commit reports each changed record once, with the versions before and after
/// the transaction.
///
/// An adapter returns the replaced record from `put(_:)` and `remove(_:in:)`. If a check of this topic fails, look
/// there first: a version that is older or newer than the present one makes journal and commit wrong.
enum WritingChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("writing.put", put),
        ContractCheck("writing.update", update),
        ContractCheck("writing.delete", delete),
        ContractCheck("writing.exact", exact),
        ContractCheck("writing.equalPuts", equalPuts),
        ContractCheck("writing.netEffect", netEffect),
        ContractCheck("writing.images", images),
        ContractCheck("writing.nothing", nothing),
        ContractCheck("writing.sequence", sequence),
        ContractCheck("writing.defaults", defaults),
    ]

    /// Checks that `put` inserts or replaces a whole record.
    ///
    /// A value that the new record lacks becomes null.
    ///
    /// Look at an update of only the stated columns: the others must become null or their default.
    static func put(_ trial: Trial) async throws {
        let store = try await trial.notes()
        let first = try await store.put("Note", ["id": 1, "text": "milk"], ["id": 2, "text": "bread"])
        trial.expect("a commit of new records", first.summary, is: ["+Note 1", "+Note 2"])
        trial.expect("inserted", first.inserted, is: [RecordID("Note", 1), RecordID("Note", 2)])
        let second = try await store.put("Note", ["id": 2, "text": "rye"], ["id": 3])
        trial.expect("a commit of a new and a changed one", second.summary, is: ["+Note 3", "Note 2: text"])
        trial.expect("updated", second.updated, is: [RecordID("Note", 2)])
        trial.expect("the stored value", try await store.value("Note", 2, "text"), is: "rye")
        try await store.put("Note", ["id": 1, "stars": 1])
        trial.expect("a value that was put away", try await store.value("Note", 1, "text"), is: .null)
    }

    /// Checks that `update` changes the given values, keeps the others, and updates indexes.
    ///
    /// Missing records and new primary keys are refused.
    ///
    /// Look at indexes on the old value, which must not find the record any more.
    static func update(_ trial: Trial) async throws {
        let store = try await trial.notes()
        try await store.put("Note", ["id": 1, "text": "milk", "stars": 2])
        let commit = try await store.update("Note", 1, ["stars": 3])
        trial.expect("a commit of an update", commit.summary, is: ["Note 1: stars"])
        trial.expect(
            "the record", try await store.record("Note", 1),
            is: store.make("Note", ["id": 1, "text": "milk", "stars": 3]))
        try await store.update("Note", 1, ["text": .null, "id": 1])
        trial.expect("a value that was taken away", try await store.value("Note", 1, "text"), is: .null)
        // An index finds the record by its new value, and no longer by the old one.
        trial.expect("by the new value", try await store.keys("Note", where: Field("stars") == 3), is: [1])
        trial.expect("by the old value", try await store.keys("Note", where: Field("stars") == 2), is: [])
        try await trial.expectRefusal(.missingRecord, "an update of no record", by: store) {
            $0.update(RecordID("Note", 9), ["stars": 1])
        }
        try await trial.expectRefusal(.wrongType, "another primary key", by: store) {
            $0.update(RecordID("Note", 1), ["id": 2])
        }
    }

    /// Checks that a deleted record is found by no key, list or index.
    ///
    /// A second deletion changes nothing.
    ///
    /// Look at indexes and counts that are kept beside the rows.
    static func delete(_ trial: Trial) async throws {
        let store = try await trial.notes()
        try await store.put("Note", ["id": 1, "stars": 1], ["id": 2, "stars": 1], ["id": 3, "stars": 1])
        let commit = try await store.delete("Note", 2)
        trial.expect("a commit of a deletion", commit.summary, is: ["-Note 2"])
        trial.expect("deleted", commit.deleted, is: [RecordID("Note", 2)])
        trial.expect("cascaded", commit.cascaded, is: [])
        trial.expect("the record", try await store.record("Note", 2), is: nil)
        trial.expect("the others", try await store.keys("Note"), is: [1, 3])
        trial.expect("by an index", try await store.keys("Note", where: Field("stars") == 1), is: [1, 3])
        let again = try await store.delete("Note", 2)
        trial.expect("a deletion of no record", again.isEmpty, is: true)
    }

    /// Checks that an exact change is made only if the record is in the expected old state.
    ///
    /// A change that was made before is accepted, so that a diff can be repeated.
    ///
    /// Look at the equality of the stored record and the expected one, for values of every type.
    static func exact(_ trial: Trial) async throws {
        let store = try await trial.notes()
        let (old, new) = (store.make("Note", ["id": 1]), store.make("Note", ["id": 1, "text": "milk"]))
        try await store.change { $0.add(.exact(.add(old))) }
        try await store.change { $0.add(.exact(.replace(old: old, new: new))) }
        trial.expect("a replaced record", try await store.record("Note", 1), is: new)
        let again = try await store.change { $0.add(.exact(.replace(old: old, new: new))) }
        trial.expect("a change that is made already", again.isEmpty, is: true)
        try await trial.expectRefusal(.mismatch, "a record that is not as expected", by: store) {
            $0.add(.exact(.replace(old: old, new: store.make("Note", ["id": 1, "stars": 1]))))
        }
        try await trial.expectRefusal(.mismatch, "a new record that is there", by: store) { $0.add(.exact(.add(old))) }
        try await trial.expectRefusal(.mismatch, "a deletion of another state", by: store) {
            $0.add(.exact(.delete(old)))
        }
        try await trial.expectRefusal(.mismatch, "a replacement of no record", by: store) {
            let (old, new) = (store.make("Note", ["id": 5]), store.make("Note", ["id": 5, "stars": 1]))
            $0.add(.exact(.replace(old: old, new: new)))
        }
        let commit = try await store.change { changes in
            changes.apply(Diff([.delete(new), .add(store.make("Note", ["id": 2]))]))
        }
        trial.expect("a diff that was applied", commit.summary, is: ["+Note 2", "-Note 1"])
    }

    /// Checks that storing equal records is no change: no commit, no sequence number, no journal entry.
    ///
    /// Payloads repeat most of their records.
    ///
    /// Look at `put`: compare before writing, and return the equal record.
    static func equalPuts(_ trial: Trial) async throws {
        let store = try await trial.notes()
        let first = try await store.put("Note", ["id": 1, "text": "milk"], ["id": 2])
        let before = try await store.dump()
        let second = try await store.put("Note", ["id": 1, "text": "milk"], ["id": 2])
        trial.expect("the changes", second.summary, is: [])
        trial.expect("how many are unchanged", second.unchangedCount, is: 2)
        trial.expect("the sequence number", second.sequence, is: first.sequence)
        trial.expect("what is stored", try await store.dump().differences(from: before), is: [])
        let third = try await store.update("Note", 1, ["text": "milk"])
        trial.expect("how many an update leaves unchanged", third.unchangedCount, is: 1)
        trial.expect("the sequence number after it", third.sequence, is: first.sequence)
    }

    /// Checks that several changes of a record in one transaction are reported as one, and that changes which cancel
    /// out are not reported.
    ///
    /// An observer applies the commit to what it shows, and has never seen the versions between.
    ///
    /// Look at what `put` returns for a record that was changed before in the transaction: the last version.
    static func netEffect(_ trial: Trial) async throws {
        let store = try await trial.notes()
        try await store.put("Note", ["id": 1, "text": "milk"], ["id": 2, "text": "bread"])
        let (one, two, three) = (RecordID("Note", 1), RecordID("Note", 2), RecordID("Note", 3))
        let twice = try await store.change {
            $0.update(one, ["text": "oat milk"])
            $0.update(one, ["stars": 5])
            $0.put(store.make("Note", ["id": 3]))
            $0.update(three, ["text": "new"])
        }
        trial.expect("two changes of one record", twice.summary, is: ["+Note 3", "Note 1: text, stars"])
        let toAndFro = try await store.change {
            $0.update(one, ["stars": 1])
            $0.update(one, ["stars": 5])
            $0.put(store.make("Note", ["id": 4]))
            $0.delete(RecordID("Note", 4))
            $0.delete(two)
            $0.put(store.make("Note", ["id": 2, "text": "bread"]))
        }
        trial.expect("changes to and fro", toAndFro.summary, is: [])
        let replaced = try await store.change {
            $0.delete(two)
            $0.put(store.make("Note", ["id": 2, "text": "rye"]))
            $0.update(three, ["stars": 1])
            $0.delete(three)
        }
        trial.expect("a deletion and a new one", replaced.summary, is: ["-Note 3", "Note 2: text"])
    }

    /// Checks that a commit has the records before and after each change, in order, and the origin of each change.
    ///
    /// A view finds the former place of a record by the version before.
    ///
    /// Look at what `put` and `remove` return: the record as it was, with all slots.
    static func images(_ trial: Trial) async throws {
        let store = try await trial.notes()
        try await store.put("Note", ["id": 1, "text": "milk"], ["id": 2])
        let commit = try await store.change(origin: .remote) {
            $0.put(store.make("Note", ["id": 1, "text": "cream"]))
            $0.put(store.make("Note", ["id": 3]))
        }
        // Note 1 has a local change, so the remote's version of it is kept in the journal.
        trial.expect("changes from the remote", commit.summary, is: ["+Note 3"])
        let local = try await store.change {
            $0.update(RecordID("Note", 1), ["text": "tea"])
            $0.delete(RecordID("Note", 2))
        }
        let expected: [Change<Record>] = [
            .replace(
                old: store.make("Note", ["id": 1, "text": "milk"]), new: store.make("Note", ["id": 1, "text": "tea"])),
            .delete(store.make("Note", ["id": 2])),
        ]
        trial.expect("the old and new images, in the order of changing", local.changes.map(\.change), is: expected)
        trial.expect("the origins", local.changes.map(\.origin), is: [.local, .local])
        trial.expect("the origins", commit.changes.map(\.origin), is: [.remote])
    }

    /// Checks that an empty change set has no effect, not even on the sequence number.
    ///
    /// Otherwise a cycle that finds nothing to do would wake all observers.
    ///
    /// Look at transactions of the database that write something in any case, such as a counter of changes.
    static func nothing(_ trial: Trial) async throws {
        let store = try await trial.notes()
        let first = try await store.put("Note", ["id": 1])
        let before = try await store.dump()
        let empty = try await store.change { _ in }
        trial.expect("a commit of nothing", empty.isEmpty, is: true)
        trial.expect("its sequence number", empty.sequence, is: first.sequence)
        trial.expect("what is stored after it", try await store.dump().differences(from: before), is: [])
    }

    /// Checks that sequence numbers start at 0, increase with each commit, and are not used up by errors.
    ///
    /// Cursors of cycles rely on that.
    ///
    /// Look at sequences of the database: numbers that a rollback has used up would be missing.
    static func sequence(_ trial: Trial) async throws {
        let store = try await trial.notes()
        trial.expect("the sequence number of an empty store", try await store.read { try $0.sequence }, is: 0)
        var last: Int64 = 0
        for key in 1...5 as ClosedRange<Int64> {
            let commit = try await store.put("Note", ["id": .integer(key)])
            if commit.sequence <= last {
                trial.report("the sequence number", expected: "more than \(last)", found: "\(commit.sequence)")
            }
            last = commit.sequence
            trial.expect("the sequence number that is read", try await store.read { try $0.sequence }, is: last)
        }
        await trial.expectError(.missingRecord, "an update of no record") {
            try await store.update("Note", 9, ["stars": 1])
        }
        trial.expect("the sequence number after an error", try await store.read { try $0.sequence }, is: last)
    }

    /// Checks that missing values get their defaults, and that null and empty values do not.
    ///
    /// A default is for values that were not stated; null was stated.
    ///
    /// Look at defaults of columns: a null that the caller has stated must stay null.
    static func defaults(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string, isOptional: false, default: "untitled")
                Attribute("stars", .integer, default: 3)
                Attribute("tags", .json, default: ["new"])
            }
        }
        try await store.put("Note", ["id": 1], ["id": 2, "text": "", "stars": .null])
        trial.expect(
            "defaults", try await store.record("Note", 1)?.values, is: [1, "untitled", 3, ["new"]])
        trial.expect(
            "values instead of defaults", try await store.record("Note", 2)?.values, is: [2, "", .null, ["new"]])
    }
}
