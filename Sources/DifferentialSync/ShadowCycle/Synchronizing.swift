/// Runs one cycle of differential synchronization: merges the client's changes since the shadow with the remote's.
///
/// 1. The client's changes are the diff from the shadow to the client. The remote's changes are the diff from the
///    shadow to the remote.
/// 2. A change of one side is merged. If both sides changed a record to different values, the policy resolves the
///    conflict.
/// 3. The push is the diff from the remote to the result.
/// 4. Once the push has succeeded, client and shadow become the result. Edits that the client has made in the meantime
///    are kept for the next cycle.
///
/// ```swift
/// let cycle = try synchronize(
///     client: notes, shadow: shadow, remote: try await server.notes(), primaryKey: \.id,
///     policy: .newest(by: \.modified))
/// if let push = cycle.push { try await server.apply(push) }
/// let accepted = try cycle.accepted(by: notes, shadow: shadow, primaryKey: \.id)
/// (notes, shadow) = (accepted.client, accepted.shadow)
/// ```
///
/// For a push and pull that are asynchronous, that can be refused, or whose answer can get lost, see ``SyncCycle``.
///
/// - Parameters:
///   - client: The local collection.
///   - shadow: The common state of both sides after the last cycle; nil at first contact, when nothing is deleted.
///   - remote: The remote collection.
///   - primaryKey: The key of an element.
///   - duplicates: The treatment of different elements of one collection with the same key. Elements that do not count
///     are left out of the results, and are not deleted on the remote.
///   - policy: Resolves conflicts.
/// - Returns: The new client, the new shadow and the push.
/// - Throws: ``KeyError`` for duplicates that `duplicates` refuses, for a key that is not equal to itself, and for a
///   policy that returns an element with another key. Otherwise the errors of the policy.
/// - Complexity: O(*n*), for keys that hash well. A ``JournaledCollection`` needs O(number of changes).
@inlinable
public func synchronize<Element: Equatable, Key: Hashable & Sendable>(
    client: some Collection<Element>, shadow: [Element]?, remote: some Collection<Element>,
    primaryKey: (Element) -> Key, duplicates: DuplicatePolicy = .refuse, policy: ConflictPolicy<Element>
) throws -> CycleResult<Element> {
    try cycle(
        Array(client), shadow ?? [], Array(remote), named: ("client", "shadow", "remote"), primaryKey: primaryKey,
        duplicates: duplicates, resolve: policy.resolve)
}

/// Runs one cycle of differential synchronization with the outcomes of [DS](https://github.com/lyc2345/DS).
///
/// A record that was deleted on the remote is deleted. A record that was deleted locally and edited on the remote is
/// kept. If both sides edited or added a record, the callback decides. See
/// ``synchronize(client:shadow:remote:primaryKey:duplicates:policy:)``.
///
/// - Parameters:
///   - client: The local collection.
///   - shadow: The common state of both sides after the last cycle; nil at first contact, when nothing is deleted.
///   - remote: The remote collection.
///   - primaryKey: The key of an element.
///   - duplicates: The treatment of different elements of one collection with the same key. Elements that do not count
///     are left out of the results, and are not deleted on the remote.
///   - shouldReplace: Whether `new`, the client's version, takes the place of `old`, the remote's.
/// - Returns: The new client, the new shadow and the push.
/// - Throws: ``KeyError`` for duplicates that `duplicates` refuses, and for a key that is not equal to itself;
///   otherwise the errors of `shouldReplace`.
/// - Complexity: O(*n*), for keys that hash well
@inlinable
public func synchronize<Element: Equatable, Key: Hashable & Sendable>(
    client: some Collection<Element>, shadow: [Element]?, remote: some Collection<Element>,
    primaryKey: (Element) -> Key, duplicates: DuplicatePolicy = .refuse,
    shouldReplace: (_ old: Element, _ new: Element) throws -> Bool
) throws -> CycleResult<Element> {
    try cycle(
        Array(client), shadow ?? [], Array(remote), named: ("client", "shadow", "remote"), primaryKey: primaryKey,
        duplicates: duplicates, resolve: { try $0.differentialSyncResolution(shouldReplace: shouldReplace) })
}

/// Runs one cycle of differential synchronization for `Identifiable` elements.
///
/// See ``synchronize(client:shadow:remote:primaryKey:duplicates:policy:)``.
///
/// - Complexity: O(*n*), for identifiers that hash well
@inlinable
public func synchronize<Element: Equatable & Identifiable>(
    client: some Collection<Element>, shadow: [Element]?, remote: some Collection<Element>,
    duplicates: DuplicatePolicy = .refuse, policy: ConflictPolicy<Element>
) throws -> CycleResult<Element> where Element.ID: Sendable {
    try synchronize(
        client: client, shadow: shadow, remote: remote, primaryKey: { $0.id }, duplicates: duplicates, policy: policy)
}

/// Runs one cycle of differential synchronization with DS's outcomes, for `Identifiable` elements.
///
/// See ``synchronize(client:shadow:remote:primaryKey:duplicates:shouldReplace:)``.
///
/// - Complexity: O(*n*), for identifiers that hash well
@inlinable
public func synchronize<Element: Equatable & Identifiable>(
    client: some Collection<Element>, shadow: [Element]?, remote: some Collection<Element>,
    duplicates: DuplicatePolicy = .refuse, shouldReplace: (_ old: Element, _ new: Element) throws -> Bool
) throws -> CycleResult<Element> where Element.ID: Sendable {
    try synchronize(
        client: client, shadow: shadow, remote: remote, primaryKey: { $0.id }, duplicates: duplicates,
        shouldReplace: shouldReplace)
}

