extension JournaledCollection {
    /// Merges the remote's changes since the shadow.
    ///
    /// Afterwards the shadow holds the remote's state, and ``outgoingDiff`` is the diff that the remote lacks:
    ///
    /// ```swift
    /// try notes.merge(remoteChanges: pulled, policy: .newest(by: \.modified))
    /// let mark = notes.shadowMark
    /// if let push = notes.outgoingDiff {
    ///     try await server.apply(push)
    ///     try notes.acceptShadow(pushed: push, at: mark)
    /// }
    /// ```
    ///
    /// A conflict that the policy leaves open is listed in ``conflicts``, and its local version is not part of the
    /// outgoing diff. Earlier conflicts are passed to the policy again.
    ///
    /// For pushes that can be refused or whose answer can get lost, use a ``SyncCycle``.
    ///
    /// - Parameters:
    ///   - remoteChanges: The remote's changes since the shadow; nil for none.
    ///   - policy: Resolves conflicts.
    /// - Returns: The decision for each record that the remote has changed.
    /// - Throws: ``MismatchError`` if the remote's old values are not those of the shadow; ``KeyError`` for two changes
    ///   of one key; otherwise the errors of the policy. Nothing has changed then.
    /// - Complexity: O(*d*) for *d* remote changes and open conflicts
    @inlinable
    @discardableResult
    public mutating func merge(
        remoteChanges: Diff<Element>?, policy: ConflictPolicy<Element>
    ) throws -> ThreeWayMerge<Element> {
        var mismatches: [MismatchError.Mismatch] = []
        var states: [KeyReader<Element, Key>.RemoteState] = []
        for (position, change) in try reader.changes(of: remoteChanges, named: "remoteChanges").enumerated() {
            let key = reader.keyOf(change.element)
            let entry = slots.entry(forKey: key)
            let isKnown = entry?.isUnresolved == true && slots.sameness.areSame(change.old, entry?.remote)
            if !isKnown && !slots.sameness.areSame(change.old, shadow(for: key)) {
                mismatches.append(MismatchError.Mismatch(.differs, in: "remoteChanges", at: position))
            }
            states.append((key, change.new))
        }
        if !mismatches.isEmpty { throw MismatchError(mismatches) }
        let decisions = try merge(
            states + slots.unresolvedStates(without: states), base: { shadow(for: $0) }, resolve: policy.resolve)
        apply(decisions)
        return ThreeWayMerge(decisions: decisions.map(\.decision))
    }

    /// Makes the pushed values the shadow, after the remote has applied the diff.
    ///
    /// An element that was edited since is a local change against the new shadow. If the same diff is accepted again,
    /// nothing changes, or the function throws if the shadow has other values by then. A conflict stays open.
    ///
    /// - Parameters:
    ///   - pushed: The diff that the remote has applied; nil for none.
    ///   - mark: The value of ``shadowMark`` when the diff was made.
    /// - Throws: ``MismatchError`` if the new values are not those of the shadow, and the shadow has changed since the
    ///   diff was made or has other old values; ``KeyError`` if the diff has two changes for one key. Nothing has
    ///   changed then.
    /// - Complexity: O(*d*) for *d* pushed changes
    @inlinable
    public mutating func acceptShadow(pushed: Diff<Element>?, at mark: ShadowMark) throws {
        let changes = try reader.changes(of: pushed, named: "pushed")
        var sameness = slots.sameness
        let isCurrent = mark == shadowMark
        let mismatches = changes.enumerated().filter { _, change in
            let shadow = shadow(for: reader.keyOf(change.element))
            return !(isCurrent && sameness.areSame(shadow, change.old)) && !sameness.areSame(shadow, change.new)
        }
        if !mismatches.isEmpty {
            throw MismatchError(mismatches.map { MismatchError.Mismatch(.differs, in: "pushed", at: $0.offset) })
        }
        setShadow(changes)
    }
}

extension JournaledCollection {
    /// A decision of a merge, with the key of its element.
    @usableFromInline typealias KeyedDecision = (key: Key, decision: ThreeWayMerge<Element>.Decision)

    /// Decides about the records whose remote versions are given.
    ///
    /// Nil means that the remote has no record.
    ///
    /// - Parameters:
    ///   - states: The remote versions, at most one for a key.
    ///   - base: Returns the last common version for a key.
    ///   - resolve: Resolves conflicts.
    @inlinable
    func merge(
        _ states: [KeyReader<Element, Key>.RemoteState], base: (Key) -> Element?,
        resolve: (Conflict<Element>) throws -> Resolution<Element>
    ) throws -> [KeyedDecision] {
        var decisions: [KeyedDecision] = []
        decisions.reserveCapacity(states.count)
        var sameness = slots.sameness
        for (key, remote) in states {
            let (base, local) = (base(key), self[key])
            if sameness.areSame(base, remote) || sameness.areSame(local, remote) {
                decisions.append(
                    (key, ThreeWayMerge.Decision(base: base, local: local, remote: remote, merged: local)))
            } else if sameness.areSame(local, base) {
                decisions.append(
                    (key, ThreeWayMerge.Decision(base: base, local: local, remote: remote, merged: remote)))
            } else {
                let conflict = Conflict(base: base, local: local, remote: remote)
                try decisions.append(
                    (key, ThreeWayMerge.decision(conflict, key: key, primaryKey: reader.keyOf, resolve: resolve)))
            }
        }
        return decisions
    }

    /// Applies decisions: the elements become the merged ones, and the shadow holds the remote's versions.
    ///
    /// Open conflicts stay open.
    @inlinable
    mutating func apply(_ decisions: [KeyedDecision]) {
        for (key, decision) in decisions {
            if decision.isOpen {
                slots.setShadow(decision.base, remote: decision.remote, forKey: key)
            } else {
                if !slots.sameness.areSame(decision.local, decision.merged) { slots.set(decision.merged, forKey: key) }
                slots.setShadow(decision.remote, forKey: key)
            }
        }
    }

    /// Makes the pushed values the shadow, except for records that the remote is known to hold in another version.
    @inlinable
    mutating func setShadow(_ pushed: [Change<Element>]) {
        for change in pushed {
            let key = reader.keyOf(change.element)
            if slots.entry(forKey: key)?.isUnresolved != true { slots.setShadow(change.new, forKey: key) }
        }
    }
}
