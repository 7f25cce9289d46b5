extension JournaledCollection {
    /// The local changes since the shadow, or nil if there are none.
    ///
    /// It is `diff(wins: self, loses: shadow)` by primary key.
    ///
    /// - Complexity: O(*d*) for *d* changed elements, and the sorting of *d* integers
    @inlinable
    public var localDiff: Diff<Element>? { Diff(localChanges) }

    /// The changes to push: the local diff without records that have an open conflict.
    ///
    /// Nil if there are none.
    ///
    /// - Complexity: O(*d*), and the sorting of *d* integers
    @inlinable
    public var outgoingDiff: Diff<Element>? {
        Diff(localChanges { !$0.isUnresolved })
    }

    /// The keys of the changes to push, in the collection's order. O(*d*), and the sorting of *d* integers
    @inlinable
    var outgoingKeys: [Key] {
        journal.filter { !$0.value.isUnresolved }.keys.sorted().compactMap { journal[$0]?.key } + outgoingKeysElsewhere
    }

    /// Returns the change of an element to push, or nil if there is none. O(1)
    @inlinable
    func outgoingChange(forKey key: Key) -> Change<Element>? {
        guard let slot = slotsByKey[key], let entry = journal[slot], !entry.isUnresolved else { return nil }
        return Change(from: entry.base, to: slots[slot])
    }

    /// Whether an element has changed since the shadow. O(*d*)
    @inlinable
    public var hasLocalChanges: Bool {
        var sameness = sameness
        return journal.contains { slot, entry in !sameness.areSame(entry.base, slots[slot]) }
    }

    /// Returns the element with the key in the shadow, or nil if the shadow lacks it. O(1)
    @inlinable
    public func shadow(for key: Key) -> Element? {
        slotsByKey[key].flatMap { journal[$0] == nil ? slots[$0] : journal[$0]?.base }
    }

    /// The mark of the present shadow.
    ///
    /// It distinguishes a diff against this shadow from an older one: see ``acceptShadow(pushed:at:)``.
    @inlinable
    public var shadowMark: ShadowMark { agreement.mark }

    /// The elements of the shadow, in order.
    ///
    /// - Complexity: O(*n*). The shadow of one element is ``shadow(for:)``.
    public var shadow: [Element] {
        let elements = slots.indices.compactMap { journal[$0] == nil ? slots[$0] : journal[$0]?.base }
        if shadowRanks.isEmpty { return elements }
        let ranked = elements.enumerated().map { (shadowRanks[keyOf($0.element)] ?? .max, $0.offset) }
        return ranked.sorted { $0 < $1 }.map { elements[$0.1] }
    }

    /// Undoes all local changes, so that the elements are those of the shadow. O(*d*)
    @inlinable
    public mutating func revert() {
        for entry in Array(journal.values) { set(entry.base, forKey: entry.key) }
    }

    /// The changes since the shadow, in the collection's order.
    @inlinable
    var localChanges: [Change<Element>] { localChanges { _ in true } }

    @inlinable
    func localChanges(where isIncluded: (JournalEntry<Element, Key>) -> Bool) -> [Change<Element>] {
        var sameness = sameness
        let entries = journal.filter { slot, entry in
            !sameness.areSame(entry.base, slots[slot]) && isIncluded(entry)
        }
        return entries.keys.sorted().compactMap { Change(from: entries[$0]?.base, to: slots[$0]) }
    }
}
