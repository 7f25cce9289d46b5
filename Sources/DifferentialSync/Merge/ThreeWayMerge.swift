/// The decisions of a three-way merge for each record that either side changed since their common base.
///
/// It is made from the two sides' diffs against the base. So its cost depends on the diffs, not on the collections'
/// size:
///
/// ```swift
/// let merge = try ThreeWayMerge(
///     local: diff(wins: mine, loses: base, primaryKey: \.id),
///     remote: diff(wins: theirs, loses: base, primaryKey: \.id),
///     primaryKey: \.id, policy: .newest(by: \.modified))
/// merge.toLocal     // the changes that the local side lacks
/// merge.toRemote    // the changes that the remote lacks
/// merge.open        // the unresolved conflicts
/// ```
///
/// A change of one side is merged, and so is the same change of both. All other records are conflicts, and the policy
/// resolves them.
public struct ThreeWayMerge<Element> {
    /// The decision for one record.
    ///
    /// A version is nil if the record is absent there.
    public struct Decision {
        /// The record in the base.
        public let base: Element?
        /// The local record.
        public let local: Element?
        /// The remote's record.
        public let remote: Element?
        /// The record after the merge, on both sides and in the base.
        ///
        /// For an unresolved conflict, the base.
        public let merged: Element?
        /// The resolution of the conflict; nil if there was none.
        public let resolution: Resolution<Element>?

        @inlinable
        init(
            base: Element?, local: Element?, remote: Element?, merged: Element?, resolution: Resolution<Element>? = nil
        ) {
            self.base = base
            self.local = local
            self.remote = remote
            self.merged = merged
            self.resolution = resolution
        }

        /// Whether the conflict is unresolved: both sides keep their record.
        @inlinable
        public var isOpen: Bool {
            if case .open = resolution { true } else { false }
        }

        /// The conflict that the policy resolved; nil if there was none.
        @inlinable
        public var conflict: Conflict<Element>? {
            resolution == nil ? nil : Conflict(base: base, local: local, remote: remote)
        }
    }

    /// The decisions: for the records that the local diff changes, in its order, then for those that only the remote
    /// changed.
    public let decisions: [Decision]

    /// Creates a merge of decisions, in the order of the diffs.
    @usableFromInline
    init(decisions: [Decision]) {
        self.decisions = decisions
    }
}

extension ThreeWayMerge where Element: Equatable {
    /// Merges the changes of two sides.
    ///
    /// - Parameters:
    ///   - local: The local changes since the base; nil for none.
    ///   - remote: The remote's changes since the base; nil for none.
    ///   - primaryKey: The key of an element.
    ///   - policy: Resolves conflicts.
    /// - Throws: ``MismatchError`` if the diffs have different bases. ``KeyError`` for two additions or two deletions
    ///   of one diff with the same key, for a key that is not equal to itself, and for a policy that returns a record
    ///   with another key. Otherwise the errors of the policy.
    /// - Complexity: O(size of both diffs), for keys that hash well
    @inlinable
    public init<Key: Hashable & Sendable>(
        local: Diff<Element>?, remote: Diff<Element>?, primaryKey: (Element) -> Key, policy: ConflictPolicy<Element>
    ) throws {
        // A decoded diff may replace a record by an equal one. That is no change.
        var sameness = SamenessCheck<Element>()
        let local =
            try local?.changes(named: "local", primaryKey: primaryKey)
            .filter { !sameness.areSame($0.old, $0.new) } ?? []
        let remote =
            try remote?.changes(named: "remote", primaryKey: primaryKey)
            .filter { !sameness.areSame($0.old, $0.new) } ?? []
        try self.init(local: local, remote: remote, primaryKey: primaryKey, resolve: policy.resolve)
    }

