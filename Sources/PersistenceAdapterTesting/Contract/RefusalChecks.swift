import DifferentialSync

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SyncPersistence

/// Checks that a store refuses what its schema does not allow, and stores no part of it.
///
/// What cannot be stored is refused with a code, and nothing changes. The library checks values before an adapter
/// receives them.
///
/// A check of this topic fails if an adapter refuses more than the contract does, or throws errors of its database
/// instead of `PersistenceError`.
enum RefusalChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("refusing.wrongTypes", wrongTypes),
        ContractCheck("refusing.notANumber", notANumber),
        ContractCheck("refusing.deepJSON", deepJSON),
        ContractCheck("refusing.missingValues", missingValues),
        ContractCheck("refusing.unknownNames", unknownNames),
        ContractCheck("refusing.abstractEntities", abstractEntities),
        ContractCheck("refusing.otherSchemas", otherSchemas),
        ContractCheck("refusing.theLibrarysOwnNames", theLibrarysOwnNames),
        ContractCheck("refusing.outOfBounds", outOfBounds),
    ]

    /// Checks that a value of another type is refused for every attribute and key.
    ///
    /// Databases that convert silently would return another value than was stored.
    ///
    /// Look at records that an adapter makes itself: they must be checked as those of the caller are.
    static func wrongTypes(_ trial: Trial) async throws {
        let store = try await trial.store(SampleValues.schema(isIndexed: false))
        try await store.put("Sample", ["id": 1])
        for type in AttributeType.allCases {
            for (other, samples) in SampleValues.all where other != type {
                guard let value = samples.first(where: { !type.admits($0) }) else { continue }
                try await trial.expectRefusal(.wrongType, "a value of \(other) for \(type)", by: store) {
                    $0.put(store.make("Sample", ["id": 2, type.rawValue: value]))
                }
                try await trial.expectRefusal(.wrongType, "an update of \(type) by a value of \(other)", by: store) {
                    $0.update(RecordID("Sample", 1), [type.rawValue: value])
                }
            }
        }
        try await trial.expectRefusal(.wrongType, "bytes within JSON", by: store) {
            $0.put(store.make("Sample", ["id": 2, "json": [.bytes(Data([1]))]]))
        }
        try await trial.expectRefusal(.wrongType, "a key of another type", by: store) {
            $0.put(store.make("Sample", ["id": "1"]))
        }
    }

    /// Checks that NaN and infinity in JSON are refused.
    ///
    /// NaN is not equal to itself, so its record would always count as changed.
    ///
    /// Look at values within JSON, which no column type checks.
    static func notANumber(_ trial: Trial) async throws {
        let store = try await trial.store(SampleValues.schema(isIndexed: false))
        let values: [String: Value] = [
            "double": .double(.nan), "decimal": .decimal(.nan), "json": [.double(.infinity)],
            "date": .date(Date(timeIntervalSinceReferenceDate: .nan)),
        ]
        for (name, value) in values {
            try await trial.expectRefusal(.wrongType, "what is not a number for \(name)", by: store) {
                $0.put(store.make("Sample", ["id": 1, name: value]))
            }
        }
    }

    /// Checks that JSON of more than 512 levels is refused in records, updates and filters.
    ///
    /// Deeper values overflow the stack of recursive readers.
    ///
    /// Look at writing and reading of JSON without recursion, or with a limit of 512 levels.
    static func deepJSON(_ trial: Trial) async throws {
        let store = try await trial.store(SampleValues.schema(isIndexed: false))
        try await store.put("Sample", ["id": 1])
        for depth in [513, 2_000] {
            for value in [SampleValues.nested(depth) { [$0] }, SampleValues.nested(depth) { [1, ["a": $0]] }] {
                try await trial.expectRefusal(.wrongType, "JSON \(depth) deep", by: store) {
                    $0.put(store.make("Sample", ["id": 2, "json": value]))
                }
                try await trial.expectRefusal(.wrongType, "an update by JSON \(depth) deep", by: store) {
                    $0.update(RecordID("Sample", 1), ["json": value])
                }
                await trial.expectError(.wrongType, "a filter by JSON \(depth) deep") {
                    _ = try await store.keys("Sample", where: Field("json") == value)
                }
            }
        }
    }

    /// Checks that null is refused for mandatory attributes and for keys.
    ///
    /// A record without its key could never be found again.
    ///
    /// Look at a default of the column, by which the database would replace null.
    static func missingValues(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string, isOptional: false)
            }
        }
        try await store.put("Note", ["id": 1, "text": "milk"])
        try await trial.expectRefusal(.missingValue, "a new record without a mandatory value", by: store) {
            $0.put(store.make("Note", ["id": 2]))
        }
        try await trial.expectRefusal(.missingValue, "an update that takes a mandatory value away", by: store) {
            $0.update(RecordID("Note", 1), ["text": .null])
        }
        try await trial.expectRefusal(.missingValue, "a record without a key", by: store) {
            $0.put(store.make("Note", ["text": "bread"]))
        }
    }

    /// Checks that unknown entities, attributes and relationships are refused.
    ///
    /// A store that ignores them would lose values silently.
    ///
    /// Look at columns that are left out because the table does not have them.
    static func unknownNames(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tags", toMany: "Tag")
            }
            Entity("Tag") { Attribute("id", .integer, isPrimaryKey: true) }
        }
        try await store.put("Note", ["id": 1])
        try await trial.expectRefusal(.unknownName, "an update of an unknown attribute", by: store) {
            $0.update(RecordID("Note", 1), ["txt": "milk"])
        }
        try await trial.expectRefusal(.unknownName, "an update of a relationship to many", by: store) {
            $0.update(RecordID("Note", 1), ["tags": [1]])
        }
        try await trial.expectRefusal(.unknownName, "an update of an unknown entity", by: store) {
            $0.update(RecordID("Nota", 1), ["txt": "milk"])
        }
        try await trial.expectRefusal(.unknownName, "a deletion from an unknown entity", by: store) {
            $0.delete(RecordID("Nota", 1))
        }
        try await trial.expectRefusal(.unknownName, "a link by an unknown relationship", by: store) {
            $0.link(RecordID("Note", 1), "labels", to: 1)
        }
        let other = try Schema { Entity("Nota") { Attribute("id", .integer, isPrimaryKey: true) } }
        try await trial.expectRefusal(.unknownName, "a record of an unknown entity", by: store) {
            $0.put(Record(other["Nota"]!, ["id": 1]))
        }
    }

    /// Checks that an abstract entity has no records of its own, and can be queried for those of its descendants.
    ///
    /// An abstract entity has no table or rows of its own, but a query of it has results.
    ///
    /// Look at the root of a hierarchy that is abstract: its table has rows of its descendants alone.
    static func abstractEntities(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Shape", isAbstract: true) { Attribute("id", .integer, isPrimaryKey: true) }
            Entity("Circle", parent: "Shape") { Attribute("radius", .double) }
        }
        try await trial.expectRefusal(.wrongType, "a record of an abstract entity", by: store) {
            $0.put(store.make("Shape", ["id": 1]))
        }
        try await store.put("Circle", ["id": 1, "radius": 2.0])
        trial.expect("a query of the abstract entity", try await store.keys("Shape"), is: [1])
    }

    /// Checks that a record of an equal schema is accepted, and one of another schema refused.
    ///
    /// Its values have other positions.
    ///
    /// Look at shapes that are compared by identity: an equal schema that was made again has others.
    static func otherSchemas(_ trial: Trial) async throws {
        let store = try await trial.store { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        let alike = try Schema { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        try await store.change { $0.put(Record(alike["Note"]!, ["id": 1])) }
        trial.expect("a record of a schema that is alike", try await store.keys("Note"), is: [1])
        let other = try Schema {
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
            }
        }
        let foreign = Record(other["Note"]!, ["id": 2, "text": "a"])
        try await trial.expectRefusal(.wrongType, "a record of another schema", by: store) { $0.put(foreign) }
        try await trial.expectRefusal(.wrongType, "a change to one", by: store) { $0.add(.exact(.add(foreign))) }
        try await trial.expectRefusal(.wrongType, "a shadow of another schema", by: store) {
            $0.add(.setShadow(JournalEntry(id: foreign.id, base: foreign)))
        }
        // A snapshot of another schema can be compared; the diff is refused when it is applied.
        let diff = try await store.read { try $0.diff(wins: [foreign], loses: "Note") }
        try await trial.expectRefusal(.wrongType, "a diff with another schema", by: store) { $0.apply(diff) }
    }

    /// Checks positions, numbers and keys beyond all limits.
    ///
    /// They come from remotes, and must cause neither a crash nor an overflow.
    ///
    /// Look at arithmetic on numbers of callers, such as the offset plus the limit or the position plus one.
    static func outOfBounds(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("List") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("items", toMany: "Item", isOrdered: true, inverse: "list")
                Relationship("tags", toMany: "Item", isOrdered: true)
            }
            Entity("Item") { Relationship("list", to: "List", inverse: "items") }
        }
        try await store.put("List", ["id": .integer(.max)])
        try await store.put("Item", [:], [:], [:])
        let list = RecordID("List", .integer(.max))
        for relationship in ["items", "tags"] {
            try await store.change {
                $0.link(list, relationship, to: 1, at: .max)
                $0.link(list, relationship, to: 2, at: .min)
                $0.link(list, relationship, to: 3, at: -1)
            }
            trial.expect(
                "what is linked at places that are not there", try await store.related("List", list.key, relationship),
                is: [3, 2, 1])
        }
        try await store.put("Item", [Schema.implicitKey: .integer(.max)])
        try await trial.expectRefusal(.wrongType, "a key after the last one", by: store) {
            $0.put(store.make("Item", [:]))
        }
        try await store.put("Item", [Schema.implicitKey: .integer(.min)])
        trial.expect("the keys", try await store.keys("Item"), is: [1, 2, 3, .integer(.max), .integer(.min)])
        for key in [.null, [], [[]], [1], ["a": 1], .array(Array(repeating: 1, count: 1_000)), true, 1.0] as [Value] {
            trial.expect("a record with the key \(key)", try await store.record("List", key), is: nil)
            let commit = try await store.delete("List", key)
            trial.expect("what its deletion changes", commit.summary, is: [])
            await trial.expectError(.missingRecord, "an update of it") { try await store.update("List", key, [:]) }
            await trial.expectError(.danglingReference, "a link from it") {
                try await store.change { $0.link(RecordID("List", key), "tags", to: 1) }
            }
            await trial.expectError(.danglingReference, "a link to it") {
                try await store.change { $0.link(list, "tags", to: key) }
            }
        }
    }

    /// Checks that callers cannot write the library's own metadata, history and journal.
    ///
    /// Wrong values there would break later cycles.
    ///
    /// Look at functions that write metadata for the adapter itself: they must use the library's own call.
    static func theLibrarysOwnNames(_ trial: Trial) async throws {
        let store = try await trial.store { Entity("Note") { Attribute("id", .integer, isPrimaryKey: true) } }
        try await store.put("Note", ["id": 1])
        try await trial.expectRefusal(.unknownName, "metadata under the library's own names", by: store) {
            $0.setMetadata("sync.sequence", "0")
        }
        for name in ["sync.metadata", "sync.history", "sync.journal.Note"] {
            guard let shape = store.adapter.schema[name] else { continue }
            let record = Record(
                shape,
                slots: shape.slots.map { slot in
                    switch slot.columnTypes[0] {
                    case .integer: 1
                    case .bool: true
                    default: "sync.sequence"
                    }
                })
            try await trial.expectRefusal(.unknownName, "a record of '\(name)'", by: store) { $0.put(record) }
            try await trial.expectRefusal(.unknownName, "a deletion from '\(name)'", by: store) { $0.delete(record.id) }
        }
    }
}
