import EntitySync
import Foundation
import Testing

/// The examples of *Lists within payloads*, and of the comments on roots and pages.
struct ListsWithinPayloadsExamples {
    private func store() async throws -> InMemoryAdapter {
        let schema = try Schema {
            Entity("User", userInfo: ["sync.deletedPath": "deleted_at"]) {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship(
                    "posts", toMany: "Post", inverse: "user", remoteKey: "posts.edges.node",
                    userInfo: ["sync.morePath": "posts.pageInfo.hasNextPage"])
            }
            Entity("Post") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("user", to: "User", inverse: "posts")
            }
        }
        return InMemoryAdapter(schema: schema)
    }

    private func ids(_ value: Any) -> [String] {
        (value as? [RecordID])?.map(\.description) ?? ["\(value)"]
    }

    @Test func lists() async throws {
        let store = try await store()
        let values = try await awaitedResults {
            let json = #"{"data": {"users": [{"id": 7, "name": "Ada"}], "count": 1}}"#
            let result = try await store.sync(json, roots: [SyncRoot("User", at: "data.users")])
            result["User"].inserted  // User 7
            var options = SyncOptions()
            options.root = "data.users"
            try await store.sync(json, into: "User", options: options).isUnchanged  // true
        }
        #expect(ids(values[0]) == ["User 7"])
        #expect(values.last as? Bool == true)
    }

    @Test func severalListsPagesAndDeletions() async throws {
        let store = try await store()
        let first = try await awaitedResults {
            let json = #"{"posts": [{"id": 1, "user_id": 8}], "users": [{"id": 8}], "next": "/users?page=2"}"#
            var users = SyncRoot("User", at: "users")
            users.morePath = "next"
            try await store.sync(json, roots: [users, SyncRoot("Post", at: "posts")])
            try await store.fetch("Post", 1)?["user"]  // 8
        }
        #expect(first.last as? Value == 8)
        let second = try await awaitedResults {
            let pages = [#"{"users": [{"id": 7}]}"#, #"{"users": [{"id": 9}]}"#]
            let result = try await store.sync(pages: pages.map(\.utf8), roots: [SyncRoot("User", at: "users")])
            result["User"].deleted  // User 8
        }
        #expect(ids(second[0]) == ["User 8"])
        let third = try await awaitedResults {
            let json = #"{"changed": [{"id": 7, "name": "Ada L."}], "deleted": [9, 99]}"#
            var changed = SyncRoot("User", at: "changed")
            changed.isPartial = true
            let result = try await store.sync(json, roots: [changed, .deletions(of: "User", at: "deleted")])
            result["User"].deleted  // User 9
        }
        #expect(third.last.map(ids) == ["User 9"])
        try await store.sync(#"[{"id": 5}, {"id": 7}]"#, into: "User")
        let fourth = try await awaitedResults {
            let json = #"[{"id": 7, "deleted_at": "2020-01-01T00:00:00Z"}]"#
            var changed = SyncRoot("User")
            changed.isPartial = true
            try await store.sync(json, roots: [changed])["User"].deleted  // User 7, and no other
        }
        #expect(fourth.last.map(ids) == ["User 7"])
        #expect(try await store.read { try $0.records(Query("User")).map(\.key) } == [5])
    }

    @Test func listsOfRelationships() async throws {
        let store = try await store()
        let values = try await awaitedResults {
            let posts = #"{"edges": [{"node": {"id": 2}}], "pageInfo": {"hasNextPage": true}}"#
            try await store.sync(#"[{"id": 8, "posts": \#(posts)}]"#, into: "User")
            let other = #"{"edges": [{"node": {"id": 3}}], "pageInfo": {"hasNextPage": false}}"#
            var options = SyncOptions()
            options.unlisted["User.posts"] = .separate
            let result = try await store.sync(#"[{"id": 8, "posts": \#(other)}]"#, into: "User", options: options)
            result["Post"].deleted.count  // 0: post 2 is disconnected from the user
        }
        #expect(values.last as? Int == 0)
        #expect(try await store.fetch("Post", 2)?["user"] == .null)
        #expect(try await store.fetch("Post", 3)?["user"] == 8)
    }

    @Test func documents() async throws {
        let store = try await store()
        let values = try await awaitedResults {
            var options = SyncOptions()
            options.format = .jsonAPI
            let user = #"{"type": "users", "id": "8", "attributes": {"name": "Grace"}}"#
            let author = #"{"data": {"type": "users", "id": "8"}}"#
            let post = #"{"type": "posts", "id": "4", "relationships": {"user": \#(author)}}"#
            try await store.sync(#"{"data": [\#(post)], "included": [\#(user)]}"#, into: "Post", options: options)
            try await store.fetch("User", 8)?["name"]  // "Grace"
        }
        #expect(values.last as? Value == "Grace")
    }

    @Test func comments() async throws {
        let store = try await store()
        let data = Data(#"{"data": {"users": [], "posts": [{"id": 1}]}}"#.utf8)
        try await store.sync(data, roots: [SyncRoot("User", at: "data.users"), SyncRoot("Post", at: "data.posts")])
        #expect(try await store.fetch("Post", 1) != nil)
        let deletions = SyncRoot.deletions(of: "Item", at: "deleted_ids")
        #expect(deletions.isOptional)
        var options = SyncOptions()
        options.unlisted["User.notes"] = .separate
        #expect(options.unlisted.count == 1)
    }

    @Test func pagesInComments() async throws {
        let store = InMemoryAdapter(
            schema: try Schema { Entity("Item") { Attribute("id", .integer, isPrimaryKey: true) } })
        let (first, second) = (Data(#"{"items": [{"id": 1}]}"#.utf8), Data(#"{"items": [{"id": 2}]}"#.utf8))
        let responses = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(first)
            continuation.finish()
        }
        try await store.sync(pages: [first, second], roots: [SyncRoot("Item", at: "items")])
        #expect(try await store.fetch("Item", 2) != nil)
        try await store.sync(pages: responses, roots: [SyncRoot("Item", at: "items")])
        #expect(try await store.fetch("Item", 2) == nil)
    }

    @Test func commentOnTheRootOfTheOptions() async throws {
        let store = try await store()
        let data = Data(#"{"data": {"items": [{"id": 7}]}}"#.utf8)
        var options = SyncOptions()
        options.root = "data.items"
        try await store.sync(data, into: "User", options: options)
        #expect(try await store.fetch("User", 7) != nil)
    }
}
