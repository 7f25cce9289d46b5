import DifferentialSyncTesting
import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Payloads of any kind are processed without a crash.
struct SyncOddPayloadTests {
    /// Returns a value of any shape with names of the office's properties.
    private func value(_ random: inout SeededGenerator, depth: Int) -> Value {
        switch Int.random(in: 0..<(depth == 0 ? 6 : 10), using: &random) {
        case 0: .null
        case 1: .bool(.random(using: &random))
        case 2, 3: .integer(.random(in: 0...6, using: &random))
        case 4: .string(["1", "2", "x", ""].randomElement(using: &random) ?? "")
        case 5: .double(1.5)
        case 6, 7: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random, depth: depth - 1) })
        default: .object(object(&random, depth: depth - 1))
        }
    }

    private static let names = [
        "id", "text", "notes", "notes_ids", "author", "author_id", "comments", "note_id", "post", "tags", "tags_ids",
        "users", "users_ids", "team", "groups", "badges", "badges_ids", "company", "company_id", "manager", "desk",
        "desk_id", "user", "user_id", "unknown",
    ]

    private func object(_ random: inout SeededGenerator, depth: Int) -> ValueObject {
        var members = [ValueObject.Member(name: "id", value: .integer(.random(in: 0...6, using: &random)))]
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let name = Self.names.randomElement(using: &random) ?? "id"
            members.append(ValueObject.Member(name: name, value: value(&random, depth: depth)))
        }
        return ValueObject(members)
    }

    @Test(arguments: StoreKind.allCases)
    func overlongStringsAreRefusedFromARemoteAlone(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        var options = SyncOptions()
        #expect(options.json.lengthLimit == 1 << 28)
        #expect(JSONOptions().lengthLimit == .max)
        options.json.lengthLimit = 4
        let error = await #expect(throws: JSONError.self) {
            try await store.sync(
                #"[{"id": 1, "text": "abcd"}, {"id": 2, "text": "abcde"}]"#, into: "User", options: options)
        }
        #expect(error?.code == .tooLong)
        #expect(error?.offset == 46)
        #expect(try await store.contents() == before)
    }

    @Test(arguments: 0..<(isFullScale ? 60 : 20))
    func randomPayloadsEndAlikeInMemoryAndInSQLite(round: Int) async throws {
        let seed = environmentSeed ?? UInt64(round)
        var random = SeededGenerator(seed: seed)
        let memory = try await SyncStore.office(.inMemory)
        let sqlite = try await SyncStore.office(.sqlite)
        for _ in 0..<4 {
            let payload: Value = .array((0..<3).map { _ in .object(object(&random, depth: 4)) })
            let operations = SyncOperations(rawValue: .random(in: 0..<64, using: &random))
            let entity = ["User", "Note", "Tag", "Company", "Desk"].randomElement(using: &random) ?? "User"
            let one = try await memory.adapter.sync(payload, into: entity, operations: operations)
            let other = try await sqlite.adapter.sync(payload, into: entity, operations: operations)
            let text = "seed \(seed): \(try payload.json) into \(entity) with \(operations.rawValue)"
            #expect(one.reports == other.reports, "\(text)")
            #expect(try await memory.contents() == sqlite.contents(), "\(text)")
        }
    }
}
