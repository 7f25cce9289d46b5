import SyncPersistence

/// Checks of metadata.
///
/// Metadata is text under names, which apps and the library share. It is stored in the transaction of the change that
/// it belongs to.
///
/// The library stores it as records of a shape of its own, so a failure here is one of records with text keys.
enum MetadataChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("metadata.setAndForget", setAndForget),
        ContractCheck("metadata.setToTheSame", setToTheSame),
    ]

    /// Makes a store with notes.
    ///
    /// Their commits show whether a change of metadata alone is numbered like others.
    private static func store(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.store { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        try await store.put("Note", ["id": 1], ["id": 2], ["id": 3])
        return store
    }

    /// Checks that metadata is set, replaced, removed and read in the same transaction, under any name.
    ///
    /// A change of metadata alone is a commit with its own number.
    ///
    /// Look at names as keys: they are text of any characters, and are compared by bytes.
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
            try transaction.change { $0.setMetadata("cursor", "44") }
            return try transaction.metadata("cursor")
        }.result
        trial.expect("what is read in the same transaction", read, is: "44")
    }

    /// Checks that setting metadata to its present value is no commit.
    ///
    /// Otherwise observers would be called for nothing.
    ///
    /// Look at `put`: it returns the stored record, by which the transaction finds that nothing has changed.
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
