extension JournaledCollection {
    /// The local changes since the shadow, or nil if there are none.
    ///
    /// It is `diff(wins: self, loses: shadow)` by primary key.
    ///
    /// - Complexity: O(*d*) for *d* changed elements, and the sorting of *d* integers
    @inlinable
    public var localDiff: Diff<Element>? { Diff(slots.changes()) }

    /// The changes to push: the local diff without records that have an open conflict.
    ///
    /// Nil if there are none.
    ///
    /// - Complexity: O(*d*), and the sorting of *d* integers
    @inlinable
    public var outgoingDiff: Diff<Element>? {
        Diff(slots.changes { !$0.isUnresolved })
    }

    /// The keys of the changes to push, in the collection's order. O(*d*), and the sorting of *d* integers
    @inlinable
    var outgoingKeys: [Key] { slots.resolvedKeys + outgoingKeysElsewhere }

    /// Whether an element has changed since the shadow. O(*d*)
    @inlinable
    public var hasLocalChanges: Bool { slots.hasChanges }

    /// Returns the element with the key in the shadow, or nil if the shadow lacks it. O(1)
    @inlinable
    public func shadow(for key: Key) -> Element? { slots.shadow(forKey: key) }

    /// The mark of the present shadow.
    ///
    /// It distinguishes a diff against this shadow from an older one: see ``acceptShadow(pushed:at:)``.
    @inlinable
    public var shadowMark: ShadowMark { slots.mark }

    /// The elements of the shadow, in order.
    ///
    /// - Complexity: O(*n*). The shadow of one element is ``shadow(for:)``.
    public var shadow: [Element] { slots.shadow }

    /// Undoes all local changes, so that the elements are those of the shadow. O(*d*)
    @inlinable
    public mutating func revert() { slots.revert() }
}
