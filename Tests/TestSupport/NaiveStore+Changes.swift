import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence

extension NaiveStore {
    /// Applies one operation.
    mutating func apply(_ operation: ChangeSet.Operation, _ origin: ChangeSet.Origin) throws {
        switch operation {
        case .put(let record): try put(origin == .local ? placed(record, over: row(rootID(record.id))) : record, origin)
        case .update(let id, let values): try update(id, values, origin)
        case .delete(let id): try delete(id, origin)
        case .exact(let change): try exact(change, origin)
        case .link(let id, let name, let key, let place): try link(id, name, key, place, origin)
        case .unlink(let id, let name, let key): try unlink(id, name, key, origin)
        case .setLinks(let id, let name, let keys): try setLinks(id, name, keys, origin)
        case .setShadow(let entry):
            incoming.statedShadows[rootID(entry.id)] = incoming.displacements.count
            if let place = incoming.deletions.firstIndex(where: { $0.id == rootID(entry.id) }) {
                incoming.deletions[place].entry = entry
            } else {
                try setShadow(entry)
            }
        case .setMetadata(let name, let value):
            if name.hasPrefix("sync.") { throw Refusal(code: .unknownName) }
            if state.metadata[name] != value { names.insert(name) }
            state.metadata[name] = value
        case .keepHistory(let isKept): keepHistory(isKept)
        case .forgetHistory(let sequence): forgetHistory(sequence)
        }
    }

    /// Inserts or replaces a record, and assigns an implicit key if it has none.
    private mutating func put(_ record: Record, _ origin: ChangeSet.Origin) throws {
        var record = record
        let shape = try writable(record.entity)
        if shape.slots[shape.keySlots[0]].name == Schema.implicitKey {
            let last = lastKeys[shape.root] ?? Int64(state.metadata["sync.lastKey.\(shape.root)"] ?? "0") ?? 0
            if case .integer(let key) = record.key {
                if key > last { lastKeys[shape.root] = key }
            } else if record.key.isNull {
                var key = last + 1
                while state.awaited[RecordID(shape.root, .integer(key))] != nil { key += 1 }
                record[Schema.implicitKey] = .integer(key)
                lastKeys[shape.root] = key
            }
        }
        try check(record)
        try store(record, origin)
    }

    /// Returns the shape of an entity that callers may write; throws `.unknownName` for internal ones.
    private func writable(_ entity: String) throws -> Shape {
        let shape = try shape(entity)
        guard shape.role == nil || shape.role == .links else { throw Refusal(code: .unknownName) }
        return shape
    }

    /// Throws unless each value fits its attribute.
    private func check(_ record: Record) throws {
        if record.shape.isAbstract { throw Refusal(code: .wrongType) }
        for (slot, value) in zip(record.shape.slots, record.values) where !slot.admits(value) {
            throw Refusal(code: value.isNull ? .missingValue : .wrongType)
        }
    }

    /// Changes values of the version that the origin applies to.
    private mutating func update(_ id: RecordID, _ values: [String: Value], _ origin: ChangeSet.Origin) throws {
        _ = try writable(id.entity)
        guard let old = known(id, origin) ?? row(id) else { throw Refusal(code: .missingRecord) }
        var record = old
        for (name, value) in values {
            guard let slot = record.shape.slots.firstIndex(where: { $0.name == name }) else {
                throw Refusal(code: .unknownName)
            }
            if record.shape.keySlots.contains(slot), record[name] != value { throw Refusal(code: .wrongType) }
            record[name] = value
        }
        try check(record)
        try store(origin == .local ? placed(record, over: old) : record, origin)
    }

    /// Gives a record the places of the stored one in ordered relationships, or the last ones.
    private func placed(_ record: Record, over old: Record?) -> Record {
        var record = record
        for relationship in Set(schema.shapes.flatMap(\.relationships)) {
            let destination = relationship.definition.destination
            guard case .inverse(let slot, let position?) = relationship.storage, record.shape.inherits(destination)
            else { continue }
            let (target, known) = (record[slot], old?[position] ?? .null)
            if target == old?[slot] ?? .null {
                if record[position].isNull { record[position] = known }
            } else if record[position] == known {
                let last = all(destination) { $0[slot] == target }.compactMap { other in
                    if case .integer(let number) = other[position] { number } else { nil }
                }.max()
                record[position] = target.isNull ? .null : .integer(last.map { min($0, .max - 1) + 1 } ?? 0)
            }
        }
        return record
    }

