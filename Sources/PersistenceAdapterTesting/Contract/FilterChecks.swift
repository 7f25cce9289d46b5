import SyncPersistence

/// Checks that a filter selects the same records in every store.
///
/// A filter is resolved before an adapter receives it: names are found, and values have the types of their attributes.
/// An adapter may translate it into a query of its own, or call `select(_:from:_:)` of the library.
///
/// If a check of this topic fails, compare the translation with `BoundFilter`, whose evaluation is the definition.
/// Translations fail at null, at text with wildcards, at numbers of another kind, and at negations.
enum FilterChecks {
    /// The checks of the topic, in the order in which they run.
    static let all = [
        ContractCheck("filtering.comparisons", comparisons),
        ContractCheck("filtering.indexedComparisons", indexedComparisons),
        ContractCheck("filtering.nulls", nulls),
        ContractCheck("filtering.membership", membership),
        ContractCheck("filtering.text", text),
        ContractCheck("filtering.logic", logic),
        ContractCheck("filtering.manyConditions", manyConditions),
        ContractCheck("filtering.numbersOfOtherKinds", numbersOfOtherKinds),
        ContractCheck("filtering.json", json),
        ContractCheck("filtering.paths", paths),
        ContractCheck("filtering.wrongTypes", wrongTypes),
    ]

