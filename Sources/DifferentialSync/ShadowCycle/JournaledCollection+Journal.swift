extension JournaledCollection {
    /// What has changed since the shadow, or nil if nothing has: `diff(wins: self, loses: shadow)` by primary key.
    ///
    /// - Complexity: O(*d*) for *d* changed elements, and the sorting of *d* integers
    @inlinable
    public var localDiff: Diff<Element>? { Diff(localChanges) }

    /// What is to be pushed: the local diff without the records with an open conflict; nil for nothing.
    ///
    /// - Complexity: O(*d*), and the sorting of *d* integers
    @inlinable
    public var outgoingDiff: Diff<Element>? {
        Diff(localChanges { !$0.isUnsettled })
    }

    /// The keys of the changes to be pushed, in the collection's order. O(*d*), and the sorting of *d* integers
    @inlinable
    var outgoingKeys: [Key] {
        journal.filter { !$0.value.isUnsettled }.keys.sorted().compactMap { journal[$0]?.key } + outgoingKeysElsewhere
    }

    /// The change of an element that is to be pushed, or nil if there is none. O(1)
    @inlinable
    func outgoingChange(forKey key: Key) -> Change<Element>? {
        guard let slot = slotsByKey[key], let entry = journal[slot], !entry.isUnsettled else { return nil }
        return Change(from: entry.base, to: slots[slot])
    }

    /// Whether an element has changed since the shadow. O(*d*)
    @inlinable
    public var hasLocalChanges: Bool {
        var sameness = sameness
        return journal.contains { slot, entry in !sameness.areSame(entry.base, slots[slot]) }
    }

    /// The element with the key as it is in the shadow, or nil if it is not there. O(1)
    @inlinable
    public func shadow(for key: Key) -> Element? {
        slotsByKey[key].flatMap { journal[$0] == nil ? slots[$0] : journal[$0]?.base }
    }

    /// The mark of the shadow as it is now.
    ///
    /// It tells a diff that was made of this shadow from an older one: see ``acceptShadow(pushed:at:)``.
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
        var sameness = sameness
        let entries = journal.filter { slot, entry in
            !sameness.areSame(entry.base, slots[slot]) && isIncluded(entry)
        }
        return entries.keys.sorted().compactMap { Change(from: entries[$0]?.base, to: slots[$0]) }
    }
}
