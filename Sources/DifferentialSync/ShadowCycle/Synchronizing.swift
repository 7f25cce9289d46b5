/// One cycle of differential synchronization: what the client changed since the shadow meets what the remote changed.
///
/// 1. The client's changes are its diff against the shadow, the remote's likewise.
/// 2. What one side changed is taken from it; what both changed to different values goes to the policy.
/// 3. The result differs from the remote in what is to be pushed.
/// 4. Once the push has succeeded, client and shadow become the result. Edits that the client has made in the meantime
///    are kept for the next cycle.
///
/// ```swift
/// let cycle = try synchronize(
///     client: notes, shadow: shadow, remote: try await server.notes(), primaryKey: \.id,
///     policy: .newest(by: \.modified))
/// if let push = cycle.push { try await server.apply(push) }
/// (notes, shadow) = try cycle.accepted(by: notes, shadow: shadow, primaryKey: \.id)
/// ```
///
/// For a push and pull that are asynchronous, that can be refused, or whose answer can get lost, see ``SyncCycle``.
///
/// - Parameters:
///   - client: The collection here.
///   - shadow: What both sides had in common after the last cycle; nil at first contact, when nothing is deleted.
///   - remote: The collection there.
///   - primaryKey: The key of an element.
///   - policy: What settles conflicts.
/// - Throws: ``KeyError`` for two different elements of one collection with one key, for a key that is not equal to
///   itself, or for an answer of the policy that has another key; else what the policy throws.
/// - Complexity: O(*n*), for keys that hash well. A ``JournaledCollection`` needs O(number of changes).
@inlinable
public func synchronize<Element: Equatable, Key: Hashable>(
    client: [Element], shadow: [Element]?, remote: [Element], primaryKey: (Element) -> Key,
    policy: ConflictPolicy<Element>
) throws -> CycleResult<Element> {
    try cycle(
        client, shadow ?? [], remote, named: ("client", "shadow", "remote"), primaryKey: primaryKey,
        resolve: policy.resolve)
}

/// One cycle of differential synchronization with DS's outcomes.
///
/// What was deleted there goes, what was deleted here and edited there stays; where both sides edited or added a
/// record, the callback is asked. See ``synchronize(client:shadow:remote:primaryKey:policy:)``.
///
/// - Parameters:
///   - client: The collection here.
///   - shadow: What both sides had in common after the last cycle; nil at first contact, when nothing is deleted.
///   - remote: The collection there.
///   - primaryKey: The key of an element.
///   - shouldReplace: Whether `new`, the client's version, takes the place of `old`, the remote's.
/// - Throws: ``KeyError`` for two different elements of one collection with one key, or for a key that is not equal to
///   itself; else what `shouldReplace` throws.
/// - Complexity: O(*n*), for keys that hash well
@inlinable
public func synchronize<Element: Equatable, Key: Hashable>(
    client: [Element], shadow: [Element]?, remote: [Element], primaryKey: (Element) -> Key,
    shouldReplace: (_ old: Element, _ new: Element) throws -> Bool
) throws -> CycleResult<Element> {
    try cycle(
        client, shadow ?? [], remote, named: ("client", "shadow", "remote"), primaryKey: primaryKey,
        resolve: { try $0.differentialSyncResolution(shouldReplace: shouldReplace) })
}

/// One cycle of differential synchronization for elements that know their key.
///
/// See ``synchronize(client:shadow:remote:primaryKey:policy:)``.
///
/// - Complexity: O(*n*), for identifiers that hash well
@inlinable
public func synchronize<Element: Equatable & Identifiable>(
    client: [Element], shadow: [Element]?, remote: [Element], policy: ConflictPolicy<Element>
) throws -> CycleResult<Element> {
    try synchronize(client: client, shadow: shadow, remote: remote, primaryKey: { $0.id }, policy: policy)
}

