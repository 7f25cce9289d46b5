package import SyncPersistence

/// Users, posts and tags, and commits with everything that can fail within one.
///
/// The commits change records, an order, links and metadata, and make a cascading deletion.
package enum Authorship {
    /// Users with ordered posts, which are deleted with their author, and tags of posts.
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

    /// Returns the changes that store a tag.
    package static func tag(_ key: Int64) -> ChangeSet {
        var changes = ChangeSet()
        changes.put(Record(schema["Tag"]!, ["id": .integer(key)]))
        return changes
    }

    /// Makes four commits: they store a user with three posts, set orders and tags, change nothing, and delete the
    /// user.
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
        // Changes nothing, so the store cannot fail here.
        try await store.commit(tag(1))
        var last = ChangeSet()
        last.delete(RecordID("User", 1))
        try await store.commit(last)
    }

    /// Whether the store has each user with all three posts, or neither.
    ///
    /// A half-made commit leaves another number of posts.
    package static func isWhole(_ store: some PersistenceAdapter) async throws -> Bool {
        try await store.read { try $0.count(Query("Post")) == 3 * $0.count(Query("User")) }
    }
}
