/// A collection that a three-way merge has made of two.
public struct MergedCollection<Element> {
    /// The merged elements, in the order of the remote collection, those that only the local one added after them.
    ///
    /// Where a conflict is left open, the base stands.
    public let elements: [Element]

    /// What was decided for each record that either side changed.
    public let merge: ThreeWayMerge<Element>

    @usableFromInline
    init(elements: [Element], merge: ThreeWayMerge<Element>) {
        self.elements = elements
        self.merge = merge
    }

    /// The conflicts that are left open.
    public var open: [Conflict<Element>] { merge.open }
}

extension MergedCollection: Sendable where Element: Sendable {}
extension MergedCollection: Equatable where Element: Equatable {}

/// Merges two collections that have come from a common base, by primary key.
///
/// What one side changed is taken from it, deletions too. What both changed to different values is a ``Conflict``, and
/// the policy settles it.
///
/// ```swift
/// let merged = try merge(base: old, local: mine, remote: theirs, primaryKey: \.id, policy: .localWins)
/// ```
///
/// - Parameters:
///   - base: What both collections came from; nil if that is not known. Without a base nothing is deleted, elements of
///     either side are taken, and only keys that both have with different values go to the policy.
///   - local: The collection here.
///   - remote: The collection there.
///   - primaryKey: The key of an element.
///   - policy: What settles conflicts.
/// - Throws: ``KeyError`` for two different elements of one collection with one key, for a key that is not equal to
///   itself, or for an answer of the policy that has another key; else what the policy throws.
/// - Complexity: O(*n*), for keys that hash well
@inlinable
public func merge<Element: Equatable, Key: Hashable>(
    base: [Element]?, local: [Element], remote: [Element], primaryKey: (Element) -> Key,
    policy: ConflictPolicy<Element>
) throws -> MergedCollection<Element> {
    let cycle = try cycle(
        local, base ?? [], remote, named: ("local", "base", "remote"), primaryKey: primaryKey, resolve: policy.resolve)
    return MergedCollection(elements: cycle.shadow, merge: cycle.merge)
}

/// Merges two collections of dictionary-like records that have come from a common base, by the name of their key, or
/// the names of its parts.
///
/// See ``merge(base:local:remote:primaryKey:policy:)``.
///
/// - Throws: ``KeyError`` also for a record that lacks its key.
/// - Complexity: O(*n* · number of names), for keys that hash well
public func merge<Value: Hashable>(
    base: [[String: Value]]?, local: [[String: Value]], remote: [[String: Value]], primaryKey name: String,
    _ others: String...,
    policy: ConflictPolicy<[String: Value]>
) throws -> MergedCollection<[String: Value]> {
    let names = [name] + others
    try requireKeys(names, in: base ?? [], named: "base")
    try requireKeys(names, in: local, named: "local")
    try requireKeys(names, in: remote, named: "remote")
    return try merge(base: base, local: local, remote: remote, primaryKey: { RecordKey($0, names) }, policy: policy)
}
