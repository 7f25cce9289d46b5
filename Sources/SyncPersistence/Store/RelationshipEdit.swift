/// Changes of one relationship of one record.
struct RelationshipEdit {
    /// The transaction that makes the change.
    private let transaction: WriteTransaction
    /// The record whose relationship changes.
    private let id: RecordID
    /// The relationship.
    private let relationship: ShapeRelationship
    /// The side that the change comes from.
    private let origin: ChangeSet.Origin

    /// Begins to change a relationship.
    ///
    /// - Throws: ``PersistenceError`` if the entity does not have the relationship.
    init(of id: RecordID, _ name: String, origin: ChangeSet.Origin, in transaction: WriteTransaction) throws {
        self.transaction = transaction
        self.id = id
        self.origin = origin
        relationship = try transaction.relationship(name, of: id.entity)
    }

    /// Links the record with another one, at a place or at the end.
    ///
    /// - Complexity: O(1) for a new local link at the end, besides a query for the first one of a transaction; otherwise
    ///   O(number of links) if they have an order
    func link(to key: Value, at place: Int?) throws {
        let owner = try existing(id)
        if isOrdered, place == nil, origin == .local, try !isLinked(with: key) { return try append(key, to: owner) }
        try connect(owner, to: key)
        if !isOrdered { return }
        var keys = try transaction.related(id, relationship.definition.name).filter { $0 != key }
        keys.insert(key, at: min(max(place ?? keys.count, 0), keys.count))
        try number(keys)
    }

    /// Unlinks the record from another one.
    func unlink(from key: Value) throws {
        switch relationship.storage {
        case .reference(let slot, _, _):
            let owner = try existing(id)
            if owner[slot] == key { try set(slot, of: owner, to: .null) }
        case .inverse(let slot, let position):
            let known = try transaction.known(RecordID(relationship.definition.destination, key), to: origin)
            guard var other = known, other[slot] == id.key else { return }
            other[slot] = .null
            if let position { other[position] = .null }
            transaction.rules.requireValue(slot, of: other)
            try transaction.store(other, origin: origin)
        case .links(let shape, let end):
            for (source, target) in end == .both ? [(id.key, key), (key, id.key)] : [end.ordered(id.key, key)] {
                try transaction.delete(RecordID(shape, [source, target]), origin: origin)
            }
        }
    }

    /// Links the record with these records alone, in this order.
    func set(to keys: [Value]) throws {
        if !relationship.definition.isToMany && keys.count > 1 {
            throw PersistenceError(
                .wrongType, "it leads to one record, and \(keys.count) were given", id: id,
                property: relationship.definition.name)
        }
        var seen: Set<Value> = []
        let wanted = keys.filter { seen.insert($0).inserted }
        // For one target, the present one need not be read.
        let present =
            relationship.definition.isToMany || wanted.isEmpty
            ? try transaction.related(id, relationship.definition.name) : []
        try set(from: present, to: wanted)
    }

    /// Links the record with these records alone, in this order, where the present links are known.
    ///
    /// - Parameters:
    ///   - present: The keys of the present targets; not needed to replace one target by another.
    ///   - wanted: The distinct keys; one at most for a relationship to one record.
    func set(from present: [Value], to wanted: [Value]) throws {
        if !relationship.definition.isToMany, let key = wanted.first { return try link(to: key, at: nil) }
        let (staying, known) = (Set(wanted), Set(present))
        for key in present where !staying.contains(key) { try unlink(from: key) }
        let new = wanted.filter { !known.contains($0) }
        if !new.isEmpty {
            let owner = try existing(id)
            for key in new { try connect(owner, to: key) }
        }
        if isOrdered { try number(wanted) }
    }
}

extension RelationshipEdit {
    /// Whether the links have an order.
    private var isOrdered: Bool {
        switch relationship.storage {
        case .reference: false
        case .inverse(_, let position): position != nil
        case .links(let shape, let end): transaction.schema[shape]?.slot(named: end.position) != nil
        }
    }

    /// Whether the record is linked with another one.
    private func isLinked(with key: Value) throws -> Bool {
        switch relationship.storage {
        case .reference(let slot, _, _): try existing(id)[slot] == key
        case .inverse(let slot, _):
            try transaction.record(RecordID(relationship.definition.destination, key))?[slot] == id.key
        case .links(let shape, let end):
            try transaction.record(RecordID(shape, end.link(id.key, key))) != nil
        }
    }

