extension JournaledCollection {
    /// Takes in what the remote has changed since the shadow: one transaction of a cycle without versions.
    ///
    /// Afterwards the shadow is what the remote holds, and ``outgoingDiff`` is what the remote lacks:
    ///
    /// ```swift
    /// try notes.takeIn(pulled, policy: .newest(by: \.modified))
    /// let mark = notes.shadowMark
    /// if let push = notes.outgoingDiff {
    ///     try await server.apply(push)
    ///     try notes.acceptShadow(pushed: push, at: mark)
    /// }
    /// ```
    ///
    /// A conflict that the policy leaves open stays in ``conflicts``; its local version is not part of the outgoing
    /// diff. Earlier conflicts are put to the policy again.
    ///
    /// For pushes that can be refused or whose answer can get lost, use a ``SyncCycle``.
    ///
    /// - Parameters:
    ///   - remoteChanges: What the remote has changed since the shadow, or nil for nothing.
    ///   - policy: Resolves conflicts.
    /// - Returns: What was decided for each record that the remote has changed.
    /// - Throws: ``MismatchError`` if the remote's old values are not those of the shadow; ``KeyError`` for two changes
    ///   of one key; otherwise what the policy throws. Nothing has changed then.
    /// - Complexity: O(*d*) for *d* remote changes and open conflicts
    @inlinable
    @discardableResult
    public mutating func takeIn(
        _ remoteChanges: Diff<Element>?, policy: ConflictPolicy<Element>
    ) throws -> ThreeWayMerge<Element> {
        var mismatches: [MismatchError.Mismatch] = []
        var states: [(key: Key, element: Element?)] = []
        for (position, change) in try keyedChanges(of: remoteChanges, named: "remoteChanges").enumerated() {
            let key = keyOf(change.element)
            let entry = entry(forKey: key)
            let isKnown = entry?.isUnsettled == true && sameness.areSame(change.old, entry?.remote)
            if !isKnown && !sameness.areSame(change.old, shadow(for: key)) {
                mismatches.append(MismatchError.Mismatch(.differs, in: "remoteChanges", at: position))
            }
            states.append((key, change.new))
        }
        if !mismatches.isEmpty { throw MismatchError(mismatches) }
        let decisions = try merge(
            states + unsettledStates(without: states), base: { shadow(for: $0) }, resolve: policy.resolve)
        apply(decisions)
        return ThreeWayMerge(decisions: decisions.map(\.decision))
    }

    /// Accepts as the new shadow what was pushed: the remote now holds the new values of the diff.
    ///
    /// An element that was edited since is a local change against the new shadow. Accepting a diff again changes
    /// nothing, or throws if the shadow has other values by now. A conflict stays open.
    ///
    /// - Parameters:
    ///   - pushed: The diff that the remote has applied, or nil for nothing.
    ///   - mark: ``shadowMark`` as it was when the diff was made.
    /// - Throws: ``MismatchError`` if the new values are not those of the shadow, and the shadow has changed since the diff
    ///   was made or has other old values; ``KeyError`` if the diff has two changes for one key. Nothing has changed then.
    /// - Complexity: O(*d*) for *d* pushed changes
    @inlinable
    public mutating func acceptShadow(pushed: Diff<Element>?, at mark: ShadowMark) throws {
        let changes = try keyedChanges(of: pushed, named: "pushed")
        var sameness = sameness
        let isCurrent = mark == shadowMark
        let mismatches = changes.enumerated().filter { _, change in
            let shadow = shadow(for: keyOf(change.element))
            return !(isCurrent && sameness.areSame(shadow, change.old)) && !sameness.areSame(shadow, change.new)
        }
        if !mismatches.isEmpty {
            throw MismatchError(mismatches.map { MismatchError.Mismatch(.differs, in: "pushed", at: $0.offset) })
        }
        setShadow(changes)
    }
}

extension JournaledCollection {
    @usableFromInline typealias KeyedDecision = (key: Key, decision: ThreeWayMerge<Element>.Decision)

