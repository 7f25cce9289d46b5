import DifferentialSync
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

struct UnsentChangesTests {
    private static func schema(_ attributes: Attribute..., tags: Bool = false) throws -> Schema {
        try Schema(
            [entity("User", attributes, tags ? [Relationship("tags", toMany: "Tag", isOrdered: true)] : [])]
                + (tags ? [entity("Tag")] : []))
    }

    private static let message = "the store cannot be opened with this schema:\n  "
    private static let remedy =
        ". Open the store with the older schema and synchronize, or pass 'losingUnsentChanges: true'"

    @Test(arguments: Medium.allCases)
    func isRefusedWithTheirRecords(medium: Medium) async throws {
        let age = Attribute("age", .integer), name = Attribute("name", .string)
        let old = try await MigratedStore(medium, Self.schema(age, name))
        for id in 1...8 { try await old.store.put("User", ["id": .integer(Int64(id)), "age": 1]) }
        try await old.store.edit("User", 1, ["name": "no matter"])
        for id in 2...8 { try await old.store.edit("User", .integer(Int64(id)), ["age": 2]) }
        try await old.store.commitChanges { $0.delete(RecordID("User", 8)) }
        try await old.store.put("User", ["id": 9], origin: .local)
        let newer = try Self.schema(name)
        let error = try await old.refusal(newer, .drop("User", "age"))
        #expect(error?.code == .schemaChange)
        #expect(
            error?.message == Self.message + #"'.drop("User", "age")' would lose local changes that were not sent: "#
                + "User 2.age, User 3.age, User 4.age, User 5.age, User 6.age and 1 more" + Self.remedy)
        let new = try await old.reopened(newer, .drop("User", "age", losingUnsentChanges: true))
        // What else was changed is still to be sent, and what was changed in the dropped attribute alone is not.
        #expect(try await new.read { try $0.journal(of: "User") }.map(\.id.key) == [1, 8, 9])
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func isRefusedForNewRecordsAndLinks(medium: Medium) async throws {
        let age = Attribute("age", .integer)
        let old = try await MigratedStore(medium, Self.schema(age, tags: true))
        try await old.store.put("User", ["id": 1, "age": 1], origin: .local)
        try await old.store.put("Tag", ["id": 2])
        try await old.store.commitChanges { $0.link(RecordID("User", 1), "tags", to: 2) }
        let error = try await old.refusal(
            Self.schema(), .drop("User", "age"), .drop("User", "tags"), .dropEntity("Tag"))
        #expect(
            error?.message == Self.message
                + #"'.drop("User", "age")' would lose local changes that were not sent: User 1.age"# + Self.remedy
                + #"\#n  '.dropEntity("Tag")' would lose local changes that were not sent: a link of 'User.tags' (1, 2)"#
                + Self.remedy)
    }

    @Test(arguments: Medium.allCases)
    func isRefusedForRecordsOfAnEntity(medium: Medium) async throws {
        let old = try await MigratedStore(medium, Self.schema(tags: true))
        try await old.store.put("Tag", ["id": 1], ["id": 2])
        try await old.store.put("Tag", ["id": 3], origin: .local)
        try await old.store.commitChanges { $0.delete(RecordID("Tag", 1)) }
        let error = try await old.refusal(Self.schema(), .dropEntity("Tag"))
        #expect(
            error?.message == Self.message + #"'.dropEntity("Tag")' would lose local changes that were not sent: "#
                + "Tag 1, Tag 3" + Self.remedy)
        let new = try await old.reopened(Self.schema(), .dropEntity("Tag", losingUnsentChanges: true))
        #expect(new.schema["Tag"] == nil)
        await new.close()
    }

    @Test(arguments: Medium.allCases)
    func isRefusedWhereAConversionMakesAnEditVanish(medium: Medium) async throws {
        let old = try await MigratedStore(medium, Self.schema(Attribute("age", .double)))
        try await old.store.put("User", ["id": 1, "age": 1.2], ["id": 2, "age": 1.2])
        try await old.store.edit("User", 1, ["age": 1.4])
        try await old.store.edit("User", 2, ["age": 2.4])
        let newer = try Self.schema(Attribute("age", .integer))
        @Sendable func rounded(_ value: Value) -> Value {
            if case .double(let number) = value { return .integer(Int64(number)) }
            return value
        }
        let error = try await old.refusal(newer, .convert("User", "age", using: rounded))
        #expect(
            error?.message == Self.message + #"'.convert("User", "age")' would lose local changes that were not sent: "#
                + "User 1.age" + Self.remedy)
        let new = try await old.reopened(
            newer, .convert("User", "age", losingUnsentChanges: true, using: rounded))
        #expect(try await new.read { try $0.journal(of: "User") }.map(\.id.key) == [2])
        await new.close()
    }
}