/// Runs one cycle of differential synchronization for dictionary-like records and the name of their key, or the names
/// of its parts.
///
/// See ``synchronize(client:shadow:remote:primaryKey:duplicates:policy:)``.
///
/// - Throws: ``KeyError`` also for a record that lacks its key.
/// - Complexity: O(*n* · number of names), for keys that hash well
public func synchronize<Value: Hashable>(
    client: some Collection<[String: Value]>, shadow: [[String: Value]]?, remote: some Collection<[String: Value]>,
    primaryKey name: String, _ others: String..., duplicates: DuplicatePolicy = .refuse,
    policy: ConflictPolicy<[String: Value]>
) throws -> CycleResult<[String: Value]> {
    let names = [name] + others
    try requireKeys(names, client: client, shadow: shadow, remote: remote)
    return try withTextKeys {
        try synchronize(
            client: client, shadow: shadow, remote: remote, primaryKey: { NamedKey($0, names) },
            duplicates: duplicates, policy: policy)
    }
}

/// Runs one cycle of differential synchronization with DS's outcomes, for dictionary-like records and the name of their
/// key, or the names of its parts.
///
/// See ``synchronize(client:shadow:remote:primaryKey:duplicates:shouldReplace:)``.
///
/// - Throws: ``KeyError`` also for a record that lacks its key.
/// - Complexity: O(*n* · number of names), for keys that hash well
public func synchronize<Value: Hashable>(
    client: some Collection<[String: Value]>, shadow: [[String: Value]]?, remote: some Collection<[String: Value]>,
    primaryKey name: String, _ others: String..., duplicates: DuplicatePolicy = .refuse,
    shouldReplace: (_ old: [String: Value], _ new: [String: Value]) throws -> Bool
) throws -> CycleResult<[String: Value]> {
    let names = [name] + others
    try requireKeys(names, client: client, shadow: shadow, remote: remote)
    return try withTextKeys {
        try synchronize(
            client: client, shadow: shadow, remote: remote, primaryKey: { NamedKey($0, names) },
            duplicates: duplicates, shouldReplace: shouldReplace)
    }
}

/// Requires that all dictionaries have the key fields.
///
/// - Throws: ``KeyError`` with the first one that lacks a field, and its collection.
private func requireKeys<Value: Hashable>(
    _ names: [String], client: some Collection<[String: Value]>, shadow: [[String: Value]]?,
    remote: some Collection<[String: Value]>
) throws(KeyError) {
    try requireKeys(names, in: client, named: "client")
    try requireKeys(names, in: shadow ?? [], named: "shadow")
    try requireKeys(names, in: remote, named: "remote")
}

/// Runs the cycle over arrays.
///
/// Errors name the collections by `names`.
@inlinable
func cycle<Element: Equatable, Key: Hashable & Sendable>(
    _ client: [Element], _ shadow: [Element], _ remote: [Element], named names: (String, String, String),
    primaryKey: (Element) -> Key, duplicates: DuplicatePolicy,
    resolve: (Conflict<Element>) throws -> Resolution<Element>
) throws -> CycleResult<Element> {
    precondition(
        !(Element.self is AnyClass),
        """
        \(Element.self) is a class: its old and new values are one object, so no edit could be found. Use a structure
        """)
    if duplicates != .refuse {
        var result = try cycle(
            unique(client, named: names.0, primaryKey: primaryKey, duplicates: duplicates),
            unique(shadow, named: names.1, primaryKey: primaryKey, duplicates: duplicates),
            unique(remote, named: names.2, primaryKey: primaryKey, duplicates: duplicates),
            named: names, primaryKey: primaryKey, duplicates: .refuse, resolve: resolve)
        result.oldShadow = shadow
        result.duplicates = duplicates
        return result
    }
    let local = try keyedDiff(
        wins: client, loses: shadow, named: (names.0, names.1), primaryKey: primaryKey, duplicates: .refuse)
    let foreign = try keyedDiff(
        wins: remote, loses: shadow, named: (names.2, names.1), primaryKey: primaryKey, duplicates: .refuse)
    let merge = try ThreeWayMerge(
        local: local?.changes ?? [], remote: foreign?.changes ?? [], primaryKey: primaryKey, resolve: resolve)
    let push = merge.toRemote
    var merged = remote
    DifferentialSync.merge(into: &merged, applying: push, primaryKey: primaryKey) { _, _ in true }

    // Each side keeps its version of an open conflict.
    let open = merge.decisions.filter(\.isOpen)
    var newClient = merged
    var newShadow = merged
    DifferentialSync.merge(
        into: &newClient, applying: Diff(open.compactMap { Change(from: $0.remote, to: $0.local) }),
        primaryKey: primaryKey
    ) { _, _ in true }
    DifferentialSync.merge(
        into: &newShadow, applying: Diff(open.compactMap { Change(from: $0.remote, to: $0.base) }),
        primaryKey: primaryKey
    ) { _, _ in true }
    return CycleResult(client: newClient, push: push, shadow: newShadow, oldShadow: shadow, merge: merge)
}
