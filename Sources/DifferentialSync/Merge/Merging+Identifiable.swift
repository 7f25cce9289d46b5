/// Returns the collection after a diff, by the elements' identifier.
///
/// The same as ``merge(into:applying:primaryKey:shouldReplace:)->[Element]`` with `\.id` for the key.
///
/// ```swift
/// let merged = merge(into: mine, applying: theirs) { old, new in new.modified > old.modified }
/// ```
///
/// - Parameters:
///   - elements: The collection to start from. It keeps its order, and the elements that the diff does not name.
///   - diff: The changes; nil changes nothing.
///   - shouldReplace: Whether the new element takes the place of the old one. Called once for each pair with one
///     identifier and different values, in the order of `elements`.
/// - Returns: The merged collection.
/// - Throws: The errors of `shouldReplace`.
/// - Complexity: O(*n* + *d*), for identifiers that hash well
@inlinable
@inline(__always)
public func merge<Element: Equatable & Identifiable, Failure: Error>(
    into elements: some Collection<Element>, applying diff: Diff<Element>?,
    shouldReplace: (_ old: Element, _ new: Element) throws(Failure) -> Bool
) throws(Failure) -> [Element] {
    try merge(into: elements, applying: diff, primaryKey: { $0.id }, shouldReplace: shouldReplace)
}

/// Applies a diff in place, by the elements' identifier.
///
/// The same as ``merge(into:applying:primaryKey:shouldReplace:)->()`` with `\.id` for the key.
///
/// ```swift
/// merge(into: &mine, applying: theirs) { old, new in true }
/// ```
///
/// - Parameters:
///   - elements: The array to change. If `shouldReplace` throws, it does not change.
///   - diff: The changes; nil changes nothing.
///   - shouldReplace: Whether the new element takes the place of the old one. Called once for each pair with one
///     identifier and different values, in the order of `elements`.
/// - Throws: The errors of `shouldReplace`.
/// - Complexity: O(*n* + *d*), for identifiers that hash well
@inlinable
@inline(__always)
public func merge<Element: Equatable & Identifiable, Failure: Error>(
    into elements: inout [Element], applying diff: Diff<Element>?,
    shouldReplace: (_ old: Element, _ new: Element) throws(Failure) -> Bool
) throws(Failure) {
    try merge(into: &elements, applying: diff, primaryKey: { $0.id }, shouldReplace: shouldReplace)
}

/// Merges two collections with a common base, by the elements' identifier.
///
/// The same as ``merge(base:local:remote:primaryKey:duplicates:policy:)`` with `\.id` for the key.
///
/// ```swift
/// let merged = try merge(base: old, local: mine, remote: theirs, policy: .localWins)
/// ```
///
/// - Parameters:
///   - base: The collection that both sides changed; nil if it is not known.
///   - local: The local collection.
///   - remote: The remote collection.
///   - duplicates: What to do where two different elements of one collection have the same identifier.
///   - policy: Resolves conflicts.
/// - Returns: The merged collection, and what was decided for each changed record.
/// - Throws: ``KeyError`` for duplicates that `duplicates` refuses, for an identifier that is not equal to itself,
///   and for a policy that returns an element with another identifier. Otherwise the errors of the policy.
/// - Complexity: O(*n*), for identifiers that hash well
@inlinable
public func merge<Element: Equatable & Identifiable>(
    base: [Element]?, local: some Collection<Element>, remote: some Collection<Element>,
    duplicates: DuplicatePolicy = .refuse, policy: ConflictPolicy<Element>
) throws -> MergedCollection<Element> where Element.ID: Sendable {
    try merge(
        base: base, local: local, remote: remote, primaryKey: { $0.id }, duplicates: duplicates, policy: policy)
}