    /// Makes a change if the record is in its old state.
    ///
    /// Accepts a change that was made before.
    private mutating func exact(_ change: Change<Record>, _ origin: ChangeSet.Origin) throws {
        guard let id = (change.new ?? change.old)?.id else { return }
        _ = try shape(id.entity)
        let present = known(id, origin)
        if present == change.new {
            if let new = change.new { try put(new, origin) }
        } else if present != change.old {
            throw Refusal(code: .mismatch)
        } else if let new = change.new {
            try put(new, origin)
        } else {
            try delete(id, origin)
        }
    }

    /// Deletes a record.
    ///
    /// A remote deletion that would affect others is decided at the end.
    mutating func delete(_ id: RecordID, _ origin: ChangeSet.Origin) throws {
        _ = try writable(id.entity)
        guard let record = row(id) else {
            // The record is missing, or belongs to another entity of the hierarchy.
            if origin != .local { settle(rootID(id)) }
            return
        }
        try supersedeDeletion(rootID(id), origin)
        if origin == .remote, wouldLoseLocalChange(record) { return holdBack(record.id, remote: nil) }
        if origin != .local, isBlocked(record, together: [record], decided: [rootID(id)]) {
            incoming.deletions.append(IncomingState.Deletion(id: rootID(id), origin: origin))
        } else {
            try remove(record, origin)
        }
    }

    /// Whether the record, or a record that cascades with it, has a local change.
    private func wouldLoseLocalChange(_ record: Record) -> Bool {
        var (seen, pending): (Set<RecordID>, [Record]) = ([], [record])
        while let record = pending.popLast() {
            guard seen.insert(rootID(record.id)).inserted else { continue }
            if isDirty(record.id), !isUnedited(record.id) { return true }
            for relationship in record.shape.relationships where relationship.definition.deleteRule == .cascade {
                pending += targets(relationship, of: record)
            }
        }
        return false
    }

    /// Keeps the remote's version of a record in the journal, unless it equals the shadow.
    private mutating func holdBack(_ id: RecordID, remote: Record?) {
        let root = rootID(id)
        note(root, base: state.shadow[root], open: state.shadow[root] == remote ? nil : .some(remote))
        if state.open[root] != nil { heldBack.insert(id) }
    }

    /// Sets the shadow and the remote's version of a record.
    mutating func note(_ root: RecordID, base: Record?, open: Record??) {
        let isNews = state.shadow[root] != base || state.open[root] != open
        (state.shadow[root], state.open[root]) = (base, open)
        if open == nil, base == row(root) { incoming.agreed.remove(root) }
        if isNews, isDirty(root) { incoming.touched.insert(root) }
    }

    /// Replaces a journal entry; throws if an image has another key or hierarchy.
    mutating func setShadow(_ entry: JournalEntry) throws {
        let shape = try shape(entry.id.entity)
        for image in [entry.base, entry.remote].compactMap(\.self) {
            try check(image)
            if image.key != entry.id.key || image.shape.root != shape.root { throw Refusal(code: .wrongType) }
        }
        note(rootID(entry.id), base: entry.base, open: entry.isUnresolved ? .some(entry.remote) : nil)
    }

    /// Makes the present record the shadow, so that it leaves the journal.
    mutating func settle(_ root: RecordID) {
        state.shadow[root] = row(root)
        state.open[root] = nil
        incoming.agreed.remove(root)
    }

