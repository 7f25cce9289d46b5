/// Returns the changes from `loses` to `wins`, comparing whole elements.
///
/// Every element of `wins` that `loses` lacks is added, every element of `loses` that `wins` lacks is deleted. Equal
/// elements count once, order is not compared. Elements with an identifier are compared as a whole too: see
/// ``identifiedDiff(wins:loses:duplicates:)``.
///
/// ```swift
/// let changes = diff(wins: ["a", "b", "d"], loses: ["a", "b", "c"])
/// // changes?.add == ["d"], changes?.delete == ["c"]
/// diff(wins: [1, 2], loses: [2, 1])   // nil
/// ```
///
/// - Parameters:
///   - wins: The collection with the new state.
///   - loses: The collection with the old state.
/// - Returns: The difference, or nil if there is none.
/// - Complexity: O(*n* + *m*), for elements that hash well; no hashing where the elements are equal pair by pair.
@inlinable
public func diff<Element: Hashable>(
    wins: some Collection<Element>, loses: some Collection<Element>
) -> Diff<Element>? {
    withContiguousElements(wins, loses) { wins, loses in
        var alignment = Alignment(wins: wins, loses: loses)
        alignment.walk { $0 }
        if alignment.unpairedWins.isEmpty && alignment.unpairedLoses.isEmpty { return nil }
        alignment.match(key: { $0 }, keysAreUnique: false)
        if !alignment.hasDuplicateKeys { return alignment.diff() }
        return uncheckedDiff(wins: unique(wins), loses: unique(loses), primaryKey: { $0 })
    }
}

/// Returns the changes from `loses` to `wins`, by primary key.
///
/// An element of `wins` whose key `loses` has with another value is a replacement: ``Diff/replace`` has the new value,
/// ``Diff/delete`` the old one.
///
/// ```swift
/// struct Note: Equatable { let id: Int; var text: String }
/// let old = [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs")]
/// let new = [Note(id: 1, text: "oat milk"), Note(id: 3, text: "tea")]
///
/// let changes = try diff(wins: new, loses: old, primaryKey: \.id)
/// // add: note 3, replace: note 1, delete: the old notes 1 and 2
/// ```
///
/// A key of several parts is a ``CompositeKey``.
///
/// - Parameters:
///   - wins: The collection with the new state.
///   - loses: The collection with the old state.
///   - primaryKey: The key of an element: a function, such as `\.id`. Called O(1) times per element.
///   - duplicates: What to do where two different elements of one collection have the same key. Equal ones count once.
/// - Returns: The difference, or nil if there is none.
/// - Throws: ``KeyError`` with the key and the positions, for duplicates that `duplicates` refuses and for a key that
///   is not equal to itself, such as a NaN.
/// - Complexity: O(*n* + *m*), for keys that hash well. Every key is read, to find duplicates. If keys are known to be
///   unique, ``uncheckedDiff(wins:loses:primaryKey:)`` reads only those of elements that differ. Extra memory: up to 20
///   bytes for each element of the larger side, and a copy of a side that is not stored contiguously.
@inlinable
public func diff<Element: Equatable, Key: Hashable & Sendable>(
    wins: some Collection<Element>, loses: some Collection<Element>, primaryKey: (Element) -> Key,
    duplicates: DuplicatePolicy = .refuse
) throws(KeyError) -> Diff<Element>? {
    try keyedDiff(
        wins: wins, loses: loses, named: ("wins", "loses"), primaryKey: primaryKey, duplicates: duplicates)
}

/// Returns the changes from `loses` to `wins`, by a primary key that is known to be unique.
///
/// The same as ``diff(wins:loses:primaryKey:duplicates:)``, but keys are not checked. If a key repeats in a collection,
/// the diff is well formed, but its changes are arbitrary.
///
/// ```swift
/// let changes = uncheckedDiff(wins: rows, loses: shadowRows, primaryKey: \.id)   // a unique index checks the key
/// ```
///
/// - Parameters:
///   - wins: The collection with the new state.
///   - loses: The collection with the old state.
///   - primaryKey: The key of an element, unique within each collection.
/// - Returns: The difference, or nil if there is none.
/// - Complexity: O(*n* + *m*), for keys that hash well. If most elements are in the same order on both sides, nearly
///   all of the cost is their comparison: keys are read only where elements differ. A block that was inserted, removed
///   or moved is skipped. Extra memory: 1 byte for each element of the larger side, and 20 for each element out of
///   place.
@inlinable
public func uncheckedDiff<Element: Equatable, Key: Hashable>(
    wins: some Collection<Element>, loses: some Collection<Element>, primaryKey: (Element) -> Key
) -> Diff<Element>? {
    withContiguousElements(wins, loses) { wins, loses in
        var alignment = Alignment(wins: wins, loses: loses)
        alignment.walk(key: primaryKey)
        alignment.match(key: primaryKey, keysAreUnique: true)
        return alignment.diff()
    }
}

