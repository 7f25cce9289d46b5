extension JournaledCollection {
    /// The conflicts that no policy has resolved.
    ///
    /// Each cycle passes them to its policy again. ``resolve(_:with:of:)`` resolves one by hand.
    ///
    /// - Complexity: O(*u*) for *u* unresolved records, and the sorting of *u* integers
    public var conflicts: [Conflict<Element>] { unresolved.filter { !areSame($0.local, $0.base) } }

    /// The records whose remote version is known but not merged yet, although they have no local change.
    ///
    /// The rules of a store may not allow the remote version yet. Or a user undid the local change of a conflict. The
    /// next cycle merges the remote version.
    ///
    /// - Complexity: O(*u*) for *u* unresolved records, and the sorting of *u* integers
    public var waiting: [Conflict<Element>] { unresolved.filter { areSame($0.local, $0.base) } }

    /// The conflicts, and the records that wait.
    package var unresolved: [Conflict<Element>] { slots.unresolved }

    /// Returns the open conflict of the record with the key, or nil if it has none. O(1)
    @inlinable
    public func conflict(for key: Key) -> Conflict<Element>? {
        guard let conflict = slots.unresolved(forKey: key), !areSame(conflict.local, conflict.base) else { return nil }
        return conflict
    }

    /// Resolves a conflict, or merges a record that waits.
    ///
    /// ```swift
    /// for conflict in notes.conflicts {
    ///     guard let id = (conflict.local ?? conflict.remote)?.id else { continue }
    ///     try notes.resolve(id, with: await choice(of: conflict), of: conflict)
    /// }
    /// ```
    ///
    /// Afterwards the shadow holds the remote's version. So the resolution is a local change, which the next cycle
    /// pushes, or no change. Later changes of the record are compared with that shadow.
    ///
    /// - Parameters:
    ///   - key: The key of the record.
    ///   - resolution: The resolution of the conflict. `.open` changes nothing.
    ///   - conflict: The conflict, an unchanged member of ``conflicts`` or of ``waiting``.
    /// - Throws: ``ConflictError`` if the record has no conflict and does not wait, or if it has changed meanwhile, for
    ///   example by an edit or a cycle; ``KeyError`` if the merged element has another key. Nothing has changed then.
    /// - Complexity: O(1)
    @inlinable
    public mutating func resolve(
        _ key: Key, with resolution: Resolution<Element>, of conflict: Conflict<Element>
    ) throws {
        guard let present = slots.unresolved(forKey: key) else { throw ConflictError(.unknown, key: key) }
        guard areSame(present.base, conflict.base), areSame(present.local, conflict.local),
            areSame(present.remote, conflict.remote)
        else { throw ConflictError(.changed, key: key) }
        let decision = try ThreeWayMerge.decision(present, key: key, primaryKey: reader.keyOf) { _ in resolution }
        apply([(key, decision)])
    }
}