    /// Merges the changes of two sides, each with at most one change for a key.
    ///
    /// - Throws: The error of `resolve`; ``KeyError`` if it returns an element with another key; ``MismatchError`` if the
    ///   changes have different bases.
    /// - Complexity: O(*d*) for *d* changes of both sides
    @inlinable
    init<Key: Hashable & Sendable>(
        local: [Change<Element>], remote: [Change<Element>], primaryKey: (Element) -> Key,
        resolve: (Conflict<Element>) throws -> Resolution<Element>
    ) throws {
        var remotePositions = [Key: Int](minimumCapacity: remote.count)
        for (position, change) in remote.enumerated() { remotePositions[primaryKey(change.element)] = position }
        var isMet = [Bool](repeating: false, count: remote.count)
        var mismatches: [MismatchError.Mismatch] = []
        var decisions: [Decision] = []
        var sameness = SamenessCheck<Element>()
        decisions.reserveCapacity(local.count + remote.count)
        for change in local {
            let key = primaryKey(change.element)
            guard let position = remotePositions[key] else {
                let (old, new) = (change.old, change.new)
                decisions.append(Decision(base: old, local: new, remote: old, merged: new))
                continue
            }
            isMet[position] = true
            if !sameness.areSame(change.old, remote[position].old) {
                mismatches.append(MismatchError.Mismatch(.differs, in: "remote", at: position))
                continue
            }
            let remoteNew = remote[position].new
            if sameness.areSame(change.new, remoteNew) {
                decisions.append(Decision(base: change.old, local: remoteNew, remote: remoteNew, merged: remoteNew))
                continue
            }
            let conflict = Conflict(base: change.old, local: change.new, remote: remoteNew)
            try decisions.append(ThreeWayMerge.decision(conflict, key: key, primaryKey: primaryKey, resolve: resolve))
        }
        for (position, change) in remote.enumerated() where !isMet[position] {
            let (old, new) = (change.old, change.new)
            decisions.append(Decision(base: old, local: old, remote: new, merged: new))
        }
        if !mismatches.isEmpty { throw MismatchError(mismatches) }
        self.init(decisions: decisions)
    }

    /// Decides a conflict, and checks that the resolution keeps the key.
    @inlinable
    static func decision<Key: Hashable & Sendable>(
        _ conflict: Conflict<Element>, key: Key, primaryKey: (Element) -> Key,
        resolve: (Conflict<Element>) throws -> Resolution<Element>
    ) throws -> Decision {
        let resolution = try resolve(conflict)
        let merged: Element?
        switch resolution {
        case .local: merged = conflict.local
        case .remote: merged = conflict.remote
        case .base, .open: merged = conflict.base
        case .delete: merged = nil
        case .merged(let element):
            guard primaryKey(element) == key else {
                throw KeyError(.changed, in: "merged", key: key)
            }
            merged = element
        }
        return Decision(
            base: conflict.base, local: conflict.local, remote: conflict.remote, merged: merged, resolution: resolution)
    }
}

extension ThreeWayMerge where Element: Equatable {
    /// The changes that the local side lacks; nil for none. O(number of decisions)
    @inlinable
    public var toLocal: Diff<Element>? { changes { $0.local } }

    /// The changes that the remote lacks; nil for none. O(number of decisions)
    @inlinable
    public var toRemote: Diff<Element>? { changes { $0.remote } }

    /// The changes that turn the base into the next common state of both sides; nil for none.
    ///
    /// The base of an unresolved conflict is kept. O(number of decisions)
    @inlinable
    public var toBase: Diff<Element>? { changes { $0.base } }

    /// Returns the changes that lead from one side to the decided elements; nil if there are none.
    @inlinable
    func changes(from side: (Decision) -> Element?) -> Diff<Element>? {
        var changes: [Change<Element>] = []
        var sameness = SamenessCheck<Element>()
        for decision in decisions where !decision.isOpen {
            let old = side(decision)
            if sameness.areSame(old, decision.merged) { continue }
            if let change = Change(from: old, to: decision.merged) { changes.append(change) }
        }
        return Diff(changes)
    }
}

extension ThreeWayMerge {
    /// The decisions on resolved conflicts, each with its resolution. O(number of decisions)
    public var resolved: [Decision] { decisions.filter { $0.resolution != nil && !$0.isOpen } }

    /// The unresolved conflicts. O(number of decisions)
    public var open: [Conflict<Element>] { decisions.filter(\.isOpen).compactMap(\.conflict) }
}

extension ThreeWayMerge: Sendable where Element: Sendable {}
extension ThreeWayMerge: Equatable where Element: Equatable {}
extension ThreeWayMerge.Decision: Sendable where Element: Sendable {}
extension ThreeWayMerge.Decision: Equatable where Element: Equatable {}