/// Returns the changes from `loses` to `wins`, for dictionary-like records and the name of their key, or the names of
/// its parts.
///
/// ```swift
/// let old = [["code": "AD-02", "name": "Canillo"]]
/// let new = [["code": "AD-02", "name": "Canillo"], ["code": "AD-03", "name": "Encamp"]]
/// let changes = try diff(wins: new, loses: old, primaryKey: "code")   // add: AD-03
/// ```
///
/// - Parameters:
///   - wins: The records with the new state.
///   - loses: The records with the old state.
///   - name: The name of the key, or of its first part.
///   - others: The names of its other parts.
///   - duplicates: What to do where two different records of one collection have the same key. Equal ones count once.
/// - Returns: The difference, or nil if there is none.
/// - Throws: ``KeyError`` for a record that lacks its key or has one that is not equal to itself, and for duplicates
///   that `duplicates` refuses. Its key is the text of the values, separated by slashes.
/// - Complexity: O((*n* + *m*) · number of names), for keys that hash well.
public func diff<Value: Hashable>(
    wins: some Collection<[String: Value]>, loses: some Collection<[String: Value]>, primaryKey name: String,
    _ others: String...,
    duplicates: DuplicatePolicy = .refuse
) throws(KeyError) -> Diff<[String: Value]>? {
    let names = [name] + others
    try requireKeys(names, in: wins, named: "wins")
    try requireKeys(names, in: loses, named: "loses")
    do {
        return try diff(wins: wins, loses: loses, primaryKey: { NamedKey($0, names) }, duplicates: duplicates)
    } catch {
        throw error.withTextKey
    }
}

/// Returns the diff by key.
///
/// Errors name the collections by `names`.
@inlinable
@inline(__always)
func keyedDiff<Element: Equatable, Key: Hashable & Sendable>(
    wins: some Collection<Element>, loses: some Collection<Element>, named names: (String, String),
    primaryKey: (Element) -> Key, duplicates: DuplicatePolicy
) throws(KeyError) -> Diff<Element>? {
    let result: Result<Diff<Element>?, KeyError> = withContiguousElements(wins, loses) { wins, loses in
        var alignment = Alignment(wins: wins, loses: loses)
        alignment.walk(key: primaryKey)
        alignment.match(key: primaryKey, keysAreUnique: false)
        if !alignment.hasDuplicateKeys { return .success(alignment.diff()) }
        return diffOfUnique(wins, loses, named: names, primaryKey: primaryKey, duplicates: duplicates)
    }
    return try result.get()
}

/// Checks the keys, applies the policy to those that repeat, and returns the diff.
@inlinable
@inline(never)
func diffOfUnique<Element: Equatable, Key: Hashable & Sendable>(
    _ wins: UnsafeBufferPointer<Element>, _ loses: UnsafeBufferPointer<Element>, named names: (String, String),
    primaryKey: (Element) -> Key, duplicates: DuplicatePolicy
) -> Result<Diff<Element>?, KeyError> {
    do throws(KeyError) {
        let wins = try unique(wins, named: names.0, primaryKey: primaryKey, duplicates: duplicates)
        let loses = try unique(loses, named: names.1, primaryKey: primaryKey, duplicates: duplicates)
        return .success(uncheckedDiff(wins: wins, loses: loses, primaryKey: primaryKey))
    } catch {
        return .failure(error)
    }
}

/// Calls `body` with both collections' elements in contiguous memory.
///
/// Copies the elements of collections without it.
@inlinable
@inline(__always)
func withContiguousElements<Element, Result>(
    _ first: some Collection<Element>, _ second: some Collection<Element>,
    _ body: (UnsafeBufferPointer<Element>, UnsafeBufferPointer<Element>) -> Result
) -> Result {
    withContiguousElements(first) { first in
        withContiguousElements(second) { second in body(first, second) }
    }
}

@inlinable
@inline(__always)
func withContiguousElements<Element, Result>(
    _ elements: some Collection<Element>, _ body: (UnsafeBufferPointer<Element>) -> Result
) -> Result {
    if let result = elements.withContiguousStorageIfAvailable(body) { return result }
    return ContiguousArray(elements).withUnsafeBufferPointer(body)
}
