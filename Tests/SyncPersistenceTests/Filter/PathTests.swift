import Foundation
import TestSupport
import Testing

import SyncPersistence

struct PathTests {
    private let records: [Record] = [
        Record(Staff.company, ["id": "acme", "name": "Acme", "company.id": 9]),
        Record(Staff.site, ["country": "F", "number": 1, "isOpen": true]),
        Record(Staff.manager, ["id": 1, "string": "Ada", "level": 3, "company": "acme"]),
        Record(Staff.person, ["id": 2, "string": "Bo", "boss": 1, "site": ["F", 1], "home.city": "Oulu"]),
        Record(Staff.person, ["id": 3, "boss": 2, "second.boss": 2, "company": "gone"]),
        Record(Staff.pass, ["number": .uuid(Self.number), "color": "red", "holder": 2]),
    ]

    private static let number = UUID(uuidString: "00000000-0000-0000-0000-000000000001")!

    private func ids(_ filter: Filter, _ entity: String = "Person") throws -> [Value] {
        let storage = InMemoryStorage(schema: Staff.schema)
        for record in records { try storage.insert(record) }
        return try storage.records(Query(entity, where: filter)).map(\.key)
    }

    @Test func relationshipComparesAsTheKeyOfItsDestination() throws {
        #expect(try ids(Field("boss") == 1) == [2])
        #expect(try ids(Field("boss") > 1) == [3])
        #expect(try ids(Field("boss").isOne(of: [1, 2])) == [2, 3])
        #expect(try ids(Field("company") == "gone") == [3], "a key that names no record is one too")
        #expect(try ids(Field("site") == ["F", 1]) == [2])
        #expect(try ids(Field("site") == ["F", 1.5]) == [])
        #expect(try ids(Field("site") != ["F", 1.5]) == [2])
        #expect(try ids(Field("site").isOne(of: [["F", 1], ["D", 1]])) == [2])
        #expect(try ids(Field("site").isNull) == [1, 3])
        #expect(try ids(Field("company").hasPrefix("ac")) == [1])
    }

    @Test func relationshipStoredAtTheOtherEndComparesAsAKeyToo() throws {
        #expect(try ids(Field("pass") == .uuid(Self.number)) == [2])
        #expect(try ids(Field("pass").isNull) == [1, 3])
        #expect(try ids(Field("pass.color") == "red") == [2])
        #expect(try ids(Field("pass.holder.string") == "Bo") == [2])
        #expect(try ids(Field("second.boss.pass.color") == "red") == [3])
    }

    @Test func firstStoredRecordCountsIfSeveralReferToOne() throws {
        let storage = InMemoryStorage(schema: Staff.schema)
        try storage.insert(Record(Staff.person, ["id": 1]))
        // So many that a set of their places is in no order by chance.
        let numbers = (0..<20).map { UUID(uuidString: String(format: "00000000-0000-0000-0000-%012d", 50 - $0))! }
        for (place, number) in numbers.enumerated() {
            let color = Value.string("\(place)")
            try storage.insert(Record(Staff.pass, ["number": .uuid(number), "color": color, "holder": 1]))
        }
        #expect(try storage.count(Query("Person", where: Field("pass") == .uuid(numbers[0]))) == 1)
        #expect(try storage.count(Query("Person", where: Field("pass.color") == "0")) == 1)
        #expect(try storage.count(Query("Person", where: Field("pass.color") == "1")) == 0)
    }

    @Test func pathFollowsRelationshipsToTheDestinationEntity() throws {
        #expect(try ids(Field("boss.string") == "Ada") == [2])
        #expect(try ids(Field("boss.level") >= 3) == [2], "3's boss is no manager")
        #expect(try ids(Field("boss.company.name") == "Acme") == [2])
        #expect(try ids(Field("boss.company") == "acme") == [2])
        #expect(try ids(Field("second.boss.boss.string") == "Ada") == [3])
        #expect(try ids(Field("site.isOpen") == true) == [2])
    }

    @Test func stepWithoutADestinationYieldsNull() throws {
        #expect(try ids(Field("company.name") != "x") == [1])
        #expect(try ids(!(Field("company.name") == "x")) == [1, 2, 3])
        #expect(try ids(Field("company.name").isNull) == [2, 3])
        #expect(try ids(Field("boss.string").isNull) == [1, 3])
    }

