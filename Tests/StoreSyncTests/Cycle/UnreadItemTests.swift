import DifferentialSync
import StoreSync
import Testing

/// A list that is kept as JSON, and whose items have members that the type does not read.
private struct List: Codable, Identifiable, Equatable, Sendable {
    struct Item: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var title: String
    }

    var id: Int
    var items: [Item]
}

/// Edits of one item in an array on two devices, of which a newer version of the app has made one.
struct UnreadItemTests {
    private let phone: InMemoryAdapter
    private let laptop: InMemoryAdapter
    private let service: InMemoryAdapter

    init() throws {
        let schema = try Schema([])
        (phone, laptop) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema))
        service = InMemoryAdapter(schema: schema)
    }

    private func lists(_ store: InMemoryAdapter) async throws -> PersistentCollection<List, Int> {
        try await store.collection(of: List.self, entity: "List")
    }

    @Test(arguments: [true, false], [nil, true, false])
    func anEditOfAnUnreadMemberIsNoConflictAndIsKept(isUnreadEditHere: Bool, localWins: Bool?) async throws {
        for store in [phone, laptop, service] { _ = try await lists(store) }
        let remote = SyncService(service, account: "ada")
        try await lists(laptop).insert(List(id: 1, items: [List.Item(id: 1, title: "a")]))
        for store in [laptop, phone] { try await store.synchronize(with: remote) }
        let (old, new) = isUnreadEditHere ? (laptop, phone) : (phone, laptop)
        try await lists(old).edit(1) { $0.items[0].title = "b" }
        var changes = ChangeSet()
        changes.update(RecordID("List", 1), ["content": #"{"id":1,"items":[{"id":1,"note":"n","title":"a"}]}"#])
        try await new.commit(changes)

        try await laptop.synchronize(with: remote)
        var policies = SyncPolicies()
        let policy: ConflictPolicy<List> =
            switch localWins {
            case true: .localWins
            case false: .remoteWins
            default:
                ConflictPolicy { conflict in
                    Issue.record("\(conflict) is none")
                    return .open
                }
            }
        policies.set(policy, for: try await lists(phone))
        try await phone.synchronize(with: remote, policies: policies)
        try await laptop.synchronize(with: remote)
        for store in [phone, laptop, service] {
            let record = try await store.read { try $0.record(RecordID("List", 1)) }
            #expect(record?["content"] == #"{"id":1,"items":[{"id":1,"note":"n","title":"b"}]}"#)
        }
    }
}
