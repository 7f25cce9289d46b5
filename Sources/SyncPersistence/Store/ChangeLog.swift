/// The records that a transaction has touched, before and after.
final class ChangeLog {
    /// The changes, in the order in which the records were first touched.
    private(set) var touched = Commit.Changes()

    /// How often a touched record was added or changed.
    private(set) var changeCount = 0

    /// How many stored records were equal to the existing ones.
    private(set) var unchangedCount = 0

    /// Whether the transaction has stored a record otherwise than a change set states it, for example with another
    /// reference.
    private(set) var hasConsequences = false

    /// Whether records were stored as the remote's version.
    private(set) var hasIncomingChanges = false

    /// Whether records were changed locally, by a consequence, or by a decision of the user.
    private(set) var hasOtherChanges = false

    /// The extent of a user's decision.
    enum Decision {
        /// The user has decided nothing.
        case nothing
        /// The user has decided on the changes. A violated rule is an error, and no change waits.
        case changes
        /// The user has also decided on the consequences. Consequences of agreed changes are agreed.
        case changesWithConsequences
    }

    /// The decision about the changes that are being made.
    private(set) var decision = Decision.nothing

    /// Called with the old and the new version of each changed record.
    var onTouch: ((Record?, Record?) -> Void)?

    /// The next places at the ends of ordered relationships.
    var linkPositions = LinkPositions()

    /// The state of each hierarchy that the transaction has used, by its root.
    private(set) var hierarchies: [String: HierarchyState] = [:]
    // The two hierarchies that were used last, to which the next record usually belongs.
    private var latestHierarchy: HierarchyState?
    private var previousHierarchy: HierarchyState?

    /// The expected number of touched records.
    private var expectedCount = 0

    /// Whether a record was touched twice, and may be as it was before.
    private var mayHaveReverted = false

    /// How often a record was removed, or replaced by one of another entity.
    private(set) var removalCount = 0

    /// Whether a record was inserted under a key that the transaction had touched before.
    ///
    /// Records are then not stored in the order of ``touched``.
    private(set) var hasReinsertions = false

    /// Reads what is stored.
    private let store: ReadTransaction

    /// Creates the log of a transaction.
    ///
    /// - Parameter store: Reads what is stored.
    init(of store: ReadTransaction) {
        self.store = store
    }

    /// Runs a body that makes changes on which a user has decided.
    func deciding(_ decision: Decision, _ body: () throws -> Void) rethrows {
        let former = self.decision
        self.decision = decision
        defer { self.decision = former }
        try body()
    }

    /// Makes room for a number of changes.
    func reserve(_ count: Int) {
        expectedCount = count
        touched.reserveCapacity(touched.count + count)
    }

    /// The effective changes so far: records that are as they were at the beginning are left out.
    var changesSoFar: Commit.Changes {
        var changes = touched
        if mayHaveReverted { changes.removeReverted() }
        return changes
    }

    /// Returns the effective changes at the end of the transaction: from then on, no record is looked up.
    func effectiveChanges() -> Commit.Changes {
        if mayHaveReverted { touched.removeReverted() }
        return touched
    }
}

extension ChangeLog {
    /// Returns the state of a shape's hierarchy.
    func hierarchy(of shape: Shape) throws -> HierarchyState {
        if let known = knownHierarchy(of: shape) { return known }
        let root = try store.shape(shape.root)
        let journal = store.schema.journal(of: root)
        // Internal records are not among the touched ones.
        let isTouched = root.role == nil || root.role == .links
        let state = HierarchyState(
            root: root, wasEmpty: try isTouched && store.storage.count(Query(root.name, limit: 1)) == 0,
            HierarchyJournal(
                journal, wasEmpty: try journal.map { try store.storage.count(Query($0.name, limit: 1)) == 0 } ?? true))
        if hierarchies.isEmpty { state.positions.reserve(expectedCount) }
        hierarchies[root.name] = state
        return keep(state)
    }

    /// Returns the state of a shape's hierarchy; nil if the transaction has not used it.
    func knownHierarchy(of shape: Shape) -> HierarchyState? {
        if let latest = latestHierarchy, latest.root === shape || latest.root.name == shape.root { return latest }
        if let previous = previousHierarchy, previous.root === shape { return keep(previous) }
        return hierarchies[shape.root].map(keep)
    }

    /// Returns a state, and keeps it as the latest.
    private func keep(_ state: HierarchyState) -> HierarchyState {
        if state !== latestHierarchy { (latestHierarchy, previousHierarchy) = (state, latestHierarchy) }
        return state
    }

    /// Returns the index of a record in ``touched``.
    func position(of key: DigestedKey, in hierarchy: HierarchyState) -> Int? {
        hierarchy.positions.find(key.digest) { isKey(key.key, at: $0, of: hierarchy) }
    }

    /// Returns the change of a record; nil if the transaction has not touched it.
    func change(of key: DigestedKey, in hierarchy: HierarchyState) -> Commit.RecordChange? {
        position(of: key, in: hierarchy).map { touched[$0] }
    }

    /// Returns the change of a record that was last stored as the remote's version; nil for other records.
    func incomingChange(of key: DigestedKey, in hierarchy: HierarchyState) -> Commit.RecordChange? {
        guard let position = position(of: key, in: hierarchy), touched.isIncoming(at: position) else { return nil }
        return touched[position]
    }

    /// Whether a key is that of the record at an index, which may not exist.
    private func isKey(_ key: Value, at position: Int, of hierarchy: HierarchyState) -> Bool {
        touched.isKey(key, at: position) ?? (hierarchy.keysOfNone[position] == key)
    }