/// One cycle of differential synchronization with DS's outcomes, for elements that know their key.
///
/// See ``synchronize(client:shadow:remote:primaryKey:shouldReplace:)``.
///
/// - Complexity: O(*n*), for identifiers that hash well
@inlinable
public func synchronize<Element: Equatable & Identifiable>(
    client: [Element], shadow: [Element]?, remote: [Element],
    shouldReplace: (_ old: Element, _ new: Element) throws -> Bool
) throws -> CycleResult<Element> {
    try synchronize(client: client, shadow: shadow, remote: remote, primaryKey: { $0.id }, shouldReplace: shouldReplace)
}

/// One cycle of differential synchronization for dictionary-like records and the name of their key, or the names of its
/// parts.
///
/// See ``synchronize(client:shadow:remote:primaryKey:policy:)``.
///
/// - Throws: ``KeyError`` also for a record that lacks its key.
/// - Complexity: O(*n* · number of names), for keys that hash well
public func synchronize<Value: Hashable>(
    client: [[String: Value]], shadow: [[String: Value]]?, remote: [[String: Value]], primaryKey name: String,
    _ others: String...,
    policy: ConflictPolicy<[String: Value]>
) throws -> CycleResult<[String: Value]> {
    let names = [name] + others
    try requireKeys(names, client: client, shadow: shadow, remote: remote)
    return try synchronize(
        client: client, shadow: shadow, remote: remote, primaryKey: { RecordKey($0, names) }, policy: policy)
}

/// One cycle of differential synchronization with DS's outcomes, for dictionary-like records and the name of their key,
/// or the names of its parts.
///
/// See ``synchronize(client:shadow:remote:primaryKey:shouldReplace:)``.
///
/// - Throws: ``KeyError`` also for a record that lacks its key.
/// - Complexity: O(*n* · number of names), for keys that hash well
public func synchronize<Value: Hashable>(
    client: [[String: Value]], shadow: [[String: Value]]?, remote: [[String: Value]], primaryKey name: String,
    _ others: String...,
    shouldReplace: (_ old: [String: Value], _ new: [String: Value]) throws -> Bool
) throws -> CycleResult<[String: Value]> {
    let names = [name] + others
    try requireKeys(names, client: client, shadow: shadow, remote: remote)
    return try synchronize(
        client: client, shadow: shadow, remote: remote, primaryKey: { RecordKey($0, names) },
        shouldReplace: shouldReplace)
}

private func requireKeys<Value: Equatable>(
    _ names: [String], client: [[String: Value]], shadow: [[String: Value]]?, remote: [[String: Value]]
) throws(KeyError) {
    try requireKeys(names, in: client, named: "client")
    try requireKeys(names, in: shadow ?? [], named: "shadow")
    try requireKeys(names, in: remote, named: "remote")
}

/// The cycle itself, over arrays.
///
/// `names` are those of the arguments in the caller's function, for errors.
@inlinable
func cycle<Element: Equatable, Key: Hashable>(
    _ client: [Element], _ shadow: [Element], _ remote: [Element], named names: (String, String, String),
    primaryKey: (Element) -> Key, resolve: (Conflict<Element>) throws -> Resolution<Element>
) throws -> CycleResult<Element> {
    precondition(
        !(Element.self is AnyClass),
        """
        \(Element.self) is a class: its old and new values are one object, so no edit could be found. Use a structure
        """)
    let local = try keyedDiff(
        wins: client, loses: shadow, named: (names.0, names.1), primaryKey: primaryKey, duplicates: .refuse)
    let foreign = try keyedDiff(
        wins: remote, loses: shadow, named: (names.2, names.1), primaryKey: primaryKey, duplicates: .refuse)
    let merge = try ThreeWayMerge(
        local: local?.changes ?? [], remote: foreign?.changes ?? [], primaryKey: primaryKey, resolve: resolve)
    let push = merge.toRemote
    var merged = remote
    DifferentialSync.merge(into: &merged, applying: push, primaryKey: primaryKey) { _, _ in true }

    // On either side of an open conflict stands what stood there before.
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
