/// One cycle of differential synchronization at the cost of what has changed: the collection's local diff meets what
/// the remote has changed since the shadow.
///
/// ```swift
/// let merge = try synchronize(client: notes, remoteChanges: pulled, policy: .newest(by: \.modified))
/// if let push = merge.toRemote { try await server.apply(push) }
/// notes.accept(merge)   // only now do client and shadow change
/// ```
///
/// Edits made before the last line stay, and are part of the next cycle. For pushes that can be refused or whose answer
/// can get lost, see ``SyncCycle``.
///
/// - Parameters:
///   - client: The collection here.
///   - remoteChanges: What the remote has changed since the shadow, or nil for nothing.
///   - policy: What settles conflicts.
/// - Returns: What has been decided. Nothing has changed yet.
/// - Throws: ``MismatchError`` if the remote's old values are not those of the shadow; ``KeyError`` for two changes of
///   one key; else what the policy throws.
/// - Complexity: O(*d*) for *d* changes on both sides
@inlinable
public func synchronize<Element: Equatable, Key: Hashable>(
    client: JournaledCollection<Element, Key>, remoteChanges: Diff<Element>?, policy: ConflictPolicy<Element>
) throws -> ThreeWayMerge<Element> {
    try client.merge(remoteChanges, resolve: policy.resolve)
}

/// One cycle of differential synchronization at the cost of what has changed, with DS's outcomes.
///
/// See ``synchronize(client:remoteChanges:policy:)``.
///
/// - Parameters:
///   - client: The collection here.
///   - remoteChanges: What the remote has changed since the shadow, or nil for nothing.
///   - shouldReplace: Whether `new`, the client's version, takes the place of `old`, the remote's.
/// - Complexity: O(*d*) for *d* changes on both sides
@inlinable
public func synchronize<Element: Equatable, Key: Hashable>(
    client: JournaledCollection<Element, Key>, remoteChanges: Diff<Element>?,
    shouldReplace: (_ old: Element, _ new: Element) throws -> Bool
) throws -> ThreeWayMerge<Element> {
    try client.merge(remoteChanges) { try $0.differentialSyncResolution(shouldReplace: shouldReplace) }
}

extension JournaledCollection {
    /// Takes in what the remote has changed since the shadow, without a push: what no local change stands against
    /// changes here and in the shadow; of the rest, ``outgoingDiff`` says afterwards what is to be pushed.
    ///
    /// ```swift
    /// try notes.takeIn(pulled, policy: .leaveOpen)
    /// if let push = notes.outgoingDiff {
    ///     try await server.apply(push)
    ///     try notes.acceptShadow(pushed: push)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - remoteChanges: What the remote has changed since the shadow, or nil for nothing.
    ///   - policy: What settles conflicts.
    /// - Returns: What has been decided.
    /// - Throws: As ``synchronize(client:remoteChanges:policy:)``; nothing has changed then.
    /// - Complexity: O(*d*) for *d* changes on both sides
    @inlinable
    @discardableResult
    public mutating func takeIn(
        _ remoteChanges: Diff<Element>?, policy: ConflictPolicy<Element>
    ) throws -> ThreeWayMerge<Element> {
        let merge = try merge(remoteChanges, resolve: policy.resolve)
        for (key, decision) in keyed(merge) {
            if decision.isOpen {
                setShadow(decision.base, remote: decision.remote, forKey: key)
            } else {
                set(decision.merged, forKey: key)
                setShadow(decision.remote, forKey: key)
            }
        }
        return merge
    }

    /// Accepts as the new shadow what has been pushed: the remote now holds the new values of the diff.
    ///
    /// What has changed here since the diff was made is a local change against the new shadow. A conflict that was
    /// left open stays open: until it is settled, what the remote holds is not known to have been given up.
    ///
    /// - Parameter pushed: The diff that the remote has taken, or nil for nothing.
    /// - Throws: ``KeyError`` if the diff has two changes for one key; nothing has changed then.
    /// - Complexity: O(*d*) for *d* pushed changes
    @inlinable
    public mutating func acceptShadow(pushed: Diff<Element>?) throws(KeyError) {
        for change in try keyedChanges(of: pushed, named: "pushed") {
            let key = keyOf(change.element)
            if entry(forKey: key)?.isUnsettled != true { setShadow(change.new, forKey: key) }
        }
    }

    /// Takes over what a merge has decided, once the remote has taken the push: client and shadow become the result.
    ///
    /// An element that was edited since the merge keeps its edit, which is a local change in the next cycle: the state
    /// that the merge saw is its base. An open conflict stays open.
    ///
    /// - Complexity: O(number of decisions)
    @inlinable
    public mutating func accept(_ merge: ThreeWayMerge<Element>) {
        for (key, decision) in keyed(merge) {
            if decision.isOpen {
                setShadow(decision.base, remote: decision.remote, forKey: key)
            } else if self[key] == decision.local {
                set(decision.merged, forKey: key)
                setShadow(decision.merged, forKey: key)
            } else if decision.local == decision.merged {
                setShadow(decision.local, forKey: key)
            } else {
                setShadow(decision.local, remote: decision.merged, forKey: key)
            }
        }
    }
}

extension JournaledCollection {
    /// Takes over how a ``SyncCycle`` has ended.
    ///
    /// See ``accept(_:)-(ThreeWayMerge<Element>)``. Where the remote's epoch had changed, the old shadow is gone.
    ///
    /// - Complexity: O(number of decisions), O(*n*) where the epoch had changed
    @inlinable
    public mutating func accept(_ outcome: SyncCycle<Element, Key>.Outcome) {
        switch outcome {
        case .synced(let merge, let version, let voidsShadow):
            if voidsShadow { voidShadow() }
            accept(merge)
            self.version = version
            pendingPush = nil
        case .inDoubt(let push):
            pendingPush = push
        case .failed, .gaveUp:
            break
        }
    }

