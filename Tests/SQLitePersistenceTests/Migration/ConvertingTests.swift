import DifferentialSync
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

struct ConvertingTests {
    private static func user(_ attributes: Attribute...) throws -> Schema { try Schema([entity("User", attributes)]) }

    private struct Conversion: Sendable, CustomTestStringConvertible {
        let from: (type: AttributeType, value: Value)
        let to: (type: AttributeType, value: Value?)
        var testDescription: String { "\(from.type) \(from.value) as \(to.type)" }

        init(_ type: AttributeType, _ value: Value, _ newType: AttributeType, _ newValue: Value?) {
            from = (type, value)
            to = (newType, newValue)
        }
    }

    private static let date = Date(timeIntervalSinceReferenceDate: 0)
    private static let uuid = UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")!
    private static let url = URL(string: "https://example.org/a?b=c")!

    private static let conversions = [
        Conversion(.integer, 3, .double, 3.0), Conversion(.integer, 9_007_199_254_740_993, .double, nil),
        Conversion(.double, 3.0, .integer, 3), Conversion(.double, 3.5, .integer, nil),
        Conversion(.integer, 3, .decimal, .decimal(3)),
        Conversion(.double, 0.1, .decimal, .decimal(Decimal(string: "0.1")!)),
        Conversion(.decimal, .decimal(12), .integer, 12), Conversion(.decimal, .decimal(12), .double, 12.0),
        Conversion(.bool, true, .integer, 1), Conversion(.integer, 0, .bool, false),
        Conversion(.integer, 2, .bool, nil),
        Conversion(.string, "007", .integer, 7), Conversion(.string, "7 kg", .integer, nil),
        Conversion(.string, "2.50", .decimal, .decimal(Decimal(string: "2.5")!)),
        Conversion(.string, "1e3", .double, 1000.0), Conversion(.string, "nan", .double, nil),
        Conversion(.string, "true", .bool, true), Conversion(.string, "yes", .bool, nil),
        Conversion(.integer, -7, .string, "-7"), Conversion(.double, 2.5, .string, "2.5"),
        Conversion(.date, .date(date), .string, "2001-01-01T00:00:00Z"),
        Conversion(.string, "2001-01-01T00:00:00Z", .date, .date(date)), Conversion(.string, "soon", .date, nil),
        Conversion(.uuid, .uuid(uuid), .string, .string(uuid.uuidString)),
        Conversion(.string, .string(uuid.uuidString), .uuid, .uuid(uuid)),
        Conversion(.url, .url(url), .string, .string(url.absoluteString)),
        Conversion(.string, .string(url.absoluteString), .url, .url(url)),
        Conversion(.integer, 7, .json, 7), Conversion(.json, "text", .string, "text"),
        Conversion(.json, [1, 2], .string, nil), Conversion(.integer, 7, .date, nil),
        Conversion(.string, "a", .bytes, nil),
    ]

    @Test func convertsByTheLibrarysOwnRules() async throws {
        for conversion in Self.conversions {
            for medium in Medium.allCases {
                let old = try await MigratedStore(
                    medium, Self.user(Attribute("x", conversion.from.type, isIndexed: true)))
                try await old.store.put("User", ["id": 1, "x": conversion.from.value], ["id": 2])
                let newer = try Self.user(Attribute("x", conversion.to.type, isIndexed: conversion.to.type != .json))
                guard let value = conversion.to.value else {
                    let error = try await old.refusal(newer, .convert("User", "x"))
                    #expect(error?.code == .schemaChange)
                    #expect(
                        error?.description
                            == "User 1.x: the value \(conversion.from.value) cannot be read as "
                            + #"\#(conversion.to.type.rawValue): pass a function to '.convert("User", "x")'"#)
                    continue
                }
                let new = try await old.reopened(newer, .convert("User", "x"))
                #expect(try await new.value("User", 1, "x") == value, "\(conversion.testDescription) \(medium)")
                #expect(try await new.value("User", 2, "x") == .null)
                if conversion.to.type != .json {
                    let found = try await new.read { try $0.keys(of: "User", where: Field("x") == value) }
                    #expect(found == [1], "\(conversion.testDescription) \(medium)")
                }
                await new.close()
            }
        }
    }

