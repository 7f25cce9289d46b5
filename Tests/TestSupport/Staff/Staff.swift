import DifferentialSyncTesting
import Foundation
package import SyncPersistence

/// A schema with an attribute of every type, and every kind of relationship to one.
///
/// Some names contain dots, as paths do.
package enum Staff {
    /// Companies, sites, passes and people, some of whom are managers.
    package static let schema = try! Schema([
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

    package static let person = schema["Person"]!
    package static let manager = schema["Manager"]!
    package static let company = schema["Company"]!
    package static let site = schema["Site"]!
    package static let pass = schema["Pass"]!

    /// Values of each type in increasing order, all different.
    package static let samples: ValuePool = ValuePool([
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
    ])
}