    /// Makes the shadow empty: every element is an addition.
    @inlinable
    mutating func voidShadow() {
        for entry in Array(journal.values) { setShadow(nil, forKey: entry.key) }
        for (key, slot) in slotsByKey { journal[slot] = JournalEntry(key: key, base: nil) }
        checkInvariants()
    }
}

extension JournaledCollection {
    /// The three-way merge of the local changes with the given remote ones and those known from before.
    @inlinable
    func merge(
        _ remoteChanges: Diff<Element>?, resolve: (Conflict<Element>) throws -> Resolution<Element>
    ) throws -> ThreeWayMerge<Element> {
        let changes = try keyedChanges(of: remoteChanges, named: "remoteChanges")
        var mismatches: [MismatchError.Mismatch] = []
        var remote: [(key: Key, element: Element?)] = []
        for (position, change) in changes.enumerated() {
            let key = keyOf(change.element)
            let entry = entry(forKey: key)
            if change.old != shadow(for: key), entry.map({ !$0.isUnsettled || change.old != $0.remote }) ?? true {
                mismatches.append(MismatchError.Mismatch(.differs, in: "remoteChanges", at: position))
            }
            remote.append((key, change.new))
        }
        if !mismatches.isEmpty { throw MismatchError(mismatches) }
        return try ThreeWayMerge(
            local: localChanges, remote: self.remoteChanges(remote), primaryKey: keyOf, resolve: resolve)
    }

    /// The changes of a diff that comes from outside, at most one for each key.
    @inlinable
    func keyedChanges(of diff: Diff<Element>?, named name: String) throws(KeyError) -> [Change<Element>] {
        guard let diff else { return [] }
        for element in diff.delete + diff.add + diff.replace { _ = try key(of: element, in: name) }
        return try diff.changes(named: name, primaryKey: keyOf)
    }

    /// What the journal holds under a key.
    @inlinable
    func entry(forKey key: Key) -> JournalEntry<Element, Key>? {
        slotsByKey[key].flatMap { journal[$0] }
    }

    /// The remote's changes against the shadow: the given new states of elements, and those known from before.
    @inlinable
    func remoteChanges(_ states: [(key: Key, element: Element?)]) -> [Change<Element>] {
        var changes: [Change<Element>] = []
        var keys: Set<Key> = []
        for (key, element) in states where keys.insert(key).inserted {
            let base = shadow(for: key)
            if base != element, let change = Change(from: base, to: element) { changes.append(change) }
        }
        for slot in journal.keys.sorted() {
            guard let entry = journal[slot], entry.isUnsettled, !keys.contains(entry.key) else { continue }
            if let change = Change(from: entry.base, to: entry.remote) { changes.append(change) }
        }
        return changes
    }

    /// The remote's changes against the shadow, given the elements that have changed and the keys of those that are
    /// gone.
    @inlinable
    func remoteChanges(changed: [Element], deleted: [Key]) throws(KeyError) -> [Change<Element>] {
        var positions: [Key: Int] = [:]
        var states: [(key: Key, element: Element?)] = []
        for (position, element) in changed.enumerated() {
            let key = try key(of: element, in: "changed")
            if let earlier = positions.updateValue(position, forKey: key) {
                if changed[earlier] == element { continue }
                throw KeyError(.duplicate, in: "changed", key: "\(key)", positions: [earlier, position])
            }
            states.append((key, element))
        }
        for key in deleted {
            if positions[key] != nil {
                throw KeyError(.duplicate, in: "changed and deleted", key: "\(key)", positions: [])
            }
            states.append((key, nil))
        }
        return remoteChanges(states)
    }

    /// The remote's changes against the shadow, given all its elements.
    @inlinable
    func remoteChanges(everything elements: [Element], voidsShadow: Bool) throws(KeyError) -> [Change<Element>] {
        for element in elements { _ = try key(of: element, in: "remote") }
        let changes = try keyedDiff(
            wins: elements, loses: voidsShadow ? [] : shadow, named: ("remote", "shadow"), primaryKey: keyOf,
            duplicates: .refuse)
        return changes?.changes ?? []
    }

    /// Whether something is unsettled. O(*d*)
    @inlinable
    var hasUnsettled: Bool { journal.values.contains(where: \.isUnsettled) }

    /// The decisions with their keys.
    ///
    /// What an earlier cycle has left unsettled is settled if the merge does not speak of it any more.
    @inlinable
    mutating func keyed(
        _ merge: ThreeWayMerge<Element>
    ) -> [(key: Key, decision: ThreeWayMerge<Element>.Decision)] {
        var keyed: [(key: Key, decision: ThreeWayMerge<Element>.Decision)] = []
        for decision in merge.decisions {
            let versions = [decision.local, decision.remote, decision.base, decision.merged].compactMap { $0 }
            guard let key = versions.first.map(keyOf) else { continue }
            precondition(
                versions.allSatisfy { keyOf($0) == key },
                "the merge has a decision on two records, of which one is \(key)")
            keyed.append((key, decision))
        }
        for entry in Array(journal.values) where entry.isUnsettled { setShadow(entry.base, forKey: entry.key) }
        return keyed
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
        entry.isUnsettled = base != remote
        entry.remote = remote
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
            if firstSlot == slot { firstSlot += 1 }
        }
        journal[slot] = entry
        settle(slot)
        checkInvariants()
    }
}
