/// Returns the collection after a diff, comparing whole elements.
///
/// Every element equal to one in ``Diff/delete`` is removed. The elements of ``Diff/add`` and then of ``Diff/replace``
/// that the collection lacks are appended.
///
/// ```swift
/// let changes = diff(wins: ["a", "b", "d"], loses: ["a", "b", "c"])
/// merge(into: ["a", "b", "c", "e"], applying: changes)   // ["a", "b", "e", "d"]
/// ```
///
/// - Parameters:
///   - elements: The collection to start from. It keeps its order, and the elements that the diff does not name.
///   - diff: The changes; nil changes nothing.
/// - Complexity: O(*n* + *d*), for elements that hash well
@inlinable
public func merge<Element: Hashable>(
    into elements: some Collection<Element>, applying diff: Diff<Element>?
) -> [Element] {
    guard let diff else { return Array(elements) }
    return withContiguousElements(elements) { elements in
        MergePlan.merged(elements, applying: diff, byKey: false, key: { $0 }, shouldReplace: { _, _ in true })
    }
}

/// Applies a diff in place, comparing whole elements.
///
/// See ``merge(into:applying:)->[Element]``. Elements keep their place in memory, except those after a removed one.
///
/// - Complexity: O(*n* + *d*), for elements that hash well
@inlinable
public func merge<Element: Hashable>(into elements: inout [Element], applying diff: Diff<Element>?) {
    guard let diff else { return }
    var plan = MergePlan(diff, byKey: false)
    elements.withUnsafeBufferPointer { elements in
        diff.withEntryValues { plan.scan(elements, $0, key: { $0 }, shouldReplace: { _, _ in true }) }
    }
    plan.apply(to: &elements)
}

/// Returns the collection after a diff, by primary key.
///
/// - If ``Diff/add`` or ``Diff/replace`` has another value for an element's key, `shouldReplace` decides between the
///   two. The chosen one takes the place of the old one.
/// - An element equal to one in ``Diff/delete`` is removed. One that has changed meanwhile is kept: an edit wins over a
///   deletion.
/// - Other elements of `add` are appended. Other elements of `replace` are dropped: their records were deleted locally,
///   and a deletion wins over an edit.
///
/// ```swift
/// let merged = try merge(into: mine, applying: theirs, primaryKey: \.id) { old, new in
///     new.modified > old.modified
/// }
/// ```
///
/// Without a base the merge does not know which side changed a record. To decide only real conflicts, see
/// ``merge(base:local:remote:primaryKey:duplicates:policy:)``.
///
/// - Parameters:
///   - elements: The collection to start from. It keeps its order, and the elements that the diff does not name.
///   - diff: The changes; nil changes nothing.
///   - primaryKey: The key of an element. Several new elements with the same key are passed to `shouldReplace` one
///     after the other.
///   - shouldReplace: Whether the new element takes the place of the old one. Called once for each pair with one key
///     and different values, in the order of `elements`.
/// - Returns: The merged collection.
/// - Throws: The errors of `shouldReplace`.
/// - Complexity: O(*n* + *d*), for keys that hash well
@inlinable
@inline(__always)  // so that the key function reaches the scan as code, not as a closure
public func merge<Element: Equatable, Key: Hashable, Failure: Error>(
    into elements: some Collection<Element>, applying diff: Diff<Element>?, primaryKey: (Element) -> Key,
    shouldReplace: (_ old: Element, _ new: Element) throws(Failure) -> Bool
) throws(Failure) -> [Element] {
    guard let diff else { return Array(elements) }
    let result: Result<[Element], Failure> = withContiguousElements(elements) { elements in
        do throws(Failure) {
            return .success(
                try MergePlan.merged(
                    elements, applying: diff, byKey: true, key: primaryKey, shouldReplace: shouldReplace))
        } catch {
            return .failure(error)
        }
    }
    return try result.get()
}

/// Applies a diff in place, by primary key.
///
/// If `shouldReplace` throws, the array does not change.
///
/// See ``merge(into:applying:primaryKey:shouldReplace:)->[Element]``. Elements keep their place in memory, except those
/// after a removed one. A ``JournaledCollection`` stores its keys and applies a diff in O(*d*).
///
/// - Complexity: O(*n* + *d*), for keys that hash well
@inlinable
@inline(__always)  // so that the key function reaches the scan as code, not as a closure
public func merge<Element: Equatable, Key: Hashable, Failure: Error>(
    into elements: inout [Element], applying diff: Diff<Element>?, primaryKey: (Element) -> Key,
    shouldReplace: (_ old: Element, _ new: Element) throws(Failure) -> Bool
) throws(Failure) {
    guard let diff else { return }
    var plan = MergePlan(diff, byKey: true)
    try elements.withUnsafeBufferPointer { elements throws(Failure) in
        try diff.withEntryValues { values throws(Failure) in
            try plan.scan(elements, values, key: primaryKey, shouldReplace: shouldReplace)
        }
    }
    plan.apply(to: &elements)
}

/// Returns the collection after a diff, for dictionary-like records and the name of their key, or the names of its
/// parts.
///
/// See ``merge(into:applying:primaryKey:shouldReplace:)->[Element]``.
///
/// ```swift
/// let merged = try merge(into: mine, applying: theirs, primaryKey: "code") { old, new in true }
/// ```
///
/// - Throws: ``KeyError`` for a record that lacks its key or has one that is not equal to itself; otherwise the errors
///   of `shouldReplace`.
/// - Complexity: O((*n* + *d*) · number of names), for keys that hash well
public func merge<Value: Hashable>(
    into records: some Collection<[String: Value]>, applying diff: Diff<[String: Value]>?,
    primaryKey name: String, _ others: String...,
    shouldReplace: (_ old: [String: Value], _ new: [String: Value]) throws -> Bool
) throws -> [[String: Value]] {
    let names = [name] + others
    var merged = Array(records)
    try requireKeys(names, in: merged, named: "into")
    try diff?.requireKeys(names)
    try withTextKeys {
        try merge(into: &merged, applying: diff, primaryKey: { NamedKey($0, names) }, shouldReplace: shouldReplace)
    }
    return merged
}

/// Applies a diff in place, for dictionary-like records and the name of their key, or the names of its parts.
///
/// If it throws, the array does not change.
///
/// See ``merge(into:applying:primaryKey:shouldReplace:)->[Element]``.
///
/// - Throws: ``KeyError`` for a record that lacks its key or has one that is not equal to itself; otherwise the errors
///   of `shouldReplace`.
/// - Complexity: O((*n* + *d*) · number of names), for keys that hash well
public func merge<Value: Hashable>(
    into records: inout [[String: Value]], applying diff: Diff<[String: Value]>?, primaryKey name: String,
    _ others: String...,
    shouldReplace: (_ old: [String: Value], _ new: [String: Value]) throws -> Bool
) throws {
    let names = [name] + others
    try requireKeys(names, in: records, named: "into")
    try diff?.requireKeys(names)
    try withTextKeys {
        try merge(into: &records, applying: diff, primaryKey: { NamedKey($0, names) }, shouldReplace: shouldReplace)
    }
}

extension Diff {
    /// Throws for the first record in the diff that has no value for one of the names.
    func requireKeys<Value: Hashable>(_ names: [String]) throws(KeyError) where Element == [String: Value] {
        try DifferentialSync.requireKeys(names, in: add, named: "add")
        try DifferentialSync.requireKeys(names, in: delete, named: "delete")
        try DifferentialSync.requireKeys(names, in: replace, named: "replace")
    }
}
