/// The conditions that must hold at the end of a transaction.
struct Obligations {
    /// Records that are referred to, and the slots.
    var references: [RecordID: References] = [:]
    /// Mandatory values that were cleared.
    var mandatory: [(id: RecordID, property: String)] = []
    /// Relationships of deleted records that must not have targets, and their targets.
    var denials: [(record: Record, relationship: ShapeRelationship, linked: [RecordID])] = []

    /// The slots that refer to a record: nearly always one.
    struct References {
        let first: Slot
        var others: Set<Slot> = []

        /// All slots, in a stable order.
        var all: [Slot] { [first] + others.sorted { ($0.declaredBy, $0.name) < ($1.declaredBy, $1.name) } }
    }

    /// Records that a slot refers to a record.
    mutating func require(_ target: RecordID, namedBy slot: Slot) {
        guard let known = references[target] else {
            references[target] = References(first: slot)
            return
        }
        if known.first.name == slot.name && known.first.declaredBy == slot.declaredBy { return }
        references[target]?.others.insert(slot)
    }
}

extension WriteTransaction {
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
                obligations.denials.append((record, relationship, linked))
            case .nullify: try nullify(relationship, of: record, origin: origin)
            case .noAction: break
            }
        }
        for incoming in record.shape.incoming {
            for other in try records(Query(incoming.shape, where: .comparison(path: incoming.slot, .equal, record.key)))
            {
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
            return key.isNull ? [] : try [self.record(RecordID(destination, key))].compactMap { $0 }
        case .inverse(let slot, _):
            return try records(Query(destination, where: .comparison(path: slot, .equal, record.key)))
        case .links(let shape, let end):
            let keys = try links(shape, end, of: record.key).map { $0[end.far] }
            return try records(destination, keys: keys).compactMap { $0 }
        }
    }

    private func nullify(_ relationship: ShapeRelationship, of record: Record, origin: ChangeSet.Origin) throws {
        switch relationship.storage {
        case .inverse(let slot, _), .reference(let slot, _, true):
            for other in try targets(of: relationship, from: record) where other[slot] == record.key {
                try clear(slot, of: other, origin: consequenceOrigin(origin, for: other))
            }
        case .reference, .links: break
        }
    }

    private func clear(_ slot: String, of record: Record, origin: ChangeSet.Origin) throws {
        var record = record
        record[slot] = .null
        noteMandatory(slot, of: record)
        try store(record, origin: origin, isConsequence: true)
    }

    /// Records that a slot was cleared, which is an error at the end if the slot is mandatory.
    func noteMandatory(_ slot: String, of record: Record) {
        guard let position = record.shape.slot(named: slot), !record.shape.slots[position].isOptional else { return }
        obligations.mandatory.append((record.id, slot))
    }

    /// Whether a record, or one that would be deleted with it, has a local change.
    package func hasLocalChange(in record: Record) throws -> Bool {
        var pending = [record]
        var seen: Set<RecordID> = []
        while let record = pending.popLast() {
            guard seen.insert(RecordID(record.shape.root, record.key)).inserted else { continue }
            let entry = try entry(for: DigestedKey(record.key), in: hierarchy(of: record.shape))
            if let entry, !entry.isWaiting(with: record) { return true }
            for relationship in record.shape.relationships where relationship.definition.deleteRule == .cascade {
                pending += try targets(of: relationship, from: record)
            }
        }
        return false
    }
}

extension WriteTransaction {
    /// Checks that references have targets, mandatory slots have values, and denied deletions were not made.
    func checkObligations() throws {
        let missing =
            try mayHaveIncoming() ? settleIncoming() : missingTargets()
        for (record, relationship, linked) in obligations.denials {
            // It may have been inserted again.
            if try self.record(record.id) != nil { continue }
            let others =
                try linked.filter { try self.record($0) != nil }
                + targets(of: relationship, from: record).map(\.id)
            guard let other = others.first else { continue }
            throw PersistenceError(
                .deletionDenied,
                "it cannot be deleted as long as it is connected with \(other): separate or delete that first",
                id: record.id, property: relationship.definition.name)
        }
        for (id, property) in obligations.mandatory {
            let images = [try record(id), try journalEntry(id)?.remote]
            guard images.contains(where: { $0?[property].isNull == true }) else { continue }
            throw PersistenceError(
                .missingValue,
                "it is mandatory, and the record that it named has gone: give it another, or delete this record too",
                id: id, property: property)
        }
        for target in missing {
            for slot in obligations.references[target]?.all ?? [] {
                let query = Query(
                    slot.declaredBy, where: .comparison(path: slot.name, .equal, target.key), limit: 1)
                guard let record = try records(query).first else { continue }
                throw PersistenceError(
                    .danglingReference, "there is no record \(target): store it in the same change, or before",
                    id: record.id, property: slot.name)
            }
        }
    }
}
