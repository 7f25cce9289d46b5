import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence
import Testing

@Suite("A file whose commits fail")
struct FailureTests {
    @Test("before, within and after each commit: the file holds what it held before it, or all of it")
    func everyFailure() async throws {
        let schema = try Schema {
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
        let folder = TemporaryFolder()
        let count = try await forEveryFailure(of: {
            try await SQLiteAdapter.open(at: folder.file("\(UUID()).sqlite"), schema: schema)
        }) { store in
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
            var third = ChangeSet()
            third.delete(RecordID("User", 1))
            try await store.commit(third)
        }
        #expect(count > 25)
    }
}
