/// Keeps references, inverses and delete rules consistent within a transaction.
///
/// Conditions that later changes may still fulfil are checked at the end.
final class RelationshipRules {
    /// The records that must exist at the end.
    private var required = RequiredTargets()
    /// Mandatory values that were cleared.
    private var mandatory: [(id: RecordID, property: String)] = []
    /// Relationships of deleted records that must not have targets, and their targets.
    private var denials: [(record: Record, relationship: ShapeRelationship, linked: [RecordID])] = []

    private unowned let transaction: WriteTransaction
    /// The touched records.
    private let log: ChangeLog

    /// Creates the rules of a transaction.
    init(of transaction: WriteTransaction) {
        self.transaction = transaction
        log = transaction.log
    }
}

extension RelationshipRules {
    /// Requires that a cleared slot has a value at the end if it is mandatory.
    func requireValue(_ slot: String, of record: Record) {
        guard let position = record.shape.slot(named: slot), !record.shape.slots[position].isOptional else { return }
        mandatory.append((record.id, slot))
    }

    /// Requires that no reference to a record remains when it is removed, or replaced by one of another entity.
    ///
    /// - Returns: The targets that such references have.
    @discardableResult
    func requireNoReferences(to old: Record, replacedBy new: Record?) -> [RecordID] {
        let (schema, key) = (transaction.schema, DigestedKey(old.key))
        var ids: [RecordID] = []
        for shape in schema.shapes + schema.internalShapes {
            for slot in shape.slots {
                guard case .reference(let destination, _, true) = slot.content, old.shape.inherits(destination),
                    new?.shape.inherits(destination) != true, let target = schema[destination]
                else { continue }
                required.add(key, of: target, for: slot)
                ids.append(RecordID(destination, old.key))
            }
        }
        return ids
    }

    /// Returns the missing records that others refer to, in a stable order.
    ///
    /// - Complexity: O(number of referenced records), each with a lookup; without a removal since the last call, only
    ///   those that are new or were missing
    func missingTargets() throws -> [RecordID] { try required.missing(in: log) }

    /// Returns the slots that refer to a record.
    func slots(referringTo target: RecordID) throws -> [Slot] {
        required.slots(referringTo: target, of: try transaction.shape(target.entity))
    }

    /// Checks that references have targets, mandatory slots have values, and denied deletions were not made.
    ///
    /// - Parameter missing: The missing targets.
    func check(missing: [RecordID]) throws {
        for (record, relationship, linked) in denials {
            // It may have been inserted again.
            if try transaction.record(record.id) != nil { continue }
            let others =
                try linked.filter { try transaction.record($0) != nil }
                + targets(of: relationship, from: record).map(\.id)
            guard let other = others.first else { continue }
            throw PersistenceError(
                .deletionDenied,
                "it cannot be deleted as long as it is connected with \(other): separate or delete that first",
                id: record.id, property: relationship.definition.name)
        }
        for (id, property) in mandatory {
            let images = [try transaction.record(id), try transaction.journalEntry(id)?.remote]
            guard images.contains(where: { $0?[property].isNull == true }) else { continue }
            throw PersistenceError(
                .missingValue,
                "it is mandatory, and the record that it named has gone: give it another, or delete this record too",
                id: id, property: property)
        }
        for target in missing {
            for slot in try slots(referringTo: target) {
                let query = Query(
                    slot.declaredBy, where: .comparison(path: slot.name, .equal, target.key), limit: 1)
                guard let record = try transaction.records(query).first else { continue }
                throw PersistenceError(
                    .danglingReference, "there is no record \(target): store it in the same change, or before",
                    id: record.id, property: slot.name)
            }
        }
    }
}

extension RelationshipRules {
    /// Follows the delete rules of a removed record, and returns the records to be deleted with it.
    func dependents(of record: Record, origin: ChangeSet.Origin) throws -> [Record] {
        var dependents: [Record] = []
        for relationship in record.shape.relationships {
            switch relationship.definition.deleteRule {
            case .cascade: dependents += try targets(of: relationship, from: record)
            case .deny:
                // The links are deleted with the record, so they are read now.
                let isLinked = if case .links = relationship.storage { true } else { false }
                let linked = isLinked ? try targets(of: relationship, from: record).map(\.id) : []
                denials.append((record, relationship, linked))
            case .nullify: try nullify(relationship, of: record, origin: origin)
            case .noAction: break
            }
        }
        for incoming in record.shape.incoming {
            let query = Query(incoming.shape, where: .comparison(path: incoming.slot, .equal, record.key))
            for other in try transaction.records(query) {
                if other.shape.role == .links {
                    dependents.append(other)
                } else {
                    try clear(incoming.slot, of: other, origin: consequenceOrigin(origin, for: other))
                }
            }
        }
        return dependents
    }

