/// Returns the changes from `loses` to `wins`, by the elements' identifier.
///
/// The same as ``diff(wins:loses:primaryKey:duplicates:)`` with `\.id` for the key.
///
/// ```swift
/// let changes = try identifiedDiff(wins: new, loses: old)   // add: note 3, replace: note 1
/// ```
///
/// It has a name of its own because ``diff(wins:loses:)`` compares whole elements, also those with an identifier. So a
/// type that becomes `Hashable` does not change what a call means.
///
/// - Parameters:
///   - wins: The collection as it must become.
///   - loses: The collection as it is.
///   - duplicates: What to do where two different elements of one collection have the same identifier. Equal ones count
///     once.
/// - Returns: The difference, or nil if there is none.
/// - Throws: ``KeyError`` that names the identifier and the positions: for a duplicate, unless `duplicates` says which
///   element counts, and for an identifier that is not equal to itself.
/// - Complexity: O(*n* + *m*), for identifiers that hash well.
@inlinable
public func identifiedDiff<Element: Equatable & Identifiable>(
    wins: some Collection<Element>, loses: some Collection<Element>, duplicates: DuplicatePolicy = .refuse
) throws(KeyError) -> Diff<Element>? {
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
///   - wins: The collection as it must become.
///   - loses: The collection as it is.
/// - Returns: The difference, or nil if there is none.
/// - Complexity: O(*n* + *m*), for identifiers that hash well.
@inlinable
public func uncheckedDiff<Element: Equatable & Identifiable>(
    wins: some Collection<Element>, loses: some Collection<Element>
) -> Diff<Element>? {
    uncheckedDiff(wins: wins, loses: loses, primaryKey: { $0.id })
}