    /// Links the record with another one behind all others.
    ///
    /// A link itself is stored behind the others anyway.
    private func append(_ key: Value, to owner: Record) throws {
        guard case .inverse(let slot, let position?) = relationship.storage else { return try connect(owner, to: key) }
        let entity = relationship.definition.destination
        var record = try existing(RecordID(entity, key))
        record[slot] = owner.key
        try requireAdmitted(slot, of: record)
        let side = LinkPositions.Side(entity: entity, near: slot, position: position)
        let place = try transaction.log.linkPositions.nextPosition(on: side, of: owner.key, transaction)
        record[position] = .integer(place)
        try transaction.store(record, origin: origin)
    }

    /// Returns a record that must exist to be connected.
    ///
    /// - Throws: ``PersistenceError`` with the code ``PersistenceError/Code/danglingReference`` if it does not.
    private func existing(_ id: RecordID) throws -> Record {
        if let record = try transaction.record(id) { return record }
        throw PersistenceError(
            .danglingReference, "there is no such record to connect: store it in the same change, or before", id: id)
    }

    /// Sets the reference of a record, unless it is set already.
    private func set(_ slot: String, of record: Record, to value: Value) throws {
        var record = try transaction.known(record.id, to: origin) ?? record
        if record[slot] == value { return }
        record[slot] = value
        if value.isNull {
            transaction.rules.requireValue(slot, of: record)
        } else {
            try requireAdmitted(slot, of: record)
        }
        try transaction.store(record, origin: origin)
    }

    /// Requires that a changed slot admits its value; others may lack theirs until the transaction ends.
    private func requireAdmitted(_ slot: String, of record: Record) throws {
        guard let position = record.shape.slot(named: slot) else { return }
        if record.shape.slots[position].admits(record.values[position]) { return }
        throw transaction.checks.invalid(position, of: record)
    }

    /// Links two records without regard to order.
    private func connect(_ owner: Record, to key: Value) throws {
        let destination = RecordID(relationship.definition.destination, key)
        switch relationship.storage {
        case .reference(let slot, _, _):
            try set(slot, of: owner, to: key)
        case .inverse(let slot, _):
            try set(slot, of: existing(destination), to: owner.key)
        case .links(let shape, let end):
            _ = try existing(destination)
            try insertLink(in: shape, end, from: owner.key, to: key)
            if end == .both { try insertLink(in: shape, end, from: key, to: owner.key) }
        }
    }

    /// Stores a link behind the others, unless there is one.
    private func insertLink(in name: String, _ end: LinkEnd, from near: Value, to far: Value) throws {
        let shape = try transaction.shape(name)
        let (source, target) = end.ordered(near, far)
        if let present = try transaction.record(RecordID(name, [source, target])) {
            // The remote has a link that was made locally.
            if origin != .local { try transaction.store(present, origin: origin) }
            return
        }
        var link = Record(shape, ["source": source, "target": target])
        // At the end of the other side's order, if it has one.
        for side in [LinkEnd.source, .target] where shape.slot(named: side.position) != nil {
            let slots = LinkPositions.Side(entity: name, near: side.near, position: side.position)
            link[side.position] = .integer(
                try transaction.log.linkPositions.nextPosition(on: slots, of: link[side.near], transaction))
        }
        try transaction.checks.check(link)
        try transaction.store(link, origin: origin)
    }

    /// Numbers the records of an ordered relationship.
    ///
    /// Only records with a new number are written.
    private func number(_ keys: [Value]) throws {
        for (place, key) in keys.enumerated() {
            let number = Value.integer(Int64(place))
            switch relationship.storage {
            case .inverse(_, let position?):
                if let record = try transaction.record(RecordID(relationship.definition.destination, key)) {
                    try set(position, of: record, to: number)
                }
            case .links(let shape, let end):
                let (source, target) = end.ordered(id.key, key)
                if let link = try transaction.record(RecordID(shape, [source, target])) {
                    try set(end.position, of: link, to: number)
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

    /// Returns the key of a link, where the first key is at this end.
    fileprivate func link(_ near: Value, _ far: Value) -> Value {
        let (source, target) = ordered(near, far)
        return [source, target]
    }
}
