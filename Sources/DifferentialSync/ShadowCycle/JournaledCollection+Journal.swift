extension JournaledCollection {
    /// What has changed since the shadow, or nil if nothing has: `diff(wins: self, loses: shadow)` by primary key.
    ///
    /// - Complexity: O(*d*) for *d* changed elements, and the sorting of *d* integers
    @inlinable
    public var localDiff: Diff<Element>? { Diff(localChanges) }

    /// What is to be pushed: the local diff without what is unsettled, where the remote is known to hold something else
    /// than the shadow; nil for nothing.
    ///
    /// - Complexity: O(*d*), and the sorting of *d* integers
    @inlinable
    public var outgoingDiff: Diff<Element>? {
        Diff(localChanges { !$0.isUnsettled })
    }

    /// Whether an element has changed since the shadow. O(*d*)
    @inlinable
    public var hasLocalChanges: Bool {
        journal.contains { slot, entry in entry.base != slots[slot] }
    }

    /// The element with the key as it is in the shadow, or nil if it is not there. O(1)
    @inlinable
    public func shadow(for key: Key) -> Element? {
        slotsByKey[key].flatMap { journal[$0] == nil ? slots[$0] : journal[$0]?.base }
    }

    /// The elements of the shadow, in order.
    ///
    /// - Complexity: O(*n*). The shadow of one element is ``shadow(for:)``.
    public var shadow: [Element] {
        slots.indices.compactMap { journal[$0] == nil ? slots[$0] : journal[$0]?.base }
    }

    /// The conflicts that an earlier cycle has left open, and what changed here while a push was under way: what the
    /// remote is known to hold against the shadow and the local version.
    ///
    /// - Complexity: O(*d*), and the sorting of *d* integers
    public var unsettled: [Conflict<Element>] {
        journal.keys.sorted().compactMap { slot in
            guard let entry = journal[slot], entry.isUnsettled else { return nil }
            return Conflict(base: entry.base, local: slots[slot], remote: entry.remote)
        }
    }

    /// Goes back to the shadow: every local change is undone. O(*d*)
    @inlinable
    public mutating func revert() {
        for entry in Array(journal.values) { set(entry.base, forKey: entry.key) }
    }

    /// What has changed since the shadow, in the collection's order.
    @inlinable
    var localChanges: [Change<Element>] { localChanges { _ in true } }

    @inlinable
    func localChanges(where isIncluded: (JournalEntry<Element, Key>) -> Bool) -> [Change<Element>] {
        let entries = journal.filter { slot, entry in entry.base != slots[slot] && isIncluded(entry) }
        return entries.keys.sorted().compactMap { Change(from: entries[$0]?.base, to: slots[$0]) }
    }
}
