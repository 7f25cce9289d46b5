import DifferentialSyncTesting
import SyncPersistence

extension NaiveStore {
    /// Connects two records, at a position if the relationship is ordered.
    mutating func link(
        _ id: RecordID, _ name: String, _ key: Value, _ place: Int?, _ origin: ChangeSet.Origin
    ) throws {
        let relationship = try relationship(name, of: id.entity)
        try connect(id, relationship, key, origin)
        guard isOrdered(relationship) else { return }
        var keys = relatedKeys(relationship, of: id).filter { $0 != key }
        keys.insert(key, at: min(max(place ?? keys.count, 0), keys.count))
        try number(id, relationship, keys, origin)
    }

    /// Whether an end of a relationship has an order.
    private func isOrdered(_ relationship: ShapeRelationship) -> Bool {
        switch relationship.storage {
        case .reference: false
        case .inverse(_, let position): position != nil
        case .links(let name, let end): schema[name]?.slot(named: end.position) != nil
        }
    }

    /// Returns a record; throws `.danglingReference` if there is none.
    private func existing(_ id: RecordID) throws -> Record {
        guard let record = row(id) else { throw Refusal(code: .danglingReference) }
        return record
    }

    /// Connects two records, wherever the connection is stored.
    private mutating func connect(
        _ id: RecordID, _ relationship: ShapeRelationship, _ key: Value, _ origin: ChangeSet.Origin
    ) throws {
        let owner = try existing(id)
        let destination = RecordID(relationship.definition.destination, key)
        switch relationship.storage {
        case .reference(let slot, _, _): try change(slot, of: owner, to: key, origin)
        case .inverse(let slot, _): try change(slot, of: existing(destination), to: id.key, origin)
        case .links(let name, let end):
            _ = try existing(destination)
            try addLink(name, end, id.key, key, origin)
            if end == .both { try addLink(name, end, key, id.key, origin) }
        }
    }

    /// Changes a reference or a position as the operation specifies, not as a consequence.
    private mutating func change(
        _ slot: String, of record: Record, to value: Value, _ origin: ChangeSet.Origin
    ) throws {
        var record = known(record.id, origin) ?? record
        if record[slot] == value { return }
        record[slot] = value
        if value.isNull {
            cleared.append((record.id, slot))
        } else if let position = record.shape.slot(named: slot), !record.shape.slots[position].admits(value) {
            throw Refusal(code: .wrongType)
        }
        try store(record, origin)
    }

    /// Adds a link at the end of both orders, unless it exists.
    private mutating func addLink(
        _ name: String, _ end: LinkEnd, _ near: Value, _ far: Value, _ origin: ChangeSet.Origin
    ) throws {
        let shape = try shape(name)
        let ends: [String: Value] = [end.near: near, end.far: far]
        var link = Record(shape, ends)
        if let present = row(link.id) {
            if origin != .local { try store(present, origin) }
            return
        }
        for side in [LinkEnd.source, .target] where shape.slot(named: side.position) != nil {
            let last = all(name) { $0[side.near] == link[side.near] }.compactMap { other in
                if case .integer(let number) = other[side.position] { number } else { nil }
            }.max()
            link[side.position] = .integer(last.map { $0 + 1 } ?? 0)
        }
        try store(link, origin)
    }

    /// Disconnects two records; does nothing if they are not connected.
    mutating func unlink(_ id: RecordID, _ name: String, _ key: Value, _ origin: ChangeSet.Origin) throws {
        let relationship = try relationship(name, of: id.entity)
        switch relationship.storage {
        case .reference(let slot, _, _):
            let owner = try existing(id)
            if owner[slot] == key { try change(slot, of: owner, to: .null, origin) }
        case .inverse(let slot, let position):
            let known = known(RecordID(relationship.definition.destination, key), origin)
            guard var other = known, other[slot] == id.key else { return }
            other[slot] = .null
            if let position { other[position] = .null }
            cleared.append((other.id, slot))
            try store(other, origin)
        case .links(let name, let end):
            let shape = try shape(name)
            try delete(Record(shape, [end.near: id.key, end.far: key]).id, origin)
            if end == .both { try delete(Record(shape, [end.near: key, end.far: id.key]).id, origin) }
        }
    }

    /// Makes the connections of a record exactly the given ones, in their order.
    mutating func setLinks(_ id: RecordID, _ name: String, _ keys: [Value], _ origin: ChangeSet.Origin) throws {
        let relationship = try relationship(name, of: id.entity)
        if !relationship.definition.isToMany && keys.count > 1 { throw Refusal(code: .wrongType) }
        if !relationship.definition.isToMany, let key = keys.first { return try link(id, name, key, nil, origin) }
        var wanted: [Value] = []
        for key in keys where !wanted.contains(key) { wanted.append(key) }
        let present = relatedKeys(relationship, of: id)
        for key in present where !wanted.contains(key) { try unlink(id, name, key, origin) }
        for key in wanted where !present.contains(key) { try connect(id, relationship, key, origin) }
        if isOrdered(relationship) { try number(id, relationship, wanted, origin) }
    }

    /// Writes the positions of the records in an order.
    private mutating func number(
        _ id: RecordID, _ relationship: ShapeRelationship, _ keys: [Value], _ origin: ChangeSet.Origin
    ) throws {
        for (place, key) in keys.enumerated() {
            switch relationship.storage {
            case .inverse(_, let position?):
                if let record = row(RecordID(relationship.definition.destination, key)) {
                    try change(position, of: record, to: .integer(Int64(place)), origin)
                }
            case .links(let name, let end):
                if let link = row(Record(try shape(name), [end.near: id.key, end.far: key]).id) {
                    try change(end.position, of: link, to: .integer(Int64(place)), origin)
                }
            default: break
            }
        }
    }
}