    /// Compares all pairs of samples of each type by every operator.
    ///
    /// The samples are in increasing order, so their positions give the expected results.
    private static func compareAll(_ trial: Trial, isIndexed: Bool) async throws {
        for (type, samples) in SampleValues.increasing {
            let store = try await trial.store {
                Entity("Item") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("value", type, isIndexed: isIndexed)
                }
            }
            // Shuffled, so that insertion order does not give the right result by chance.
            var generator = SeededGenerator(seed: 7)
            var rows = samples.enumerated().map { ["id": .integer(Int64($0)), "value": $1] as [String: Value] }
            rows.append(["id": -1])
            try await store.put("Item", rows: rows.shuffled(using: &generator))
            for (place, sample) in samples.enumerated() {
                for comparison in Filter.Comparison.allCases {
                    let found = try await store.keys(
                        "Item", where: .comparison(path: "value", comparison, sample), sort: [Query.SortKey("id")])
                    let expected = samples.indices.filter { comparison.holds($0, place) }.map {
                        Value.integer(Int64($0))
                    }
                    trial.expect("\(type) \(comparison) \(sample)", found, is: expected)
                }
            }
        }
    }

    /// Checks all comparisons of values of every type, without an index.
    ///
    /// An adapter that compares stored texts or rounded numbers would select the wrong records.
    ///
    /// Look at the conversion of each type to the database's own: text for a decimal, a double for a date, and their
    /// order.
    static func comparisons(_ trial: Trial) async throws { try await compareAll(trial, isIndexed: false) }

    /// Checks the same comparisons with an index.
    ///
    /// An index with another order would find other records than a scan.
    ///
    /// Look at how a condition becomes the range of an index: open and closed ends, and the ends of the type.
    static func indexedComparisons(_ trial: Trial) async throws { try await compareAll(trial, isIndexed: true) }

    /// Checks filters with thousands of conditions, and that 20,000 different ranges throw `.tooManyConditions`.
    ///
    /// Without a limit, an adapter overflows the stack or exceeds the limits of its database.
    ///
    /// Look at the nesting of generated expressions: a chain of thousands of conditions must become a list, not a tree
    /// of that depth.
    static func manyConditions(_ trial: Trial) async throws {
        let store = try await people(trial)
        let numbers = (1...2_000 as ClosedRange<Int64>).map { Value.integer($0) }
        let chains: [(String, Filter, [Value])] = [
            ("equal to one of many", numbers.dropFirst(2).reduce(.or([])) { $0 || Field("id") == $1 }, [3, 4]),
            ("equal to none of many", numbers.dropFirst(2).reduce(.and([])) { $0 && Field("id") != $1 }, [1, 2]),
            ("one of many holds", numbers.reduce(.or([])) { $0 || Field("id") == $1 && Field("age") > $1 }, [1, 3]),
            ("all of many hold", numbers.reduce(.and([])) { $0 && (Field("age") > $1 || Field("id") != $1) }, [1, 3]),
            (
                "one of many texts matches",
                numbers.reduce(.or([])) { $0 || Field("name").hasPrefix("B\($1)") } || Field("name").hasPrefix("B"), [2]
            ),
        ]
        for (subject, filter, expected) in chains {
            trial.expect(subject, try await store.keys("Person", where: filter), is: expected)
            trial.expect(
                "\(subject), or not", try await store.keys("Person", where: !filter),
                is: [1, 2, 3, 4].filter { !expected.contains($0) })
        }
        let many = (0..<20_000 as Range<Int64>).map { Value.integer($0) }
        trial.expect(
            "equal to one of very many",
            try await store.keys("Person", where: .or(many.dropFirst(3).map { Field("id") == $0 })), is: [3, 4])
        await trial.expectError(.tooManyConditions, "all of too many") {
            _ = try await store.keys("Person", where: .and(many.map { Field("id") > $0 }))
        }
        await trial.expectError(.tooManyConditions, "one of too many") {
            _ = try await store.keys("Person", where: .or(many.map { Field("id") < $0 }))
        }
    }

    /// Makes a store with four people, some without name or age.
    private static func people(_ trial: Trial) async throws -> TestStore {
        let store = try await trial.store {
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Attribute("age", .integer)
            }
        }
        try await store.put(
            "Person", ["id": 1, "name": "Ada", "age": 36], ["id": 2, "name": "Bo"], ["id": 3, "age": 7], ["id": 4])
        return store
    }

    /// Checks that null satisfies no comparison, so that its negation holds.
    ///
    /// SQL's third truth value would leave such records out of both results.
    ///
    /// Look at negated conditions: `NOT (a = 1)` must be true where `a` is null, for example by `a IS NULL OR a <> 1`.
    static func nulls(_ trial: Trial) async throws {
        let store = try await people(trial)
        func expect(_ filter: Filter, _ keys: [Value]) async throws {
            trial.expect("\(filter)", try await store.keys("Person", where: filter), is: keys)
        }
        try await expect(Field("age").isNull, [2, 4])
        try await expect(!Field("age").isNull, [1, 3])
        for comparison in Filter.Comparison.allCases {
            try await expect(.comparison(path: "age", comparison, .null), [])
            try await expect(.not(.comparison(path: "age", comparison, .null)), [1, 2, 3, 4])
        }
        try await expect(Field("age") != 36, [3])
        // Conditions are true or false. Null is not less than 36, so 'not less' is true for it.
        try await expect(!(Field("age") < 36), [1, 2, 4])
        try await expect(!(Field("age") == 36), [2, 3, 4])
        try await expect(!Field("name").contains("d"), [2, 3, 4])
        try await expect(!Field("age").isOne(of: [7]), [1, 2, 4])
    }

    /// Checks `isOne(of:)` with duplicates, null, no values and tens of thousands of values.
    ///
    /// A list that is passed as parameters of a statement exceeds the limits of many databases. Null in a list
    /// satisfies nothing.
    ///
    /// Look at the size of lists: split a long one, or pass it as one value, such as JSON or a temporary table.
    static func membership(_ trial: Trial) async throws {
        let store = try await people(trial)
        func expect(_ filter: Filter, _ keys: [Value]) async throws {
            trial.expect("\(filter)", try await store.keys("Person", where: filter), is: keys)
        }
        try await expect(Field("id").isOne(of: [4, 2, 9, 2]), [2, 4])
        try await expect(Field("name").isOne(of: ["Bo", "bo", "Cy"]), [2])
        try await expect(Field("age").isOne(of: [.null, 36]), [1])
        try await expect(Field("age").isOne(of: [.null]), [])
        try await expect(Field("age").isOne(of: []), [])
        try await expect(!Field("age").isOne(of: []), [1, 2, 3, 4])
        // More values than a database statement may have parameters.
        try await expect(Field("id").isOne(of: (3..<40_000).map { .integer($0) }), [3, 4])
    }

    /// Checks prefixes, suffixes and parts of texts against a plain implementation, with and without case.
    ///
    /// Wildcards, combining characters and null bytes must match literally.
    ///
    /// Look at `LIKE`: escape `%` and `_`, compare by bytes and not by letters, and stop at no null byte.
    static func text(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Word") {
                Attribute("text", .string, isPrimaryKey: true)
                Attribute("url", .url)
            }
        }
        let words = [
            "", "a", "A", "ab", "aab", "%", "_", "a%b", "a_b", "\\", "'", "\"", "Äpfel", "äpfel", "e\u{301}", "\u{E9}",
            "👨‍👩‍👧", "👨", "STRASSE", "straße", "İ", "i", "a\u{0}b", "line\nline",
        ]
        try await store.put("Word", rows: words.map { ["text": .string($0)] })
        for part in words + ["b", "pfel", "\u{301}", "e", "\u{200D}", "\n", "s", "\u{0}"] {
            for match in Filter.TextMatch.allCases {
                for ignoresCase in [false, true] {
                    let filter = Filter.text(path: "text", match, part, ignoresCase: ignoresCase)
                    let expected = words.filter { matches($0, match, part, ignoresCase) }
                    trial.expect(
                        "\(filter)", try await store.keys("Word", where: filter), is: expected.map { .string($0) })
                }
            }
        }
    }

    /// Whether a text matches, compared scalar by scalar: the oracle of the check.
    private static func matches(
        _ text: String, _ match: Filter.TextMatch, _ part: String, _ ignoresCase: Bool
    ) -> Bool {
        let text = Array((ignoresCase ? text.lowercased() : text).unicodeScalars)
        let part = Array((ignoresCase ? part.lowercased() : part).unicodeScalars)
        if part.count > text.count { return false }
        return switch match {
        case .hasPrefix: Array(text.prefix(part.count)) == part
        case .hasSuffix: Array(text.suffix(part.count)) == part
        case .contains: (0...(text.count - part.count)).contains { Array(text[$0..<($0 + part.count)]) == part }
        }
    }

    /// Checks `and`, `or` and `not`, nested and empty.
    ///
    /// An empty `and` is true, an empty `or` is false.
    static func logic(_ trial: Trial) async throws {
        let store = try await people(trial)
        func expect(_ filter: Filter, _ keys: [Value]) async throws {
            trial.expect("\(filter)", try await store.keys("Person", where: filter), is: keys)
        }
        try await expect(.and([]), [1, 2, 3, 4])
        try await expect(.or([]), [])
        try await expect(.not(.and([])), [])
        try await expect(Field("age") > 1 && Field("name").isNull, [3])
        try await expect(Field("age") > 10 || Field("name") == "Bo", [1, 2])
        try await expect(!(Field("age") > 10 || Field("name") == "Bo"), [3, 4])
        try await expect(.and([Field("id") > 1, .or([Field("id") == 4, .not(Field("age").isNull)])]), [3, 4])
        try await expect(Field("id") == 1 && Field("id") == 2, [])
        try await expect(.or((0..<500).map { Field("id") == .integer($0) }), [1, 2, 3, 4])
    }

    /// Checks comparisons between integers, doubles and decimals.
    ///
    /// A conversion to double would make the largest integer equal to 2^63.
    ///
    /// Look at comparisons of an integer column with 0.5 or 2^63: round the bound, not the stored values.
    static func numbersOfOtherKinds(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Number") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("integer", .integer)
                Attribute("double", .double)
                Attribute("decimal", .decimal)
            }
        }
        try await store.put(
            "Number", ["id": 1, "integer": 1, "double": 1.0, "decimal": SampleValues.decimal("1")],
            ["id": 2, "integer": 2, "double": 2.5, "decimal": SampleValues.decimal("9.99")],
            ["id": 3, "integer": .integer(.max), "double": 1e300, "decimal": SampleValues.decimal("1e100")])
        func expect(_ filter: Filter, _ keys: [Value]) async throws {
            trial.expect("\(filter)", try await store.keys("Number", where: filter), is: keys)
        }
        try await expect(Field("integer") == 1.0, [1])
        try await expect(Field("integer") == 1.5, [])
        try await expect(Field("integer") != 1.5, [1, 2, 3])
        try await expect(Field("integer") > 1.5, [2, 3])
        try await expect(Field("integer") < 1.5, [1])
        try await expect(Field("integer") < 1e300, [1, 2, 3])
        // The double 2^63 is one more than the largest integer.
        try await expect(Field("integer") == 9_223_372_036_854_775_808.0, [])
        try await expect(Field("integer").isOne(of: [1.0, 1.5, 7]), [1])
        try await expect(Field("double") == 1, [1])
        try await expect(Field("double") >= 2, [2, 3])
        try await expect(Field("double") == SampleValues.decimal("2.5"), [2])
        try await expect(Field("decimal") == 1, [1])
        try await expect(Field("decimal") == 9.99, [2])
        try await expect(Field("decimal") > 9.99, [3])
        try await expect(Field("decimal").isOne(of: [9.99, 3]), [2])
    }

    /// Checks that JSON is compared by content: the order of an object's members does not matter.
    ///
    /// An adapter that compares stored text would find an object only if its members are in the stored order.
    ///
    /// Look at the equality of JSON: store a canonical text beside the original one, or compare outside of the
    /// database.
    static func json(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Document") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("content", .json)
            }
        }
        let contents: [Value] = [
            ["a": 1, "b": [true, .null]], [1, 2], "text", 1, 1.5, false, [:], [], ["a": ["b": "c"]],
        ]
        try await store.put("Document", rows: contents.enumerated().map { ["id": .integer(Int64($0)), "content": $1] })
        try await store.put("Document", ["id": 100])
        for (place, content) in contents.enumerated() {
            trial.expect(
                "content == \(content)", try await store.keys("Document", where: Field("content") == content),
                is: [.integer(Int64(place))])
        }
        let turned: Value = ["b": [true, .null], "a": 1]
        trial.expect(
            "an object with its members in another order",
            try await store.keys("Document", where: Field("content") == turned), is: [0])
        trial.expect(
            "other content",
            try await store.keys("Document", where: Field("content") != turned).count, is: contents.count - 1)
        trial.expect(
            "one of several", try await store.keys("Document", where: Field("content").isOne(of: ["text", turned, 7])),
            is: [0, 2])
    }

    /// Checks paths over references and over the inverse of a one-to-one relationship.
    ///
    /// Null at any step gives null; paths over relationships to many throw `.wrongType`.
    ///
    /// Look at joins: a step over a missing record must keep the row and give null, as a left outer join does.
    static func paths(_ trial: Trial) async throws {
        let store = try await trial.store {
            Entity("Company") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
            }
            Entity("Person") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("employer", to: "Company")
                Relationship("boss", to: "Person", inverse: "staff")
                Relationship("staff", toMany: "Person", inverse: "boss")
                Relationship("badge", to: "Badge", inverse: "owner")
            }
            Entity("Badge") {
                Attribute("code", .string, isPrimaryKey: true)
                Relationship("owner", to: "Person", inverse: "badge")
            }
        }
        try await store.put("Company", ["id": 1, "name": "Acme"], ["id": 2])
        try await store.put(
            "Person", ["id": 1, "name": "Ada", "employer": 1], ["id": 2, "name": "Bo", "employer": 2, "boss": 1],
            ["id": 3, "name": "Cy", "boss": 2], ["id": 4, "boss": 1])
        try await store.put("Badge", ["code": "x", "owner": 3], ["code": "y"])
        func expect(_ entity: String, _ filter: Filter, _ keys: [Value]) async throws {
            trial.expect("\(filter)", try await store.keys(entity, where: filter), is: keys)
        }
        try await expect("Person", Field("boss") == 1, [2, 4])
        try await expect("Person", Field("boss.name") == "Ada", [2, 4])
        try await expect("Person", Field("boss.boss.name") == "Ada", [3])
        try await expect("Person", Field("boss.employer.name") == "Acme", [2, 4])
        try await expect("Person", Field("employer.name").isNull, [2, 3, 4])
        try await expect("Person", Field("employer.name") != "Nix", [1])
        try await expect("Person", !(Field("employer.name") == "Acme"), [2, 3, 4])
        try await expect("Person", Field("boss").isOne(of: [2, 9]), [3])
        // The other end of the relationship, whichever record stores the key.
        try await expect("Person", Field("badge") == "x", [3])
        try await expect("Person", Field("badge.code").hasPrefix("x"), [3])
        try await expect("Person", Field("badge").isNull, [1, 2, 4])
        try await expect("Badge", Field("owner.boss.name") == "Bo", ["x"])
        trial.expect(
            "sorted by a path",
            try await store.keys(
                "Person", sort: [Query.SortKey("boss.name", isDescending: true), Query.SortKey("id")]),
            is: [3, 2, 4, 1])
        await trial.expectError(.wrongType, "a path over a relationship to many") {
            _ = try await store.keys("Person", where: Field("staff.name") == "Bo")
        }
        await trial.expectError(.unknownName, "a path to an unknown name") {
            _ = try await store.keys("Person", where: Field("boss.nome") == "Bo")
        }
    }

    /// Checks that comparisons with values of another type throw `.wrongType`.
    ///
    /// An adapter that converts values would select records by chance.
    static func wrongTypes(_ trial: Trial) async throws {
        let store = try await trial.store(SampleValues.schema(isIndexed: false))
        for type in AttributeType.allCases where type != .json {
            let value: Value = type == .string || type == .url ? 1 : "text"
            await trial.expectError(.wrongType, "\(type) compared with \(value)") {
                _ = try await store.keys("Sample", where: .comparison(path: type.rawValue, .equal, value))
            }
            await trial.expectError(.wrongType, "\(type) as one of \(value)") {
                _ = try await store.keys("Sample", where: .membership(path: type.rawValue, [value]))
            }
            if type == .string || type == .url { continue }
            await trial.expectError(.wrongType, "text in \(type)") {
                _ = try await store.keys("Sample", where: Field(type.rawValue).contains("a"))
            }
        }
        await trial.expectError(.wrongType, "JSON that is less") {
            _ = try await store.keys("Sample", where: Field("json") < 1)
        }
        await trial.expectError(.wrongType, "what is not a number") {
            _ = try await store.keys("Sample", where: Field("double") == .double(.nan))
        }
    }
}

extension Filter.Comparison {
    /// Whether the comparison holds for two positions in the increasing order.
    fileprivate func holds(_ left: Int, _ right: Int) -> Bool {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }
}
