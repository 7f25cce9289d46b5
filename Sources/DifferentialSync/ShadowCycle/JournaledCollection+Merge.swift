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
        var states: [(key: Key, element: Element?)] = []
        for (position, change) in try keyedChanges(of: remoteChanges, named: "remoteChanges").enumerated() {
            let key = keyOf(change.element)
            let entry = entry(forKey: key)
            let isKnown = entry?.isUnresolved == true && sameness.areSame(change.old, entry?.remote)
            if !isKnown && !sameness.areSame(change.old, shadow(for: key)) {
                mismatches.append(MismatchError.Mismatch(.differs, in: "remoteChanges", at: position))
            }
            states.append((key, change.new))
        }
        if !mismatches.isEmpty { throw MismatchError(mismatches) }
        let decisions = try merge(
            states + unresolvedStates(without: states), base: { shadow(for: $0) }, resolve: policy.resolve)
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

    /// Applies decisions: the elements become the merged ones, and the shadow holds the remote's versions.
    ///
    /// Open conflicts stay open.
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

    /// Makes the pushed values the shadow, except for records that the remote is known to hold in another version.
    @inlinable
    mutating func setShadow(_ pushed: [Change<Element>]) {
        if !pushed.isEmpty { agreement.mark = ShadowMark() }
        for change in pushed {
            let key = keyOf(change.element)
            if entry(forKey: key)?.isUnresolved != true { setShadow(change.new, forKey: key) }
        }
    }

    /// Returns the remote versions known from earlier cycles, without those of the given records.
    @inlinable
    func unresolvedStates(without states: [(key: Key, element: Element?)]) -> [(key: Key, element: Element?)] {
        if unresolvedSlots.isEmpty { return [] }
        let keys = Set(states.lazy.map(\.key))
        return unresolvedSlots.sorted().compactMap { slot in
            guard let entry = journal[slot], !keys.contains(entry.key) else { return nil }
            return (entry.key, entry.remote)
        }
    }

    /// Returns the remote versions, given the changed elements and the keys of the deleted ones.
    @inlinable
    func states(
        changed: [Element], deleted: [Key], duplicates: DuplicatePolicy
    ) throws(KeyError) -> [(key: Key, element: Element?)] {
        if duplicates != .refuse {
            for (position, element) in changed.enumerated() { _ = try key(of: element, in: "changed", at: position) }
            let unique = try unique(changed, named: "changed", primaryKey: keyOf, duplicates: duplicates)
            return try states(changed: unique, deleted: deleted, duplicates: .refuse)
        }
        var positions: [Key: Int] = [:]
        var states: [(key: Key, element: Element?)] = []
        for (position, element) in changed.enumerated() {
            let key = try key(of: element, in: "changed", at: position)
            if let earlier = positions.updateValue(position, forKey: key) {
                if areSame(changed[earlier], element) { continue }
                throw KeyError(.duplicate, in: "changed", key: key, positions: [earlier, position])
            }
            states.append((key, element))
        }
        var deletions: Set<Key> = []
        for (position, key) in deleted.enumerated() {
            try KeyError.check(key, in: "deleted", at: position)
            if positions[key] != nil {
                throw KeyError(.duplicate, in: "changed and deleted", key: key)
            }
            if deletions.insert(key).inserted { states.append((key, nil)) }
        }
        return states
    }

    /// Returns the remote versions that differ from the shadow, given all elements of the remote.
    @inlinable
    func states(
        everything elements: [Element], shadow: [Element], duplicates: DuplicatePolicy
    ) throws(KeyError) -> [(key: Key, element: Element?)] {
        for (position, element) in elements.enumerated() { _ = try key(of: element, in: "remote", at: position) }
        let diff = try keyedDiff(
            wins: elements, loses: shadow, named: ("remote", "shadow"), primaryKey: keyOf, duplicates: duplicates)
        return (diff?.changes ?? []).map { (keyOf($0.element), $0.new) }
    }

    /// Returns the changes of a caller's diff, at most one for each key.
    @inlinable
    func keyedChanges(of diff: Diff<Element>?, named name: String) throws(KeyError) -> [Change<Element>] {
        guard let diff else { return [] }
        for element in diff.delete + diff.add + diff.replace { _ = try key(of: element, in: name) }
        return try diff.changes(named: name, primaryKey: keyOf)
    }
}

extension JournaledCollection {
    /// Returns the journal entry for a key, or nil if there is none.
    @inlinable
    func entry(forKey key: Key) -> JournalEntry<Element, Key>? {
        slotsByKey[key].flatMap { journal[$0] }
    }

    /// Sets or, if it is nil, removes the shadow's version for a key, without changing the element.
    @inlinable
    mutating func setShadow(_ base: Element?, forKey key: Key) {
        if slotsByKey[key] == nil && base == nil { return }
        setShadow(JournalEntry(key: key, base: base))
    }

    /// Sets the shadow's version for a key, and the version that the remote is known to hold.
    @inlinable
    mutating func setShadow(_ base: Element?, remote: Element?, forKey key: Key) {
        var entry = JournalEntry(key: key, base: base)
        entry.isUnresolved = !sameness.areSame(base, remote)
        entry.remote = entry.isUnresolved ? remote : nil
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
        if entry.isUnresolved { unresolvedSlots.insert(slot) } else { unresolvedSlots.remove(slot) }
        dropIfUnchanged(slot)
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

    /// Makes the elements the shadow, so that there are no local changes. O(*d*)
    @inlinable
    mutating func voidJournal() {
        agreement.mark = ShadowMark()
        for entry in Array(journal.values) { setShadow(self[entry.key], forKey: entry.key) }
    }
}
