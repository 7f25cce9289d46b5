extension Diff {
    /// The changes with at most one for each key: an addition and a deletion with one key are a replacement, and a
    /// replacement of one key by another is a deletion and an addition.
    ///
    /// - Throws: ``KeyError`` if two additions or two deletions have one key, or a key is not equal to itself.
    /// - Complexity: O(size of the diff), for keys that hash well
    @inlinable
    func changes<Key: Hashable>(
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
                throw KeyError(.duplicate, in: name, key: "\(key)", positions: [])
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
