import SyncPersistence

/// Of two ends with one record each, both always agree.
enum OneToOneChecks {
    static let all = [
        ContractCheck("oneToOne.bothEnds", bothEnds),
        ContractCheck("oneToOne.taking", taking),
        ContractCheck("oneToOne.takingAMandatoryOne", takingAMandatoryOne),
        ContractCheck("oneToOne.symmetric", symmetric),
        ContractCheck("oneToOne.symmetricLaterInTheTransaction", symmetricLaterInTheTransaction),
        ContractCheck("oneToOne.twoSymmetric", twoSymmetric),
    ]

    /// The key is kept in the passport, which is not optional.
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

    static func twoSymmetric(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("spouse", to: "Person", inverse: "spouse")
                Relationship("buddy", to: "Person", inverse: "buddy")
            }
        }
        // Both name one that comes after them.
        try await store.put("Person", ["id": 1, "spouse": 3], ["id": 2, "buddy": 3], ["id": 3])
        trial.expect("a spouse", try await store.value("Person", 3, "spouse"), is: 1)
        trial.expect("a buddy", try await store.value("Person", 3, "buddy"), is: 2)
        trial.expect("whose spouse", try await store.value("Person", 1, "spouse"), is: 3)
        trial.expect("whose buddy", try await store.value("Person", 2, "buddy"), is: 3)
    }

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
        // Two that change places.
        try await store.put("Passport", ["id": "a", "owner": 2])
        try await store.put("Passport", ["id": "a", "owner": 1], ["id": "c", "owner": 2])
        trial.expect(
            "owners that have changed places", try await store.records(Query("Passport")).map { $0["owner"] },
            is: [1, .null, 2])
    }

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

    private static func couples(_ trial: Trial) async throws -> TestStore {
        try await trial.store {
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("spouse", to: "Person", inverse: "spouse")
            }
        }
    }

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

    static func symmetricLaterInTheTransaction(_ trial: Trial) async throws {
        let store = try await couples(trial)
        try await store.put("Person", ["id": 1, "spouse": 2], ["id": 2])
        trial.expect("the other end", try await store.related("Person", 2, "spouse"), is: [1])
        try await store.put("Person", ["id": 3, "spouse": 4], ["id": 4, "spouse": 3])
        trial.expect("the other end", try await store.related("Person", 4, "spouse"), is: [3])
        // The last word counts.
        try await store.put("Person", ["id": 5, "spouse": 6], ["id": 6, "spouse": 3])
        trial.expect(
            "all ends", try await store.records(Query("Person")).map { $0["spouse"] }, is: [2, 1, 6, .null, .null, 3])
    }
}
