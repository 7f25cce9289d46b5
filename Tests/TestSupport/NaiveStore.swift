import DifferentialSync
package import SyncPersistence

/// What a store does, in the plainest way: all state in dictionaries that are copied for each change set, every question
/// answered by looking at all records; the shadow is a second copy of everything, and what has changed is what differs.
package struct NaiveStore: StoreModel {
    let schema: Schema
    var state = State()

    struct State {
        /// The records of each hierarchy in their order.
        var rows: [String: [Record]] = [:]
        /// What both sides had last in common.
        var shadow: [RecordID: Record] = [:]
        /// What the remote holds, where that is known to be something else.
        var open: [RecordID: Record?] = [:]
        var tombstones: [RecordID: Int64] = [:]
        var metadata: [String: String] = [:]
        /// Records that wait for one that is not there, in the order in which they came, by that.
        var awaited: [RecordID: [RecordID]] = [:]
    }

    // What a transaction knows of itself.
    var before = State()
    var heldBack: Set<RecordID> = []
    var names: Set<String> = []
    var named: Set<Value> = []
    var lastKeys: [String: Int64] = [:]
    var denials: [(record: Record, relationship: ShapeRelationship, others: [RecordID])] = []
    var cleared: [(id: RecordID, slot: String)] = []
    var incoming = IncomingState()

    package init(schema: Schema) {
        self.schema = schema
        for root in schema.roots where root.isStored { state.rows[root.name] = [] }
    }
}

extension Shape {
    /// Whether it is one of the user's, or of links.
    fileprivate var isStored: Bool { role == nil || role == .links }
}

extension NaiveStore {
    package var image: StoreImage {
        var image = StoreImage()
        image.records = state.rows
        image.metadata = state.metadata
        image.tombstones = state.tombstones
        for rootID in Set(state.shadow.keys).union(state.open.keys).union(allIDs) where isDirty(rootID) {
            image.journal.insert(
                JournalEntry(
                    id: rootID, base: state.shadow[rootID], isUnsettled: state.open[rootID] != nil,
                    remote: state.open[rootID].flatMap(\.self)))
        }
        return image
    }

    private var allIDs: [RecordID] { state.rows.flatMap { root, rows in rows.map { RecordID(root, $0.key) } } }

    package mutating func commit(_ changes: ChangeSet) -> StoreOutcome {
        before = state
        (heldBack, names, named, lastKeys, denials, cleared) = ([], [], [], [:], [], [])
        incoming = IncomingState(origin: changes.origin)
        do {
            for operation in changes.operations { try apply(operation, changes.origin) }
            try settleIncoming()
            try checkTheWhole()
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

/// Why a change is not made.
struct Refusal: Error {
    let code: PersistenceError.Code
}

// MARK: looking

extension NaiveStore {
    func shape(_ entity: String) throws -> Shape {
        guard let shape = schema[entity] else { throw Refusal(code: .unknownName) }
        return shape
    }

    /// An id under the name of the hierarchy's root.
    func rootID(_ id: RecordID) -> RecordID { RecordID(schema[id.entity]?.root ?? id.entity, id.key) }

    func row(_ id: RecordID) -> Record? {
        let record = state.rows[rootID(id).entity]?.first { $0.key == id.key }
        return record.flatMap { $0.shape.inherits(id.entity) ? $0 : nil }
    }

    func all(_ entity: String, _ isIncluded: (Record) -> Bool) -> [Record] {
        (state.rows[schema[entity]?.root ?? entity] ?? []).filter { $0.shape.inherits(entity) && isIncluded($0) }
    }

    func isDirty(_ id: RecordID) -> Bool {
        let id = rootID(id)
        return state.open[id] != nil || state.shadow[id] != row(id)
    }

    func relationship(_ name: String, of entity: String) throws -> ShapeRelationship {
        guard let found = try shape(entity).relationships.first(where: { $0.definition.name == name }) else {
            throw Refusal(code: .unknownName)
        }
        return found
    }

    /// The links of a record, in their order.
    func links(_ name: String, _ end: LinkEnd, of key: Value) -> [Record] {
        let links = all(name) { $0[end.near] == key }
        guard schema[name]?.slot(named: end.position) != nil else { return links }
        return sorted(links, by: end.position)
    }

    /// By a number, nulls first, else as they stand.
    private func sorted(_ records: [Record], by slot: String) -> [Record] {
        records.enumerated().sorted { left, right in
            let (one, other) = (left.element[slot], right.element[slot])
            return one == other ? left.offset < right.offset : Value.areInIncreasingOrder(one, other)
        }.map(\.element)
    }

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

    func relatedKeys(_ relationship: ShapeRelationship, of id: RecordID) -> [Value] {
        switch relationship.storage {
        case .reference(let slot, _, _): return [row(id)?[slot] ?? .null].filter { !$0.isNull }
        case .inverse(let slot, let position):
            let records = all(relationship.definition.destination) { $0[slot] == id.key }
            return (position.map { sorted(records, by: $0) } ?? records).map(\.key)
        case .links(let name, let end): return links(name, end, of: id.key).map { $0[end.far] }
        }
    }

    /// The record that a change of an origin was made on.
    func known(_ id: RecordID, _ origin: ChangeSet.Origin) -> Record? {
        guard origin == .remote, isDirty(id) else { return row(id) }
        let root = rootID(id)
        let known = state.open[root] ?? state.shadow[root]
        return known.flatMap { $0.shape.inherits(id.entity) ? $0 : nil }
    }
}
