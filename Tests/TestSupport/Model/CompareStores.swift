import DifferentialSyncTesting
package import SyncPersistence

/// A plain model of what a store does with change sets.
package protocol StoreModel {
    /// What it holds.
    var image: StoreImage { get }
    /// Makes changes as a whole, or not at all.
    mutating func commit(_ changes: ChangeSet) -> StoreOutcome
}

/// Applies random change sets to a store and a model, and answers the first difference; nil if there is none.
///
/// - Parameters:
///   - store: The store.
///   - model: The model.
///   - seed: What the change sets follow from.
///   - rounds: How many there are.
///   - beginning: Changes that are made before.
/// - Complexity: O(rounds · size of the store)
package func firstDifference<Model: StoreModel>(
    between store: any PersistenceAdapter, and model: Model, seed: UInt64, rounds: Int,
    beginning: ChangeSet = ChangeSet()
) async throws -> String? {
    var model = model
    _ = model.commit(beginning)
    _ = try await store.commit(beginning)
    var random = RandomChanges(of: store.schema, seed: seed)
    for round in 0..<rounds {
        let changes = random.next(for: model.image)
        let found = try await outcome(of: changes, in: store)
        let expected = model.commit(changes)
        let image = try await store.read { try StoreImage(of: $0) }
        let differences = image.differences(from: model.image)
        if found == expected && differences.isEmpty { continue }
        return describe(round, changes, "\(found)", "\(expected)", differences)
    }
    return nil
}

/// Applies random change sets to two stores, and answers the first difference; nil if there is none.
///
/// The second is also opened anew now and then, if that is asked for.
///
/// - Complexity: O(rounds · size of the store)
package func firstDifference<Other: PersistenceAdapter>(
    between store: any PersistenceAdapter, and other: Other, seed: UInt64, rounds: Int,
    reopen: ((Other) async throws -> Other)? = nil
) async throws -> String? {
    var other = other
    var random = RandomChanges(of: store.schema, seed: seed)
    for round in 0..<rounds {
        let changes = random.next(for: try await store.read { try StoreImage(of: $0) })
        let (found, expected) = (try await outcome(of: changes, in: other), try await outcome(of: changes, in: store))
        if let reopen, round % 10 == 9 { other = try await reopen(other) }
        let (here, there) = (try await StoreDump(of: other), try await StoreDump(of: store))
        let differences = here.differences(from: there)
        if found == expected && differences.isEmpty { continue }
        return describe(round, changes, "\(found)", "\(expected)", differences)
    }
    return nil
}

private func outcome(of changes: ChangeSet, in store: any PersistenceAdapter) async throws -> StoreOutcome {
    do {
        return StoreOutcome(try await store.commit(changes))
    } catch let error as PersistenceError {
        return .refused(error.code)
    }
}

private func describe(
    _ round: Int, _ changes: ChangeSet, _ found: String, _ expected: String, _ differences: [String]
) -> String {
    let operations = changes.operations.map { "  \($0)" }.joined(separator: "\n")
    return """
        round \(round), \(changes.origin):
        \(operations)
        found \(found)
        expected \(expected)
        \(differences.joined(separator: "\n"))
        """
}
