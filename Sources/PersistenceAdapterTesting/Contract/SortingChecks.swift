import SyncPersistence

/// Checks that all stores sort records alike.
///
/// Results are sorted by keys, and by insertion where all keys are equal.
///
/// An adapter that sorts by an index of its database must use the order of `Value`. Null comes first, numbers are
/// sorted by size, and text by its UTF-8 bytes. Both directions are stable.
enum SortingChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("sorting.everyType", everyType),
        ContractCheck("sorting.ties", ties),
        ContractCheck("sorting.severalKeys", severalKeys),
        ContractCheck("sorting.withoutOrder", withoutOrder),
    ]

    /// Checks the order of every type, with and without an index, in both directions.
    ///
    /// Nulls are smaller than all values, and texts are ordered by their UTF-8 bytes.
    ///
    /// Look at the database's order of its types: text by bytes, false before true, null first, and decimals by value.
    static func everyType(_ trial: Trial) async throws {
        for isIndexed in [false, true] {
            for (type, samples) in SampleValues.increasing {
                let store = try await trial.store(SampleValues.schema(isIndexed: isIndexed))
                var generator = SeededGenerator(seed: 3)
                var rows = samples.enumerated().map {
                    ["id": .integer(Int64($0)), type.rawValue: $1] as [String: Value]
                }
                rows += [["id": -1], ["id": -2]]
                rows.shuffle(using: &generator)
                try await store.put("Sample", rows: rows)
                // Nulls come first in increasing order and last in decreasing order. Among themselves they always keep
                // insertion order.
                let nulls = rows.compactMap { $0["id"] }.filter { $0 == -1 || $0 == -2 }
                let increasing = samples.indices.map { Value.integer(Int64($0)) }
                trial.expect(
                    "\(type), increasing", try await store.keys("Sample", sort: [Query.SortKey(type.rawValue)]),
                    is: nulls + increasing)
                trial.expect(
                    "\(type), decreasing",
                    try await store.keys("Sample", sort: [Query.SortKey(type.rawValue, isDescending: true)]),
                    is: increasing.reversed() + nulls)
            }
        }
    }

    /// Makes a store of six items with equal and missing values.
    ///
    /// Several items share each value, so that the order of insertion must decide between them.
    private static func items(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.store {
            Entity("Item") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("group", .string, isIndexed: true)
                Attribute("rank", .double)
                Attribute("content", .json)
            }
        }
        try await store.put(
            "Item", ["id": 4, "group": "b", "rank": 1.5], ["id": 2, "group": "a", "rank": 0.0],
            ["id": 3, "group": "b", "rank": 1.5], ["id": 9, "rank": 2.0], ["id": 1, "group": "a", "rank": -0.0],
            ["id": 5, "group": "b"])
        return store
    }

    /// Checks that records with equal values keep insertion order in both directions, also with limits.
    ///
    /// Unstable ties would repeat or skip records between pages.
    ///
    /// Look at the row number as the last sort key, ascending in both directions.
    static func ties(_ trial: Trial) async throws {
        let store = try await items(trial)
        try await store.update("Item", 4, ["content": 1])
        trial.expect(
            "ties in increasing order", try await store.keys("Item", sort: [Query.SortKey("group")]),
            is: [9, 2, 1, 4, 3, 5])
        trial.expect(
            "ties in decreasing order",
            try await store.keys("Item", sort: [Query.SortKey("group", isDescending: true)]), is: [4, 3, 5, 2, 1, 9])
        for limit in 1...6 {
            trial.expect(
                "the first \(limit) of them",
                try await store.keys("Item", sort: [Query.SortKey("group")], limit: limit),
                is: Array([9, 2, 1, 4, 3, 5].prefix(limit)))
        }
        trial.expect(
            "some of many ties",
            try await store.keys("Item", sort: [Query.SortKey("group", isDescending: true)], offset: 1, limit: 3),
            is: [3, 5, 2])
        trial.expect(
            "both zeros", try await store.keys("Item", where: Field("group") == "a", sort: [Query.SortKey("rank")]),
            is: [2, 1])
    }

    /// Checks that a later sort key decides where the earlier ones are equal.
    ///
    /// Each key has a direction of its own.
    ///
    /// Look at the order of an index that serves the first sort key only.
    static func severalKeys(_ trial: Trial) async throws {
        let store = try await items(trial)
        trial.expect(
            "by group and rank",
            try await store.keys("Item", sort: [Query.SortKey("group"), Query.SortKey("rank", isDescending: true)]),
            is: [9, 2, 1, 4, 3, 5])
        trial.expect(
            "by group, decreasing, and id",
            try await store.keys("Item", sort: [Query.SortKey("group", isDescending: true), Query.SortKey("id")]),
            is: [3, 4, 5, 1, 2, 9])
    }

    /// Checks that sorting by JSON throws `.wrongType`, because JSON values have no order.
    ///
    /// Databases sort JSON by its text, which is no order that another store could repeat.
    ///
    /// Look at sort keys before the query is made, because the database would sort the text.
    static func withoutOrder(_ trial: Trial) async throws {
        let store = try await items(trial)
        await trial.expectError(.wrongType, "a sort by JSON") {
            _ = try await store.keys("Item", sort: [Query.SortKey("content")])
        }
    }
}
