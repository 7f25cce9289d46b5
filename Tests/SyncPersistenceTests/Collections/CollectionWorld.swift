import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

/// A store without a schema of its own.
func emptyStore() throws -> InMemoryAdapter { InMemoryAdapter(schema: try Schema([])) }

/// A collection of items in a store of its own.
func itemCollection(_ items: [Item] = []) async throws -> PersistentCollection<Item, Int> {
    let collection = try await emptyStore().collection(of: Item.self, entity: "Item")
    try await collection.upsert(contentsOf: items)
    return collection
}

extension PersistentCollection where Element == Item, Key == Int {
    /// The elements by their keys.
    var sorted: [Item] {
        get async throws { try await elements().sorted { $0.id < $1.id } }
    }
}

/// What a step is, regardless of the order of its changes.
func summary(_ step: SyncCycle<Item, Int>.Step) -> String {
    switch step {
    case .confirm(let pushID): "confirm \(pushID)"
    case .pull(let version): "pull \(version?.commit ?? "everything")"
    case .push(let push): summary(push)
    case .finished(let outcome): summary(outcome.ending, outcome.counts, outcome.version, outcome.trace)
    }
}

/// The same of a stored collection.
func summary(_ step: DurableCycle<Item, Int>.Step) -> String {
    switch step {
    case .confirm(let pushID): "confirm \(pushID)"
    case .pull(let version): "pull \(version?.commit ?? "everything")"
    case .push(let push): summary(push)
    case .finished(let outcome): summary(outcome.ending, outcome.counts, outcome.version, outcome.trace)
    }
}

private func summary(_ push: Push<Item>) -> String {
    let changes = push.changes.changes.map { "\($0)" }.sorted().joined(separator: " ")
    return "push \(push.id) on \(push.expected?.commit ?? "nothing"): \(changes)"
}

private func summary(
    _ ending: SyncOutcome.Ending, _ counts: SyncCounts, _ version: RemoteVersion?, _ trace: SyncTrace
) -> String {
    var counts = counts
    // A conflict may have ended by an edit since the cycle has counted them.
    if ending != .synced { counts.open = 0 }
    return "\(ending) at \(version?.commit ?? "nothing"): \(counts) by \(trace.events)"
}

/// A remote of items, and a server of it.
struct SimulatedItems {
    var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)

    /// A server of the remote as it is now.
    var server: SimulatedRemoteServer<Item, Int> { SimulatedRemoteServer(remote) }
}

/// A collection that has been synchronized with a remote of the given items.
func synchronizedItems(_ items: [Item]) async throws -> PersistentCollection<Item, Int> {
    let collection = try await itemCollection()
    var world = SimulatedItems()
    world.remote.reset(to: items)
    try await collection.synchronize(with: world.server, pushID: "first", policy: .localWins)
    return collection
}

/// Expects a persistence error of the given wording.
func expectError(
    _ description: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @Sendable () async throws -> Void
) async {
    let error = await #expect(throws: PersistenceError.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error?.description == description, sourceLocation: sourceLocation)
}

extension ConflictPolicy {
    /// For cycles in which no conflict comes up.
    static var unexpected: ConflictPolicy {
        ConflictPolicy { conflict in
            Issue.record("an unexpected conflict: \(conflict)")
            return .remote
        }
    }
}
