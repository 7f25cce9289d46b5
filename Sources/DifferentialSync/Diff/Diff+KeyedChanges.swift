extension Diff {
    /// The changes with at most one for each key: an addition and a deletion with one key are a replacement.
    ///
    /// - Throws: ``KeyError`` if two additions or two deletions have one key.
    /// - Complexity: O(size of the diff), for keys that hash well
    @inlinable
    func changes<Key: Hashable>(
        named name: String, primaryKey: (Element) -> Key
    ) throws(KeyError) -> [Change<Element>] {
        var positions = [Key: Int](minimumCapacity: add.count + delete.count)
        var changes: [Change<Element>] = []
        for change in self.changes {
            let key = primaryKey(change.element)
            guard let position = positions[key] else {
                positions[key] = changes.count
                changes.append(change)
                continue
            }
            // Deletions come first, so an addition may complete one.
            guard case .delete(let old) = changes[position], case .add(let new) = change else {
                throw KeyError(.duplicate, in: name, key: "\(key)", positions: [])
            }
            changes[position] = .replace(old: old, new: new)
        }
        return changes
    }
}
