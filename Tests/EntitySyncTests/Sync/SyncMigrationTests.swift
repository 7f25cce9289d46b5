import EntitySync
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

struct SyncMigrationTests {
    private static let users =
        "[" + (1...40).map { #"{"id": \#($0), "age": "\#($0)", "name": null}"# }.joined(separator: ", ") + "]"

    @Test func aPayloadIsComparedAgainAfterAMigration() async throws {
        let folder = TemporaryFolder()
        func schema(_ attributes: Attribute...) throws -> Schema {
            try Schema([Entity("User", attributes: [Attribute("id", .integer, isPrimaryKey: true)] + attributes)])
        }
        let old = try await SQLiteAdapter.open(
            at: folder.file(), schema: schema(Attribute("age", .string), Attribute("name", .string)))
        try await old.sync(Self.users, into: "User")
        #expect(try await old.sync(Self.users, into: "User").isUnchanged)
        await old.close()
        let new = try await SQLiteAdapter.open(
            at: folder.file(),
            schema: schema(Attribute("age", .integer), Attribute("name", .string, isOptional: false)),
            migration: [.convert("User", "age"), .fill("User", "name", with: "?")])
        let result = try await new.sync(Self.users, into: "User")
        #expect(result.reports.map(\.kind) == Array(repeating: .missingValue, count: 40))
        #expect(try await new.read { try $0.localDiff(of: "User") } == nil)
        #expect(try await new.fetch("User", 7)?["age"] == 7)
        await new.close()
    }

    @Test func aPayloadRestoresWhatAMigrationDropped() async throws {
        let folder = TemporaryFolder()
        let users = "[" + (1...40).map { #"{"id": \#($0), "name": "n\#($0)"}"# }.joined(separator: ", ") + "]"
        func open(_ attributes: Attribute..., migration: [MigrationStep] = []) async throws -> SQLiteAdapter {
            let id = Attribute("id", .integer, isPrimaryKey: true)
            return try await SQLiteAdapter.open(
                at: folder.file(), schema: Schema([Entity("User", attributes: [id] + attributes)]), migration: migration
            )
        }
        let first = try await open(Attribute("name", .string))
        try await first.sync(users, into: "User")
        await first.close()
        await (try open(migration: [.drop("User", "name")])).close()
        let again = try await open(Attribute("name", .string))
        #expect(try await again.fetch("User", 7)?["name"] == .null)
        try await again.sync(users, into: "User")
        #expect(try await again.fetch("User", 7)?["name"] == "n7")
        await again.close()
    }

    @Test func pendingLinksToADroppedEntityAreRemoved() async throws {
        func schema(_ companies: Entity, to destination: String) throws -> Schema {
            try Schema {
                Entity("User") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("company", to: destination)
                }
                companies
            }
        }
        func entity(_ name: String) -> Entity {
            Entity(name, attributes: [Attribute("id", .integer, isPrimaryKey: true)])
        }
        let folder = TemporaryFolder()
        var options = SyncOptions()
        options.keepsPendingLinks = true
        let old = try await SQLiteAdapter.open(
            at: folder.file(), schema: schema(entity("Company"), to: "Company"))
        let waiting = try await old.sync(#"[{"id": 1, "company_id": 5}]"#, into: "User", options: options)
        #expect(waiting.pendingLinkCount == 1)
        await old.close()
        let new = try await SQLiteAdapter.open(
            at: folder.file(), schema: schema(entity("Firm"), to: "Firm"), migration: [.dropEntity("Company")])
        for name in ["Firm", "User"] {
            try await new.sync(#"[{"id": 5}]"#, into: name, operations: .insert, options: options)
        }
        #expect(try await new.fetch("User", 1)?["company"] == .null)
        try await new.add([entity("Company")])
        try await new.sync(#"[{"id": 5}]"#, into: "Company", options: options)
        #expect(try await new.fetch("User", 1)?["company"] == .null, "what waited was for a record of another entity")
        await new.close()
    }

    @Test(arguments: ["entity of the target", "relationship", "entity of the owner", "all of them"])
    func pendingLinksAreMadeAfterARenaming(renamed: String) async throws {
        let isAll = renamed == "all of them"
        let target = isAll || renamed == "entity of the target" ? "Firm" : "Company"
        let owner = isAll || renamed == "entity of the owner" ? "Person" : "User"
        let (one, many) =
            isAll || renamed == "relationship" ? ("employer", "customers") : ("company", "clients")
        func schema(_ owner: String, _ one: String, _ many: String, _ target: String) throws -> Schema {
            try Schema {
                Entity(
                    owner, attributes: [Attribute("id", .integer, isPrimaryKey: true)],
                    relationships: [
                        Relationship(one, to: target, renamedFrom: "company"),
                        Relationship(many, toMany: target, isOrdered: true, renamedFrom: "clients"),
                    ], renamedFrom: "User")
                Entity(
                    target, attributes: [Attribute("id", .integer, isPrimaryKey: true)], renamedFrom: "Company")
            }
        }
        let folder = TemporaryFolder()
        var options = SyncOptions()
        options.keepsPendingLinks = true
        let old = try await SQLiteAdapter.open(
            at: folder.file(), schema: schema("User", "company", "clients", "Company"))
        try await old.sync(#"[{"id": 7}]"#, into: "Company", options: options)
        let waiting = try await old.sync(
            #"[{"id": 1, "company_id": 5, "clients": [6, 7]}]"#, into: "User", options: options)
        #expect(waiting.pendingLinkCount == 2)
        await old.close()
        let new = try await SQLiteAdapter.open(at: folder.file(), schema: schema(owner, one, many, target))
        try await new.sync(#"[{"id": 5}, {"id": 6}]"#, into: target, operations: .insert, options: options)
        #expect(try await new.read { try $0.record(RecordID(owner, 1)) }?[one] == 5)
        #expect(try await new.read { try $0.related(RecordID(owner, 1), many) } == [6, 7])
        let families = try await new.read { try $0.records(Query("sync.payloads")) }.map { $0["family"] }
        #expect(!families.contains("sync.pendingLinks") && !families.contains("sync.pendingOwners"))
        await new.close()
    }
}
