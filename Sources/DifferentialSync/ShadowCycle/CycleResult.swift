/// The result of a cycle of client, shadow and remote.
///
/// Nothing has been stored. The caller sends ``push`` to the remote. Only after it has succeeded, ``client`` and
/// ``shadow`` replace the old ones. If the client can be edited in the meantime, use
/// ``accepted(by:shadow:primaryKey:)``.
public struct CycleResult<Element> {
    /// The client after the push has succeeded.
    ///
    /// It has the local version of an unresolved conflict.
    public let client: [Element]

    /// The changes to push to the remote; nil for none.
    public let push: Diff<Element>?

    /// The shadow after the push has succeeded.
    ///
    /// It has the old version of an unresolved conflict, so that the next cycle finds the conflict again.
    public let shadow: [Element]

    /// The decision for each record that either side changed, with the resolutions of conflicts.
    public let merge: ThreeWayMerge<Element>

    /// The shadow with which the cycle began.
    @usableFromInline var oldShadow: [Element]

    /// The cycle's policy for different elements with the same key.
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

    /// The new client and shadow after the push has succeeded.
    public struct Accepted {
        /// The new client.
        public let client: [Element]
        /// The new shadow.
        public let shadow: [Element]

        @usableFromInline
        init(client: [Element], shadow: [Element]) {
            self.client = client
            self.shadow = shadow
        }
    }
}

extension CycleResult.Accepted: Sendable where Element: Sendable {}
extension CycleResult.Accepted: Equatable where Element: Equatable {}

extension CycleResult where Element: Equatable {
    /// Returns the new client and shadow after the push has succeeded, with the edits that were made during the cycle.
    ///
    /// ```swift
    /// let accepted = try cycle.accepted(by: notes, shadow: shadow, primaryKey: \.id)
    /// (notes, shadow) = (accepted.client, accepted.shadow)
    /// ```
    ///
    /// A record that was edited during the cycle keeps its edit. If the cycle changes it as well, the shadow has the
    /// version before both changes. So the next cycle finds both changes, and the policy resolves a conflict between
    /// them.
    ///
    /// Throws if the shadow is not the one with which the cycle began. So a result cannot be accepted twice, or after
    /// another cycle.
    ///
    /// - Parameters:
    ///   - client: The present local collection. Without edits, the result is ``client`` and ``shadow``.
    ///   - oldShadow: The present shadow; nil before the first cycle.
    ///   - primaryKey: The key of an element, the same as for the cycle.
    /// - Returns: The new client and shadow.
    /// - Throws: ``CycleError`` with the code ``CycleError/Code/overtaken`` for another shadow; ``KeyError`` for
    ///   duplicates in `client` that the cycle's policy refuses, and for a key that is not equal to itself.
    /// - Complexity: O(*n*), for keys that hash well
    @inlinable
    public func accepted<Key: Hashable & Sendable>(
        by client: some Collection<Element>, shadow oldShadow: [Element]?, primaryKey: (Element) -> Key
    ) throws -> Accepted {
        try requireOldShadow(oldShadow ?? [])
        var before = self.client
        DifferentialSync.merge(into: &before, applying: merge.toLocal?.inverted(), primaryKey: primaryKey) { _, _ in
            true
        }
        let edits = try keyedDiff(
            wins: client, loses: before, named: ("client", "before"), primaryKey: primaryKey, duplicates: duplicates)
        guard let edits else { return Accepted(client: self.client, shadow: shadow) }

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
        return Accepted(client: newClient, shadow: newShadow)
    }

    /// Requires that the shadow is still the one that the cycle began with.
    ///
    /// - Throws: ``CycleError`` if another cycle has changed it meanwhile.
    /// - Complexity: O(*n*) for *n* elements
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

extension CycleResult where Element: Equatable & Identifiable, Element.ID: Sendable {
    /// Returns the new client and shadow after the push has succeeded, for `Identifiable` elements.
    ///
    /// See ``accepted(by:shadow:primaryKey:)``.
    ///
    /// - Complexity: O(*n*), for identifiers that hash well
    @inlinable
    public func accepted(
        by client: some Collection<Element>, shadow oldShadow: [Element]?
    ) throws -> Accepted {
        try accepted(by: client, shadow: oldShadow) { $0.id }
    }
}

extension CycleResult: Sendable where Element: Sendable {}
extension CycleResult: Equatable where Element: Equatable {}

extension CycleResult where Element: Equatable {
    /// The numbers of pulled and pushed changes, and of resolved and unresolved conflicts. O(number of changes)
    public var counts: SyncCounts { merge.counts }
}

/// The numbers of changes and conflicts of a cycle.
public struct SyncCounts: Hashable, Sendable, Codable {
    /// The changes of the local collection.
    public var pulled: ChangeCounts
    /// The changes of the remote.
    public var pushed: ChangeCounts
    /// The number of resolved conflicts.
    public var resolved: Int
    /// The number of unresolved conflicts.
    public var open: Int

    /// Creates counts, which are zero unless given.
    public init(
        pulled: ChangeCounts = ChangeCounts(), pushed: ChangeCounts = ChangeCounts(), resolved: Int = 0, open: Int = 0
    ) {
        self.pulled = pulled
        self.pushed = pushed
        self.resolved = resolved
        self.open = open
    }
}

extension SyncCounts: CustomStringConvertible {
    /// The counts as text, such as `pulled 2 added; pushed 1 deleted; 1 conflict resolved, 0 open`.
    public var description: String {
        "pulled \(pulled); pushed \(pushed); \(resolved) conflict\(resolved == 1 ? "" : "s") resolved, \(open) open"
    }
}

extension ThreeWayMerge where Element: Equatable {
    /// The numbers of pulled and pushed changes, and of resolved and unresolved conflicts. O(number of decisions)
    public var counts: SyncCounts {
        SyncCounts(
            pulled: toLocal?.counts ?? ChangeCounts(), pushed: toRemote?.counts ?? ChangeCounts(),
            resolved: resolved.count, open: open.count)
    }
}
