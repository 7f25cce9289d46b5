import SyncPersistence

/// Checks that both ends of a one-to-one relationship always agree.
///
/// A relationship to one on both ends is stored at one of them. The library finds the other end by a query for the
/// reference, and clears it when a pair changes.
///
/// If a check of this topic fails, look at queries for a reference right after a change of that reference in the same
/// transaction.
enum OneToOneChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("oneToOne.bothEnds", bothEnds),
        ContractCheck("oneToOne.taking", taking),
        ContractCheck("oneToOne.takingAMandatoryOne", takingAMandatoryOne),
        ContractCheck("oneToOne.symmetric", symmetric),
        ContractCheck("oneToOne.symmetricLaterInTheTransaction", symmetricLaterInTheTransaction),
        ContractCheck("oneToOne.twoSymmetric", twoSymmetric),
    ]

    /// Makes a store with two people, without passports.
    ///
    /// The passport stores the key, because its end may be mandatory.
    private static func passports(_ trial: Trial, isMandatory: Bool = false) async throws -> TestStore {
        let store = try await trial.store {
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("passport", to: "Passport", inverse: "owner")
            }
            Entity("Passport") {
                Attribute("id", .string, isPrimaryKey: true)
                Relationship("owner", to: "Person", inverse: "passport", isOptional: !isMandatory)
            }
        }
        try await store.put("Person", ["id": 1], ["id": 2])
        return store
    }

    /// Checks that a link from either end is visible from both, and takes the record away from its former owner.
    ///
    /// Otherwise two people would have one passport.
    ///
    /// Look at equality look-ups of a reference slot right after it was changed in the same transaction.
    static func bothEnds(_ trial: Trial) async throws {
        for isMandatory in [false, true] {
            let store = try await passports(trial, isMandatory: isMandatory)
            try await store.put("Passport", ["id": "a", "owner": 1])
            trial.expect("one end", try await store.related("Passport", "a", "owner"), is: [1])
            trial.expect("the other end", try await store.related("Person", 1, "passport"), is: ["a"])
            trial.expect("none", try await store.related("Person", 2, "passport"), is: [])
            try await store.change { $0.link(RecordID("Person", 2), "passport", to: "a") }
            trial.expect("a link from the other end", try await store.related("Passport", "a", "owner"), is: [2])
            trial.expect("who had it", try await store.related("Person", 1, "passport"), is: [])
            if isMandatory { continue }
            try await store.change { $0.unlink(RecordID("Person", 2), "passport", from: "a") }
            trial.expect("an unlink", try await store.related("Passport", "a", "owner"), is: [])
        }
    }

    /// Checks two symmetric relationships of one entity in one transaction.
    ///
    /// Updating the far end of one must not overwrite the other.
    ///
    /// Look at updates of single columns: a record that was read before must not overwrite another column.
    static func twoSymmetric(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("spouse", to: "Person", inverse: "spouse")
                Relationship("buddy", to: "Person", inverse: "buddy")
            }
        }
        // Both refer to a record that is inserted after them.
        try await store.put("Person", ["id": 1, "spouse": 3], ["id": 2, "buddy": 3], ["id": 3])
        trial.expect("a spouse", try await store.value("Person", 3, "spouse"), is: 1)
        trial.expect("a buddy", try await store.value("Person", 3, "buddy"), is: 2)
        trial.expect("whose spouse", try await store.value("Person", 1, "spouse"), is: 3)
        trial.expect("whose buddy", try await store.value("Person", 2, "buddy"), is: 3)
    }

    /// Checks that a new partner displaces the former one, whose reference is cleared as a consequence.
    ///
    /// Two records of one transaction may swap partners.
    ///
    /// Look at unique indexes that are checked for each row: two records swap values in two steps.
    static func taking(_ trial: Trial) async throws {
        let store = try await passports(trial)
        try await store.put(
            "Passport", ["id": "a", "owner": 1], ["id": "b"], ["id": "c", "owner": 2], origin: .agreed)
        for origin in [ChangeSet.Origin.local, .agreed] {
            let commit = try await store.update("Passport", "b", ["owner": 1], origin: origin)
            let expected = ["Passport a: owner (consequence)", "Passport b: owner"]
            trial.expect("what else changes", commit.summary, is: expected)
            trial.expect("who has it", try await store.related("Person", 1, "passport"), is: ["b"])
            trial.expect("who had it", try await store.related("Passport", "a", "owner"), is: [])
            try await store.update("Passport", "a", ["owner": 1])
        }
        try await store.change { $0.link(RecordID("Person", 1), "passport", to: "c") }
        trial.expect(
            "owners after a link from the other end",
            try await store.records(Query("Passport")).map { $0["owner"] }, is: [.null, .null, 1])
        trial.expect("who had it", try await store.related("Person", 2, "passport"), is: [])
        // Two passports swap their owners.
        try await store.put("Passport", ["id": "a", "owner": 2])
        try await store.put("Passport", ["id": "a", "owner": 1], ["id": "c", "owner": 2])
        trial.expect(
            "owners that have changed places", try await store.records(Query("Passport")).map { $0["owner"] },
            is: [1, .null, 2])
    }

    /// Checks that a displacement is refused if it leaves a mandatory reference null at the end of the transaction.
    ///
    /// The former owner would be left with a reference that it must have and does not.
    ///
    /// Look at rollback after the reference of the former owner was cleared.
    static func takingAMandatoryOne(_ trial: Trial) async throws {
        let store = try await passports(trial, isMandatory: true)
        try await store.put("Passport", ["id": "a", "owner": 1])
        try await trial.expectRefusal(.missingValue, "what leaves another without its mandatory one", by: store) {
            $0.put(store.make("Passport", ["id": "b", "owner": 1]))
        }
        try await store.change {
            $0.put(store.make("Passport", ["id": "b", "owner": 1]))
            $0.update(RecordID("Passport", "a"), ["owner": 2])
        }
        trial.expect("owners", try await store.records(Query("Passport")).map { $0["owner"] }, is: [2, 1])
    }

    /// Makes an empty store of people whose spouse is its own inverse.
    ///
    /// Storing that 1 is the spouse of 2 must therefore store that 2 is the spouse of 1.
    private static func couples(_ trial: Trial) async throws -> TestStore {
        try await trial.store {
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("spouse", to: "Person", inverse: "spouse")
            }
        }
    }

    /// Checks that one change updates both partners, and frees both former ones.
    ///
    /// Otherwise two people would claim the same spouse.
    ///
    /// Look at `put` of four records of one table that refer to each other.
    static func symmetric(_ trial: Trial) async throws {
        let store = try await couples(trial)
        try await store.put("Person", ["id": 1], ["id": 2], ["id": 3], ["id": 4])
        func expect(_ subject: String, _ spouses: [Value]) async throws {
            trial.expect(subject, try await store.records(Query("Person")).map { $0["spouse"] }, is: spouses)
        }
        let commit = try await store.update("Person", 1, ["spouse": 2])
        trial.expect("what else changes", commit.summary, is: ["Person 1: spouse", "Person 2: spouse (consequence)"])
        try await expect("a pair", [2, 1, .null, .null])
        try await store.change { $0.link(RecordID("Person", 4), "spouse", to: 3) }
        try await expect("two pairs", [2, 1, 4, 3])
        try await store.update("Person", 1, ["spouse": 3])
        try await expect("a new pair of two others", [3, .null, 1, .null])
        try await store.change { $0.unlink(RecordID("Person", 3), "spouse", from: 1) }
        try await expect("none", [.null, .null, .null, .null])
        try await store.update("Person", 2, ["spouse": 2])
        try await expect("one with itself", [.null, 2, .null, .null])
        try await store.update("Person", 2, ["spouse": 1])
        try await expect("and with another", [2, 1, .null, .null])
        try await store.delete("Person", 1)
        try await expect("the other one deleted", [.null, .null, .null])
    }

    /// Checks symmetric references to records that are inserted later in the transaction.
    ///
    /// The last statement about a pair counts.
    ///
    /// Look at look-ups by reference for records that are inserted later in the transaction.
    static func symmetricLaterInTheTransaction(_ trial: Trial) async throws {
        let store = try await couples(trial)
        try await store.put("Person", ["id": 1, "spouse": 2], ["id": 2])
        trial.expect("the other end", try await store.related("Person", 2, "spouse"), is: [1])
        try await store.put("Person", ["id": 3, "spouse": 4], ["id": 4, "spouse": 3])
        trial.expect("the other end", try await store.related("Person", 4, "spouse"), is: [3])
        // The last statement counts: 3 leaves 4 for 6.
        try await store.put("Person", ["id": 5, "spouse": 6], ["id": 6, "spouse": 3])
        trial.expect(
            "all ends", try await store.records(Query("Person")).map { $0["spouse"] }, is: [2, 1, 6, .null, .null, 3])
    }
}
