extension JournaledCollection {
    /// The records that both sides have changed, and that no policy has resolved yet.
    ///
    /// Each cycle puts them to its policy again. ``resolve(_:with:of:)`` resolves one by hand.
    ///
    /// - Complexity: O(*u*) for *u* unsettled records, and the sorting of *u* integers
    public var conflicts: [Conflict<Element>] { unsettled { !areSame($0.local, $0.base) } }

    /// The records whose remote state is known and not taken in yet, although nothing was changed here.
    ///
    /// A store has such records where its rules do not allow the remote state yet, and a record has it whose local
    /// change was undone during a conflict. The next cycle takes the remote state in.
    ///
    /// - Complexity: O(*u*) for *u* unsettled records, and the sorting of *u* integers
    public var waiting: [Conflict<Element>] { unsettled { areSame($0.local, $0.base) } }

    /// The conflicts and what is waiting.
    package var unsettled: [Conflict<Element>] { unsettled { _ in true } }

    /// The open conflict of the record with the key, or nil if it has none. O(1)
    @inlinable
    public func conflict(for key: Key) -> Conflict<Element>? {
        guard let slot = slotsByKey[key], let conflict = conflict(inSlot: slot),
            !areSame(conflict.local, conflict.base)
        else { return nil }
        return conflict
    }

    /// Resolves a conflict, or what waits, by hand.
    ///
    /// ```swift
    /// for conflict in notes.conflicts {
    ///     guard let id = (conflict.local ?? conflict.remote)?.id else { continue }
    ///     try notes.resolve(id, with: await choice(of: conflict), of: conflict)
    /// }
    /// ```
    ///
    /// Afterwards the shadow is what the remote holds, so the resolution is a local change that the next cycle pushes,
    /// or no change at all. Later changes of the record are compared with that shadow.
    ///
    /// - Parameters:
    ///   - key: The key of the record.
    ///   - resolution: What becomes of the record. `.open` changes nothing.
    ///   - conflict: What the resolution answers, one of ``conflicts`` or of ``waiting``, as it was shown.
    /// - Throws: ``ConflictError`` if the record has neither, or another one by now, such as after an edit or a
    ///   cycle; ``KeyError`` if the merged element has another key. Nothing has changed then.
    /// - Complexity: O(1)
    @inlinable
    public mutating func resolve(
        _ key: Key, with resolution: Resolution<Element>, of conflict: Conflict<Element>
    ) throws {
        guard let slot = slotsByKey[key], let present = self.conflict(inSlot: slot) else {
            throw ConflictError(.unknown, key: "\(key)")
        }
        guard areSame(present.base, conflict.base), areSame(present.local, conflict.local),
            areSame(present.remote, conflict.remote)
        else { throw ConflictError(.changed, key: "\(key)") }
        let decision = try ThreeWayMerge.decision(present, key: key, primaryKey: keyOf) { _ in resolution }
        apply([(key, decision)])
    }

    /// How many conflicts are open. O(*u*) for *u* unsettled records
    @inlinable
    var conflictCount: Int {
        var sameness = sameness
        return unsettledSlots.count { !sameness.areSame(journal[$0]?.base, slots[$0]) }
    }

    @inlinable
    func conflict(inSlot slot: Int) -> Conflict<Element>? {
        guard let entry = journal[slot], entry.isUnsettled else { return nil }
        return Conflict(base: entry.base, local: slots[slot], remote: entry.remote)
    }

    func unsettled(where isIncluded: (Conflict<Element>) -> Bool) -> [Conflict<Element>] {
        unsettledSlots.sorted().compactMap { conflict(inSlot: $0) }.filter(isIncluded)
    }
}

/// Why a conflict could not be resolved.
///
/// Nothing has changed.
public struct ConflictError: Error, Hashable, CustomStringConvertible {
    /// The kinds of error.
    public enum Code: Hashable, Sendable {
        /// The record has no open conflict, and its remote state does not wait.
        case unknown
        /// The record has another conflict than the one that was resolved.
        case changed
    }

    /// The kind of error.
    public let code: Code

    /// The key of the record, as text.
    public let key: String

    @usableFromInline
    package init(_ code: Code, key: String) {
        self.code = code
        self.key = key
    }

    /// What is wrong, and what to do about it.
    public var description: String {
        switch code {
        case .unknown: "the record with the key \(key) has no open conflict: list 'conflicts' again"
        case .changed:
            "the record with the key \(key) has changed since its conflict was shown: show 'conflict(for:)' again"
        }
    }
}
