import SyncPersistence
import TestSupport
import Testing

/// The history and the fingerprint of a store whose schema changes.
struct HistoryMigrationTests {
    private static let id = Attribute("id", .integer, isPrimaryKey: true)
    private static let text = Attribute("text", .string)

    private static func store(_ entities: [Entity]) async throws -> InMemoryAdapter {
        let store = InMemoryAdapter(schema: try Schema(entities))
        var changes = ChangeSet()
        changes.keepHistory(true)
        try await store.commit(changes)
        return store
    }

    /// Returns the history as text, such as `Note 1 #2`.
    private func history(_ store: InMemoryAdapter) async throws -> [String] {
        try await store.read { transaction in
            try transaction.history(after: 0, limit: .max).map { "\($0.id.entity) \($0.id.key) #\($0.sequence)" }
        }
    }

    private func expectFingerprint(of store: InMemoryAdapter) async throws {
        let (kept, counted) = try await store.read { try ($0.fingerprint(), StoreFingerprint(ofAllIn: $0)) }
        #expect(kept == counted)
        #expect(kept != nil)
    }

    @Test func renamedEntityKeepsItsNumbersAndLinks() async throws {
        let tag = Entity("Tag", attributes: [Self.id])
        func note(_ name: String, from old: String? = nil) -> Entity {
            Entity(
                name, attributes: [Self.id], relationships: [Relationship("tags", toMany: "Tag")], renamedFrom: old)
        }
        let old = try await Self.store([note("Note"), tag])
        try await old.put("Tag", ["id": 1])
        try await old.put("Note", ["id": 1], ["id": 2])
        var changes = ChangeSet()
        changes.link(RecordID("Note", 1), "tags", to: 1)
        changes.delete(RecordID("Note", 2))
        try await old.commit(changes)
        let new = try await InMemoryAdapter.copy(of: old, schema: Schema([note("Memo", from: "Note"), tag]))
        #expect(
            try await history(new) == [
                "Tag 1 #1", "Memo 1 #2", "sync.links.Memo.tags [1, 1] #4", "Memo 2 #5",
            ])
        try await expectFingerprint(of: new)
        try await new.put("Memo", ["id": 3])
        #expect(try await history(new).last == "Memo 3 #6")
    }

    @Test func newAndRenamedAttributesChangeTheFingerprintAndNoNumbers() async throws {
        let old = try await Self.store([Entity("Note", attributes: [Self.id, Self.text])])
        try await old.put("Note", ["id": 1, "text": "a"])
        let before = try await old.read { try $0.fingerprint() }
        for attributes in [
            [Self.id, Self.text, Attribute("stars", .integer, default: 1)],
            [Self.id, Attribute("title", .string, renamedFrom: "text")],
        ] {
            let new = try await InMemoryAdapter.copy(
                of: old, schema: Schema([Entity("Note", attributes: attributes)]))
            #expect(try await history(new) == ["Note 1 #1"])
            try await expectFingerprint(of: new)
            #expect(try await new.read { try $0.fingerprint() } != before)
        }
    }

    @Test func migrationStepsChangeTheFingerprintAndForgetDroppedEntities() async throws {
        let old = try await Self.store([
            Entity("Note", attributes: [Self.id, Self.text]), Entity("Tag", attributes: [Self.id]),
        ])
        try await old.put("Note", ["id": 1, "text": "a"])
        try await old.put("Tag", ["id": 1])
        let schema = try Schema([Entity("Note", attributes: [Self.id])])
        let new = try await InMemoryAdapter.copy(
            of: old, schema: schema,
            migration: [
                .dropEntity("Tag", losingUnsentChanges: true),
                .drop("Note", "text", losingUnsentChanges: true),
            ])
        #expect(try await history(new) == ["Note 1 #1"])
        try await expectFingerprint(of: new)
        #expect(try await new.read { try $0.historySequence } == 2)
    }

    @Test func newEntityKeepsTheFingerprint() async throws {
        let store = try await Self.store([Entity("Note", attributes: [Self.id])])
        try await store.put("Note", ["id": 1])
        let before = try await store.read { try $0.fingerprint() }
        try await store.add([Entity("Tag", attributes: [Self.id])])
        #expect(try await store.read { try $0.fingerprint() } == before)
        try await store.put("Tag", ["id": 1])
        #expect(try await history(store) == ["Note 1 #1", "Tag 1 #2"])
        try await expectFingerprint(of: store)
    }
}