    @Test(arguments: Medium.allCases)
    func convertsTheShadowAndWhatTheRemoteHolds(medium: Medium) async throws {
        let old = try await MigratedStore(medium, Self.user(Attribute("age", .string), Attribute("name", .string)))
        try await old.store.put(
            "User", ["id": 1, "age": "1", "name": "a"], ["id": 2, "age": "2"], ["id": 3, "age": "3"])
        try await old.store.edit("User", 1, ["age": "10"])
        try await old.store.edit("User", 2, ["age": "20"])
        try await old.store.put("User", ["id": 2, "age": "200"], origin: .remote)
        try await old.store.commitChanges { $0.delete(RecordID("User", 3)) }
        let new = try await old.reopened(
            Self.user(Attribute("name", .string), Attribute("age", .integer)), .convert("User", "age"))
        let journal = try await new.read { try $0.journal(of: "User") }
        #expect(journal.map { $0.base?["age"] } == [1, 2, 3])
        #expect(journal.map { $0.remote?["age"] } == [nil, 200, nil])
        #expect(journal.map(\.isUnresolved) == [false, true, false])
        #expect(try await new.value("User", 1, "age") == 10)
        #expect(try await new.value("User", 2, "age") == 20)
        #expect(try await new.value("User", 1, "name") == "a")
        try await new.recordCollection(of: "User").revert()
        #expect(try await new.value("User", 3, "age") == 3)
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func convertsWhatIsInFlight(medium: Medium) async throws {
        let old = try await MigratedStore(medium, Self.user(Attribute("age", .string)))
        try await old.store.put("User", ["id": 1, "age": "1"], ["id": 2, "age": "2"], origin: .local)
        let users = try await old.store.recordCollection(of: "User")
        await #expect(throws: LostAnswer.self) {
            try await users.synchronize(with: Mute(), pushID: "push 1", policy: .localWins)
        }
        try await old.store.edit("User", 1, ["age": "10"])
        let new = try await old.reopened(Self.user(Attribute("age", .integer)), .convert("User", "age"))
        let push = try #require(try await new.recordCollection(of: "User").pendingPush)
        #expect(push.changes.add.map { $0["age"] } == [1, 2])
        #expect(try await new.value("User", 1, "age") == 10)
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func namesRecordAndValueOfAFailureAndChangesNothing(medium: Medium) async throws {
        struct Odd: Error {}
        let old = try await MigratedStore(medium, Self.user(Attribute("age", .string)))
        try await old.store.put("User", ["id": 1, "age": "1"], ["id": 2, "age": "x"])
        let newer = try Self.user(Attribute("age", .integer))
        let thrown = try await old.refusal(
            newer,
            .convert("User", "age") { value in
                guard value == "1" else { throw Odd() }
                return 1
            })
        #expect(thrown?.description == #"User 2.age: '.convert("User", "age")' cannot convert "x": Odd()"#)
        let wrong = try await old.refusal(newer, .convert("User", "age") { $0 })
        #expect(
            wrong?.description
                == #"User 1.age: '.convert("User", "age")' makes of "1" "1", which an attribute of type integer does not "#
                + "hold: correct it")
    }

