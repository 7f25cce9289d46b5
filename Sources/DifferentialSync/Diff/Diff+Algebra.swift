extension Diff {
    /// Returns the diff that undoes this one: for `diff(wins: a, loses: b)` it is `diff(wins: b, loses: a)`.
    ///
    /// ```swift
    /// let changes = diff(wins: new, loses: old)!
    /// merge(into: new, applying: changes.inverted())   // the elements of old
    /// ```
    ///
    /// In a diff that is not paired (see ``paired(primaryKey:)``) a replacement is undone as an addition and a
    /// deletion.
    ///
    /// - Complexity: O(size of the diff), and the sorting of its replacements
    @inlinable
    public func inverted() -> Diff {
        var incoming: [Element] = []
        incoming.reserveCapacity(add.count + replace.count)
        for change in changes {
            if let new = change.new { incoming.append(new) }
        }
        // The deleted elements are added again. The position of an old value among them is the rank of its replacement.
        let byOld = pairs.indices.sorted { pairs[$0].old < pairs[$1].old }
        return Diff(
            add: deletions,
            delete: incoming,
            replace: byOld.map { delete[pairs[$0].old] },
            pairs: byOld.map { Pair(old: pairs[$0].rank, rank: pairs[$0].old) })
    }

    /// Returns the same diff with each replacement paired with its old value.
    ///
    /// Only a diff that was decoded from the form of [DS](https://github.com/lyc2345/DS) needs this. There the old values
    /// are among the deleted elements, and the keys determine the pairs.
    ///
    /// - Parameter primaryKey: The key of an element.
    /// - Returns: The paired diff.
    /// - Throws: ``KeyError`` if two deleted elements have the key of one replacement, or none has it, if two
    ///   replacements have the same key, or if a key is not equal to itself.
    /// - Complexity: O(size of the diff)
    @inlinable
    public func paired<Key: Hashable & Sendable>(primaryKey: (Element) -> Key) throws(KeyError) -> Diff {
        if isPaired { return self }
        var olds: [Key: [Int]] = [:]
        for (position, element) in delete.enumerated() {
            let key = primaryKey(element)
            try KeyError.check(key, in: "delete", at: position)
            olds[key, default: []].append(position)
        }
        var pairs: [Pair] = []
        var news: [Key: Int] = [:]
        for (position, element) in replace.enumerated() {
            let key = primaryKey(element)
            try KeyError.check(key, in: "replace", at: position)
            if let earlier = news.updateValue(position, forKey: key) {
                throw KeyError(.duplicate, in: "replace", key: key, positions: [earlier, position])
            }
            guard let positions = olds.removeValue(forKey: key) else {
                throw KeyError(.unknown, in: "delete", key: key)
            }
            if positions.count > 1 { throw KeyError(.duplicate, in: "delete", key: key, positions: positions) }
            pairs.append(Pair(old: positions[0], rank: add.count + position))
        }
        return Diff(add: add, delete: delete, replace: replace, pairs: pairs)
    }
}

extension Diff where Element: Equatable {
    /// Returns one diff with the effect of this one and then the next: `a` to `b` and `b` to `c` become `a` to `c`.
    ///
    /// ```swift
    /// let edits = try first.composed(with: second, primaryKey: \.id)
    /// ```
    ///
    /// - Parameters:
    ///   - next: A diff that begins where this one ends.
    ///   - primaryKey: The key of an element.
    /// - Returns: The composition, or nil if the second diff undoes the first. The changes of the first diff are listed
    ///   first, in its order.
    /// - Throws: ``MismatchError`` if the second diff does not begin where this one ends; ``KeyError`` if one of them
    ///   has two additions or two deletions with the same key, or a key that is not equal to itself.
    /// - Complexity: O(size of both diffs), for keys that hash well
    @inlinable
    public func composed<Key: Hashable & Sendable>(with next: Diff, primaryKey: (Element) -> Key) throws -> Diff? {
        let nextChanges = try next.changes(named: "next", primaryKey: primaryKey)
        var positions = [Key: Int](minimumCapacity: nextChanges.count)
        for (position, change) in nextChanges.enumerated() { positions[primaryKey(change.element)] = position }
        var isMet = [Bool](repeating: false, count: nextChanges.count)
        var mismatches: [MismatchError.Mismatch] = []
        var composed: [Change<Element>] = []
        var sameness = SamenessCheck<Element>()
        for change in try changes(named: "self", primaryKey: primaryKey) {
            guard let position = positions[primaryKey(change.element)] else {
                composed.append(change)
                continue
            }
            isMet[position] = true
            let second = nextChanges[position]
            if !sameness.areSame(change.new, second.old) {
                mismatches.append(MismatchError.Mismatch(.differs, in: "next", at: position))
            }
            if sameness.areSame(change.old, second.new) { continue }
            if let both = Change(from: change.old, to: second.new) { composed.append(both) }
        }
        for (position, change) in nextChanges.enumerated() where !isMet[position] { composed.append(change) }
        if !mismatches.isEmpty { throw MismatchError(mismatches) }
        return Diff(composed)
    }
}

extension Diff where Element: Hashable & Sendable {
    /// Returns one diff with the effect of this one and then the next, comparing whole elements.
    ///
    /// - Parameter next: A diff that begins where this one ends.
    /// - Returns: The composition, or nil if the second diff undoes the first.
    /// - Throws: As ``composed(with:primaryKey:)``.
    /// - Complexity: O(size of both diffs), for elements that hash well
    @inlinable
    public func composed(with next: Diff) throws -> Diff? {
        do {
            return try composed(with: next, primaryKey: { ReflexiveKey($0) })
        } catch let error as KeyError {
            guard let element = (error.key as? ReflexiveKey<Element>)?.value else { throw error }
            throw KeyError(error.code, in: error.collection, key: element, positions: error.positions)
        }
    }
}
