/// The result of a three-way merge.
public struct MergedCollection<Element> {
    /// The merged elements, in the order of the remote collection.
    ///
    /// Elements that only the local side added are last.
    ///
    /// For an unresolved conflict the base is listed.
    public let elements: [Element]

    /// The decision for each record that either side changed.
    public let merge: ThreeWayMerge<Element>

    /// Creates the result of a merge.
    @usableFromInline
    init(elements: [Element], merge: ThreeWayMerge<Element>) {
        self.elements = elements
        self.merge = merge
    }

    /// The unresolved conflicts.
    public var open: [Conflict<Element>] { merge.open }
}

extension MergedCollection: Sendable where Element: Sendable {}
extension MergedCollection: Equatable where Element: Equatable {}

/// Merges two collections with a common base, by primary key.
///
/// A change of one side is merged, deletions too. If both sides changed a record to different values, the policy
/// resolves the ``Conflict``.
///
/// ```swift
/// let merged = try merge(base: old, local: mine, remote: theirs, primaryKey: \.id, policy: .localWins)
/// ```
///
/// - Parameters:
///   - base: The collection that both sides changed; nil if it is not known. Without a base nothing is deleted, and the
///     policy resolves only keys that both sides have with different values.
///   - local: The local collection.
///   - remote: The remote collection.
///   - primaryKey: The key of an element.
///   - duplicates: What to do where two different elements of one collection have the same key.
///   - policy: Resolves conflicts.
/// - Returns: The merged collection, and what was decided for each changed record.
/// - Throws: ``KeyError`` for duplicates that `duplicates` refuses, for a key that is not equal to itself, and for a
///   policy that returns an element with another key. Otherwise the errors of the policy.
/// - Complexity: O(*n*), for keys that hash well
@inlinable
public func merge<Element: Equatable, Key: Hashable & Sendable>(
    base: [Element]?, local: some Collection<Element>, remote: some Collection<Element>,
    primaryKey: (Element) -> Key, duplicates: DuplicatePolicy = .refuse, policy: ConflictPolicy<Element>
) throws -> MergedCollection<Element> {
    let cycle = try cycle(
        Array(local), base ?? [], Array(remote), named: ("local", "base", "remote"), primaryKey: primaryKey,
        duplicates: duplicates, resolve: policy.resolve)
    return MergedCollection(elements: cycle.shadow, merge: cycle.merge)
}

/// Merges two collections of dictionary-like records with a common base, by the name of their key, or the names of its
/// parts.
///
/// See ``merge(base:local:remote:primaryKey:duplicates:policy:)``.
///
/// - Throws: ``KeyError`` also for a record that lacks its key.
/// - Complexity: O(*n* · number of names), for keys that hash well
public func merge<Value: Hashable>(
    base: [[String: Value]]?, local: some Collection<[String: Value]>, remote: some Collection<[String: Value]>,
    primaryKey name: String, _ others: String..., duplicates: DuplicatePolicy = .refuse,
    policy: ConflictPolicy<[String: Value]>
) throws -> MergedCollection<[String: Value]> {
    let names = [name] + others
    try requireKeys(names, in: base ?? [], named: "base")
    try requireKeys(names, in: local, named: "local")
    try requireKeys(names, in: remote, named: "remote")
    return try withTextKeys {
        try merge(
            base: base, local: local, remote: remote, primaryKey: { NamedKey($0, names) }, duplicates: duplicates,
            policy: policy)
    }
}
