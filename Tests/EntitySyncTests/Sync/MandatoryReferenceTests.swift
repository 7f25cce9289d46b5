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

    @Test(arguments: StoreKind.allCases, [false, true])
    func recordsMayRequireEachOther(kind: StoreKind, isReversed: Bool) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Team") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("leader", to: "User", isOptional: false)
                }
                Entity("User") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string, isOptional: false)
                    Relationship("team", to: "Team", isOptional: false)
                    Relationship("friend", to: "User")
                }
            })
        let json = """
            {"teams": [{"id": 1, "leader_id": 1}, {"id": 2, "leader_id": 2}, {"id": 3, "leader_id": 4}],
             "users": [{"id": 1, "name": "a", "team_id": 1, "friend_id": 3}, {"id": 2, "team_id": 2},
                       {"id": 3, "name": "c", "team_id": 1}, {"id": 4, "name": "d", "team_id": 5}]}
            """
        let roots = [SyncRoot("Team", at: "teams"), SyncRoot("User", at: "users")]
        let result = try await store.adapter.sync(json, roots: isReversed ? roots.reversed() : roots)
        #expect(Set(result.reports.map(\.kind)) == [.unknownReference, .missingValue])
        #expect(try await store.keys("Team") == [1])
        #expect(try await store.keys("User") == [1, 3])
        #expect(try await store.value("Team", 1, "leader") == 1)
        #expect(try await store.value("User", 1, "friend") == 3)
        let again = try await store.adapter.sync(json, roots: isReversed ? roots.reversed() : roots)
        #expect(again.isUnchanged)
    }
}
