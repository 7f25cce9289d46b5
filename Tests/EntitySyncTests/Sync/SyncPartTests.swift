import EntitySync
import SyncPersistence
import Testing

/// Objects without a key in a relationship to one: parts of the record in whose object they stand.
@Suite(.needsStores) struct SyncPartTests {
    static func commits(_ type: AttributeType = .integer) throws -> Schema {
        try Schema {
            Entity("Commit") {
                Attribute("sha", .string, isPrimaryKey: true)
                Relationship("author", to: "User", inverse: "commits")
                Relationship("committer", to: "User")
            }
            Entity(
                "User",
                attributes: [Attribute("id", type, isPrimaryKey: true), Attribute("login", .string)],
                relationships: [
                    Relationship("commits", toMany: "Commit", inverse: "author"), Relationship("avatar", to: "Image"),
                ])
            Entity("Image") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("url", .string)
            }
        }
    }

    @Test(arguments: StoreKind.allCases, [AttributeType.integer, .string])
    func partIsListedUpdatedInPlaceAndDeletedByNull(kind: StoreKind, type: AttributeType) async throws {
        let store = try await SyncStore(kind, Self.commits(type))
        let result = try await store.sync(
            #"[{"sha": "a", "author": {"login": "x", "avatar": {"url": "u"}}, "committer": {"login": "x"}}]"#,
            into: "Commit")
        #expect(result.reports.isEmpty)
        #expect(Set(result.parts.map(\.entity)) == ["User", "Image"])
        #expect(result.parts.count == 3)
        let author = try await store.value("Commit", "a", "author")
        #expect(try await store.value("User", author, "login") == "x")
        let update = try await store.sync(#"[{"sha": "a", "author": {"login": "y"}}]"#, into: "Commit")
        #expect(update.parts == [RecordID("User", author)])
        #expect(try await store.value("User", author, "login") == "y")
        #expect(try await store.keys("User").count == 2)
        try await store.sync(#"[{"sha": "a", "author": null}]"#, into: "Commit")
        #expect(try await store.keys("User").count == 1)
        #expect(try await store.keys("Image").isEmpty)
        try await store.sync("[]", into: "Commit")
        #expect(try await store.keys("User").isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func completePayloadOfTheirEntityLeavesPartsToTheirOwners(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.commits())
        let commits = #"[{"sha": "a", "author": {"login": "x"}, "committer": {"login": "y"}}]"#
        try await store.sync(commits, into: "Commit")
        let parts = try await store.keys("User")
        let result = try await store.sync(#"[{"id": 5, "login": "real"}]"#, into: "User")
        #expect(result["User"].deleted.isEmpty)
        #expect(try await store.keys("User") == parts + [5])
        #expect(try await store.sync(commits, into: "Commit").isUnchanged)
        // A part that no record leads to any more is deleted like any other that is not listed.
        try await store.adapter.delete("Commit", "a", origin: .local)
        try await store.sync(#"[{"id": 5, "login": "real"}]"#, into: "User")
        #expect(try await store.keys("User") == [5])
    }

    @Test(arguments: StoreKind.allCases, [#"{"id": 5, "login": "real"}"#, "5"])
    func partIsDeletedWhenARecordWithAKeyTakesItsPlace(kind: StoreKind, target: String) async throws {
        let store = try await SyncStore(kind, Self.commits())
        try await store.sync(#"[{"id": 5}]"#, into: "User")
        try await store.sync(#"[{"sha": "a", "author": {"login": "x"}}]"#, into: "Commit")
        #expect(try await store.keys("User").count == 2)
        let name = target == "5" ? "author_id" : "author"
        try await store.sync("[{\"sha\": \"a\", \"\(name)\": \(target)}]", into: "Commit")
        #expect(try await store.keys("User") == [5])
        #expect(try await store.value("Commit", "a", "author") == 5)
        try await store.adapter.delete("Commit", "a")
        #expect(try await store.keys("User") == [5])
    }

    @Test(arguments: StoreKind.allCases)
    func deletingASingleRecordDeletesItsParts(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.commits())
        try await store.sync(
            #"[{"sha": "a", "author": {"login": "x", "avatar": {"url": "u"}}}]"#, into: "Commit")
        try await store.adapter.delete("Commit", "a")
        #expect(try await store.contents().isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func objectWithoutAKeyNeverChangesARecordThatHasOne(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.commits())
        try await store.sync(
            #"[{"sha": "a", "author": {"id": -1, "login": "x"}}, {"sha": "b", "author": {"id": -1}}]"#, into: "Commit")
        let before = try await store.contents()
        let result = try await store.sync(
            #"[{"sha": "a", "author": {"login": "y"}}, {"sha": "b"}]"#, into: "Commit")
        #expect(
            result.reports.map(\.description) == [
                "[0].author (User -1): expected a value of the primary key, as the record that is connected has a key or "
                    + "other records that lead to it, found none"
            ])
        #expect(try await store.contents() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func partWithAnotherOwnerIsReportedAndKept(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.commits())
        try await store.sync(#"[{"sha": "a", "author": {"login": "x"}}, {"sha": "b"}]"#, into: "Commit")
        let part = try await store.value("Commit", "a", "author")
        var changes = ChangeSet(origin: .remote)
        changes.update(RecordID("Commit", "b"), ["committer": part])
        try await store.adapter.commit(changes)
        let shared = try await store.sync(#"[{"sha": "a", "author": {"login": "y"}}, {"sha": "b"}]"#, into: "Commit")
        #expect(shared.reports.map(\.kind) == [.noKey])
        #expect(try await store.value("User", part, "login") == "x")
        try await store.sync(#"[{"sha": "a", "author": null}, {"sha": "b"}]"#, into: "Commit")
        #expect(try await store.keys("User") == [part])
    }

    @Test(arguments: StoreKind.allCases)
    func strictSyncRefusesAPart(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.commits())
        var options = SyncOptions()
        options.isStrict = true
        let error = await #expect(throws: SyncError.self) {
            try await store.sync(#"[{"sha": "a", "author": {"login": "x"}}]"#, into: "Commit", options: options)
        }
        #expect(error?.report?.kind == .noKey)
        #expect(try await store.contents().isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func noPayloadCanNameAPart(kind: StoreKind) async throws {
        for type in [AttributeType.integer, .string] {
            let store = try await SyncStore(kind, Self.commits(type))
            try await store.sync(#"[{"sha": "a", "author": {"login": "x"}}]"#, into: "Commit")
            let part = try await store.value("Commit", "a", "author")
            let payload: Value = [["id": part, "login": "y"], ["id": type == .integer ? 1 : "1"]]
            let result = try await store.adapter.sync(payload, into: "User", operations: [.insert, .update])
            #expect(result.reports.map(\.kind) == [.unconvertible])
            #expect(try await store.value("User", part, "login") == "x")
            let named = try await store.adapter.sync(
                [["sha": "b", "author_id": part]], into: "Commit", operations: [.insert, .update])
            #expect(named.reports.map(\.kind) == [.unconvertible])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func partsAreExportedWithoutTheirKeysAndReadBack(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.commits())
        let json = #"[{"sha": "a", "author": {"login": "x"}}, {"sha": "b", "author": {"id": 7, "login": "z"}}]"#
        try await store.sync(json, into: "Commit")
        let exported = try await store.adapter.export("Commit")
        let other = try await SyncStore(kind, Self.commits())
        #expect(try await other.adapter.sync(exported, into: "Commit").reports.isEmpty)
        #expect(try await other.contents() == store.contents())
        #expect(try await store.adapter.sync(exported, into: "Commit").isUnchanged)
        var options = ExportOptions()
        options.relationships = .ids
        let ids = try await store.adapter.export("Commit", options: options)
        #expect(try await store.adapter.sync(ids, into: "Commit").reports.isEmpty)
        #expect(try await other.contents() == store.contents())
    }

    @Test(arguments: StoreKind.allCases)
    func partOfAnEntityWhoseKeyIsAFlaggedAttributeHasNone(kind: StoreKind) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("User") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("favourite", to: "Tag")
                }
                Entity("Tag") {
                    Attribute("label", .string, userInfo: ["sync.isPrimaryKey": "YES"])
                    Attribute("color", .string)
                }
            })
        for color in ["red", "blue"] {
            let result = try await store.sync("[{\"id\": 1, \"favourite\": {\"color\": \"\(color)\"}}]", into: "User")
            #expect(result.reports.isEmpty)
            let tag = try await store.value("User", 1, "favourite")
            #expect(try await store.value("Tag", tag, "color") == .string(color))
            #expect(try await store.value("Tag", tag, "label") == .null)
        }
        #expect(try await store.keys("Tag").count == 1)
        let keyed = try await store.sync(#"[{"id": 1, "favourite": {"label": "a"}}]"#, into: "User")
        #expect(keyed["Tag"].deleted.count == 1)
        #expect(try await store.keys("Tag").count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func partThatALaterObjectTakesAwayIsDeleted(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.commits())
        let json = """
            [{"id": 1, "commits": [{"sha": "a", "committer": {"login": "x"}}]},
             {"id": 2, "commits": [{"sha": "a", "committer": null}]}]
            """
        try await store.sync(json, into: "User")
        #expect(try await store.keys("User") == [1, 2])
        #expect(try await store.value("Commit", "a", "committer") == .null)
    }

    static func profiles(_ inverse: String?) throws -> Schema {
        try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("profile", to: "Profile", inverse: inverse, deleteRule: .cascade)
            }
            Entity(
                "Profile", attributes: [Attribute("id", .integer, isPrimaryKey: true)],
                relationships: inverse.map { [Relationship($0, to: "User", inverse: "profile")] } ?? [])
        }
    }

    @Test(arguments: StoreKind.allCases, ["user", nil])
    func cascadingRelationshipToOneDeletesWhatItNoLongerLeadsTo(kind: StoreKind, inverse: String?) async throws {
        let store = try await SyncStore(kind, Self.profiles(inverse))
        try await store.sync(#"[{"id": 1, "profile": {"id": 1}}, {"id": 2, "profile": {"id": 2}}]"#, into: "User")
        try await store.sync(#"[{"id": 1, "profile": null}, {"id": 2, "profile": {"id": 3}}]"#, into: "User")
        #expect(try await store.keys("Profile") == [3])
        try await store.sync(#"[{"id": 1, "profile": {"id": 3}}, {"id": 2, "profile": null}]"#, into: "User")
        #expect(try await store.keys("Profile") == [3])
        #expect(try await store.related("User", 1, "profile") == [3])
        // A key does not tell whether the record still exists.
        try await store.sync(#"[{"id": 1, "profile_id": null}, {"id": 2}]"#, into: "User")
        #expect(try await store.keys("Profile") == [3])
        try await store.sync(
            #"[{"id": 1, "profile": {"id": 3}}, {"id": 2}]"#, into: "User", operations: [.insert, .update])
        try await store.sync(#"[{"id": 1, "profile": null}]"#, into: "User", operations: [.insert, .update])
        #expect(try await store.keys("Profile") == [3])
    }

    @Test(arguments: StoreKind.allCases)
    func whatBelongsToAPartIsNoOwnerOfIt(kind: StoreKind) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Order") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("buyer", to: "Buyer")
                }
                Entity("Buyer") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string)
                    Relationship("phones", toMany: "Phone", inverse: "buyer", deleteRule: .cascade)
                }
                Entity("Phone") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("buyer", to: "Buyer", inverse: "phones")
                }
            })
        for name in ["a", "b"] {
            let result = try await store.sync(
                "[{\"id\": 1, \"buyer\": {\"name\": \"\(name)\", \"phones\": [{\"id\": 5}]}}]", into: "Order")
            #expect(result.reports.isEmpty)
        }
        let buyer = try await store.value("Order", 1, "buyer")
        #expect(try await store.value("Buyer", buyer, "name") == "b")
        try await store.sync("[]", into: "Order")
        #expect(try await store.contents().isEmpty)
    }
}
