import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Mandatory references of records to themselves and to each other.
@Suite(.needsStores) struct MandatoryReferenceTests {
    private static func store(_ kind: StoreKind) async throws -> SyncStore {
        try await SyncStore(
            kind,
            Schema {
                Entity("Message") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("thread", to: "Message", isOptional: false)
                }
            })
    }

    @Test(arguments: StoreKind.allCases)
    func recordMayRequireItself(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        let json = #"[{"id": 2, "thread_id": 1}, {"id": 1, "thread_id": 1}, {"id": 3, "thread_id": 3}]"#
        let result = try await store.sync(json, into: "Message")
        #expect(result.reports.isEmpty)
        for (key, thread) in [(1, 1), (2, 1), (3, 3)] as [(Value, Value)] {
            #expect(try await store.value("Message", key, "thread") == thread)
        }
        #expect(try await store.sync(json, into: "Message").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func recordThatRequiresAMissingOneIsReported(kind: StoreKind) async throws {
        let store = try await Self.store(kind)
        let result = try await store.sync(#"[{"id": 1, "thread_id": 9}, {"id": 2, "thread_id": 1}]"#, into: "Message")
        #expect(result.reports.contains { $0.kind == .unknownReference })
        #expect(try await store.keys("Message") == [])
    }
}
