/// The collection after a diff, comparing whole elements.
///
/// Every element equal to one in ``Diff/delete`` is removed; the elements of ``Diff/add`` and then of
/// ``Diff/replace`` that are not there yet are appended.
///
/// ```swift
/// let changes = diff(wins: ["a", "b", "d"], loses: ["a", "b", "c"])
/// merge(into: ["a", "b", "c", "e"], applying: changes)   // ["a", "b", "e", "d"]
/// ```
///
/// - Parameters:
///   - elements: The collection to start from. Its order, and what the diff does not speak of, stay as they are.
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
/// See ``merge(into:applying:)->[Element]``; elements stay where they are in memory, but for those behind a removed
/// one.
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

/// The collection after a diff, by primary key.
///
/// - An element whose key one in ``Diff/add`` or ``Diff/replace`` has meets that one: where they differ,
///   `shouldReplace` is asked which of them stays, in the place of the old one.
/// - An element equal to one in ``Diff/delete`` is removed; one that has changed meanwhile stays: an edit wins over a
///   deletion.
/// - What is left of `add` is appended. What is left of `replace` is dropped: its record was deleted here, and a
///   deletion wins over an edit.
///
/// ```swift
/// let merged = try merge(into: mine, applying: theirs, primaryKey: \.id) { old, new in
///     new.modified > old.modified
/// }
/// ```
///
/// There is no base here that could tell which side changed a record: see
/// ``merge(base:local:remote:primaryKey:duplicates:policy:)`` for a merge that asks only about real
/// conflicts.
///
/// - Parameters:
///   - elements: The collection to start from. Its order, and what the diff does not speak of, stay as they are.
///   - diff: The changes; nil changes nothing.
///   - primaryKey: The key of an element. Where several elements that come in have one key, they are put to
///     `shouldReplace` one after the other.
///   - shouldReplace: Whether the new element takes the place of the old one. Asked once for each pair with one key and
///     different values, in the order of `elements`.
/// - Throws: What `shouldReplace` throws.
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

/// Applies a diff in place, by primary key; if `shouldReplace` throws, the array stays as it was.
///
/// See ``merge(into:applying:primaryKey:shouldReplace:)->[Element]``; elements stay where they are in memory, but for
/// those behind a removed one. A ``JournaledCollection`` keeps its keys at hand and applies a diff in O(*d*).
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

/// The collection after a diff, for dictionary-like records and the name of their key, or the names of its parts.
///
/// See ``merge(into:applying:primaryKey:shouldReplace:)->[Element]``.
///
/// ```swift
/// let merged = try merge(into: mine, applying: theirs, primaryKey: "code") { old, new in true }
/// ```
///
/// - Throws: ``KeyError`` for a record that lacks its key or has one that is not equal to itself; else what
///   `shouldReplace` throws.
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
    try merge(into: &merged, applying: diff, primaryKey: { RecordKey($0, names) }, shouldReplace: shouldReplace)
    return merged
}

/// Applies a diff in place, for dictionary-like records and the name of their key, or the names of its parts; if it
/// throws, the array stays as it was.
///
/// See ``merge(into:applying:primaryKey:shouldReplace:)->[Element]``.
///
/// - Throws: ``KeyError`` for a record that lacks its key or has one that is not equal to itself; else what
///   `shouldReplace` throws.
/// - Complexity: O((*n* + *d*) · number of names), for keys that hash well
public func merge<Value: Hashable>(
    into records: inout [[String: Value]], applying diff: Diff<[String: Value]>?, primaryKey name: String,
    _ others: String...,
    shouldReplace: (_ old: [String: Value], _ new: [String: Value]) throws -> Bool
) throws {
    let names = [name] + others
    try requireKeys(names, in: records, named: "into")
    try diff?.requireKeys(names)
    try merge(into: &records, applying: diff, primaryKey: { RecordKey($0, names) }, shouldReplace: shouldReplace)
}

extension Diff {
    /// Throws for the first record in the diff that has no value for one of the names.
    func requireKeys<Value: Equatable>(_ names: [String]) throws(KeyError) where Element == [String: Value] {
        try DifferentialSync.requireKeys(names, in: add, named: "add")
        try DifferentialSync.requireKeys(names, in: delete, named: "delete")
        try DifferentialSync.requireKeys(names, in: replace, named: "replace")
    }
}
