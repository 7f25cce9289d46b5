import EntitySync
import SyncPersistence
import TestSupport
import Testing

@Suite(.needsStores) struct PureTransformerTests {
    private static func schema() throws -> Schema {
        try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string, transformer: "shout")
                Attribute("plain", .string)
            }
        }
    }

    private static func payload(_ count: Int, changed: Int? = nil) -> String {
        let users = (0..<count).map { #"{"id": \#($0), "name": "n\#($0)\#($0 == changed ? "!" : "")", "plain": "p"}"# }
        return "[\(users.joined(separator: ", "))]"
    }

    private struct Shouting {
        let calls = Locked(0)

        func options(_ version: Int?, _ suffix: String = "") -> SyncOptions {
            var options = SyncOptions()
            options.transformers["shout"] = AttributeTransformer(pureVersion: version) { [calls] remote in
                calls.withLock { $0 += 1 }
                guard case .string(let text) = remote else { return nil }
                return .string(text.uppercased() + suffix)
            }
            return options
        }

        /// How often the transformer has been called since the last time.
        func count() -> Int { calls.exchange(with: 0) }
    }

    @Test(arguments: StoreKind.allCases)
    func pureTransformersLetUnchangedObjectsBeSkipped(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let shouting = Shouting()
        try await store.sync(Self.payload(40), into: "User", options: shouting.options(1))
        #expect(shouting.count() == 40)
        #expect(try await store.sync(Self.payload(40), into: "User", options: shouting.options(1)).isUnchanged)
        #expect(shouting.count() == 0)
        let result = try await store.sync(Self.payload(40, changed: 7), into: "User", options: shouting.options(1))
        #expect(result["User"].updated.map(\.id.key) == [7])
        #expect(shouting.count() == 1)
        #expect(try await store.value("User", 7, "name") == "N7!")
    }

    @Test(arguments: StoreKind.allCases)
    func pureTransformersOfAnotherVersionReceiveEachObject(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let shouting = Shouting()
        try await store.sync(Self.payload(40), into: "User", options: shouting.options(1))
        let result = try await store.sync(Self.payload(40), into: "User", options: shouting.options(2, "?"))
        #expect(result["User"].updated.count == 40)
        #expect(try await store.value("User", 39, "name") == "N39?")
        _ = shouting.count()
        // Without a transformer, the text is taken as it is.
        try await store.sync(Self.payload(40), into: "User")
        #expect(try await store.value("User", 39, "name") == "n39")
        try await store.sync(Self.payload(40), into: "User", options: shouting.options(2, "?"))
        #expect(try await store.value("User", 39, "name") == "N39?")
    }

    @Test(arguments: StoreKind.allCases)
    func otherTransformersReceiveEachObject(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let shouting = Shouting()
        for _ in 0..<2 { try await store.sync(Self.payload(40), into: "User", options: shouting.options(nil)) }
        #expect(shouting.count() == 80)
        var options = shouting.options(1)
        options.transformers["other"] = AttributeTransformer { $0 }
        for _ in 0..<2 { try await store.sync(Self.payload(40), into: "User", options: options) }
        #expect(shouting.count() == 80)
    }
}
