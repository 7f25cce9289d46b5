public import DifferentialSync
public import SyncPersistence

/// The policies for conflicts in a store, by entity.
///
/// Two changes of different attributes never conflict: they are merged. A policy decides the rest: one attribute that
/// both sides have changed to different values, and an edit of a record that the other side has deleted. Elements that
/// are stored as JSON have one attribute, so a policy for their type decides about all changes by both sides.
///
/// ```swift
/// var policies = SyncPolicies(.keepEdits(otherwise: .leaveOpen))
/// policies["Draft"] = .localWins
/// try await store.synchronize(with: service, policies: policies)
/// ```
///
/// A conflict that a policy leaves open stays in the store until it is resolved; see ``StoreConflict``.
public struct SyncPolicies: Sendable {
    /// The policy of entities without one of their own.
    public var otherwise: ConflictPolicy<Record>

    private var policies: [String: ConflictPolicy<Record>] = [:]

    /// Creates policies.
    ///
    /// - Parameter policy: The policy of all entities without one of their own.
    public init(_ policy: ConflictPolicy<Record> = .leaveOpen) { otherwise = policy }

    /// The policy of an entity, of inheriting ones, or of a shape of links; nil for the common one.
    public subscript(entity: String) -> ConflictPolicy<Record>? {
        get { policies[entity] }
        set { policies[entity] = newValue }
    }

    /// Sets the policy of the entity of a collection, for elements of the app's own type.
    ///
    /// ```swift
    /// let todos = try await store.collection(of: ToDo.self, entity: "ToDo")
    /// policies.set(.newest(by: \.modified), for: todos)
    /// ```
    ///
    /// The policy also decides about attributes that the type does not have. The versions have no keys of relationships
    /// that the record does not store, such as many-to-many ones: those are not part of the conflict. It stays open if a
    /// version cannot be read as an element.
    public mutating func set<Element: Equatable & Sendable, Key: Hashable & Sendable>(
        _ policy: ConflictPolicy<Element>, for collection: PersistentCollection<Element, Key>
    ) {
        policies[collection.entity] = collection.coding.policy(policy)
    }

    /// The policies as one.
    var all: ConflictPolicy<Record> { ConflictPolicy { conflict in try policy(of: conflict).resolve(conflict) } }

    private func policy(of conflict: Conflict<Record>) -> ConflictPolicy<Record> {
        guard !policies.isEmpty, let shape = (conflict.local ?? conflict.remote ?? conflict.base)?.shape else {
            return otherwise
        }
        return shape.lineage.lazy.compactMap { policies[$0] }.first ?? otherwise
    }
}