    /// Returns the records that a relationship leads to from a removed record.
    func targets(of relationship: ShapeRelationship, from record: Record) throws -> [Record] {
        let destination = relationship.definition.destination
        switch relationship.storage {
        case .reference(let slot, _, _):
            let key = record[slot]
            return key.isNull ? [] : try [transaction.record(RecordID(destination, key))].compactMap { $0 }
        case .inverse(let slot, _):
            return try transaction.records(Query(destination, where: .comparison(path: slot, .equal, record.key)))
        case .links(let shape, let end):
            let keys = try transaction.links(shape, end, of: record.key).map { $0[end.far] }
            return try transaction.records(destination, keys: keys).compactMap { $0 }
        }
    }

    /// Clears the references to a record that is deleted, or deletes its links.
    private func nullify(_ relationship: ShapeRelationship, of record: Record, origin: ChangeSet.Origin) throws {
        switch relationship.storage {
        case .inverse(let slot, _), .reference(let slot, _, true):
            for other in try targets(of: relationship, from: record) where other[slot] == record.key {
                try clear(slot, of: other, origin: consequenceOrigin(origin, for: other))
            }
        case .reference, .links: break
        }
    }

    /// Clears a reference; the record must get another target if the reference is mandatory.
    private func clear(_ slot: String, of record: Record, origin: ChangeSet.Origin) throws {
        var record = record
        record[slot] = .null
        requireValue(slot, of: record)
        try transaction.store(record, origin: origin, isConsequence: true)
    }

    /// Returns the origin of a consequence for a record.
    ///
    /// A change of a record with a local change is local too, so that neither is lost. A consequence of an agreed
    /// change must be sent, because the remote may not know it.
    private func consequenceOrigin(_ origin: ChangeSet.Origin, for record: Record) throws -> ChangeSet.Origin {
        if origin == .agreed && log.decision == .changesWithConsequences { return .agreed }
        guard origin == .remote else { return .local }
        return try transaction.entries.entry(of: record) == nil ? .remote : .local
    }

    /// Returns the origin of a deletion that is a consequence of another one.
    func deletionOrigin(_ origin: ChangeSet.Origin, of record: Record) throws -> ChangeSet.Origin {
        guard origin == .agreed, log.decision != .changesWithConsequences else { return origin }
        // A record that the remote has deleted too is agreed.
        let entry = try transaction.entries.entry(of: record)
        return entry.map { $0.isUnresolved && $0.remote == nil } ?? false ? .agreed : .local
    }
}

extension RelationshipRules {
    /// Follows the references of a stored record: requires new targets, and keeps one-to-one relationships consistent.
    func follow(from old: Record?, to new: Record, in state: HierarchyState, origin: ChangeSet.Origin) throws {
        let references = state.references(of: new.shape, in: transaction.schema)
        for reference in references.enforced {
            let value = new.values[reference.position]
            if let old, old.shape == new.shape {
                let before = old.values[reference.position]
                if before == value { continue }
                if !before.isNull { transaction.deletions.release(RecordID(reference.destination.root, before)) }
            }
            if value.isNull { continue }
            require(value, by: reference)
        }
        if !new.shape.hasExclusiveReferences { return }
        let isCause = origin != .local && transaction.waiting.beginDisplacing(new.rootID)
        defer { if isCause { transaction.waiting.endDisplacing() } }
        var new = new
        for relationship in new.shape.relationships {
            guard case .reference(let slot, true, let isSymmetric) = relationship.storage else { continue }
            let (before, now) = (old?[slot] ?? .null, new[slot])
            if isSymmetric, old == nil, let completed = try completeInverse(relationship, slot, of: new, origin) {
                new = completed
                continue
            }
            if before == now { continue }
            if isSymmetric, !before.isNull {
                let partner = try transaction.record(RecordID(relationship.definition.destination, before))
                if let partner, partner[slot] == new.key { try set(slot, of: partner, toFollow: .null, origin) }
            }
            if now.isNull { continue }
            let query = Query(relationship.declaredBy, where: .comparison(path: slot, .equal, now))
            for other in try transaction.records(query) where other.key != new.key {
                try set(slot, of: other, toFollow: .null, origin)
            }
            if isSymmetric, let partner = try transaction.record(RecordID(relationship.definition.destination, now)),
                partner[slot] != new.key
            {
                try set(slot, of: partner, toFollow: new.key, origin)
            }
        }
    }