    /// Settles a record after a change of the remote; lists it if a local change has made it the remote's version.
    private mutating func noteStored(_ root: RecordID, _ origin: ChangeSet.Origin, mayBeUndone: Bool = false) {
        if origin != .local { return settle(root) }
        if let open = state.open[root] {
            if open == row(root) { incoming.agreed.insert(root) }
        } else if mayBeUndone && state.shadow[root] == row(root) {
            incoming.agreed.insert(root)
        }
    }
}

extension NaiveStore {
    /// Stores a record, with the consequences for one-to-one relationships.
    ///
    /// A remote change of a locally changed record goes to the journal instead.
    mutating func store(_ new: Record, _ origin: ChangeSet.Origin, isConsequence: Bool = false) throws {
        let root = rootID(new.id)
        if !isConsequence { try supersedeDeletion(root, origin) }
        let old = row(root)
        let isAgreed = origin == .agreed || origin == .remote && isUnedited(root)
        if origin == .remote, isDirty(root), !isAgreed {
            if old == new, !isDisplaced(root) {
                settle(root)
            } else if state.open[root] != nil || state.shadow[root] != new {
                if old == new { incoming.agreed.insert(root) }
                holdBack(root.key == new.key ? (state.shadow[root] ?? old ?? new).id : new.id, remote: new)
            }
            return
        }
        // A version that only the journal takes decides nothing about the stored one.
        if !isConsequence, origin != .local {
            noteEarlier(root)
            incoming.decided[root] = incoming.displacements.count
        }
        if old == new {
            if isAgreed { settle(root) }
            return
        }
        if let old, old.shape != new.shape { named.insert(new.key) }
        for (slot, value) in zip(new.shape.slots, new.values) where !value.isNull && old?[slot.name] != value {
            if case .reference = slot.content { named.insert(value) }
        }
        if let place = state.rows[root.entity]?.firstIndex(where: { $0.key == new.key }) {
            state.rows[root.entity]?[place] = new
        } else {
            state.rows[root.entity]?.append(new)
        }
        incoming.touched.insert(root)
        if !isConsequence {
            if origin == .local { incoming.arrivals.remove(root) } else { incoming.arrivals.insert(root) }
        }
        noteStored(root, origin, mayBeUndone: isConsequence)
        let isCause = origin != .local && incoming.cause == nil
        if isCause { incoming.cause = root }
        defer { if isCause { incoming.cause = nil } }
        for relationship in new.shape.relationships {
            if case .reference(let slot, true, let isSymmetric) = relationship.storage {
                try keepExclusive(relationship, slot, isSymmetric, old, row(root) ?? new, origin)
            }
        }
    }

    /// Updates the partners of a one-to-one reference: clears displaced ones, and sets the far end if it is symmetric.
    private mutating func keepExclusive(
        _ relationship: ShapeRelationship, _ slot: String, _ isSymmetric: Bool, _ old: Record?, _ new: Record,
        _ origin: ChangeSet.Origin
    ) throws {
        let target = new[slot]
        if isSymmetric, old == nil {
            for other in all(relationship.declaredBy, { $0[slot] == new.key && $0.key != new.key && $0.key != target })
            {
                if target.isNull { return try follow(slot, of: new, to: other.key, origin) }
                try follow(slot, of: other, to: .null, origin)
            }
        }
        if (old?[slot] ?? .null) == target { return }
        if isSymmetric, let before = old?[slot], !before.isNull {
            for partner in all(relationship.definition.destination, { $0.key == before && $0[slot] == new.key }) {
                try follow(slot, of: partner, to: .null, origin)
            }
        }
        if target.isNull { return }
        for other in all(relationship.declaredBy, { $0[slot] == target && $0.key != new.key }) {
            try follow(slot, of: other, to: .null, origin)
        }
        if isSymmetric, let partner = row(RecordID(relationship.definition.destination, target)),
            partner[slot] != new.key
        {
            try follow(slot, of: partner, to: new.key, origin)
        }
    }

