import EntitySync
import SyncPersistence
import Testing

/// What operations allow for at every level below the objects of the payload, in each combination.
@Suite(.needsStores) struct NestedOperationTests {
    /// The operations that concern relationships, in each combination, with all that concern the payload's own objects.
    static let combinations: [SyncOperations] = (0..<8).map { bits in
        let relationships: [SyncOperations] = [.insertRelationships, .updateRelationships, .deleteRelationships]
        return relationships.indices.reduce([.insert, .update]) { operations, index in
            bits >> index & 1 == 1 ? operations.union(relationships[index]) : operations
        }
    }

    /// What a combination allows for.
    struct Allowed {
        let insert, update, delete: Bool
        var connect: Bool { insert || update }

        init(_ operations: SyncOperations) {
            insert = operations.contains(.insertRelationships)
            update = operations.contains(.updateRelationships)
            delete = operations.contains(.deleteRelationships)
        }
    }

    private func keys(_ members: [(key: Int64, isThere: Bool)]) -> [Value] {
        members.filter(\.isThere).map { .integer($0.key) }
    }

    private func sync(_ member: String, _ store: SyncStore, _ operations: SyncOperations) async throws {
        try await store.sync("[{\"id\": 1, \(member)}]", into: "User", operations: operations)
        let again = try await store.sync("[{\"id\": 1, \(member)}]", into: "User", operations: operations)
        #expect(again.isUnchanged, "\(member) again changes \(again.changes)")
    }

    /// The user owns 1 and 2, and 1 is not listed.
    ///
    /// 3 has no owner, 4 has another one, and 5 is new.
    private static let objects =
        #"[{"id": 2, "text": "new"}, {"id": 3, "text": "new"}, {"id": 4, "text": "new"}, {"id": 5, "text": "new"}]"#

