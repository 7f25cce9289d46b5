/// What a cycle of client, shadow and remote comes to.
///
/// Nothing has been stored: first ``push`` goes to the remote, and only once it has succeeded do ``client`` and
/// ``shadow`` replace the old ones. Where the client can be edited in the meantime, use
/// ``accepted(by:shadow:primaryKey:)``.
public struct CycleResult<Element> {
    /// The client once the push has succeeded.
    ///
    /// Of an unresolved conflict it holds the local version.
    public let client: [Element]

    /// The changes to push to the remote; nil for none.
    public let push: Diff<Element>?

    /// The shadow once the push has succeeded.
    ///
    /// Of an unresolved conflict it holds the old version, so that the next cycle finds the conflict again.
    public let shadow: [Element]

    /// What was decided for each record that either side changed, with the resolutions of conflicts.
    public let merge: ThreeWayMerge<Element>

    /// The shadow with which the cycle began.
    @usableFromInline var oldShadow: [Element]

    /// What the cycle did about different elements with one key.
    @usableFromInline var duplicates = DuplicatePolicy.refuse

    @usableFromInline
    init(
        client: [Element], push: Diff<Element>?, shadow: [Element], oldShadow: [Element], merge: ThreeWayMerge<Element>
    ) {
        self.oldShadow = oldShadow
        self.client = client
        self.push = push
        self.shadow = shadow
        self.merge = merge
    }

    /// The unresolved conflicts.
    public var open: [Conflict<Element>] { merge.open }
}

extension CycleResult where Element: Equatable {
    /// Returns client and shadow once the push has succeeded, with the edits that were made during the cycle.
    ///
    /// ```swift
    /// (notes, shadow) = try cycle.accepted(by: notes, shadow: shadow, primaryKey: \.id)
    /// ```
    ///
    /// A record that was edited during the cycle keeps its edit. If the cycle changes it as well, its base in the shadow is
    /// the version before both changes: the next cycle finds both, and asks the policy if they clash.
    ///
    /// Throws if the shadow is not the one with which the cycle began. So a result that was accepted already, or that
    /// another cycle has overtaken, changes nothing.
    ///
    /// - Parameters:
    ///   - client: The local collection as it is now. Without edits, the result is that of ``client`` and ``shadow``.
    ///   - oldShadow: The shadow as it is now; nil before the first cycle.
    ///   - primaryKey: The key of an element, as for the cycle.
    /// - Throws: ``CycleError`` with the code ``CycleError/Code/overtaken`` for another shadow; ``KeyError`` for two
    ///   different elements of `client` with one key, and for a key that is not equal to itself.
    /// - Complexity: O(*n*), for keys that hash well
    @inlinable
    public func accepted<Key: Hashable>(
        by client: some Collection<Element>, shadow oldShadow: [Element]?, primaryKey: (Element) -> Key
    ) throws -> (client: [Element], shadow: [Element]) {
        try requireOldShadow(oldShadow ?? [])
        var before = self.client
        DifferentialSync.merge(into: &before, applying: merge.toLocal?.inverted(), primaryKey: primaryKey) { _, _ in
            true
        }
        let edits = try keyedDiff(
            wins: client, loses: before, named: ("client", "before"), primaryKey: primaryKey, duplicates: duplicates)
        guard let edits else { return (self.client, shadow) }

        var pulled: [Key: ThreeWayMerge<Element>.Decision] = [:]
        var sameness = SamenessCheck<Element>()
        for decision in merge.decisions where !decision.isOpen {
            guard !sameness.areSame(decision.local, decision.merged),
                let element = decision.local ?? decision.merged
            else { continue }
            pulled[primaryKey(element)] = decision
        }
        var toClient: [Change<Element>] = []
        var toShadow: [Change<Element>] = []
        for edit in edits.changes {
            guard let decision = pulled[primaryKey(edit.element)] else {
                toClient.append(edit)
                continue
            }
            if sameness.areSame(edit.new, decision.merged) { continue }
            if let change = Change(from: decision.merged, to: edit.new) { toClient.append(change) }
            if let change = Change(from: decision.merged, to: decision.local) { toShadow.append(change) }
        }
        var (newClient, newShadow) = (self.client, shadow)
        DifferentialSync.merge(into: &newClient, applying: Diff(toClient), primaryKey: primaryKey) { _, _ in true }
        DifferentialSync.merge(into: &newShadow, applying: Diff(toShadow), primaryKey: primaryKey) { _, _ in true }
        return (newClient, newShadow)
    }

    @usableFromInline
    func requireOldShadow(_ present: [Element]) throws(CycleError) {
        if present == oldShadow { return }
        var sameness = SamenessCheck<Element>()
        if present.count == oldShadow.count
            && present.elementsEqual(oldShadow, by: { sameness.areSame($0, $1) })
        {
            return
        }
        throw CycleError(
            .overtaken,
            """
            the shadow is not the one with which this cycle began: the result was accepted already, or another cycle has \
            changed the shadow. Begin a new cycle
            """)
    }
}

extension CycleResult where Element: Equatable & Identifiable {
    /// Returns client and shadow once the push has succeeded, for elements that know their key.
    ///
    /// See ``accepted(by:shadow:primaryKey:)``.
    ///
    /// - Complexity: O(*n*), for identifiers that hash well
    @inlinable
    public func accepted(
        by client: some Collection<Element>, shadow oldShadow: [Element]?
    ) throws -> (client: [Element], shadow: [Element]) {
        try accepted(by: client, shadow: oldShadow) { $0.id }
    }
}

extension CycleResult: Sendable where Element: Sendable {}
extension CycleResult: Equatable where Element: Equatable {}

extension CycleResult where Element: Equatable {
    /// How many changes were pulled and pushed, and how many conflicts were resolved and not. O(number of changes)
    public var counts: SyncCounts { merge.counts }
}

/// How much a cycle of synchronization has done.
public struct SyncCounts: Hashable, Sendable, Codable {
    /// The changes of the local collection.
    public var pulled: ChangeCounts
    /// The changes of the remote.
    public var pushed: ChangeCounts
    /// How many conflicts were resolved.
    public var settled: Int
    /// How many conflicts are unresolved.
    public var open: Int

    /// Counts, all zero unless given.
    public init(
        pulled: ChangeCounts = ChangeCounts(), pushed: ChangeCounts = ChangeCounts(), settled: Int = 0, open: Int = 0
    ) {
        self.pulled = pulled
        self.pushed = pushed
        self.settled = settled
        self.open = open
    }
}

extension SyncCounts: CustomStringConvertible {
    /// Such as `pulled 2 added; pushed 1 deleted; 1 conflict settled, 0 open`.
    public var description: String {
        "pulled \(pulled); pushed \(pushed); \(settled) conflict\(settled == 1 ? "" : "s") settled, \(open) open"
    }
}

extension ThreeWayMerge where Element: Equatable {
    /// How many changes were pulled and pushed, and how many conflicts were resolved and not. O(number of decisions)
    public var counts: SyncCounts {
        SyncCounts(
            pulled: toLocal?.counts ?? ChangeCounts(), pushed: toRemote?.counts ?? ChangeCounts(),
            settled: settled.count, open: open.count)
    }
}
