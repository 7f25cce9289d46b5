import Foundation
import SyncPersistence
import TestSupport
import Testing

struct FilterFormTests {
    @Test func operatorsOnFieldsMakeFilters() {
        let filter = Field("author.name") == "Ada" && Field("age") > 30 || !Field("email").isNull
        #expect(
            filter
                == .or([
                    .and([
                        .comparison(path: "author.name", .equal, "Ada"), .comparison(path: "age", .greater, 30),
                    ]), .not(.isNull(path: "email")),
                ]))
        #expect((Field("a") == nil) == .isNull(path: "a"))
        #expect((Field("a") != nil) == .not(.isNull(path: "a")))
        #expect((Field("a") != 1) == .comparison(path: "a", .notEqual, 1))
        #expect((Field("a") < 1) == .comparison(path: "a", .less, 1))
        #expect((Field("a") <= 1) == .comparison(path: "a", .lessOrEqual, 1))
        #expect((Field("a") >= 1) == .comparison(path: "a", .greaterOrEqual, 1))
        #expect(Field("a").isOne(of: [1, 2]) == .membership(path: "a", [1, 2]))
        #expect(Field("a").contains("x") == .text(path: "a", .contains, "x", ignoresCase: false))
        #expect(Field("a").hasPrefix("x", ignoringCase: true) == .text(path: "a", .hasPrefix, "x", ignoresCase: true))
        #expect(Field("a").hasSuffix("x") == .text(path: "a", .hasSuffix, "x", ignoresCase: false))
    }

    @Test func chainsAreFlattenedAndDoubleNegationsRemoved() {
        let (a, b, c) = (Field("a").isNull, Field("b").isNull, Field("c").isNull)
        #expect((a && b && c) == .and([a, b, c]))
        #expect((a && (b && c)) == .and([a, b, c]))
        #expect((a || b || c) == .or([a, b, c]))
        #expect((a && (b || c)) == .and([a, .or([b, c])]))
        #expect(!(!a) == a)
    }

    @Test func longChainsAreJoinedInTwoLevelsInOrder() throws {
        let conditions = (0..<20_000 as Range<Int64>).map { Field("integer") > .integer($0) }
        var (both, either) = (conditions[0], conditions[0])
        for condition in conditions.dropFirst() {
            both = both && condition
            either = either || condition
        }
        var (bothFromRight, eitherFromRight) = (conditions[19_999], conditions[19_999])
        for condition in conditions.dropLast().reversed() {
            bothFromRight = condition && bothFromRight
            eitherFromRight = condition || eitherFromRight
        }
        func leaves(_ filter: Filter) -> [Filter] { filter.joined.isEmpty ? [filter] : filter.joined.flatMap(leaves) }
        for chain in [both, either, bothFromRight, eitherFromRight] {
            #expect(chain.joined.count < 1_000)
            #expect(chain.joined.flatMap(\.joined).allSatisfy { $0.joined.isEmpty })
            #expect(leaves(chain) == conditions)
        }
        let storage = InMemoryStorage(schema: Staff.schema)
        let error = try #require(throws: PersistenceError.self) { try storage.count(Query("Person", where: both)) }
        #expect(error.code == .tooManyConditions)
        #expect(
            "\(error)"
                == "the filter has 20000 conditions, and may have 5000: ask by one 'isOne(of:)' for several values of a field"
        )
    }

    @Test func alternativesOnOneFieldAreMergedForALookup() throws {
        func bound(_ filter: Filter) throws -> BoundFilter {
            try BoundFilter(filter, of: Staff.person, in: Staff.schema)
        }
        let (a, b) = (Field("id"), Field("boss.id"))
        #expect(try bound(a == 1 || a == 2 || a.isOne(of: [2, 3])) == bound(a.isOne(of: [1, 2, 3])))
        #expect(try bound(a == 1 || (a == 1 || a == nil)) == bound(.or([a == 1, a == nil])))
        #expect(
            try bound(a == 1 || b == 1 || a > 7 || b == 2 || a == 3)
                == .or([bound(a.isOne(of: [1, 3])), bound(b.isOne(of: [1, 2])), bound(a > 7)]))
        #expect(try bound(.or([a == 1, .or([])])) == bound(a == 1))
        #expect(try bound(.or([])) == .or([]))
        let storage = try Population(count: 24, seed: 1).storage
        #expect(try storage.isIndexed(Query("Person", where: a == 1 || a == 2)))
    }

    private static let filters: [Filter] = [
        Field("a") == 1, Field("a") == 1.0, Field("b") == 1, Field("a") != 1, Field("a").isOne(of: [1]),
        Field("a").isOne(of: [1, 2]), Field("a").isOne(of: []), Field("a").contains("x"), Field("a").hasPrefix("x"),
        Field("a").contains("\u{E9}"), Field("a").contains("e\u{301}"), Field("a").contains("x", ignoringCase: true),
        Field("a").isNull, !Field("a").isNull, .and([]), .or([]), .and([Field("a").isNull]),
        .and([Field("a").isNull, Field("b").isNull]), .and([Field("b").isNull, Field("a").isNull]),
        .or([Field("a").isNull, Field("b").isNull]), .not(.not(Field("a").isNull)),
        .and([.and([Field("a").isNull]), Field("b").isNull]), .and([.and([Field("a").isNull, Field("b").isNull])]),
    ]

    @Test func filtersAreEqualOnlyToThemselvesAndHashAccordingly() {
        for (place, filter) in Self.filters.enumerated() {
            for (other, otherFilter) in Self.filters.enumerated() {
                #expect((filter == otherFilter) == (place == other), "\(filter) \(otherFilter)")
            }
        }
        #expect(Set(Self.filters + Self.filters).count == Self.filters.count)
    }

    @Test func filterDescriptionReadsLikeSource() {
        let descriptions: [(Filter, String)] = [
            (
                Field("author.name") == "Ada" && (Field("stars") > 3 || !Field("due").isNull),
                #"author.name == "Ada" && (stars > 3 || !(due is null))"#
            ),
            (!(Field("a") == true && Field("b") <= 1.5), "!(a == true && b <= 1.5)"),
            (Field("a") != 1 || Field("b") < 2 && Field("c") >= 3, "a != 1 || b < 2 && c >= 3"),
            (Field("a").isOne(of: [1, nil, "x", ["y"]]), #"a is one of [1, null, "x", ["y"]]"#),
            (Field("a").isOne(of: (0..<10).map { .integer($0) }), "a is one of [0, 1, 2, 3, 4, 5, 6, 7, … 10 in all]"),
            (Field("a").contains("\"x\n", ignoringCase: true), #"a contains "\"x\n" ignoring case"#),
            (!Field("a").hasPrefix("x"), #"!(a begins with "x")"#), (Field("a").hasSuffix("x"), #"a ends with "x""#),
            (Field("a") == .bytes(Data([1, 2])), "a == <2 bytes>"), (Field("a") == ["F", 1], #"a == ["F", 1]"#),
            (Field("a") == ["b": 1], #"a == {"b": 1}"#), (Field("a") == .url(URL(string: "b:c")!), "a == <b:c>"),
            (.and([]), "true"), (.or([]), "false"), (.not(.or([])), "!false"),
            (.and([.or([Field("a").isNull, Field("b").isNull])]), "(a is null || b is null)"),
        ]
        for (filter, text) in descriptions { #expect("\(filter)" == text) }
    }

    @Test(arguments: [201, 2000])
    func deeplyNestedFiltersAreRefusedWithoutACrash(depth: Int) throws {
        func nested(_ depth: Int, in wrap: (Filter) -> Filter) -> Filter {
            (1..<depth).reduce(Field("string").isNull) { filter, _ in wrap(filter) }
        }
        let wraps: [(Filter) -> Filter] = [
            { .not($0) }, { .and([$0]) }, { .or([.and([]), $0]) }, { .not(.and([$0, Field("id") == 1])) },
        ]
        let storage = InMemoryStorage(schema: Staff.schema)
        for wrap in wraps {
            let filter = nested(depth, in: wrap)
            #expect(filter == nested(depth, in: wrap))
            #expect(filter.hashValue == nested(depth, in: wrap).hashValue)
            #expect(filter != nested(depth + 1, in: wrap))
            #expect(filter.description.contains("…"))
            for query in [Query("Person", where: filter), Query("Person", where: filter, limit: 0)] {
                let error = try #require(throws: PersistenceError.self) { try storage.records(query) }
                #expect(error.code == .tooDeep)
                #expect(
                    "\(error)"
                        == "the filter is nested more than 200 deep: join conditions by one 'and' or 'or' of many")
            }
        }
        #expect(try storage.count(Query("Person", where: nested(200) { .not($0) })) == 0)
    }

    @Test func filtersAreCodedAsObjectsAndDecodeUnchanged() throws {
        for filter in Self.filters {
            let data = try JSONEncoder().encode([filter])
            #expect(try JSONDecoder().decode([Filter].self, from: data) == [filter])
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let filter = Field("a").hasPrefix("x") || !Field("b").isNull && Field("c").isOne(of: [])
        #expect(
            String(decoding: try encoder.encode(filter), as: UTF8.self)
                == #"{"or":[{"ignoresCase":false,"path":"a","pattern":"x","text":"hasPrefix"},"#
                + #"{"and":[{"not":{"isNull":"b"}},{"isOneOf":[],"path":"c"}]}]}"#)
        let short = Data(#"{"path": "a", "text": "contains", "pattern": "x"}"#.utf8)
        #expect(try JSONDecoder().decode(Filter.self, from: short) == Field("a").contains("x"))
    }

    @Test(arguments: ["{}", "{\"path\":\"a\"}", "[]", "{\"is\":\"equal\"}"])
    func decodingRefusesInvalidFilters(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Filter.self, from: Data(text.utf8)) }
    }

    @Test func filtersNestedTooDeepAreNeitherEncodedNorDecoded() throws {
        func nested(_ depth: Int) -> Filter {
            (1..<depth).reduce(Field("and").isNull) { filter, _ in .not(filter) }
        }
        let deepest = nested(Filter.maximumDepth)
        #expect(try JSONDecoder().decode(Filter.self, from: JSONEncoder().encode(deepest)) == deepest)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(nested(Filter.maximumDepth + 1)) }
        let depth = Filter.maximumDepth
        let text =
            String(repeating: #"{"not":"#, count: depth) + #"{"isNull":"a"}"# + String(repeating: "}", count: depth)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Filter.self, from: Data(text.utf8)) }
    }
}

extension Filter {
    /// The filters that an operator has joined.
    fileprivate var joined: [Filter] {
        switch self {
        case .and(let filters), .or(let filters): filters
        default: []
        }
    }
}
