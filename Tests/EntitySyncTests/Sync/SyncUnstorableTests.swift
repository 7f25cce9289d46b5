import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Objects that cannot be stored are reported, and the records that lead to them are stored without the link.
@Suite(.needsStores) struct SyncUnstorableTests {
    private static func schema() throws -> Schema {
        try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("company", to: "Company", inverse: "users")
                Relationship("animal", to: "Animal")
                Relationship("cat", to: "Cat")
                Relationship("employer", to: "Company")
            }
            Entity("Company") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string, isOptional: false)
                Attribute("size", .integer, isOptional: false, default: 1)
                Relationship("users", toMany: "User", inverse: "company")
            }
            Entity("Animal", isAbstract: true, userInfo: ["sync.discriminator": "kind"]) {
                Attribute("id", .integer, isPrimaryKey: true)
            }
            Entity("Cat", parent: "Animal")
            Entity("Dog", parent: "Animal")
        }
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (#""company": {"id": 5}"#, "company", [SyncReport.Kind.missingValue]),
            (#""company": {"id": 5, "name": null}"#, "company", [.missingValue, .missingValue]),
            (#""company": {"id": 5, "name": []}"#, "company", [.unconvertible, .missingValue]),
            (#""animal": {"id": 9}"#, "animal", [.wrongEntity]),
            (#""animal": {"id": 9, "kind": "Cow"}"#, "animal", [.wrongEntity]),
            (#""cat": {"id": 3}"#, "cat", [.wrongEntity]),
        ])
    func anObjectThatCannotBeStoredIsNotConnected(
        kind: StoreKind, form: (json: String, relationship: String, reports: [SyncReport.Kind])
    ) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"id": 3, "kind": "Dog"}]"#, into: "Animal")
        let json = "[{\"id\": 1, \"text\": \"a\", \(form.json)}, {\"id\": 2}]"
        let result = try await store.sync(json, into: "User")
        #expect(result.reports.map(\.kind) == form.reports)
        #expect(try await store.keys("User") == [1, 2])
        #expect(try await store.value("User", 1, "text") == "a")
        #expect(try await store.value("User", 1, form.relationship) == .null)
        #expect(try await store.keys("Company") == [])
        #expect(try await store.keys("Animal") == [3])
        #expect(try await store.sync(json, into: "User").isUnchanged)
        var strict = SyncOptions()
        strict.isStrict = true
        let error = await #expect(throws: SyncError.self) { try await store.sync(json, into: "User", options: strict) }
        #expect(error?.code == .strict)
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectWithAllMandatoryValuesIsStored(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        var options = SyncOptions()
        let json = #"[{"id": 1, "company": {"id": 5, "name": 7}, "animal": {"id": 9, "kind": "Cat"}}]"#
        #expect(try await store.sync(json, into: "User").reports.isEmpty)
        #expect(try await store.value("User", 1, "company") == 5)
        #expect(try await store.value("User", 1, "animal") == 9)
        // The hook adds the missing value, or removes it.
        options.willInsert = { object, entity, _ in
            var object = object
            if entity == "Company" { object["name"] = object["name"] == nil ? "given" : .null }
            return object
        }
        let hooked = try await store.sync(
            #"[{"id": 1, "company": {"id": 6}}, {"id": 2, "company": {"id": 7, "name": "taken"}}]"#, into: "User",
            options: options)
        #expect(hooked.reports.map(\.kind) == [.missingValue, .missingValue])
        #expect(try await store.value("User", 1, "company") == 6)
        #expect(try await store.value("User", 2, "company") == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectThatAnotherCompletesIsConnected(kind: StoreKind) async throws {
        for json in [
            #"[{"id": 1, "company": {"id": 5}}, {"id": 2, "company": {"id": 5, "name": "late"}}]"#,
            #"[{"id": 1, "employer": {"id": 5}, "company": {"id": 5, "name": "late"}}, {"id": 2, "company": {"id": 5}}]"#,
        ] {
            let store = try await SyncStore(kind, Self.schema())
            let result = try await store.sync(json, into: "User")
            #expect(result.reports.isEmpty)
            #expect(try await store.members("Company", 5, "users") == [1, 2])
            #expect(try await store.sync(json, into: "User").isUnchanged)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theLaterOfTwoObjectsCountsEvenIfTheFirstIsPending(kind: StoreKind) async throws {
        for later in [
            #"{"id": 4, "users": [{"id": 1, "company_id": 2}]}"#,
            #"{"id": 4, "users": [{"id": 1, "company_id": null}]}"#,
            #"{"id": 4, "users": [{"id": 1, "company": {"id": 2}}]}"#,
            #"{"id": 4, "users": [{"id": 6, "company": {"id": 2, "users": [{"id": 1}]}}]}"#,
            #"{"id": 4, "users": [{"id": 6, "company": {"id": 2, "users_ids": [1]}}]}"#,
        ] {
            let store = try await SyncStore(kind, .office())
            try await store.sync(#"[{"id": 2}]"#, into: "Company")
            let json = #"[{"id": 1, "company_id": 5, "tags": [\#(later)]}, {"id": 2, "company": {"id": 5}}]"#
            try await store.sync(json, into: "User")
            #expect(try await store.value("User", 1, "company") == (later.contains("null") ? .null : 2), "\(later)")
            #expect(try await store.sync(json, into: "User").isUnchanged, "\(later)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anOwnerThatListsAnUnstorableObjectChangesNothing(kind: StoreKind) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Note") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string, isOptional: false)
                    Relationship("author", to: "Note", inverse: "notes")
                    Relationship("notes", toMany: "Note", inverse: "author")
                }
            })
        try await store.sync(#"[{"id": 1, "text": "stored"}]"#, into: "Note")
        let result = try await store.sync(
            #"[{"id": 2}, {"id": 1, "notes": [{"id": 2}]}]"#, into: "Note",
            operations: [.insert, .update, .updateRelationships])
        #expect(result.reports.map(\.kind) == [.missingValue])
        #expect(try await store.keys("Note") == [1])
    }
}