    @Test(arguments: StoreKind.ofTables, combinations)
    func operationsApplyToObjectsOfOneOwner(kind: StoreKind, operations: SyncOperations) async throws {
        let allowed = Allowed(operations)
        for (name, entity) in [("notes", "Note"), ("post", "Letter")] {
            let store = try await SyncStore.office(kind)
            try await sync("\"\(name)\": \(Self.objects)", store, operations)
            let members = try await store.members("User", 1, entity == "Note" ? "notes" : "letters")
            #expect(
                members
                    == keys([
                        (1, !allowed.delete), (2, true), (3, allowed.connect), (4, allowed.update), (5, allowed.insert),
                    ]))
            #expect(
                try await store.keys(entity)
                    == keys([(1, !allowed.delete), (2, true), (3, true), (4, true), (5, allowed.insert)]))
            for key: Int64 in [2, 3, 4] {
                let text = allowed.update ? "new" : "\(entity) \(key)"
                #expect(try await store.value(entity, .integer(key), "text") == .string(text))
            }
        }
    }

    @Test(arguments: StoreKind.ofTables, combinations)
    func operationsApplyToSharedObjects(kind: StoreKind, operations: SyncOperations) async throws {
        let allowed = Allowed(operations)
        for (member, name, entity) in [
            ("\"tags\": \(Self.objects)", "tags", "Tag"),
            ("\"team\": {\"groups\": \(Self.objects)}", "groups", "Group"),
            ("\"badges\": \(Self.objects)", "badges", "Badge"),
        ] {
            let store = try await SyncStore.office(kind)
            try await sync(member, store, operations)
            #expect(
                try await store.members("User", 1, name)
                    == keys([
                        (1, !allowed.delete), (2, true), (3, allowed.connect), (4, allowed.connect),
                        (5, allowed.insert),
                    ]))
            #expect(
                try await store.keys(entity) == keys([(1, true), (2, true), (3, true), (4, true), (5, allowed.insert)]))
            #expect(try await store.value(entity, 2, "text") == .string(allowed.update ? "new" : "\(entity) 2"))
            if entity != "Badge" { #expect(try await store.members("User", 2, name) == [4]) }
        }
    }

    @Test(arguments: StoreKind.ofTables, combinations)
    func operationsApplyToKeysOfMembers(kind: StoreKind, operations: SyncOperations) async throws {
        let allowed = Allowed(operations)
        for (member, name, moves) in [
            (#""notes_ids": [2, 3, 4]"#, "notes", true), (#""post": [2, 3, 4]"#, "letters", true),
            (#""tags_ids": [2, 3, 4]"#, "tags", false), (#""team": {"groups": [2, 3, 4]}"#, "groups", false),
            (#""badges": [2, 3, 4]"#, "badges", false),
        ] {
            let store = try await SyncStore.office(kind)
            try await sync(member, store, operations)
            #expect(
                try await store.members("User", 1, name)
                    == keys([
                        (1, !allowed.delete), (2, true), (3, allowed.connect),
                        (4, moves ? allowed.update : allowed.connect),
                    ]), "\(member)")
        }
    }

    @Test(arguments: StoreKind.ofTables, combinations)
    func operationsApplyToNullAndEmptyLists(kind: StoreKind, operations: SyncOperations) async throws {
        let allowed = Allowed(operations)
        for form in ["null", "[]"] {
            for (member, name) in [
                ("\"notes\": \(form)", "notes"), ("\"notes_ids\": \(form)", "notes"), ("\"post\": \(form)", "letters"),
                ("\"tags\": \(form)", "tags"), ("\"tags_ids\": \(form)", "tags"),
                ("\"team\": {\"groups\": \(form)}", "groups"), ("\"badges\": \(form)", "badges"),
            ] {
                let store = try await SyncStore.office(kind)
                try await sync(member, store, operations)
                #expect(try await store.members("User", 1, name) == (allowed.delete ? [] : [1, 2]), "\(member)")
            }
        }
    }

    @Test(arguments: StoreKind.ofTables, combinations)
    func operationsApplyToToOneRelationships(kind: StoreKind, operations: SyncOperations) async throws {
        let allowed = Allowed(operations)
        for (objects, ids, name, entity) in [
            ("company", "company_id", "company", "Company"), ("manager", "manager", "boss", "Boss"),
            ("desk", "desk_id", "desk", "Desk"),
        ] {
            let store = try await SyncStore.office(kind)
            try await sync("\"\(objects)\": {\"id\": 1, \"text\": \"new\"}", store, operations)
            #expect(try await store.value(entity, 1, "text") == .string(allowed.update ? "new" : "\(entity) 1"))
            try await sync("\"\(ids)\": 2", store, operations)
            #expect(try await store.related("User", 1, name) == (allowed.update ? [2] : [1]), "\(ids)")
            try await sync("\"\(objects)\": {\"id\": 3}", store, operations)
            #expect(try await store.related("User", 1, name) == (allowed.update ? [3] : [1]), "\(objects)")
            try await sync("\"\(objects)\": null", store, operations)
            #expect(try await store.related("User", 1, name).isEmpty == allowed.delete, "\(objects)")
            try await store.sync("[{\"id\": 1, \"\(objects)\": null}]", into: "User", operations: FormRow.operations)
            #expect(try await store.related("User", 1, name) == [])
            try await sync("\"\(ids)\": 2", store, operations)
            #expect(try await store.related("User", 1, name) == (allowed.connect ? [2] : []), "\(ids) of none")
            try await sync("\"\(objects)\": {\"id\": 5}", store, operations)
            #expect(try await store.keys(entity).contains(5) == allowed.insert, "\(objects)")
        }
    }

    @Test(arguments: StoreKind.ofTables, combinations)
    func operationsApplyToObjectsOfANewRecord(kind: StoreKind, operations: SyncOperations) async throws {
        let allowed = Allowed(operations)
        let store = try await SyncStore.office(kind)
        try await store.sync(
            """
            [{"id": 3, "text": "new", "notes": [{"id": 3}, {"id": 4}, {"id": 5}], "tags": [{"id": 3}, {"id": 5}],
              "badges_ids": [1], "company": {"id": 5}, "manager": 2, "desk_id": 3}]
            """, into: "User", operations: operations)
        #expect(try await store.value("User", 3, "text") == "new")
        #expect(
            try await store.members("User", 3, "notes")
                == keys([(3, allowed.connect), (4, allowed.update), (5, allowed.insert)]))
        #expect(try await store.members("User", 3, "tags") == keys([(3, allowed.connect), (5, allowed.insert)]))
        #expect(try await store.members("User", 3, "badges") == keys([(1, allowed.connect)]))
        #expect(try await store.related("User", 3, "company") == keys([(5, allowed.insert)]))
        #expect(try await store.related("User", 3, "boss") == keys([(2, allowed.connect)]))
        #expect(try await store.related("User", 3, "desk") == keys([(3, allowed.connect)]))
    }

    @Test(arguments: StoreKind.ofTables, combinations)
    func operationsApplyToGrandchildren(kind: StoreKind, operations: SyncOperations) async throws {
        let allowed = Allowed(operations)
        let store = try await SyncStore.office(kind)
        try await store.sync(
            #"[{"id": 1, "comments": [{"id": 10, "text": "old"}, {"id": 11, "text": "old"}]}]"#, into: "Note",
            operations: FormRow.operations)
        let member = """
            "notes": [{"id": 1, "comments": [{"id": 11, "text": "new"}, {"id": 12, "text": "new"}]},
                      {"id": 2}, {"id": 5, "comments": [{"id": 15}]}]
            """
        try await sync(member, store, operations)
        // What may not be updated is not looked into.
        #expect(
            try await store.members("Note", 1, "comments")
                == keys([
                    (10, !(allowed.update && allowed.delete)), (11, true), (12, allowed.update && allowed.insert),
                ]))
        #expect(try await store.value("Comment", 11, "text") == (allowed.update ? "new" : "old"))
        #expect(try await store.keys("Comment").contains(10) == !(allowed.update && allowed.delete))
        #expect(try await store.keys("Comment").contains(15) == allowed.insert)
    }

    @Test(arguments: StoreKind.allCases)
    func updateOfThePayloadAloneNeverLosesAChild(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        for member in [
            #""notes": [{"id": 9}]"#, #""notes_ids": [3]"#, #""tags": []"#, #""company": null"#, #""post": null"#,
        ] {
            let result = try await store.sync(
                "[{\"id\": 1, \(member)}]", into: "User", operations: [.insert, .update])
            #expect(result.isUnchanged, "\(member)")
        }
        #expect(try await store.contents() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func withoutUpdateAnExistingRecordKeepsItsChildren(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let result = try await store.sync(
            #"[{"id": 1, "text": "new", "notes": [{"id": 9}], "tags": [], "company": {"id": 1, "text": "x"}}]"#,
            into: "User", operations: .all.subtracting([.update, .delete]))
        #expect(result.isUnchanged)
        #expect(try await store.contents() == before)
    }
}
