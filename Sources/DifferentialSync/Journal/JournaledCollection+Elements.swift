extension JournaledCollection {
    /// The element with the key. O(1)
    @inlinable
    public subscript(key: Key) -> Element? { slots[key] }

    /// Inserts an element with a new key.
    ///
    /// - Parameter element: The new element.
    /// - Throws: ``KeyError`` if the collection already has an element with its key.
    /// - Complexity: O(1)
    @inlinable
    public mutating func insert(_ element: Element) throws(KeyError) {
        let key = try reader.key(of: element)
        if self[key] != nil { throw KeyError(.taken, in: "collection", key: key) }
        slots.set(element, forKey: key)
    }

    /// Replaces the element that has the key of the given one.
    ///
    /// The new element is always stored. It is a local change only if it is not equal to its shadow. A field that `==`
    /// ignores is stored, but not pushed.
    ///
    /// - Parameter element: The new element.
    /// - Returns: The old element.
    /// - Throws: ``KeyError`` if no element has the key.
    /// - Complexity: O(1)
    @inlinable
    @discardableResult
    public mutating func update(_ element: Element) throws(KeyError) -> Element {
        let key = try reader.key(of: element)
        guard let old = self[key] else { throw KeyError(.unknown, in: "collection", key: key) }
        slots.set(element, forKey: key)
        return old
    }

    /// Edits the element with the key in place.
    ///
    /// As by ``update(_:)``, a field that `==` ignores is stored, but not pushed.
    ///
    /// ```swift
    /// try notes.edit(7) { $0.text += "!" }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key of the element.
    ///   - body: Edits the element.
    /// - Throws: ``KeyError`` if no element has the key, or if the edit changes the key. Nothing has changed then.
    /// - Complexity: O(1)
    @inlinable
    public mutating func edit(_ key: Key, _ body: (inout Element) -> Void) throws(KeyError) {
        guard var element = self[key] else { throw KeyError(.unknown, in: "collection", key: key) }
        body(&element)
        if try reader.key(of: element) != key { throw KeyError(.changed, in: "collection", key: key) }
        slots.set(element, forKey: key)
    }

    /// Inserts an element, or replaces the one that has its key.
    ///
    /// As by ``update(_:)``, a field that `==` ignores is stored, but not pushed.
    ///
    /// - Parameter element: The new element.
    /// - Returns: The old element, or nil if the element is new.
    /// - Throws: ``KeyError`` if a record lacks its key, or the key is not equal to itself.
    /// - Complexity: O(1)
    @inlinable
    @discardableResult
    public mutating func upsert(_ element: Element) throws(KeyError) -> Element? {
        let key = try reader.key(of: element)
        let old = self[key]
        slots.set(element, forKey: key)
        return old
    }

    /// Removes the element with the key.
    ///
    /// - Parameter key: The key of the element.
    /// - Returns: The removed element, or nil if no element has the key.
    /// - Complexity: O(1) amortized
    @inlinable
    @discardableResult
    public mutating func remove(_ key: Key) -> Element? {
        let old = self[key]
        if old != nil { slots.set(nil, forKey: key) }
        return old
    }

    /// The keys of the elements, in their order.
    ///
    /// ```swift
    /// let ids = Set(notes.keys)
    /// ```
    ///
    /// - Complexity: O(1). An iteration over all keys costs O(*n*).
    @inlinable
    public var keys: some RandomAccessCollection<Key> { lazy.map(reader.keyOf) }

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
        for element in self where try shouldBeRemoved(element) { keys.append(reader.keyOf(element)) }
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
        let changes = try reader.changes(of: diff, named: "diff")
        let replacedKeys = Set(diff.replace.lazy.map(reader.keyOf))
        for change in changes {
            let key = reader.keyOf(change.element)
            if let new = change.new {
                if self[key] != nil || !replacedKeys.contains(key) { slots.set(new, forKey: key) }
            } else if slots.sameness.areSame(self[key], change.old) {
                slots.set(nil, forKey: key)
            }
        }
    }
}