    /// Changes a reference as a consequence, and records the displacement if a remote change caused it.
    private mutating func follow(
        _ slot: String, of record: Record, to value: Value, _ origin: ChangeSet.Origin
    ) throws {
        if let cause = incoming.cause, cause != rootID(record.id) {
            incoming.displacements.append(
                IncomingState.Displacement(
                    cause: cause, victim: rootID(record.id), slot: slot, before: record[slot], after: value,
                    shadow: state.shadow[rootID(record.id)]?[slot] ?? .null,
                    isProtected: incoming.hasTaken(slot, from: rootID(record.id)) || protects(slot, of: record),
                    index: incoming.displacements.count))
        }
        try set(slot, of: record, to: value, origin)
    }

    /// Changes a reference as a consequence of another record's change.
    ///
    /// The change is local, except for a remote cause and an unchanged record.
    mutating func set(_ slot: String, of record: Record, to value: Value, _ origin: ChangeSet.Origin) throws {
        var record = record
        record[slot] = value
        if value.isNull { cleared.append((record.id, slot)) }
        try store(record, origin == .remote && !isDirty(record.id) ? .remote : .local, isConsequence: true)
    }

    /// Returns the origin of a cascaded deletion.
    ///
    /// An agreed deletion cascades as a local one, unless the remote has deleted the record too.
    private func deletionOrigin(_ origin: ChangeSet.Origin, of record: Record) -> ChangeSet.Origin {
        guard origin == .agreed else { return origin }
        if let open = state.open[rootID(record.id)], open == nil { return .agreed }
        return .local
    }

    /// Deletes a record and applies its delete rules.
    mutating func remove(_ record: Record, _ origin: ChangeSet.Origin) throws {
        var pending = [(record, origin)]
        if origin == .local {
            incoming.arrivals.remove(rootID(record.id))
        } else {
            incoming.arrivals.insert(rootID(record.id))
        }
        while let (next, origin) = pending.popLast() {
            let root = rootID(next.id)
            guard let place = state.rows[root.entity]?.firstIndex(where: { $0.key == next.key }),
                let record = state.rows[root.entity]?.remove(at: place)
            else { continue }
            incoming.touched.insert(root)
            noteStored(root, origin)
            for relationship in record.shape.relationships {
                let others = targets(relationship, of: record)
                switch relationship.definition.deleteRule {
                case .cascade:
                    for other in others {
                        pending.append((other, deletionOrigin(origin, of: other)))
                    }
                case .deny: denials.append((record, relationship, others.map(\.id)))
                case .noAction: break
                case .nullify:
                    let slot: String? =
                        switch relationship.storage {
                        case .inverse(let slot, _), .reference(let slot, _, true): slot
                        default: nil
                        }
                    if let slot {
                        for other in others where other[slot] == record.key {
                            try set(slot, of: other, to: .null, origin)
                        }
                    }
                }
            }
            for incoming in record.shape.incoming {
                for other in all(incoming.shape, { $0[incoming.slot] == record.key }) {
                    if other.shape.role == .links {
                        pending.append((other, deletionOrigin(origin, of: other)))
                    } else {
                        try set(incoming.slot, of: other, to: .null, origin)
                    }
                }
            }
        }
    }

    /// Checks the conditions that hold at the end of a commit: denied deletions, mandatory references and missing
    /// targets.
    func checkTheWhole() throws {
        for (record, relationship, others) in denials where row(record.id) == nil {
            let isLinks = if case .links = relationship.storage { true } else { false }
            let left = isLinks ? others.compactMap { row($0) } : targets(relationship, of: record)
            if !left.isEmpty { throw Refusal(code: .deletionDenied) }
        }
        for (id, slot) in cleared {
            for case let image? in [row(id), state.open[rootID(id)].flatMap(\.self)] where image[slot].isNull {
                let isOptional = image.shape.slot(named: slot).map { image.shape.slots[$0].isOptional } ?? true
                if !isOptional { throw Refusal(code: .missingValue) }
            }
        }
        for rows in state.rows.values {
            for record in rows {
                for (slot, value) in zip(record.shape.slots, record.values) where named.contains(value) {
                    guard case .reference(let destination, _, true) = slot.content else { continue }
                    if row(RecordID(destination, value)) == nil { throw Refusal(code: .danglingReference) }
                }
            }
        }
    }
}
