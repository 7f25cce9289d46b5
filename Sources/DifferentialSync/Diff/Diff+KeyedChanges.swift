extension Diff {
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
