import DifferentialSync
import SyncPersistence

/// Checks of the diff between a full snapshot and the stored records.
///
/// The diff is computed by the adapter's queries, so each adapter must return the same one.
///
/// A diff between a store and a snapshot reads keys and digests of the stored records. An adapter may keep the digests
/// with its rows, and returns them from `forEachDigest(_:where:_:)`.
///
/// If a check of this topic fails, a kept digest is not that of the present values, or equal values have different
/// digests.
enum SnapshotChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("snapshot.naiveDiff", naiveDiff),
        ContractCheck("snapshot.nothing", nothing),
        ContractCheck("snapshot.scope", scope),
        ContractCheck("snapshot.duplicates", duplicates),
        ContractCheck("snapshot.everyType", everyType),
        ContractCheck("snapshot.inheritance", inheritance),
        ContractCheck("snapshot.applied", applied),
    ]

    /// Returns the diff that turns the stored records into the snapshot.
    ///
    /// Its changes are those of the store's own function, which an adapter's `forEachDigest` makes fast.
    private static func diff(
        _ store: TestStore, _ snapshot: [Record], _ entity: String = "Note", where filter: Filter? = nil
    ) async throws -> Diff<Record>? {
        try await store.read { try $0.diff(wins: snapshot, loses: entity, where: filter) }
    }

    /// Returns the changes as a set.
    ///
    /// Their order depends on which side a record comes from.
    private static func changes(_ diff: Diff<Record>?) -> Set<Change<Record>> { Set(diff?.changes ?? []) }

    /// Returns the same changes by comparing two dictionaries: the oracle of the random checks.
    ///
    /// It compares whole records, and uses neither digests nor an order.
    private static func naive(_ wins: [Record], _ loses: [Record]) -> Set<Change<Record>> {
        let old = Dictionary(loses.map { ($0.key, $0) }) { first, _ in first }
        let new = Dictionary(wins.map { ($0.key, $0) }) { first, _ in first }
        return Set(
            Set(old.keys).union(new.keys).compactMap { key in
                old[key] == new[key] ? nil : Change(from: old[key], to: new[key])
            })
    }

    /// Checks random snapshots against a plain dictionary diff.
    ///
    /// Insertions must come in the order of the snapshot, deletions in the order of the store.
    ///
    /// Look at `forEachDigest`: equal records have equal digests, and its order is that of insertion.
    static func naiveDiff(_ trial: Trial) async throws {
        var generator = SeededGenerator(seed: 11)
        for round in 0..<10 {
            let store = try await trial.notes(isIndexed: false)
            func some(_ count: Int) -> [Record] {
                (0..<30).shuffled(using: &generator).prefix(count).map { key in
                    store.make(
                        "Note",
                        [
                            "id": .integer(Int64(key)),
                            "text": ["a", "b", .null].randomElement(using: &generator) ?? .null,
                            "stars": .integer(Int64.random(in: 0...1, using: &generator)),
                        ])
                }
            }
            let (stored, snapshot) = (some(20), some(20))
            try await store.change { for record in stored { $0.put(record) } }
            let found = try await diff(store, snapshot)
            trial.expect("a diff (round \(round))", changes(found), is: naive(snapshot, stored))
            let order = found?.changes.compactMap { $0.new?.key } ?? []
            trial.expect("the order of what comes", order, is: snapshot.map(\.key).filter(Set(order).contains))
            let gone = found?.changes.compactMap { $0.new == nil ? $0.old?.key : nil } ?? []
            trial.expect("the order of what goes", gone, is: stored.map(\.key).filter(Set(gone).contains))
        }
    }

    /// Checks diffs of empty sides and of equal sides, and that computing a diff changes nothing.
    ///
    /// An unknown entity must throw `.unknownName`.
    ///
    /// Look at empty tables, and at a transaction that only reads.
    static func nothing(_ trial: Trial) async throws {
        let store = try await trial.notes(isIndexed: false)
        trial.expect("nothing against nothing", try await diff(store, []), is: nil)
        let record = store.make("Note", ["id": 1])
        trial.expect("one against nothing", try await diff(store, [record]), is: Diff([.add(record)]))
        try await store.put("Note", ["id": 1])
        trial.expect("one against itself", try await diff(store, [record]), is: nil)
        trial.expect("nothing against one", try await diff(store, []), is: Diff([.delete(record)]))
        let before = try await store.dump()
        _ = try await diff(store, [store.make("Note", ["id": 9])])
        trial.expect("what a diff changes", try await store.dump().differences(from: before), is: [])
        await trial.expectError(.unknownName, "an unknown entity") { _ = try await diff(store, [], "Nota") }
    }

    /// Checks that a filter limits the deletions, not the matches by key.
    ///
    /// Otherwise a snapshot of one page would delete all other records, or insert a record twice.
    ///
    /// Look at `forEachDigest` with a filter, and at look-ups of keys outside of it.
    static func scope(_ trial: Trial) async throws {
        let store = try await trial.notes(isIndexed: false)
        try await store.put(
            "Note", ["id": 1, "stars": 1], ["id": 2, "stars": 1], ["id": 3, "stars": 2], ["id": 4, "stars": 2])
        let snapshot = [
            store.make("Note", ["id": 1, "stars": 1]), store.make("Note", ["id": 3, "stars": 1]),
            store.make("Note", ["id": 5, "stars": 1]),
        ]
        let found = try await diff(store, snapshot, where: Field("stars") == 1)
        // A record outside the filter is not deleted. One that enters the filter is an update, not an insertion.
        trial.expect(
            "a diff within a filter", changes(found),
            is: [
                .delete(store.make("Note", ["id": 2, "stars": 1])),
                .replace(old: store.make("Note", ["id": 3, "stars": 2]), new: snapshot[1]), .add(snapshot[2]),
            ])
        let same = try await diff(
            store, [store.make("Note", ["id": 3, "stars": 2])], where: Field("stars") == 9)
        trial.expect("one outside that is as it is", same, is: nil)
    }

    /// Checks that two records of a snapshot with one key throw a `KeyError` with their positions.
    ///
    /// Otherwise one of them would be lost silently.
    static func duplicates(_ trial: Trial) async throws {
        let store = try await trial.notes(isIndexed: false)
        try await store.put("Note", ["id": 1])
        let (one, other) = (store.make("Note", ["id": 2]), store.make("Note", ["id": 2, "stars": 1]))
        do {
            _ = try await diff(store, [one, store.make("Note", ["id": 1]), other])
            trial.report("two records with one key", expected: "a KeyError", found: "nothing")
        } catch let error as KeyError {
            trial.expect("the positions", error.positions, is: [0, 2])
            trial.expect("the code", error.code, is: .duplicate)
        }
    }

    /// Checks the comparison of values of every type, equal and unequal.
    ///
    /// An adapter that compares stored texts or rounded numbers would report false changes or miss real ones.
    ///
    /// Look at `digest(of:)`: it must be the digest that `forEachDigest` passes for the stored record.
    static func everyType(_ trial: Trial) async throws {
        let schema = try SampleValues.schema(isIndexed: false)
        for (type, samples) in SampleValues.all {
            let store = try await trial.store(schema)
            let records = (samples + [.null]).enumerated().map { place, value in
                store.make("Sample", ["id": .integer(Int64(place)), type.rawValue: value])
            }
            try await store.change { for record in records { $0.put(record) } }
            trial.expect("records of \(type) against themselves", try await diff(store, records, "Sample"), is: nil)
            // Compares each value with the next one: all of them differ.
            let turned = records.indices.map { place in
                store.make(
                    "Sample",
                    ["id": .integer(Int64(place)), type.rawValue: records[(place + 1) % records.count][type.rawValue]])
            }
            let found = try await diff(store, turned, "Sample")
            trial.expect("other values of \(type)", found?.counts, is: ChangeCounts(replaced: records.count))
        }
    }

    /// Checks that a diff of an entity is limited to it and its descendants.
    ///
    /// A record that moves to another entity of the hierarchy is an update.
    ///
    /// Look at the entity's name as a part of the digest.
    static func inheritance(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Animal") { Attribute("id", .integer, isPrimaryKey: true) }
            Entity("Cat", parent: "Animal") {}
            Entity("Dog", parent: "Animal") {}
        }
        try await store.change {
            $0.put(store.make("Animal", ["id": 1]))
            $0.put(store.make("Cat", ["id": 2]))
            $0.put(store.make("Dog", ["id": 3]))
        }
        let cats = [store.make("Cat", ["id": 2]), store.make("Cat", ["id": 4])]
        trial.expect("cats", try await diff(store, cats, "Cat"), is: Diff([.add(cats[1])]))
        // A record of another entity differs, even with the same values.
        let turned = [store.make("Animal", ["id": 1]), store.make("Dog", ["id": 2]), store.make("Dog", ["id": 3])]
        trial.expect(
            "a cat that is a dog", try await diff(store, turned, "Animal"),
            is: Diff([.replace(old: store.make("Cat", ["id": 2]), new: turned[1])]))
    }

    /// Checks that applying a diff makes the store equal to the snapshot, with the smallest commit.
    ///
    /// A second diff must be empty.
    ///
    /// Look at digests that are stored in a column: each write must update them.
    static func applied(_ trial: Trial) async throws {
        let store = try await trial.notes(isIndexed: false)
        try await store.put("Note", ["id": 1, "text": "a"], ["id": 2], ["id": 3])
        let snapshot = [
            store.make("Note", ["id": 4]), store.make("Note", ["id": 1, "text": "b"]), store.make("Note", ["id": 3]),
        ]
        let commit = try await store.adapter.write { transaction in
            try transaction.change { $0.apply(try transaction.diff(wins: snapshot, loses: "Note")) }
        }.commit
        trial.expect("a commit", commit.summary, is: ["+Note 4", "-Note 2", "Note 1: text"])
        trial.expect("what is left to do", try await diff(store, snapshot), is: nil)
    }
}
