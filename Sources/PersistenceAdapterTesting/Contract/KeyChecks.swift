import SyncPersistence

/// Checks of keys of all types, of keys that the store assigns, and of keys in a hierarchy of entities.
///
/// A key is a value of any scalar type, or an array of several. Keys are equal if their values are.
///
/// If a check of this topic fails, the adapter compares keys by another rule than `Value`. It may compare them as text,
/// ignore case or trailing spaces, or mix up bytes and text.
enum KeyChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("keys.everyType", everyType),
        ContractCheck("keys.almostAlike", almostAlike),
        ContractCheck("keys.bothZeros", bothZeros),
        ContractCheck("keys.otherNesting", otherNesting),
        ContractCheck("keys.counted", counted),
        ContractCheck("keys.countedForHierarchies", countedForHierarchies),
        ContractCheck("inheriting.queries", queries),
        ContractCheck("inheriting.sharedKeys", sharedKeys),
        ContractCheck("inheriting.relationships", relationships),
        ContractCheck("inheriting.declaredAnew", declaredAnew),
    ]

    /// Checks values of every type as primary keys: lookup, filter and deletion.
    ///
    /// Keys at the limits of a type must not collide.
    ///
    /// Look at the column of the key: its type must keep each value exactly, and its comparison must be that of bytes.
    static func everyType(_ trial: Trial) async throws {
        for (type, samples) in SampleValues.increasing {
            let store = try await trial.store {
                Entity("Item") {
                    Attribute("key", type, isPrimaryKey: true)
                    Attribute("place", .integer)
                }
            }
            try await store.put(
                "Item", rows: samples.enumerated().map { ["key": $1, "place": .integer(Int64($0))] })
            for (place, key) in samples.enumerated() {
                trial.expect(
                    "a record by a key of \(type)", try await store.value("Item", key, "place"),
                    is: .integer(Int64(place)))
                trial.expect(
                    "a filter by a key of \(type)", try await store.keys("Item", where: Field("key") == key), is: [key])
            }
            try await store.delete("Item", samples[0])
            trial.expect("the keys of \(type)", try await store.keys("Item"), is: Array(samples.dropFirst()))
        }
    }

    /// Checks that texts which many databases treat as equal are different keys, alone and as parts of a key.
    ///
    /// Otherwise one record would overwrite another.
    ///
    /// Look at collations: `a` and `A`, `é` in two compositions, and a trailing space are different keys.
    static func almostAlike(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Word") { Attribute("text", .string, isPrimaryKey: true) }
            Entity("Place") {
                Attribute("text", .string, isPrimaryKey: true)
                Attribute("number", .integer, isPrimaryKey: true)
                Relationship("word", to: "Word")
            }
        }
        let texts = [
            "", " ", "a", "A", "a ", " a", "a\u{0}", "a\u{0}b", "\u{E9}", "e\u{301}", "e", "\u{E9} ", "1", "01", "1.0",
            "\u{DF}", "ss", "null", String(repeating: "k", count: 3_000), String(repeating: "k", count: 3_000) + "l",
        ]
        let words = texts.map { Value.string($0) }
        let first = try await store.put("Word", rows: words.map { ["text": $0] })
        trial.expect("the new records", first.inserted.map(\.key), is: words)
        try await store.put("Place", rows: words.map { ["text": $0, "number": 1, "word": $0] })
        try await store.put("Place", rows: words.map { ["text": $0, "number": 2] })
        for word in words {
            trial.expect("the key of a record by its key", try await store.record("Word", word)?.key, is: word)
            trial.expect("one by a key of two parts", try await store.record("Place", [word, 1])?.key, is: [word, 1])
            trial.expect(
                "who names it", try await store.keys("Place", where: Field("word") == word), is: [[word, 1]])
        }
        try await store.delete("Word", words[2])
        trial.expect("the keys after a deletion", try await store.keys("Word"), is: words.filter { $0 != "a" })
    }

    /// Checks that 0.0 and -0.0 are one key, because they are equal.
    ///
    /// Two records would otherwise compare as one.
    ///
    /// Look at keys by their bits or text: normalize the sign of zero when a key is written and when it is looked up.
    static func bothZeros(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Point") {
                Attribute("x", .double, isPrimaryKey: true)
                Attribute("name", .string)
            }
        }
        try await store.put("Point", ["x": -0.0, "name": "a"])
        trial.expect("a record by the other zero", try await store.value("Point", 0.0, "name"), is: "a")
        trial.expect("by a filter", try await store.keys("Point", where: Field("x") == 0), is: [0.0])
        let commit = try await store.put("Point", ["x": 0.0, "name": "b"])
        trial.expect("what a record with the other zero changes", commit.updated.count, is: 1)
        trial.expect("how many there are", try await store.keys("Point").count, is: 1)
        try await store.delete("Point", -0.0)
        trial.expect("what a deletion leaves", try await store.keys("Point"), is: [])
    }

    /// Checks that a key whose parts are nested in another way is no record's key, also beside changes of a transaction.
    ///
    /// Otherwise a deletion by a wrong key would delete a record, or undo another change of its transaction.
    ///
    /// Look at the parts of a key: compare the whole key, not a list of its parts without their nesting.
    static func otherNesting(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Pair") {
                Attribute("a", .integer, isPrimaryKey: true)
                Attribute("b", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("others", toMany: "Pair", isOrdered: true)
            }
        }
        try await store.put("Pair", ["a": 1, "b": 2, "text": "a"], ["a": 3, "b": 4, "text": "b"])
        try await store.change { $0.setLinks(RecordID("Pair", [1, 2]), "others", to: [[3, 4], [1, 2]]) }
        let links = "sync.links.Pair.others"
        let wrong: [(String, Value)] = [
            ("Pair", [[1, 2]]), ("Pair", [[1], 2]), ("Pair", [1, [2]]), ("Pair", 1), (links, [1, 2, 3, 4]),
            (links, [[1, 2, 3], 4]), (links, [[[1, 2]], [3, 4]]),
        ]
        for (entity, key) in wrong {
            trial.expect("a record by \(key)", try await store.record(entity, key), is: nil)
            let commit = try await store.delete(entity, key)
            trial.expect("what a deletion by \(key) deletes", commit.changes.count, is: 0)
        }
        try await store.change { changes in
            changes.update(RecordID("Pair", [1, 2]), ["text": "c"])
            changes.update(RecordID("Pair", [3, 4]), ["text": "d"])
        }
        let texts = try await store.adapter.write { transaction -> [Value?] in
            try transaction.change { $0.update(RecordID("Pair", [1, 2]), ["text": "e"]) }
            try transaction.change {
                $0.delete(RecordID("Pair", [[1], 2]))
                $0.delete(RecordID("Pair", [9, 9]))
            }
            return [try transaction.record(RecordID("Pair", [1, 2]))?["text"]]
        }.result
        trial.expect("a change before a deletion by a wrong key", texts, is: ["e"])
        trial.expect("what is stored of it", try await store.value("Pair", [1, 2], "text"), is: "e")
        trial.expect("the links", try await store.related("Pair", [1, 2], "others"), is: [[3, 4], [1, 2]])
    }

    /// Checks that the store assigns increasing integers to records without a key.
    ///
    /// Numbers of deleted records are not used again; numbers of failed transactions are.
    ///
    /// Look at counters of the database, which do not return to the old number after a rollback. The library counts by
    /// metadata.
    static func counted(_ trial: Trial) async throws {
        let store = try await trial.store { Entity("Line") { Attribute("text", .string) } }
        let commit = try await store.put("Line", ["text": "a"], ["text": "b"])
        trial.expect("the keys", commit.inserted.map(\.key), is: [1, 2])
        trial.expect("the records", try await store.records(Query("Line")).map { $0["text"] }, is: ["a", "b"])
        try await store.delete("Line", 2)
        let third = try await store.put("Line", ["text": "c"])
        trial.expect("the key after a deletion", third.inserted.map(\.key), is: [3])
        let given = try await store.put("Line", [Schema.implicitKey: 9, "text": "d"], ["text": "e"])
        trial.expect("the key after one that was given", given.inserted.map(\.key), is: [9, 10])
        await trial.expectError(.missingRecord, "an update of no record") {
            try await store.change {
                $0.put(store.make("Line", ["text": "f"]))
                $0.update(RecordID("Line", 99), ["text": "g"])
            }
        }
        let next = try await store.put("Line", ["text": "h"])
        trial.expect("the key after an error", next.inserted.map(\.key), is: [11])
        try await store.update("Line", 1, ["text": "A"])
        trial.expect("an updated record", try await store.value("Line", 1, "text"), is: "A")
    }

    /// Checks that all entities of a hierarchy share one counter, and that other entities have their own.
    ///
    /// Otherwise two records of a hierarchy would get one key.
    ///
    /// Look at tables for each entity: records of a hierarchy need one space of keys.
    static func countedForHierarchies(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Animal") { Attribute("name", .string) }
            Entity("Cat", parent: "Animal") { Attribute("lives", .integer) }
            Entity("Stone") { Attribute("weight", .double) }
        }
        let commit = try await store.change {
            $0.put(store.make("Animal", [:]))
            $0.put(store.make("Cat", [:]))
            $0.put(store.make("Stone", [:]))
            $0.put(store.make("Animal", [:]))
        }
        trial.expect("the keys", commit.inserted.map(\.text), is: ["Animal 1", "Cat 2", "Stone 1", "Animal 3"])
    }

    /// Makes a store with a hierarchy of vehicles, one of each entity, with keys in mixed order.
    ///
    /// A query of an entity must also return its descendants, and no others.
    private static func vehicles(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.store {
            Entity("Vehicle") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("owner", to: "Person", inverse: "vehicles")
            }
            Entity("Car", parent: "Vehicle") { Attribute("doors", .integer) }
            Entity("Van", parent: "Car") { Attribute("volume", .double) }
            Entity("Bike", parent: "Vehicle") { Attribute("gears", .integer) }
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("vehicles", toMany: "Vehicle", inverse: "owner", deleteRule: .cascade)
                Relationship("firstCar", to: "Car")
            }
        }
        try await store.put("Van", ["id": 3, "name": "c", "doors": 4, "volume": 7.5])
        try await store.put("Vehicle", ["id": 1, "name": "d"])
        try await store.put("Bike", ["id": 4, "name": "a", "gears": 7])
        try await store.put("Car", ["id": 2, "name": "b", "doors": 2])
        return store
    }

    /// Checks that a query returns the records of an entity and its descendants, each with its own entity and values.
    ///
    /// Look at the column that names the entity of each row, and at its condition in queries of a descendant.
    static func queries(_ trial: Trial) async throws {
        let store = try await vehicles(trial)
        trial.expect("all", try await store.keys("Vehicle"), is: [3, 1, 4, 2])
        trial.expect("cars", try await store.keys("Car"), is: [3, 2])
        trial.expect("vans", try await store.keys("Van"), is: [3])
        trial.expect("all, sorted", try await store.keys("Vehicle", sort: [Query.SortKey("name")]), is: [4, 2, 3, 1])
        trial.expect(
            "cars, filtered by what they inherit", try await store.keys("Car", where: Field("name") > "b"), is: [3])
        trial.expect("cars, filtered", try await store.keys("Car", where: Field("doors") == 2), is: [2])
        trial.expect("the count of cars", try await store.read { try $0.count(Query("Car")) }, is: 2)
        trial.expect("the keys of cars", try await store.read { try $0.keys(of: "Car") }, is: [3, 2])
        trial.expect(
            "the keys of some cars",
            try await store.read { try $0.keys(of: "Car", where: Field("doors") == 4) }, is: [3])
        let shapes = try await store.records(Query("Vehicle")).map(\.entity)
        trial.expect("what they are", shapes, is: ["Van", "Vehicle", "Bike", "Car"])
        trial.expect("a van as a vehicle", try await store.record("Vehicle", 3), is: try await store.record("Van", 3))
        trial.expect("a value of it", try await store.value("Vehicle", 3, "volume"), is: 7.5)
        trial.expect("a bike as a car", try await store.record("Car", 4), is: nil)
        trial.expect("a vehicle as a car", try await store.record("Car", 1), is: nil)
        await trial.expectError(.unknownName, "a filter by what only some have") {
            _ = try await store.keys("Vehicle", where: Field("doors") == 2)
        }
    }

    /// Checks that the entities of a hierarchy share their keys.
    ///
    /// A record is found by the names of its ancestors, not by those of other branches.
    ///
    /// Look at `record(_:in:)`: it searches the whole hierarchy, whatever the shape that it receives.
    static func sharedKeys(_ trial: Trial) async throws {
        let store = try await vehicles(trial)
        try await store.update("Vehicle", 3, ["volume": 8.0, "name": "e"])
        trial.expect("an update by the parent's name", try await store.value("Van", 3, "volume"), is: 8.0)
        try await trial.expectRefusal(.missingRecord, "an update by another entity's name", by: store) {
            $0.update(RecordID("Bike", 3), ["name": "x"])
        }
        let none = try await store.delete("Bike", 3)
        trial.expect("a deletion by another entity's name", none.isEmpty, is: true)
        try await store.put("Bike", ["id": 2, "name": "now a bike"])
        trial.expect("all", try await store.keys("Vehicle"), is: [3, 1, 4, 2])
        trial.expect("one that was a car", try await store.keys("Car"), is: [3])
        try await store.delete("Vehicle", 3)
        trial.expect("a deletion by the parent's name", try await store.record("Van", 3), is: nil)
    }

    /// Checks attributes that a child redeclares with another index, default or optionality.
    ///
    /// Queries of the parent must find the records of both.
    ///
    /// Look at the one column that both declarations share: it is optional and indexed if one of them is.
    static func declaredAnew(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Animal") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Attribute("age", .integer, isIndexed: true)
            }
            // `name` is indexed only in `Cat`, and `age` everywhere but there.
            Entity("Cat", parent: "Animal") {
                Attribute("name", .string, isOptional: false, default: "Tom", isIndexed: true)
                Attribute("age", .integer)
            }
        }
        try await store.put("Animal", ["id": 1, "name": "a", "age": 1])
        try await store.put("Cat", ["id": 2, "name": "b", "age": 2], ["id": 3])
        for (entity, key) in [("Animal", 1), ("Cat", 2)] as [(String, Value)] {
            try await store.update(entity, key, ["name": "c"])
            trial.expect("a new name", try await store.value(entity, key, "name"), is: "c")
            try await store.update(entity, key, ["age": 9])
            trial.expect("a new age", try await store.value(entity, key, "age"), is: 9)
        }
        trial.expect("by the name", try await store.keys("Animal", where: Field("name") == "c"), is: [1, 2])
        trial.expect("by the age", try await store.keys("Animal", where: Field("age") == 9), is: [1, 2])
        trial.expect("a default that was declared anew", try await store.value("Animal", 3, "name"), is: "Tom")
        try await trial.expectRefusal(.missingValue, "what was declared mandatory", by: store) {
            $0.update(RecordID("Cat", 2), ["name": .null])
        }
    }

    /// Checks that relationships are inherited, and that a reference leads only to its destination and the descendants.
    ///
    /// Replacing its target by another kind is refused.
    ///
    /// Look at slots of a descendant that only exist in some rows of the table.
    static func relationships(_ trial: Trial) async throws {
        let store = try await vehicles(trial)
        try await store.put("Person", ["id": 1, "firstCar": 3], ["id": 2])
        try await store.change { $0.setLinks(RecordID("Person", 1), "vehicles", to: [3, 4]) }
        trial.expect("vehicles of all kinds", try await store.related("Person", 1, "vehicles"), is: [3, 4])
        trial.expect("an inherited relationship", try await store.related("Van", 3, "owner"), is: [1])
        trial.expect(
            "a filter by it", try await store.keys("Car", where: Field("owner") == 1), is: [3])
        try await trial.expectRefusal(.danglingReference, "a bike where a car is meant", by: store) {
            $0.update(RecordID("Person", 2), ["firstCar": 4])
        }
        try await trial.expectRefusal(.danglingReference, "a bike in the place of a car that is named", by: store) {
            $0.put(store.make("Bike", ["id": 3]))
        }
        let commit = try await store.delete("Van", 3)
        trial.expect("who named it", commit.summary, is: ["-Van 3", "Person 1: firstCar (consequence)"])
        try await store.delete("Person", 1)
        trial.expect("vehicles", try await store.keys("Vehicle"), is: [1, 2])
    }
}
