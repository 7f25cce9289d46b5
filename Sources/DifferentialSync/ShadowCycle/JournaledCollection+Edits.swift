extension JournaledCollection {
    /// The keys of the elements, in their order.
    ///
    /// ```swift
    /// let ids = Set(notes.keys)
    /// ```
    ///
    /// - Complexity: O(1). An iteration over all keys costs O(*n*).
    @inlinable
    public var keys: some RandomAccessCollection<Key> { lazy.map(keyOf) }

    /// Whether an element has the key.
    ///
    /// ```swift
    /// if notes.contains(key: 7) { try notes.edit(7) { $0.text += "!" } }
    /// ```
    ///
    /// - Parameter key: The key to look for.
    /// - Complexity: O(1)
    @inlinable
    public func contains(key: Key) -> Bool { self[key] != nil }

    /// Removes all elements that satisfy the predicate.
    ///
    /// Each removal is a local change, as by ``remove(_:)``. If the predicate throws, nothing has changed.
    ///
    /// ```swift
    /// notes.removeAll { $0.text.isEmpty }
    /// ```
    ///
    /// - Parameter shouldBeRemoved: Whether to remove the element.
    /// - Throws: The errors of the predicate.
    /// - Complexity: O(*n*)
    @inlinable
    public mutating func removeAll<Failure: Error>(
        where shouldBeRemoved: (Element) throws(Failure) -> Bool
    ) throws(Failure) {
        var keys: [Key] = []
        for element in self where try shouldBeRemoved(element) { keys.append(keyOf(element)) }
        for key in keys { remove(key) }
    }

    /// Applies a diff as local edits, by primary key.
    ///
    /// Has the effect of ``merge(into:applying:primaryKey:shouldReplace:)->()`` with a callback that always returns
    /// true. A new value replaces the element with its key. An element is removed if it is equal to the deleted one. A
    /// replacement of a removed element is dropped. The next cycle pushes the changes.
    ///
    /// ```swift
    /// let changes = try identifiedDiff(wins: imported, loses: Array(notes))
    /// try notes.apply(changes)
    /// ```
    ///
    /// For changes of the remote, see ``merge(remoteChanges:policy:)``.
    ///
    /// - Parameter diff: The changes, with at most one addition or replacement for each key; nil changes nothing.
    /// - Throws: ``KeyError`` for a key that is not equal to itself or is missing, and for two changes of one key.
    ///   Nothing has changed then.
    /// - Complexity: O(*d*) for *d* changes
    @inlinable
    public mutating func apply(_ diff: Diff<Element>?) throws(KeyError) {
        guard let diff else { return }
        let changes = try keyedChanges(of: diff, named: "diff")
        let replacedKeys = Set(diff.replace.lazy.map(keyOf))
        for change in changes {
            let key = keyOf(change.element)
            if let new = change.new {
                if self[key] != nil || !replacedKeys.contains(key) { set(new, forKey: key) }
            } else if sameness.areSame(self[key], change.old) {
                set(nil, forKey: key)
            }
        }
    }
}
