import DifferentialSync
package import SyncPersistence

/// A model of a store in the plainest way, compared with real stores in random tests.
///
/// Each commit copies the whole state, each query scans all records, and the shadow is a second copy of all records.
package struct NaiveStore {
    /// The schema, which never changes.
    let schema: Schema
    /// The present state, which includes the changes of the running commit.
    var state = State()

    /// The stored data.
    struct State {
        /// The records of each hierarchy in insertion order, by the name of its root.
        var rows: [String: [Record]] = [:]
        /// The records that both sides last agreed on, under root names.
        var shadow: [RecordID: Record] = [:]
        /// The remote's version of each record that the remote has in another state than the shadow.
        ///
        /// An inner nil means that the remote has deleted the record.
        var open: [RecordID: Record?] = [:]
        /// The records in the history, each with the last number of the commit that changed it.
        var history: [RecordID: Int64] = [:]
        /// The metadata, including the model's own under names that begin with `sync.`.
        var metadata: [String: String] = [:]
        /// The records that wait for a missing one, in order of arrival, by the missing record.
        var awaited: [RecordID: [RecordID]] = [:]
    }

    // The variables below belong to the running commit.
    /// The state before the commit.
    var before = State()
    /// The records whose remote change is kept in the journal.
    var heldBack: Set<RecordID> = []
    /// The names of metadata that have changed.
    var names: Set<String> = []
    /// The keys that references newly name, and that must exist at the end.
    var named: Set<Value> = []
    /// The last assigned or given integer key of each hierarchy with implicit keys.
    var lastKeys: [String: Int64] = [:]
    /// The deleted records with a `.deny` rule, and the records that may deny the deletion.
    var denials: [(record: Record, relationship: ShapeRelationship, others: [RecordID])] = []
    /// The references that were set to null, and must be optional at the end.
    var cleared: [(id: RecordID, slot: String)] = []
    /// The remote changes that are decided at the end of the commit.
    var incoming = IncomingState()

    /// Creates an empty model for a schema.
    package init(schema: Schema) {
        self.schema = schema
        for root in schema.roots where root.isStored { state.rows[root.name] = [] }
    }
}

extension Shape {
    /// Whether the shape has records of the user or links, not internal data.
    fileprivate var isStored: Bool { role == nil || role == .links }
}

extension NaiveStore {
    /// The contents, in the form that is compared with a store.
    ///
    /// - Complexity: O(*n*²) for *n* records, because each lookup is a scan.
    package var image: StoreImage {
        var image = StoreImage()
        image.records = state.rows
        image.metadata = state.metadata
        image.history = Set(state.history.keys)
        if keepsHistory {
            image.fingerprint = state.rows.values.joined().reduce(StoreFingerprint()) { $0 + StoreFingerprint(of: $1) }
        }
        for rootID in Set(state.shadow.keys).union(state.open.keys).union(allIDs) where isDirty(rootID) {
            image.journal.insert(
                JournalEntry(
                    id: rootID, base: state.shadow[rootID], isUnresolved: state.open[rootID] != nil,
                    remote: state.open[rootID].flatMap(\.self)))
        }
        return image
    }

    /// The records of all hierarchies, under root names.
    private var allIDs: [RecordID] { state.rows.flatMap { root, rows in rows.map { RecordID(root, $0.key) } } }

    /// Applies the operations, then decides the remote changes, then checks the schema.
    ///
    /// A refusal at any point restores the state before the commit.
    package mutating func commit(_ changes: ChangeSet) -> StoreOutcome {
        before = state
        (heldBack, names, named, lastKeys, denials, cleared) = ([], [], [], [:], [], [])
        incoming = IncomingState(origin: changes.origin)
        defer { incoming.agreed = [] }
        do {
            for operation in changes.operations { try apply(operation, changes.origin) }
            try settleIncoming()
            try checkTheWhole()
            for root in incoming.agreed where state.open[root] == .some(row(root)) { settle(root) }
            heldBack = heldBack.filter { state.open[rootID($0)] != nil }
        } catch let refusal as Refusal {
            state = before
            return .refused(refusal.code)
        } catch {
            preconditionFailure("only codes are thrown here")
        }
        for (root, key) in lastKeys { state.metadata["sync.lastKey.\(root)"] = "\(key)" }
        var net: Set<Change<Record>> = []
        for (root, rows) in state.rows {
            let old = before.rows[root] ?? []
            for key in Set(rows.map(\.key)).union(old.map(\.key)) {
                let (was, now) = (old.first { $0.key == key }, rows.first { $0.key == key })
                if was != now, let change = Change(from: was, to: now) { net.insert(change) }
            }
        }
        if !net.isEmpty { addToHistory(net) }
        var sequence = Int64(before.metadata["sync.sequence"] ?? "0") ?? 0
        let hasChanged =
            !net.isEmpty || state.metadata != before.metadata || state.shadow != before.shadow
            || state.open != before.open || !names.isEmpty || !heldBack.isEmpty
        if hasChanged {
            sequence += 1
            state.metadata["sync.sequence"] = "\(sequence)"
        }
        return .committed(changes: net, heldBack: heldBack, metadata: names, sequence: sequence)
    }
}

