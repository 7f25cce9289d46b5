import DifferentialSyncTesting
package import SyncPersistence

/// Applies random change sets to a store and the naive model, and returns the first difference; nil if there is none.
///
/// - Parameters:
///   - store: The store.
///   - model: The model.
///   - seed: The seed of the change sets.
///   - rounds: The number of change sets.
///   - beginning: Changes that both receive first.
/// - Complexity: O(*r* · *n*) for *r* rounds over a store of *n* records.
package func firstDifference(
    between store: any PersistenceAdapter, and model: NaiveStore, seed: UInt64, rounds: Int,
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

/// Applies random change sets to two stores, and returns the first difference; nil if there is none.
///
/// If `reopen` is given, the second store is reopened after every tenth change set.
///
/// - Complexity: O(*r* · *n*) for *r* rounds over stores of *n* records.
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

/// Commits the changes, and returns the outcome, whether a commit or the code of an error.
private func outcome(of changes: ChangeSet, in store: any PersistenceAdapter) async throws -> StoreOutcome {
    do {
        return StoreOutcome(try await store.commit(changes))
    } catch let error as PersistenceError {
        return .refused(error.code)
    }
}

/// Returns a message with the round, the changes, both outcomes and the differences.
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