    /// Decides what becomes of the records whose remote states are given, nil standing for their absence.
    ///
    /// - Parameters:
    ///   - states: The remote states, at most one for a key.
    ///   - base: Returns what both sides last had in common under a key.
    ///   - resolve: Resolves conflicts.
    @inlinable
    func merge(
        _ states: [(key: Key, element: Element?)], base: (Key) -> Element?,
        resolve: (Conflict<Element>) throws -> Resolution<Element>
    ) throws -> [KeyedDecision] {
        var decisions: [KeyedDecision] = []
        decisions.reserveCapacity(states.count)
        var sameness = sameness
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
                    (key, ThreeWayMerge.decision(conflict, key: key, primaryKey: keyOf, resolve: resolve)))
            }
        }
        return decisions
    }

    /// Makes the elements what was decided, and the shadow what the remote holds.
    ///
    /// Open conflicts stay as they are.
    @inlinable
    mutating func apply(_ decisions: [KeyedDecision]) {
        if !decisions.isEmpty { agreement.mark = ShadowMark() }
        for (key, decision) in decisions {
            if decision.isOpen {
                setShadow(decision.base, remote: decision.remote, forKey: key)
            } else {
                if !sameness.areSame(decision.local, decision.merged) { set(decision.merged, forKey: key) }
                setShadow(decision.remote, forKey: key)
            }
        }
    }

    /// Makes the shadow what was pushed, except where the remote is known to hold something else.
    @inlinable
    mutating func setShadow(_ pushed: [Change<Element>]) {
        if !pushed.isEmpty { agreement.mark = ShadowMark() }
        for change in pushed {
            let key = keyOf(change.element)
            if entry(forKey: key)?.isUnsettled != true { setShadow(change.new, forKey: key) }
        }
    }

    /// The remote's states known from earlier cycles that are not among the given ones.
    @inlinable
    func unsettledStates(without states: [(key: Key, element: Element?)]) -> [(key: Key, element: Element?)] {
        if unsettledSlots.isEmpty { return [] }
        let keys = Set(states.lazy.map(\.key))
        return unsettledSlots.sorted().compactMap { slot in
            guard let entry = journal[slot], !keys.contains(entry.key) else { return nil }
            return (entry.key, entry.remote)
        }
    }

    /// The remote's states, given the elements that have changed and the keys of the deleted ones.
    @inlinable
    func states(changed: [Element], deleted: [Key]) throws(KeyError) -> [(key: Key, element: Element?)] {
        var positions: [Key: Int] = [:]
        var states: [(key: Key, element: Element?)] = []
        for (position, element) in changed.enumerated() {
            let key = try key(of: element, in: "changed", at: position)
            if let earlier = positions.updateValue(position, forKey: key) {
                if areSame(changed[earlier], element) { continue }
                throw KeyError(.duplicate, in: "changed", key: "\(key)", positions: [earlier, position])
            }
            states.append((key, element))
        }
        var deletions: Set<Key> = []
        for (position, key) in deleted.enumerated() {
            try KeyError.check(key, in: "deleted", at: position)
            if positions[key] != nil {
                throw KeyError(.duplicate, in: "changed and deleted", key: "\(key)", positions: [])
            }
            if deletions.insert(key).inserted { states.append((key, nil)) }
        }
        return states
    }

    /// The remote's states that differ from the given shadow, given all elements of the remote.
    @inlinable
    func states(
        everything elements: [Element], shadow: [Element]
    ) throws(KeyError) -> [(key: Key, element: Element?)] {
        for (position, element) in elements.enumerated() { _ = try key(of: element, in: "remote", at: position) }
        let diff = try keyedDiff(
            wins: elements, loses: shadow, named: ("remote", "shadow"), primaryKey: keyOf, duplicates: .refuse)
        return (diff?.changes ?? []).map { (keyOf($0.element), $0.new) }
    }

    /// The changes of a diff that comes from outside, at most one for each key.
    @inlinable
    func keyedChanges(of diff: Diff<Element>?, named name: String) throws(KeyError) -> [Change<Element>] {
        guard let diff else { return [] }
        for element in diff.delete + diff.add + diff.replace { _ = try key(of: element, in: name) }
        return try diff.changes(named: name, primaryKey: keyOf)
    }
}

extension JournaledCollection {
    /// The journal's entry for a key.
    @inlinable
    func entry(forKey key: Key) -> JournalEntry<Element, Key>? {
        slotsByKey[key].flatMap { journal[$0] }
    }

    /// Changes what the shadow holds under a key, nil standing for nothing, without changing the element.
    @inlinable
    mutating func setShadow(_ base: Element?, forKey key: Key) {
        if slotsByKey[key] == nil && base == nil { return }
        setShadow(JournalEntry(key: key, base: base))
    }

    /// Changes what the shadow holds under a key, and notes that the remote holds something else.
    @inlinable
    mutating func setShadow(_ base: Element?, remote: Element?, forKey key: Key) {
        var entry = JournalEntry(key: key, base: base)
        entry.isUnsettled = !sameness.areSame(base, remote)
        entry.remote = entry.isUnsettled ? remote : nil
        setShadow(entry)
    }

    @inlinable
    mutating func setShadow(_ entry: JournalEntry<Element, Key>) {
        let slot: Int
        if let known = slotsByKey[entry.key] {
            slot = known
        } else {
            slot = slots.count
            slotsByKey[entry.key] = slot
            slots.append(nil)
            deletionCount += 1
        }
        journal[slot] = entry
        if entry.isUnsettled { unsettledSlots.insert(slot) } else { unsettledSlots.remove(slot) }
        settle(slot)
        checkInvariants()
    }

    /// Makes the shadow empty: every element is an addition. O(*n*)
    @inlinable
    mutating func voidShadow() {
        agreement.mark = ShadowMark()
        for entry in Array(journal.values) { setShadow(nil, forKey: entry.key) }
        for (key, slot) in slotsByKey { journal[slot] = JournalEntry(key: key, base: nil) }
        shadowRanks = [:]
        checkInvariants()
    }

    /// Makes the shadow what the elements are: there are no local changes. O(*d*)
    @inlinable
    mutating func voidJournal() {
        agreement.mark = ShadowMark()
        for entry in Array(journal.values) { setShadow(self[entry.key], forKey: entry.key) }
    }
}