    @Test func longestMatchingNameWinsInAPathWithDots() throws {
        #expect(try ids(Field("home.city") == "Oulu") == [2])
        #expect(try ids(Field("second.boss") == 2) == [3])
        #expect(try ids(Field("company.company.id") == 9) == [1])
        #expect(try ids(Field("company.id") == "acme") == [1])
        #expect(try ids(Field("second.boss.home.city") == "Oulu") == [3])
    }

    @Test func filterOnAnEntityAppliesToItsSubentities() throws {
        #expect(try ids(Field("string") == "Ada") == [1])
        #expect(try ids(Field("string") == "Ada", "Manager") == [1])
        #expect(try ids(Field("string") == "Bo", "Manager") == [])
    }

    @Test func unknownNameIsRefusedWithTheKnownNames() throws {
        let error = try #require(throws: PersistenceError.self) { try ids(Field("colour") == "red", "Pass") }
        #expect(error.code == .unknownName)
        #expect("\(error)" == "colour: 'Pass' has no 'colour': it has number, color, holder")
        for path in ["", ".", "boss.", ".boss", "boss..string", "string.x", "level"] {
            let error = try #require(throws: PersistenceError.self) { try ids(Field(path) == "red") }
            #expect(error.code == .unknownName)
        }
        let far = try #require(throws: PersistenceError.self) { try ids(Field("boss.company.x.y") == "red") }
        #expect(
            "\(far)"
                == "boss.company.x.y: 'Company', to which 'boss.company' leads, has no 'x.y': it has id, name, company.id"
        )
    }

    @Test func pathOverAToManyRelationshipIsRefused() throws {
        let error = try #require(throws: PersistenceError.self) { try ids(Field("company.employees").isNull) }
        #expect(error.code == .wrongType)
        #expect(
            "\(error)"
                == "company.employees: 'Company.employees' leads to any number of records, and a path only over "
                + "relationships to one: ask from the other end")
    }

    @Test func valueOfAnotherTypeIsRefused() throws {
        let cases: [(Filter, String)] = [
            (Field("string") == 1, "string: in 'Person' this is text, and cannot be compared with an integer"),
            (Field("integer") == "1", "integer: in 'Person' this is an integer, and cannot be compared with text"),
            (Field("bool") == 1, "bool: in 'Person' this is a truth value, and cannot be compared with an integer"),
            (
                Field("boss.company.name") == 1.5,
                "boss.company.name: in 'Person' this is text, and cannot be compared with a double"
            ),
            (Field("json") < 1, "json: in 'Person' this is JSON, which has no order: compare whether it is equal"),
            (
                Field("site") < ["F", 1],
                "site: in 'Person' this is a key of 2 parts, which has no order: compare whether it is equal"
            ),
            (
                Field("site") == "F",
                "site: in 'Person' this is a key of 2 parts, and cannot be compared with text"
            ),
            (
                Field("site") == ["F"],
                "site: in 'Person' this is a key of 2 parts, and cannot be compared with an array: "
                    + "give an array of text, an integer"
            ),
            (
                Field("site").isOne(of: [["F", nil]]),
                "site: in 'Person' this is a key of 2 parts, and cannot be compared with an array: "
                    + "give an array of text, an integer"
            ),
            (
                Field("decimal") < 1e200,
                "decimal: in 'Person' this is a decimal, and cannot be compared with a double: "
                    + "a double is, from 1e-100 to 1e100; else give a decimal"
            ),
            (
                Field("integer").contains("1"),
                "integer: in 'Person' this is not text: only text and locators contain, begin and end with text"
            ),
            (
                Field("double") == .double(.nan),
                "double: in 'Person' this is a double, and cannot be compared with what is not a number"
            ),
        ]
        for (filter, message) in cases {
            let error = try #require(throws: PersistenceError.self) { try ids(filter) }
            #expect(error.code == .wrongType)
            #expect("\(error)" == message)
        }
    }

    @Test func pathOverTooManyRelationshipsIsRefused() throws {
        let longest = Array(repeating: "boss.", count: BoundPath.maximumSteps).joined()
        #expect(try ids(Field(longest + "string") == "Ada") == [])
        let error = try #require(throws: PersistenceError.self) {
            try ids(Field("boss." + longest + "string") == "Ada")
        }
        #expect(error.code == .tooDeep)
        #expect(throws: PersistenceError.self) {
            try ids(Field(String(repeating: "boss.", count: 100_000)).isNull)
        }
    }
}
