import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// What payloads say while links wait.
extension PendingLinkTests {
    @Test(arguments: StoreKind.allCases)
    func aLaterPayloadReplacesPendingLinks(kind: StoreKind) async throws {
        for (member, relationship, entity) in Self.forms {
            let key = member.split(separator: ":")[0]
            let isList = member.hasSuffix("]")
            for other in [isList ? "[4]" : "4", "null"] {
                let store = try await SyncStore.office(kind)
                try await update(store, "{\"id\": 1, \(member)}")
                try await update(store, "{\"id\": 1, \(key): \(other)}")
                try await bring(store, entity)
                let expected: [Value] = other == "null" ? [] : [4]
                #expect(try await store.related("User", 1, relationship) == expected, "\(member), then \(other)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func unusableValuesRemoveNoPendingLink(kind: StoreKind) async throws {
        for (member, relationship, entity) in Self.forms {
            let key = member.split(separator: ":")[0]
            for other in member.hasSuffix("]") ? ["3", "{}", "[null]"] : ["[3]", #""x""#] {
                let store = try await SyncStore.office(kind)
                try await update(store, "{\"id\": 1, \(member)}")
                let result = try await update(store, "{\"id\": 1, \(key): \(other)}")
                #expect(result.reports.count == 1, "\(member), then \(other)")
                try await bring(store, entity)
                #expect(try await store.related("User", 1, relationship) == [9], "\(member), then \(other)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func operationsThatKeepLinksKeepPendingLinks(kind: StoreKind) async throws {
        for (member, relationship, entity) in Self.forms {
            let key = member.split(separator: ":")[0]
            let isList = member.hasSuffix("]")
            for other in isList ? ["[]", "[3]", "null"] : ["null"] {
                let store = try await SyncStore.office(kind)
                try await update(store, "{\"id\": 7, \(member)}")
                try await store.sync(
                    "[{\"id\": 7, \(key): \(other)}]", into: "User",
                    operations: .page.subtracting(.deleteRelationships),
                    options: Self.waiting)
                try await bring(store, entity)
                let expected: [Value] = other == "[3]" ? [3, 9] : [9]
                #expect(try await store.related("User", 7, relationship) == expected, "\(member), then \(other)")
            }
            if isList { continue }
            let store = try await SyncStore.office(kind)
            try await update(store, "{\"id\": 1, \(member)}")
            try await store.sync(
                "[{\"id\": 1, \(key): 3}]", into: "User", operations: .page.subtracting(.updateRelationships))
            try await bring(store, entity)
            #expect(try await store.related("User", 1, relationship) == [9], "\(member)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func keysOfAListCanBePendingFromSeveralPayloads(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await update(store, #"{"id": 7, "tags_ids": [8, 2]}"#)
        let operations = SyncOperations.page.subtracting(.deleteRelationships)
        try await store.sync(
            #"[{"id": 7, "tags_ids": [9]}]"#, into: "User", operations: operations, options: Self.waiting)
        try await bring(store, "Tag")
        try await store.sync(#"[{"id": 8}]"#, into: "Tag", operations: .page)
        #expect(try await store.members("User", 7, "tags") == [2, 8, 9])
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordInsertedOtherwiseIsConnectedByTheNextPayload(kind: StoreKind) async throws {
        for (member, relationship, entity) in Self.forms {
            let store = try await SyncStore.office(kind)
            try await update(store, "{\"id\": 1, \(member)}")
            var changes = ChangeSet(origin: .remote)
            changes.put(Record(try #require(store.adapter.schema[entity]), ["id": 9]))
            try await store.adapter.commit(changes)
            try await bring(store, entity)
            #expect(try await store.related("User", 1, relationship).contains(9), "\(member)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theOwnerOfAPendingLinkMayChangeItsKey(kind: StoreKind) async throws {
        for (member, relationship, entity) in Self.forms {
            let store = try await SyncStore.office(kind)
            try await update(store, "{\"id\": 7, \(member)}")
            try await store.adapter.update("User", 7, with: ["id": 70])
            try await bring(store, entity)
            #expect(try await store.related("User", 70, relationship) == [9], "\(member)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anotherRelationshipDoesNotReplaceAPendingLink(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await update(store, #"{"id": 1, "company_id": 9, "manager": 9}"#)
        try await update(store, #"{"id": 1, "text": "new", "manager": 2}"#)
        try await update(store, #"{"id": 2, "company_id": 2}"#)
        try await bring(store, "Company")
        try await bring(store, "Boss")
        #expect(try await store.value("User", 1, "company") == 9)
        #expect(try await store.value("User", 1, "boss") == 2)
        #expect(try await store.value("User", 2, "company") == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func aLaterObjectOfTheOtherSideReplacesAPendingLink(kind: StoreKind) async throws {
        for other in [#""users_ids": [1, 2]"#, #""users": [{"id": 1}, {"id": 2}]"#] {
            let store = try await SyncStore.office(kind)
            try await update(store, #"{"id": 1, "company_id": 9}"#)
            try await store.sync("[{\"id\": 3, \(other)}]", into: "Company", operations: .page)
            try await bring(store, "Company")
            #expect(try await store.members("Company", 3, "users") == [1, 2], "\(other)")
        }
        // The record that was missing says it itself.
        let store = try await SyncStore.office(kind)
        try await update(store, #"{"id": 1, "notes_ids": [8, 9], "tags_ids": [9], "company_id": 9}"#)
        try await store.sync(#"[{"id": 9, "author_id": 2}]"#, into: "Note", operations: .page)
        try await update(store, #"{"id": 2, "notes": [{"id": 8}, {"id": 9}]}"#)
        try await store.sync(#"[{"id": 9, "users_ids": [2]}]"#, into: "Tag", operations: .page)
        try await store.sync(#"[{"id": 9, "users_ids": []}]"#, into: "Company", operations: .page)
        #expect(try await store.members("User", 1, "notes") == [])
        #expect(try await store.members("User", 2, "notes") == [8, 9])
        #expect(try await store.members("Tag", 9, "users") == [2])
        #expect(try await store.members("Company", 9, "users") == [])
    }
}
