import DifferentialSync
import DifferentialSyncTesting
import Foundation

@testable import SyncPersistence

/// A schema with an attribute of every type and every kind of relationship to one, and random records of it.
enum Staff {
    static let schema = try! Schema([
        Entity("Company") {
            Attribute("id", .string, isPrimaryKey: true)
            Attribute("name", .string)
            Attribute("company.id", .integer)
            Relationship("employees", toMany: "Person", inverse: "company")
        },
        Entity("Site") {
            Attribute("country", .string, isPrimaryKey: true)
            Attribute("number", .integer, isPrimaryKey: true)
            Attribute("isOpen", .bool)
        },
        Entity("Pass") {
            Attribute("number", .uuid, isPrimaryKey: true)
            Attribute("color", .string)
            Relationship("holder", to: "Person", inverse: "pass", isOptional: false)
        },
        Entity("Person") {
            Attribute("id", .integer, isPrimaryKey: true)
            Attribute("bool", .bool)
            Attribute("integer", .integer, isIndexed: true)
            Attribute("double", .double)
            Attribute("decimal", .decimal, isIndexed: true)
            Attribute("string", .string)
            Attribute("bytes", .bytes)
            Attribute("date", .date)
            Attribute("uuid", .uuid)
            Attribute("url", .url)
            Attribute("json", .json)
            Attribute("home.city", .string)
            Relationship("company", to: "Company", inverse: "employees")
            Relationship("boss", to: "Manager")
            Relationship("site", to: "Site")
            Relationship("second.boss", to: "Person")
            Relationship("pass", to: "Pass", inverse: "holder")
        },
        Entity("Manager", parent: "Person") {
            Attribute("level", .integer, isIndexed: true)
            Relationship("deputy", to: "Person")
        },
    ])

    static let person = schema["Person"]!
    static let manager = schema["Manager"]!
    static let company = schema["Company"]!
    static let site = schema["Site"]!
    static let pass = schema["Pass"]!

    /// Values of each type in ascending order, all different.
    static let samples: [AttributeType: [Value]] = [
        .bool: [false, true],
        .integer: [.integer(.min), -1, 0, 2, .integer(.max)],
        .double: [-Double.infinity, -1.5, 0, .leastNonzeroMagnitude, 2, 1e300, .infinity].map { .double($0) },
        .decimal: ["-3.5", "0", "0.1", "9.99", "12345678901234567890123456789"].map {
            .decimal(Decimal(string: $0)!)
        },
        .string: ["", "A", "B", "a", "e\u{301}", "z", "\u{E9}", "\u{FFFD}", "\u{1F600}"],
        .bytes: [[], [0], [0, 1], [1], [255]].map { .bytes(Data($0)) },
        .date: [-1, 0, 0.5, 1e9].map { .date(Date(timeIntervalSinceReferenceDate: $0)) },
        .uuid: ["00000000", "0000000A", "A0000000", "F0000000"].map {
            .uuid(UUID(uuidString: "\($0)-0000-0000-0000-000000000000")!)
        },
        .url: ["a:", "a:b", "b:"].map { .url(URL(string: $0)!) },
        .json: [false, 1, 1.5, "a", ["a"], ["b": 1]],
    ]

    static func random(_ type: AttributeType, using generator: inout SeededGenerator) -> Value {
        generator.happens(0.2) ? .null : samples[type]!.randomElement(using: &generator)!
    }
}

/// Records of ``Staff``, and a storage that holds them.
struct Population {
    var records: [Record] = []
    private var generator: SeededGenerator

    init(count: Int, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        let people = 0..<Int64(count)
        for number in people.prefix(count / 4) {
            records.append(
                Record(
                    Staff.company,
                    [
                        "id": .string("c\(number)"), "name": random(.string), "company.id": random(.integer),
                    ]))
            records.append(
                Record(Staff.site, ["country": random(in: "FD"), "number": .integer(number), "isOpen": random(.bool)]))
        }
        for number in people.shuffled(using: &generator) {
            records.append(person(number, count: count))
            if generator.happens(0.5) {
                let id = UUID(uuidString: "00000000-0000-0000-0000-\(String(format: "%012d", number))")!
                records.append(
                    Record(Staff.pass, ["number": .uuid(id), "color": random(.string), "holder": .integer(number)]))
            }
        }
    }

    /// A person, or a manager, with the names of others who may not exist.
    mutating func person(_ number: Int64, count: Int) -> Record {
        var record = Record(generator.happens(0.3) ? Staff.manager : Staff.person, [:])
        for type in AttributeType.allCases { record[type.rawValue] = random(type) }
        record["id"] = .integer(number)
        record["home.city"] = random(.string)
        let others = Int64(count) + 3
        if generator.happens(0.8) {
            record["company"] = .string("c\(Int64.random(in: 0..<others / 4 + 2, using: &generator))")
        }
        if generator.happens(0.8) { record["boss"] = .integer(Int64.random(in: 0..<others, using: &generator)) }
        if generator.happens(0.8) { record["second.boss"] = .integer(Int64.random(in: 0..<others, using: &generator)) }
        if generator.happens(0.8) {
            record["site"] = [random(in: "FD"), .integer(Int64.random(in: 0..<others / 4 + 2, using: &generator))]
        }
        if record.shape == Staff.manager {
            record["level"] = random(.integer)
            record["deputy"] = .integer(Int64.random(in: 0..<others, using: &generator))
        }
        return record
    }

    var storage: InMemoryStorage {
        get throws {
            let storage = InMemoryStorage(InMemoryState(schema: Staff.schema))
            for record in records { try storage.insert(record) }
            return storage
        }
    }

    private mutating func random(_ type: AttributeType) -> Value { Staff.random(type, using: &generator) }

    private mutating func random(in letters: String) -> Value {
        .string(String(letters.randomElement(using: &generator)!))
    }
}

extension InMemoryStorage {
    /// The records that a query means.
    func records(_ query: Query) throws -> [Record] {
        var records: [Record] = []
        try forEach(query) {
            records.append($0)
            return true
        }
        return records
    }
}

extension BoundFilter {
    /// Whether the filter holds for a record that stands alone.
    func holds(for record: Record) -> Bool { predicate { _, _ in nil }(record) }
}