    /// Requires that the target of a reference exists at the end.
    private func require(_ key: Value, by reference: ReferenceSlots.Reference) {
        if reference.latest == key { return }
        reference.latest = key
        if reference.hierarchy == nil { reference.hierarchy = log.knownHierarchy(of: reference.destination) }
        // An existing target is checked again if it is deleted.
        let key = DigestedKey(key)
        if let state = reference.hierarchy,
            let position = log.position(of: key, in: state),
            let shape = log.touched.newShape(at: position),
            shape === reference.destination || shape.inherits(reference.destination.name)
        {
            state.setIsReferenced()
        } else {
            required.add(key, of: reference.destination, for: reference.slot)
        }
    }

    /// Completes a one-to-one relationship of a new record that another one already refers to.
    ///
    /// If the new record refers to a third one, the other reference is cleared.
    ///
    /// - Returns: The new record with its reference, if it was given one.
    private func completeInverse(
        _ relationship: ShapeRelationship, _ slot: String, of new: Record, _ origin: ChangeSet.Origin
    ) throws -> Record? {
        let query = Query(relationship.declaredBy, where: .comparison(path: slot, .equal, new.key))
        for other in try transaction.records(query) where other.key != new.key && other.key != new[slot] {
            if new[slot].isNull {
                try set(slot, of: new, toFollow: other.key, origin)
                return try transaction.record(new.id) ?? new
            }
            try set(slot, of: other, toFollow: .null, origin)
        }
        return nil
    }

    /// Changes a reference because another record was stored.
    private func set(
        _ slot: String, of record: Record, toFollow value: Value, _ origin: ChangeSet.Origin
    ) throws {
        let origin = try consequenceOrigin(origin, for: record)
        var changed = record
        changed[slot] = value
        try transaction.waiting.addDisplacement(slot, of: record, becoming: value)
        try transaction.store(changed, origin: origin, isConsequence: true)
        if value.isNull { requireValue(slot, of: changed) }
    }
}

extension RelationshipRules {
    /// Returns the records with a one-to-one reference to a key, except for a given one.
    ///
    /// There is one at most, unless records of the remote are being reverted.
    func holders(of key: Value, in slot: String, besides record: Record) throws -> [Record] {
        let relationship = record.shape.relationships.first {
            if case .reference(slot, true, _) = $0.storage { true } else { false }
        }
        guard let relationship else { return [] }
        let query = Query(relationship.declaredBy, where: .comparison(path: slot, .equal, key))
        return try transaction.records(query).filter { $0.key != record.key }
    }

    /// Whether another record than a restored one keeps its one-to-one reference to a key.
    ///
    /// A record of the remote does not keep it, because it is reverted next. The ends of a symmetric reference must
    /// agree, so that any other record counts.
    private func isTaken(_ key: Value, in slot: String, from record: Record, _ state: HierarchyState) throws -> Bool {
        let isSymmetric = record.shape.relationships.contains {
            if case .reference(slot, true, true) = $0.storage { true } else { false }
        }
        return try holders(of: key, in: slot, besides: record).contains { other in
            isSymmetric || log.incomingChange(of: DigestedKey(other.key), in: state) == nil
        }
    }

    /// Clears a restored record's references to records that were deleted meanwhile, or that another record keeps.
    ///
    /// A record that must have such a reference is removed.
    func clearMissingReferences(
        of old: Record, _ record: inout Record?, _ base: inout Record?, isEdited: Bool, in state: HierarchyState
    ) throws {
        for reference in state.references(of: old.shape, in: transaction.schema).enforced {
            let key = old.values[reference.position]
            if key.isNull { continue }
            let isThere = try transaction.record(RecordID(reference.destination.name, key)) != nil
            if try isThere && !isTaken(key, in: reference.slot.name, from: old, state) { continue }
            if !reference.slot.isOptional {
                if !isEdited { (record, base) = (nil, nil) }
                return
            }
            record?.values[reference.position] = .null
            if let shadow = base, shadow[reference.slot.name] == key { base?[reference.slot.name] = .null }
        }
    }
}
