extension WriteTransaction {
    /// Links two records.
    func link(
        _ id: RecordID, _ name: String, to key: Value, at place: Int?, origin: ChangeSet.Origin
    ) throws {
        let relationship = try relationship(name, of: id.entity)
        try connect(existing(id), relationship, to: key, origin: origin)
        if isOrdered(relationship) { try arrange(id, relationship, moving: key, to: place, origin: origin) }
    }

    /// Whether a relationship has an order.
    private func isOrdered(_ relationship: ShapeRelationship) -> Bool {
        switch relationship.storage {
        case .reference: false
        case .inverse(_, let position): position != nil
        case .links(let shape, let end): schema[shape]?.slot(named: end.position) != nil
        }
    }

    /// Unlinks two records.
    func unlink(_ id: RecordID, _ name: String, from key: Value, origin: ChangeSet.Origin) throws {
        let relationship = try relationship(name, of: id.entity)
        switch relationship.storage {
        case .reference(let slot, _, _):
            let owner = try existing(id)
            if owner[slot] == key { try set(slot, of: owner, to: .null, origin: origin) }
        case .inverse(let slot, let position):
            let known = try known(RecordID(relationship.definition.destination, key), to: origin)
            guard var other = known, other[slot] == id.key else { return }
            other[slot] = .null
            if let position { other[position] = .null }
            noteMandatory(slot, of: other)
            try store(other, origin: origin)
        case .links(let shape, let end):
            for (source, target) in end == .both ? [(id.key, key), (key, id.key)] : [end.ordered(id.key, key)] {
                try delete(RecordID(shape, [source, target]), origin: origin)
            }
        }
    }

    /// Links a record with these records alone, in this order.
    func setLinks(_ id: RecordID, _ name: String, to keys: [Value], origin: ChangeSet.Origin) throws {
        let relationship = try relationship(name, of: id.entity)
        if !relationship.definition.isToMany && keys.count > 1 {
            throw PersistenceError(
                .wrongType, "it leads to one record, and \(keys.count) were given", id: id, property: name)
        }
        var seen: Set<Value> = []
        let wanted = keys.filter { seen.insert($0).inserted }
        // For one target, the present one need not be read.
        let present = relationship.definition.isToMany || wanted.isEmpty ? try related(id, name) : []
        try setLinks(id, name, from: present, to: wanted, origin: origin)
    }

    /// Links a record with these records alone, in this order, where the present links are known.
    ///
    /// - Parameters:
    ///   - present: The result of ``related(_:_:)``; not needed to replace one target by another.
    ///   - wanted: The distinct keys; one at most for a relationship to one record.
    package func setLinks(
        _ id: RecordID, _ name: String, from present: [Value], to wanted: [Value], origin: ChangeSet.Origin
    ) throws {
        try changing {
            let relationship = try relationship(name, of: id.entity)
            if !relationship.definition.isToMany, let key = wanted.first {
                return try link(id, name, to: key, at: nil, origin: origin)
            }
            let (staying, known) = (Set(wanted), Set(present))
            for key in present where !staying.contains(key) { try unlink(id, name, from: key, origin: origin) }
            let new = wanted.filter { !known.contains($0) }
            if !new.isEmpty {
                let owner = try existing(id)
                for key in new { try connect(owner, relationship, to: key, origin: origin) }
            }
            if isOrdered(relationship) { try number(id, relationship, in: wanted, origin: origin) }
        }
    }
}

extension WriteTransaction {
    private func existing(_ id: RecordID) throws -> Record {
        if let record = try record(id) { return record }
        throw PersistenceError(
            .danglingReference, "there is no such record to connect: store it in the same change, or before", id: id)
    }

    private func set(_ slot: String, of record: Record, to value: Value, origin: ChangeSet.Origin) throws {
        var record = try known(record.id, to: origin) ?? record
        if record[slot] == value { return }
        record[slot] = value
        if value.isNull {
            noteMandatory(slot, of: record)
        } else if let position = record.shape.slot(named: slot), !record.shape.slots[position].admits(value) {
            // Other values may be missing until the transaction ends.
            throw invalid(position, of: record)
        }
        try store(record, origin: origin)
    }

    /// Links two records without regard to order.
    private func connect(
        _ owner: Record, _ relationship: ShapeRelationship, to key: Value, origin: ChangeSet.Origin
    ) throws {
        let destination = RecordID(relationship.definition.destination, key)
        switch relationship.storage {
        case .reference(let slot, _, _):
            try set(slot, of: owner, to: key, origin: origin)
        case .inverse(let slot, _):
            try set(slot, of: existing(destination), to: owner.key, origin: origin)
        case .links(let shape, let end):
            _ = try existing(destination)
            try insertLink(in: shape, end, from: owner.key, to: key, origin: origin)
            if end == .both { try insertLink(in: shape, end, from: key, to: owner.key, origin: origin) }
        }
    }

    private func insertLink(
        in name: String, _ end: LinkEnd, from near: Value, to far: Value, origin: ChangeSet.Origin
    ) throws {
        let shape = try shape(name)
        let (source, target) = end.ordered(near, far)
        if let present = try record(RecordID(name, [source, target])) {
            // The remote has a link that was made locally.
            if origin != .local { try store(present, origin: origin) }
            return
        }
        var link = Record(shape, ["source": source, "target": target])
        // At the end of the other side's order, if it has one.
        for side in [LinkEnd.source, .target] where shape.slot(named: side.position) != nil {
            link[side.position] = .integer(
                try linkPositions.nextPosition(in: name, at: side, of: link[side.near], self))
        }
        try check(link)
        try store(link, origin: origin)
    }

    /// Moves a record within an ordered relationship to a place, or to the end.
    private func arrange(
        _ id: RecordID, _ relationship: ShapeRelationship, moving key: Value, to place: Int?,
        origin: ChangeSet.Origin
    ) throws {
        var keys = try related(id, relationship.definition.name).filter { $0 != key }
        keys.insert(key, at: min(max(place ?? keys.count, 0), keys.count))
        try number(id, relationship, in: keys, origin: origin)
    }

    /// Numbers the records of an ordered relationship.
    ///
    /// Only records with a new number are written.
    private func number(
        _ id: RecordID, _ relationship: ShapeRelationship, in keys: [Value], origin: ChangeSet.Origin
    ) throws {
        for (place, key) in keys.enumerated() {
            let number = Value.integer(Int64(place))
            switch relationship.storage {
            case .inverse(_, let position?):
                if let record = try record(RecordID(relationship.definition.destination, key)) {
                    try set(position, of: record, to: number, origin: origin)
                }
            case .links(let shape, let end):
                let (source, target) = end.ordered(id.key, key)
                if let link = try record(RecordID(shape, [source, target])) {
                    try set(end.position, of: link, to: number, origin: origin)
                }
            default: return
            }
        }
    }
}

extension LinkEnd {
    /// Returns source and target of a link, where the first key is at this end.
    fileprivate func ordered(_ near: Value, _ far: Value) -> (source: Value, target: Value) {
        self == .target ? (far, near) : (near, far)
    }
}