    /// Returns the record with a key in the hierarchy of a shape.
    func record(_ key: DigestedKey, of shape: Shape, in state: HierarchyState) throws -> Record? {
        if let position = position(of: key, in: state) { return touched[position].new }
        return state.wasEmpty ? nil : try store.storage.record(key.key, in: shape)
    }

    /// Returns the record of an entity, or of an inheriting one, with a key; nil if there is none.
    func record(_ id: RecordID) throws -> Record? {
        let shape = try store.shape(id.entity)
        guard let state = knownHierarchy(of: shape) else { return try store.record(id) }
        let record = try record(DigestedKey(id.key), of: shape, in: state)
        return record.flatMap { $0.shape === shape || $0.shape.inherits(id.entity) ? $0 : nil }
    }

    /// Whether there is a record of an entity, or of an inheriting one, with a key.
    func contains(_ id: RecordID) throws -> Bool {
        try contains(DigestedKey(id.key), of: store.shape(id.entity))
    }

    /// Whether there is a record of a shape, or of an inheriting one, with a key.
    func contains(_ key: DigestedKey, of shape: Shape) throws -> Bool {
        // Any record of the hierarchy inherits its root.
        guard shape.isRoot else { return try record(RecordID(shape.name, key.key)) != nil }
        if let state = knownHierarchy(of: shape) {
            if let position = position(of: key, in: state) { return touched.exists(at: position) }
            if state.wasEmpty { return false }
        }
        return try store.storage.contains(key.key, in: shape)
    }
}

extension ChangeLog {
    /// Adds the change of a record.
    func touch(
        _ key: DigestedKey, of hierarchy: HierarchyState, old: consuming Record?, new: consuming Record?,
        origin: ChangeSet.Origin, isConsequence: Bool
    ) {
        changeCount += 1
        onTouch?(old, new)
        if let old { linkPositions.remove(old, becoming: new) }
        if let new { linkPositions.add(new) }
        let isNone = new == nil
        if let old, isNone || old.shape !== new?.shape { removalCount += 1 }
        let known = hierarchy.positions.find(key.digest, orInsert: touched.count) {
            isKey(key.key, at: $0, of: hierarchy)
        }
        if isNone, known.map(touched.isNew) ?? (old == nil) {
            hierarchy.keysOfNone[known ?? touched.count] = key.key
        }
        let isIncoming = countChange(origin, isConsequence)
        if isConsequence { hasConsequences = true }
        if let position = known {
            var change = touched[position]
            if !isNone, change.new == nil { hasReinsertions = true }
            change.new = new
            change.origin = origin
            change.isConsequence = change.isConsequence && isConsequence
            if !isConsequence { change.isIncoming = isIncoming }
            touched.replace(at: position, by: change)
            mayHaveReverted = true
        } else {
            var change = Commit.RecordChange(old: old, new: new, origin: origin, isConsequence: isConsequence)
            change.isIncoming = isIncoming
            touched.append(change)
        }
    }

    /// Adds a new record, unless the transaction has touched the key before; returns whether it has not.
    func touchFirst(
        _ key: DigestedKey, of hierarchy: HierarchyState, new: Record, origin: ChangeSet.Origin, isConsequence: Bool
    ) -> Bool {
        let known = hierarchy.positions.find(key.digest, orInsert: touched.count) {
            isKey(key.key, at: $0, of: hierarchy)
        }
        if known != nil { return false }
        changeCount += 1
        linkPositions.add(new)
        if new.shape.hasReferences { onTouch?(nil, new) }
        var change = Commit.RecordChange(old: nil, new: new, origin: origin, isConsequence: isConsequence)
        change.isIncoming = countChange(origin, isConsequence)
        touched.append(change)
        return true
    }

    /// Adds an unchanged record whose journal entry has changed.
    func touchEntry(_ key: DigestedKey, of hierarchy: HierarchyState, record: Record?) {
        let hadConsequences = hasConsequences
        touch(key, of: hierarchy, old: record, new: record, origin: .agreed, isConsequence: true)
        hasConsequences = hadConsequences
        mayHaveReverted = true
    }

    /// Sets the origin of a touched record.
    func setOrigin(_ origin: ChangeSet.Origin, of key: DigestedKey, in state: HierarchyState) {
        if let position = position(of: key, in: state) { change(at: position) { $0.origin = origin } }
    }

    /// Records that a touched record is no longer the remote's version.
    func clearIncoming(_ key: DigestedKey, in state: HierarchyState) {
        if let position = position(of: key, in: state) { change(at: position) { $0.isIncoming = false } }
    }

    /// Changes the entry of a touched record.
    private func change(at position: Int, _ body: (inout Commit.RecordChange) -> Void) {
        var change = touched[position]
        body(&change)
        touched.replace(at: position, by: change)
    }

    /// Counts a stored record that was equal to the existing one.
    func countUnchanged() { unchangedCount += 1 }

    /// Records that a record differs from what the change sets state.
    func setHasConsequences() { hasConsequences = true }

    /// Returns whether a change makes a record the remote's version, and remembers that there was one.
    private func countChange(_ origin: ChangeSet.Origin, _ isConsequence: Bool) -> Bool {
        let isIncoming = origin != .local && !isConsequence && decision == .nothing
        if isIncoming { hasIncomingChanges = true } else { hasOtherChanges = true }
        return isIncoming
    }
}
