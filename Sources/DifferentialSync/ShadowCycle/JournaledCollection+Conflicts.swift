extension JournaledCollection {
    /// The conflicts that no policy has resolved.
    ///
    /// Each cycle passes them to its policy again. ``resolve(_:with:of:)`` resolves one by hand.
    ///
    /// - Complexity: O(*u*) for *u* unresolved records, and the sorting of *u* integers
    public var conflicts: [Conflict<Element>] { unresolved { !areSame($0.local, $0.base) } }

    /// The records whose remote version is known but not merged yet, although they have no local change.
    ///
    /// The rules of a store may not allow the remote version yet. Or a user undid the local change of a conflict. The
    /// next cycle merges the remote version.
    ///
    /// - Complexity: O(*u*) for *u* unresolved records, and the sorting of *u* integers
    public var waiting: [Conflict<Element>] { unresolved { areSame($0.local, $0.base) } }

    /// The conflicts, and the records that wait.
    package var unresolved: [Conflict<Element>] { unresolved { _ in true } }

    /// Returns the open conflict of the record with the key, or nil if it has none. O(1)
    @inlinable
    public func conflict(for key: Key) -> Conflict<Element>? {
        guard let slot = slotsByKey[key], let conflict = conflict(inSlot: slot),
            !areSame(conflict.local, conflict.base)
        else { return nil }
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
        guard let slot = slotsByKey[key], let present = self.conflict(inSlot: slot) else {
            throw ConflictError(.unknown, key: key)
        }
        guard areSame(present.base, conflict.base), areSame(present.local, conflict.local),
            areSame(present.remote, conflict.remote)
        else { throw ConflictError(.changed, key: key) }
        let decision = try ThreeWayMerge.decision(present, key: key, primaryKey: keyOf) { _ in resolution }
        apply([(key, decision)])
    }

    /// The number of open conflicts. O(*u*) for *u* unresolved records
    @inlinable
    var conflictCount: Int {
        var sameness = sameness
        return unresolvedSlots.count { !sameness.areSame(journal[$0]?.base, slots[$0]) }
    }

    @inlinable
    func conflict(inSlot slot: Int) -> Conflict<Element>? {
        guard let entry = journal[slot], entry.isUnresolved else { return nil }
        return Conflict(base: entry.base, local: slots[slot], remote: entry.remote)
    }

    func unresolved(where isIncluded: (Conflict<Element>) -> Bool) -> [Conflict<Element>] {
        unresolvedSlots.sorted().compactMap { conflict(inSlot: $0) }.filter(isIncluded)
    }
}

/// An error of the resolution of a conflict.
///
/// Nothing has changed.
public struct ConflictError: Error, CustomStringConvertible {
    /// The kinds of error.
    ///
    /// Later versions may add kinds: a `switch` needs a `default`.
    public enum Code: Hashable, Sendable {
        /// The record has no open conflict, and its remote version does not wait.
        case unknown
        /// The record has another conflict than the one that was resolved.
        case changed
        /// The resolution of the conflict was sent to the remote, or is being sent.
        case sent
    }

    /// The kind of error.
    public let code: Code

    /// The key of the record.
    public let key: any Hashable & Sendable

    @usableFromInline
    package init(_ code: Code, key: some Hashable & Sendable) {
        self.code = code
        self.key = key
    }

    /// The cause and a remedy.
    public var description: String {
        let key = RecordText.printable("\(key)")
        return switch code {
        case .unknown: "the record with the key \(key) has no open conflict: list 'conflicts' again"
        case .changed:
            "the record with the key \(key) has changed since its conflict was shown: show 'conflict(for:)' again"
        case .sent: "the resolution of the record with the key \(key) was sent: edit the record instead"
        }
    }
}

extension ConflictError: Hashable {
    /// Whether the errors have the same code and key.
    public static func == (left: ConflictError, right: ConflictError) -> Bool {
        left.code == right.code && AnyHashable(left.key) == AnyHashable(right.key)
    }

    /// Hashes the code and the key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(AnyHashable(key))
    }
}
