/// Returns the changes from `loses` to `wins`, by the elements' identifier.
///
/// The same as ``diff(wins:loses:primaryKey:duplicates:)`` with `\.id` for the key.
///
/// ```swift
/// let changes = try identifiedDiff(wins: new, loses: old)   // add: note 3, replace: note 1
/// ```
///
/// The name differs from ``diff(wins:loses:)``, which compares whole elements, also those with an identifier. So the
/// meaning of a call does not change if the element's type becomes `Hashable`.
///
/// - Parameters:
///   - wins: The collection with the new state.
///   - loses: The collection with the old state.
///   - duplicates: What to do where two different elements of one collection have the same identifier. Equal ones count
///     once.
/// - Returns: The difference, or nil if there is none.
/// - Throws: ``KeyError`` with the identifier and the positions, for duplicates that `duplicates` refuses and for an
///   identifier that is not equal to itself.
/// - Complexity: O(*n* + *m*), for identifiers that hash well.
@inlinable
public func identifiedDiff<Element: Equatable & Identifiable>(
    wins: some Collection<Element>, loses: some Collection<Element>, duplicates: DuplicatePolicy = .refuse
) throws(KeyError) -> Diff<Element>? where Element.ID: Sendable {
    try diff(wins: wins, loses: loses, primaryKey: { $0.id }, duplicates: duplicates)
}

/// Returns the changes from `loses` to `wins`, by an identifier that is known to be unique.
///
/// The same as ``uncheckedDiff(wins:loses:primaryKey:)`` with `\.id` for the key.
///
/// ```swift
/// let changes = uncheckedDiff(wins: new, loses: old)
/// ```
///
/// - Parameters:
///   - wins: The collection with the new state.
///   - loses: The collection with the old state.
/// - Returns: The difference, or nil if there is none.
/// - Complexity: O(*n* + *m*), for identifiers that hash well.
@inlinable
public func uncheckedDiff<Element: Equatable & Identifiable>(
    wins: some Collection<Element>, loses: some Collection<Element>
) -> Diff<Element>? {
    uncheckedDiff(wins: wins, loses: loses, primaryKey: { $0.id })
}