/// An error with the code that a store must throw.
struct Refusal: Error {
    let code: PersistenceError.Code
}

// MARK: looking

extension NaiveStore {
    /// Returns the shape of an entity; throws `.unknownName` if there is none.
    func shape(_ entity: String) throws -> Shape {
        guard let shape = schema[entity] else { throw Refusal(code: .unknownName) }
        return shape
    }

    /// Returns the same record's identifier under the name of its hierarchy's root.
    func rootID(_ id: RecordID) -> RecordID { RecordID(schema[id.entity]?.root ?? id.entity, id.key) }

    /// Returns the record with an identifier, if it is of the entity or a descendant.
    ///
    /// - Complexity: O(*n*) for *n* records of the hierarchy.
    func row(_ id: RecordID) -> Record? {
        let record = state.rows[rootID(id).entity]?.first { $0.key == id.key }
        return record.flatMap { $0.shape.inherits(id.entity) ? $0 : nil }
    }

    /// Returns the records of an entity and its descendants that fulfil a condition.
    func all(_ entity: String, _ isIncluded: (Record) -> Bool) -> [Record] {
        (state.rows[schema[entity]?.root ?? entity] ?? []).filter { $0.shape.inherits(entity) && isIncluded($0) }
    }

    /// Whether the record differs from the shadow, or the remote is known to differ from it.
    func isDirty(_ id: RecordID) -> Bool {
        let id = rootID(id)
        return state.open[id] != nil || state.shadow[id] != row(id) || incoming.agreed.contains(id)
    }

    /// Returns a relationship of an entity; throws `.unknownName` if there is none.
    func relationship(_ name: String, of entity: String) throws -> ShapeRelationship {
        guard let found = try shape(entity).relationships.first(where: { $0.definition.name == name }) else {
            throw Refusal(code: .unknownName)
        }
        return found
    }

    /// Returns the links of one end, in its order if it has one.
    func links(_ name: String, _ end: LinkEnd, of key: Value) -> [Record] {
        let links = all(name) { $0[end.near] == key }
        guard schema[name]?.slot(named: end.position) != nil else { return links }
        return sorted(links, by: end.position)
    }

    /// Returns records sorted by a number, nulls first, and those with the same number by their keys.
    private func sorted(_ records: [Record], by slot: String) -> [Record] {
        records.sorted { left, right in
            left[slot] == right[slot]
                ? Value.areInIncreasingOrder(left.key, right.key)
                : Value.areInIncreasingOrder(left[slot], right[slot])
        }
    }

    /// Returns the records that a relationship of a record leads to, in its order.
    func targets(_ relationship: ShapeRelationship, of record: Record) -> [Record] {
        let destination = relationship.definition.destination
        switch relationship.storage {
        case .reference(let slot, _, _): return [row(RecordID(destination, record[slot]))].compactMap(\.self)
        case .inverse(let slot, let position):
            let records = all(destination) { $0[slot] == record.key }
            return position.map { sorted(records, by: $0) } ?? records
        case .links(let name, let end):
            return links(name, end, of: record.key).compactMap { row(RecordID(destination, $0[end.far])) }
        }
    }

    /// Returns the keys that a relationship leads to, in its order, even if their records are missing.
    func relatedKeys(_ relationship: ShapeRelationship, of id: RecordID) -> [Value] {
        switch relationship.storage {
        case .reference(let slot, _, _): return [row(id)?[slot] ?? .null].filter { !$0.isNull }
        case .inverse(let slot, let position):
            let records = all(relationship.definition.destination) { $0[slot] == id.key }
            return (position.map { sorted(records, by: $0) } ?? records).map(\.key)
        case .links(let name, let end): return links(name, end, of: id.key).map { $0[end.far] }
        }
    }

    /// Returns the record that a change of an origin applies to.
    ///
    /// For a remote change of a locally changed record, that is the remote's version.
    func known(_ id: RecordID, _ origin: ChangeSet.Origin) -> Record? {
        guard origin == .remote, isDirty(id) else { return row(id) }
        let root = rootID(id)
        let known = state.open[root] ?? state.shadow[root]
        return known.flatMap { $0.shape.inherits(id.entity) ? $0 : nil }
    }
}
