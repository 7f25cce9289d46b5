extension Diff {
    /// Creates a diff of the given changes, or nil if there are none.
    ///
    /// ```swift
    /// let changes = Diff([.add("plum"), .replace(old: "pear", new: "Pear")])
    /// ```
    ///
    /// - Parameter changes: At most one for each key; additions and replacements in the winning order, deletions and
    ///   replacements in the losing one.
    /// - Complexity: O(number of changes)
    @inlinable
    public init?(_ changes: some Sequence<Change<Element>>) {
        var add: [Element] = []
        var delete: [Element] = []
        var replace: [Element] = []
        var pairs: [Pair] = []
        for change in changes {
            switch change {
            case .add(let new):
                add.append(new)
            case .delete(let old):
                delete.append(old)
            case .replace(let old, let new):
                pairs.append(Pair(old: delete.count, rank: add.count + replace.count))
                delete.append(old)
                replace.append(new)
            }
        }
        if add.isEmpty && delete.isEmpty { return nil }
        self.init(add: add, delete: delete, replace: replace, pairs: pairs)
    }

    /// All changes: first the deletions in the losing order, then additions and replacements in the winning one.
    ///
    /// In a diff that is not paired (see ``paired(primaryKey:)``) a replacement is listed as an addition, and its old
    /// value as a deletion.
    ///
    /// - Complexity: O(size of the diff)
    @inlinable
    public var changes: [Change<Element>] {
        var changes: [Change<Element>] = []
        changes.reserveCapacity(add.count + delete.count)
        changes.append(contentsOf: deletions.lazy.map { .delete($0) })
        let deletionCount = changes.count
        var nextAddition = 0
        for (new, pair) in zip(replace, pairs) {
            // Before a replacement of rank r are r additions and replacements.
            while changes.count < deletionCount + pair.rank {
                changes.append(.add(add[nextAddition]))
                nextAddition += 1
            }
            changes.append(.replace(old: delete[pair.old], new: new))
        }
        changes.append(contentsOf: add[nextAddition...].lazy.map { .add($0) })
        if pairs.isEmpty { changes.append(contentsOf: replace.lazy.map { .add($0) }) }
        return changes
    }

    /// The replacements, each with its old value, in the winning order.
    ///
    /// Empty for a diff that is not paired: see ``paired(primaryKey:)``.
    ///
    /// - Complexity: O(number of replacements)
    @inlinable
    public var replacements: [Replacement] {
        zip(replace, pairs).map { Replacement(old: delete[$1.old], new: $0) }
    }

    /// The old and the new value of an element that a diff replaces.
    public struct Replacement {
        /// The element before the change.
        public let old: Element
        /// The element that replaces it.
        public let new: Element

        @inlinable
        init(old: Element, new: Element) {
            self.old = old
            self.new = new
        }
    }

    /// The deleted elements in the losing order, without the old values of replacements.
    ///
    /// - Complexity: O(size of the diff)
    @inlinable
    public var deletions: [Element] {
        if pairs.isEmpty { return delete }
        var isReplaced = [Bool](repeating: false, count: delete.count)
        for pair in pairs { isReplaced[pair.old] = true }
        return delete.indices.lazy.filter { !isReplaced[$0] }.map { delete[$0] }
    }

    /// How many elements are added, deleted and replaced. O(1)
    public var counts: ChangeCounts {
        ChangeCounts(added: add.count, deleted: Swift.max(0, delete.count - replace.count), replaced: replace.count)
    }

    /// Whether the diff has no changes.
    ///
    /// Only a decoded diff can be empty.
    ///
    /// - Complexity: O(1)
    public var isEmpty: Bool { add.isEmpty && delete.isEmpty && replace.isEmpty }

    /// Returns the changes with at most one for each key.
    ///
    /// An addition and a deletion with the same key become a replacement. A replacement that changes the key becomes a
    /// deletion and an addition.
    ///
    /// - Parameters:
    ///   - name: The name of the diff in errors.
    ///   - primaryKey: The key of an element.
    /// - Returns: The changes, deletions first.
    /// - Throws: ``KeyError`` if two additions or two deletions have the same key, or a key is not equal to itself.
    /// - Complexity: O(size of the diff), for keys that hash well
    @inlinable
    func changes<Key: Hashable & Sendable>(
        named name: String, primaryKey: (Element) -> Key
    ) throws(KeyError) -> [Change<Element>] {
        var positions = [Key: Int](minimumCapacity: add.count + delete.count)
        var changes: [Change<Element>] = []
        func enter(_ change: Change<Element>) throws(KeyError) {
            let key = primaryKey(change.element)
            try KeyError.check(key, in: name)
            guard let position = positions[key] else {
                positions[key] = changes.count
                changes.append(change)
                return
            }
            // Deletions come first, so an addition may complete one.
            guard case .delete(let old) = changes[position], case .add(let new) = change else {
                throw KeyError(.duplicate, in: name, key: key)
            }
            changes[position] = .replace(old: old, new: new)
        }
        let all = self.changes
        for change in all {
            if case .replace(let old, let new) = change, primaryKey(old) != primaryKey(new) { try enter(.delete(old)) }
        }
        for change in all {
            if case .replace(let old, let new) = change, primaryKey(old) != primaryKey(new) {
                try enter(.add(new))
            } else {
                try enter(change)
            }
        }
        return changes
    }
}

extension Diff.Replacement: Sendable where Element: Sendable {}
extension Diff.Replacement: Equatable where Element: Equatable {}
extension Diff.Replacement: Hashable where Element: Hashable {}
