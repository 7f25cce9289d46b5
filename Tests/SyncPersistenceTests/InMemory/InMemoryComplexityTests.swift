import TestSupport
import Testing

import SyncPersistence

/// How many records are looked at, of a thousand.
struct InMemoryComplexityTests {
    private let storage: InMemoryStorage

    init() throws {
        storage = InMemoryStorage(schema: Staff.schema)
        for number in 0..<1000 as Range<Int64> {
            var record = Record(
                number % 2 == 0 ? Staff.person : Staff.manager,
                [
                    "id": .integer(number), "boss": .integer(number / 10), "integer": .integer(number % 100),
                    "company": .string("c\(number % 4)"), "string": .string("\(number % 5)"),
                    "site": ["F", .integer(number % 50)],
                ])
            if number % 2 == 1 { record["level"] = .integer(number % 20) }
            try storage.insert(record)
            try storage.insert(
                Record(Staff.site, ["country": .string(number % 2 == 0 ? "F" : "D"), "number": .integer(number / 2)]))
        }
    }

    private func examined(_ query: Query) throws -> (examined: Int, found: Int) {
        let before = storage.examinedCount
        let found = try storage.records(query).count
        return (storage.examinedCount - before, found)
    }

    @Test func requiredEqualityOfAnIndexedSlotRelationshipOrKeyIsLookedUp() throws {
        let cases: [(Filter, examined: Int, found: Int)] = [
            (Field("id") == 7, 1, 1),
            (Field("id") == 7 && Field("company") == "c0", 1, 0),
            (Field("id") == 7.0, 1, 1),
            (Field("id") == 7.5, 0, 0),
            (Field("id") == -1, 0, 0),
            (Field("id").isOne(of: [7, 8, -1, nil]), 2, 2),
            (Field("boss") == 3, 10, 10),
            (Field("boss").isOne(of: [3, 4]), 20, 20),
            (Field("boss").isOne(of: []), 0, 0),
            (Field("integer") == 3, 10, 10),
            (Field("site") == ["F", 3], 20, 20),
            // The most selective of several.
            (Field("company") == "c1" && Field("integer") == 1, 10, 10),
            (Field("integer") == 1 && Field("company") == "c1", 10, 10),
            (Field("integer") == 1 && (Field("company") == "c1" && Field("boss") == 0), 10, 1),
            (Field("string") == "1" && Field("integer") == 1, 10, 10),
            (.and([.and([.and([Field("boss") == 3])])]), 10, 10),
            // One of several, in other words.
            (Field("boss") == 3 || Field("boss") == 4, 20, 20),
            // Not required, or not of the record itself.
            (Field("boss") == 3 || Field("integer") == 3, 1000, 20),
            (!(Field("boss") == 3), 1000, 990),
            (Field("string") == "1", 1000, 200),
            (Field("boss.integer") == 3, 1000, 10),
            (Field("boss") > 98, 1000, 10),
            // A range of integers with both ends, if there are fewer of them than records.
            (Field("integer") >= 3 && Field("integer") < 5, 20, 20),
            (Field("integer") > 2 && Field("integer") <= 4 && Field("string") == "4", 20, 10),
            (Field("integer") >= 3 && Field("integer") <= 90 && Field("boss") >= 7 && Field("boss") <= 7, 10, 10),
            (Field("integer") > 4 && Field("integer") < 4, 0, 0),
            (Field("integer") > .integer(.min) && Field("integer") < .integer(.max), 1000, 1000),
            (Field("integer") >= 0 && Field("integer") <= 1_000, 1000, 1000),
            (!(Field("integer") >= 3) && Field("integer") <= 4, 1000, 30),
            (Field("boss.integer") >= 3 && Field("boss.integer") <= 3, 1000, 10),
        ]
        for (filter, examined, found) in cases {
            let result = try self.examined(Query("Person", where: filter))
            #expect(result == (examined, found), "\(filter)")
        }
    }

    @Test func compositeKeyIsLookedUpByAllItsParts() throws {
        let key = Field("country") == "F" && Field("number") == 7
        #expect(try examined(Query("Site", where: key)) == (1, 1))
        #expect(try examined(Query("Site", where: Field("number") == 7 && Field("country") == "X")) == (0, 0))
        #expect(try examined(Query("Site", where: Field("country") == "F")) == (1000, 500))
    }

    @Test func parentAndSubentityShareAnIndex() throws {
        #expect(try examined(Query("Manager", where: Field("level") == 3)) == (50, 50))
        #expect(try examined(Query("Manager", where: Field("boss") == 3)) == (10, 5))
        #expect(try examined(Query("Manager")) == (1000, 500))
    }

    @Test func unsortedQueryWithALimitExaminesNoMoreRecordsThanItNeeds() throws {
        #expect(try examined(Query("Person", limit: 5)) == (5, 5))
        #expect(try examined(Query("Person", where: Field("boss") == 3, offset: 2, limit: 3)) == (5, 3))
        #expect(try examined(Query("Person", sort: [Query.SortKey("string")], limit: 5)) == (1000, 5))
        #expect(try examined(Query("Person", limit: 0)) == (0, 0))
    }

    @Test(arguments: [1, 2, 33, 400, 999, 1000, 2000, Int.max])
    func sortedQueryWithALimitReturnsAPrefixOfTheFullSort(limit: Int) throws {
        for keys in [["string", "id"], ["string"], ["company", "string"]] {
            for isDescending in [false, true] {
                let sort = keys.map { Query.SortKey($0, isDescending: isDescending) }
                let all = try storage.records(Query("Person", sort: sort))
                #expect(try storage.records(Query("Person", sort: sort, limit: limit)) == Array(all.prefix(limit)))
                let later = try storage.records(Query("Person", sort: sort, offset: 7, limit: limit))
                #expect(later == Array(all.dropFirst(7).prefix(limit)))
            }
        }
    }

    @Test func countingARootEntityExaminesNoRecords() throws {
        #expect(try storage.count(Query("Person")) == 1000)
        #expect(try storage.count(Query("Person", offset: 990, limit: 20)) == 10)
        #expect(storage.examinedCount == 0)
        #expect(try storage.count(Query("Manager")) == 500)
        #expect(storage.examinedCount == 1000)
    }

    @Test func linksOfARecordAreLookedUpFromBothEnds() throws {
        let schema = try Schema([
            Entity("Post") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tags", toMany: "Tag", inverse: "posts")
            },
            Entity("Tag") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("posts", toMany: "Post", inverse: "tags")
            },
        ])
        let storage = InMemoryStorage(schema: schema)
        guard case .links(let name, _)? = schema["Post"]?.relationship(named: "tags")?.storage else {
            Issue.record("tags are not kept in links")
            return
        }
        for post in 0..<100 as Range<Int64> {
            for tag in 0..<10 as Range<Int64> {
                try storage.insert(Record(schema[name]!, slots: [.integer(post), .integer(tag)]))
            }
        }
        for (filter, count) in [
            (Field("source") == 7, 10), (Field("target") == 7, 100), (Field("source") == 7 && Field("target") == 7, 1),
        ] {
            let before = storage.examinedCount
            #expect(try storage.records(Query(name, where: filter)).count == count)
            #expect(storage.examinedCount - before == count)
        }
    }
}
