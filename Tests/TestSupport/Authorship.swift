package import SyncPersistence

/// Users, their posts and tags, and commits with all that can fail within one: records, an order, links, metadata, and a
/// deletion that takes others along.
package enum Authorship {
    /// The schema.
    package static let schema = try! Schema {
        Entity("User") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("posts", toMany: "Post", isOrdered: true, inverse: "author", deleteRule: .cascade)
        }
        Entity("Post") {
            Attribute("id", .integer, isPrimaryKey: true)
            Relationship("author", to: "User", inverse: "posts")
            Relationship("tags", toMany: "Tag")
        }
        Entity("Tag") { Attribute("id", .integer, isPrimaryKey: true) }
    }

    /// The changes that store a tag.
    package static func tag(_ key: Int64) -> ChangeSet {
        var changes = ChangeSet()
        changes.put(Record(schema["Tag"]!, ["id": .integer(key)]))
        return changes
    }

    /// Commits four times: a user with three posts, their order and tags, nothing, and that the user is gone.
    package static func commit(to store: some PersistenceAdapter) async throws {
        var first = ChangeSet(origin: .agreed)
        first.put(Record(schema["User"]!, ["id": 1]))
        for key in 1...3 as ClosedRange<Int64> {
            first.put(Record(schema["Post"]!, ["id": .integer(key), "author": 1]))
            first.put(Record(schema["Tag"]!, ["id": .integer(key)]))
        }
        try await store.commit(first)
        var second = ChangeSet()
        second.setLinks(RecordID("User", 1), "posts", to: [3, 1, 2])
        second.setLinks(RecordID("Post", 1), "tags", to: [1, 2, 3])
        second.setMetadata("cursor", "1")
        try await store.commit(second)
        // Changes nothing, and so is no place to fail.
        try await store.commit(tag(1))
        var last = ChangeSet()
        last.delete(RecordID("User", 1))
        try await store.commit(last)
    }

    /// Whether a user has all three posts, or neither is there.
    package static func isWhole(_ store: some PersistenceAdapter) async throws -> Bool {
        try await store.read { try $0.count(Query("Post")) == 3 * $0.count(Query("User")) }
    }
}
