import DifferentialSync

extension Push {
    /// The same push of other elements, which stand for its own one by one.
    ///
    /// - Complexity: O(size of the push)
    func transformed<Other>(_ transform: (Element) throws -> Other) throws -> Push<Other> {
        var transformed: [Change<Other>] = []
        for change in changes.changes {
            if let new = try Change(from: change.old.map(transform), to: change.new.map(transform)) {
                transformed.append(new)
            }
        }
        guard let changes = Diff(transformed) else {
            throw PersistenceError(.unreadable, "the push '\(id)' has no changes")
        }
        return Push<Other>(id: id, changes: changes, expected: expected)
    }
}