    @Test(arguments: Medium.allCases)
    func fillsWhatBecomesMandatoryInTheShadowToo(medium: Medium) async throws {
        let old = try await MigratedStore(medium, Self.user(Attribute("name", .string)))
        try await old.store.put("User", ["id": 1], ["id": 2, "name": "Mary"], ["id": 3])
        try await old.store.commitChanges { $0.delete(RecordID("User", 1)) }
        try await old.store.edit("User", 3, ["name": "Jane"])
        let newer = try Self.user(Attribute("name", .string, isOptional: false))
        let error = try await old.refusal(newer)
        #expect(
            error?.message
                == "the store cannot be opened with this schema:\n  User.name: it is mandatory in the schema, "
                + "and the shadow has records without it: synchronize first, keep it optional, or pass "
                + #"'.fill("User", "name", with: …)'"#)
        let new = try await old.reopened(newer, .fill("User", "name", with: "?"))
        #expect(try await new.keys("User") == [2, 3])
        #expect(try await new.shadow("User", 3, "name") == "?")
        #expect(try await new.localDiff("User")?.replacements.map { $0.new["name"] } == ["Jane"])
        try await new.recordCollection(of: "User").revert()
        #expect(try await new.value("User", 1, "name") == "?")
        #expect(try await new.value("User", 2, "name") == "Mary")
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func fillsANewAttributeFromWhatIsDropped(medium: Medium) async throws {
        let old = try await MigratedStore(
            medium, Self.user(Attribute("first", .string), Attribute("last", .string), Attribute("age", .string)))
        try await old.store.put("User", ["id": 1, "first": "Ada", "last": "Lovelace", "age": "36"])
        try await old.store.edit("User", 1, ["age": "37"])
        let newer = try Schema([
            entity(
                "Person",
                [
                    Attribute("name", .string, isOptional: false, isIndexed: true),
                    Attribute("years", .integer, isOptional: false, renamedFrom: "age"),
                ], renamedFrom: "User")
        ])
        let new = try await old.reopened(
            newer, .drop("User", "first"), .drop("Person", "last"), .convert("Person", "age"),
            .fill("Person", "years", with: 0),
            .fill("Person", "name") { user in
                guard case .string(let first) = user["first"], case .string(let last) = user["last"] else { return "?" }
                return .string("\(first) \(last)")
            })
        #expect(try await new.value("Person", 1, "name") == "Ada Lovelace")
        #expect(try await new.value("Person", 1, "years") == 37)
        #expect(try await new.shadow("Person", 1, "years") == 36)
        #expect(try await new.read { try $0.keys(of: "Person", where: Field("name") == "Ada Lovelace") } == [1])
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func refusesSeveralStepsOfOneKindForAnAttribute(medium: Medium) async throws {
        let old = try await MigratedStore(medium, Self.user(Attribute("age", .integer)))
        try await old.store.put("User", ["id": 1, "age": 36])
        let newer = try Self.user(Attribute("years", .decimal, isOptional: false, renamedFrom: "age"))
        // The first one is for the text of a version before the older one.
        let error = try await old.refusal(
            newer, .convert("User", "age") { _ in .null }, .convert("User", "years"), .convert("User", "years"),
            .fill("User", "years", with: .decimal(0)), .fill("User", "years") { _ in .decimal(1) })
        let lines = [
            "the store cannot be opened with this schema:",
            #"  User.years: several steps convert it: pass one '.convert("User", "years")', "#
                + "whose function converts the values of all older types",
            #"  User.years: several steps fill it: pass one '.fill("User", "years", with: …)', "#
                + "whose value suits the records of all older versions",
        ]
        #expect(error?.code == .schemaChange)
        #expect(error?.message == lines.joined(separator: "\n"))
    }

    @Test(arguments: Medium.allCases, ["years", "lifetime"])
    func refusesSeveralStepsUnderAMiddleNameOfAnAttribute(medium: Medium, other: String) async throws {
        let old = try await MigratedStore(medium, Self.user(Attribute("years", .integer, renamedFrom: "age")))
        try await old.store.put("User", ["id": 1, "years": 36])
        let newer = try Self.user(Attribute("lifetime", .decimal, renamedFrom: "age"))
        let error = try await old.refusal(
            newer, .convert("User", "years") { _ in .decimal(1) }, .convert("User", other) { _ in .decimal(2) })
        #expect(error?.code == .schemaChange)
        #expect(error?.message.contains("User.lifetime: several steps convert it") == true)
    }

    @Test(arguments: Medium.allCases)
    func takesAStepForEachFormerNameOfAnAttribute(medium: Medium) async throws {
        let old = try await MigratedStore(medium, Self.user(Attribute("years", .integer, renamedFrom: "age")))
        try await old.store.put("User", ["id": 1, "years": 36])
        let new = try await old.reopened(
            Self.user(Attribute("lifetime", .decimal, renamedFrom: "age")),
            .convert("User", "age") { _ in .decimal(1) }, .convert("User", "years") { _ in .decimal(2) })
        #expect(try await new.value("User", 1, "lifetime") == .decimal(2))
        await new.close()
    }

    @Test(arguments: Medium.allCases, [AttributeType.string, .integer])
    func takesSeveralStepsThatConvertByTheRulesOfTheTypes(medium: Medium, type: AttributeType) async throws {
        let old = try await MigratedStore(medium, Self.user(Attribute("age", type)))
        try await old.store.put("User", ["id": 1, "age": type == .string ? "36" : 36])
        let new = try await old.reopened(
            Self.user(Attribute("age", .decimal)), .convert("User", "age"), .convert("User", "age"))
        #expect(try await new.value("User", 1, "age") == .decimal(36))
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func takesSeveralStepsForAnAttributeThatWasDroppedLater(medium: Medium) async throws {
        let old = try await MigratedStore(
            medium, Self.user(Attribute("age", .string), Attribute("name", .string)))
        try await old.store.put("User", ["id": 1, "age": "36", "name": "Ada"])
        let new = try await old.reopened(
            Self.user(Attribute("name", .string)), .convert("User", "age") { _ in 1 },
            .convert("User", "age") { _ in 2 }, .drop("User", "age"))
        #expect(try await new.value("User", 1, "name") == "Ada")
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func oneStepConvertsTheValuesOfAllOlderTypes(medium: Medium) async throws {
        let step = MigrationStep.convert("User", "age") { value in
            switch value {
            case .string(let text): .decimal(Decimal(string: text) ?? 0)
            case .integer(let number): .decimal(Decimal(number))
            default: value
            }
        }
        for (type, value) in [(AttributeType.string, "36"), (.integer, 36)] as [(AttributeType, Value)] {
            let old = try await MigratedStore(medium, Self.user(Attribute("age", type)))
            try await old.store.put("User", ["id": 1, "age": value])
            let new = try await old.reopened(Self.user(Attribute("age", .decimal)), step)
            #expect(try await new.value("User", 1, "age") == .decimal(36))
            await new.close()
        }
    }

    @Test(arguments: Medium.allCases, [false, true])
    func fillsANewAttributeWhoseNameASiblingHas(medium: Medium, isOptional: Bool) async throws {
        func schema(_ attributes: Attribute...) throws -> Schema {
            try Schema([
                entity("Item"), entity("Book", parent: "Item", [Attribute("color", .string)]),
                entity("Car", parent: "Item", attributes),
            ])
        }
        let old = try await MigratedStore(medium, schema())
        try await old.store.put("Book", ["id": 1, "color": "blue"], ["id": 2])
        try await old.store.put("Car", ["id": 3])
        let new = try await old.reopened(
            schema(Attribute("color", .string, isOptional: isOptional)), .fill("Car", "color", with: "red"))
        #expect(try await new.value("Car", 3, "color") == "red")
        #expect(try await new.value("Book", 1, "color") == "blue")
        #expect(try await new.value("Book", 2, "color") == .null)
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func convertsEachRecordOnce(medium: Medium) async throws {
        let old = try await MigratedStore(medium, Self.user(Attribute("age", .string)))
        var changes = ChangeSet(origin: .agreed)
        let shape = try #require(old.store.schema["User"])
        for id in 0..<500 { changes.put(Record(shape, ["id": .integer(Int64(id)), "age": .string("\(id)")])) }
        try await old.store.commit(changes)
        let count = Locked(0)
        let new = try await old.reopened(
            Self.user(Attribute("age", .integer)),
            .convert("User", "age") { value in
                count.withLock { $0 += 1 }
                if case .string(let text) = value { return .integer(Int64(text) ?? 0) }
                return value
            })
        #expect(count.current == 500)
        #expect(try await new.read { try $0.count(Query("User", where: Field("age") >= 250)) } == 250)
        await new.close()
    }
}

/// A remote whose answer to a push is lost.
private struct Mute: RemoteCollection {
    var account: String { "account" }
    func status(of pushID: String) -> PushStatus<Record> { .notApplied }
    func pull(since version: RemoteVersion?) -> Pull<Record, Value> {
        .everything([], RemoteVersion(epoch: "1", commit: "0"))
    }
    func push(_ push: Push<Record>) throws -> PushAnswer<Record> { throw LostAnswer() }
}

private struct LostAnswer: Error {}
