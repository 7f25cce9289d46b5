import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// A change by the remote of a record whose other attributes were edited here, with or without a conflict.
struct UnreadConflictTests {
    /// A type that reads a part of what is stored, and whose remote knows nothing else.
    struct Title: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var title: String
    }

    private static func schema() throws -> Schema {
        try Schema {
            Entity("Title") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("note", .string)
            }
        }
    }

    private let server = SimulatedRemoteServer<Title, Int>(primaryKey: \.id)

    /// Returns a store with an edit of a record, whose title another device has changed, and a collection of titles.
    ///
    /// - Parameter isJSON: Whether the elements are stored as JSON, instead of in attributes.
    private func edited(
        _ values: [String: Value], there title: String, isJSON: Bool = false
    ) async throws -> (InMemoryAdapter, PersistentCollection<Title, Int>) {
        let stores = try (0..<2).map { _ in try isJSON ? emptyStore() : InMemoryAdapter(schema: Self.schema()) }
        let other = try await stores[1].collection(of: Title.self, entity: "Title")
        try await other.insert(Title(id: 1, title: "a"))
        try await other.synchronize(with: server, pushID: "1", policy: .unexpected)
        let titles = try await stores[0].collection(of: Title.self, entity: "Title")
        try await titles.synchronize(with: server, pushID: "2", policy: .unexpected)
        var changes = ChangeSet()
        changes.update(RecordID("Title", 1), values)
        try await stores[0].commit(changes)
        try await other.edit(1) { $0.title = title }
        try await other.synchronize(with: server, pushID: "3", policy: .unexpected)
        return (stores[0], titles)
    }

    private func expect(_ title: Value, _ note: Value, in store: InMemoryAdapter) async throws {
        let record = try #require(try await store.read { try $0.record(RecordID("Title", 1)) })
        #expect(record["title"] == title)
        #expect(record["note"] == note)
    }

    @Test func anEditOfAnotherAttributeIsNoConflictAndStays() async throws {
        let (store, titles) = try await edited(["note": "mine"], there: "b")
        try await titles.synchronize(with: server, pushID: "4", policy: .unexpected)
        try await expect("b", "mine", in: store)
    }

    @Test(arguments: [Resolution<Title>.local, .remote, .base, .merged(Title(id: 1, title: "both"))])
    func anEditOfAnotherAttributeStaysWhateverResolvesTheConflict(resolution: Resolution<Title>) async throws {
        let expected: Value =
            switch resolution {
            case .local: "mine"
            case .remote: "theirs"
            case .base: "a"
            default: "both"
            }
        let (store, titles) = try await edited(["title": "mine", "note": "mine"], there: "theirs")
        try await titles.synchronize(with: server, pushID: "4", policy: ConflictPolicy { _ in resolution })
        try await expect(expected, "mine", in: store)
    }

    @Test(arguments: [Resolution<Title>.local, .remote])
    func anEditOfAnotherAttributeStaysWhenAConflictIsResolvedByHand(resolution: Resolution<Title>) async throws {
        let (store, titles) = try await edited(["title": "mine", "note": "mine"], there: "theirs")
        try await titles.synchronize(with: server, pushID: "4", policy: .leaveOpen)
        let conflict = try #require(try await titles.conflicts.first)
        try await titles.resolve(1, with: resolution, of: conflict)
        try await expect(resolution == .local ? "mine" : "theirs", "mine", in: store)
    }

    @Test func anEditOfAnUnreadMemberIsNoConflictAndStays() async throws {
        let (store, titles) = try await edited(
            ["content": #"{"id":1,"note":"mine","title":"a"}"#], there: "b", isJSON: true)
        try await titles.synchronize(with: server, pushID: "4", policy: .unexpected)
        let record = try await store.read { try $0.record(RecordID("Title", 1)) }
        #expect(record?["content"] == #"{"id":1,"note":"mine","title":"b"}"#)
    }

    @Test(arguments: [Resolution<Title>.local, .remote, .base, .merged(Title(id: 1, title: "both"))])
    func anEditOfAnUnreadMemberStaysWhateverResolvesTheConflict(resolution: Resolution<Title>) async throws {
        let title =
            switch resolution {
            case .local: "mine"
            case .remote: "theirs"
            case .base: "a"
            default: "both"
            }
        let (store, titles) = try await edited(
            ["content": #"{"id":1,"note":"mine","title":"mine"}"#], there: "theirs", isJSON: true)
        try await titles.synchronize(with: server, pushID: "4", policy: ConflictPolicy { _ in resolution })
        let record = try await store.read { try $0.record(RecordID("Title", 1)) }
        #expect(record?["content"] == .string(#"{"id":1,"note":"mine","title":"\#(title)"}"#))
    }
}
