import SyncPersistence

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SimulationOperation {
    /// Makes a user's edit on a device, and returns its change; nil if the store has no records for it.
    ///
    /// - Throws: The error of a change that the schema does not allow.
    func edit(_ transaction: WriteTransaction, on device: Int) throws -> ChangeSet.Operation? {
        guard let change = try change(in: transaction, on: device) else { return nil }
        var changes = ChangeSet()
        changes.add(change)
        try transaction.apply(changes)
        return change
    }

    /// Returns the change of an edit.
    ///
    /// The numbers of a script become records and values here. They are taken modulo what there is, so each number has
    /// a meaning in each state.
    private func change(in transaction: ReadTransaction, on device: Int) throws -> ChangeSet.Operation? {
        switch self {
        case .insert(_, let entity, let number):
            try transaction.insertion(entity: entity, number: number, device: device)
        case .update(_, let record, let number):
            try transaction.update(record: record, number: number, device: device)
        case .delete(_, let record): try transaction.record(at: record).map { .delete($0.id) }
        case .connect(_, let record, let relationship, let target):
            try transaction.connection(record: record, relationship: relationship, to: target)
        case .disconnect(_, let record, let relationship):
            try transaction.disconnection(record: record, relationship: relationship)
        default: nil
        }
    }
}

extension ReadTransaction {
    /// The shapes of the records that users insert.
    private var editedShapes: [Shape] { schema.shapes.filter { !$0.isAbstract && !$0.hasImplicitKey } }

    /// Returns the user's record at a position among all of them, which begins again at 0; nil if there are none.
    fileprivate func record(at position: Int) throws -> Record? {
        try record(at: position, of: schema.shapes.filter(\.isRoot).map(\.name))
    }

    /// Returns the record at a position among those of several hierarchies, sorted by their keys.
    ///
    /// The order must not depend on that of insertion, which may differ between devices.
    private func record(at position: Int, of roots: [String]) throws -> Record? {
        let counts = try roots.map { try count(Query($0)) }
        let total = counts.reduce(0, +)
        if total == 0 { return nil }
        var rest = position.wrapped(total)
        for (root, count) in zip(roots, counts) {
            if rest < count {
                let shape = try shape(root)
                let keys = shape.keySlots.map { Query.SortKey(shape.slots[$0].name) }
                return try records(Query(root, sort: keys, offset: rest, limit: 1)).first
            }
            rest -= count
        }
        return nil
    }

    /// Returns the insertion of a new record of an entity.
    fileprivate func insertion(entity: Int, number: Int, device: Int) throws -> ChangeSet.Operation? {
        let shapes = editedShapes
        if shapes.isEmpty { return nil }
        let shape = shapes[entity.wrapped(shapes.count)]
        var values = shape.slots.map(\.defaultValue)
        for (position, slot) in shape.slots.enumerated() where !slot.isInternal {
            switch slot.content {
            case .attribute(let type):
                let isKey = shape.keySlots.contains(position)
                let value = type.sample(number: number, device: isKey ? nil : device)
                if isKey || !slot.isOptional || shape.trackedSlots.contains(slot.name) { values[position] = value }
            case .reference(let target, _, _):
                // Half of the optional references lead somewhere.
                if slot.isOptional && (number / (position + 1)).isMultiple(of: 2) { continue }
                values[position] = try record(at: number, of: [target])?.key ?? .null
                if values[position].isNull && !slot.isOptional { return nil }
            }
        }
        return .put(Record(shape, slots: values))
    }

    /// Returns the change of an attribute.
    fileprivate func update(record position: Int, number: Int, device: Int) throws -> ChangeSet.Operation? {
        guard let record = try record(at: position) else { return nil }
        let slots = record.shape.trackedSlots
        if slots.isEmpty { return nil }
        let name = slots[number.wrapped(slots.count)]
        guard let slot = record.shape.slot(named: name), let type = record.shape.slots[slot].columnTypes.first else {
            return nil
        }
        return .update(record.id, [name: type.sample(number: number, device: device)])
    }

    /// Returns the change that connects two records.
    fileprivate func connection(record position: Int, relationship: Int, to target: Int) throws -> ChangeSet.Operation?
    {
        guard let record = try record(at: position), let relationship = record.relationship(at: relationship),
            let target = try self.record(at: target, of: [relationship.definition.destination])
        else { return nil }
        let name = relationship.definition.name
        if case .reference(let slot, _, _) = relationship.storage { return .update(record.id, [slot: target.key]) }
        let place = relationship.definition.isOrdered ? position.wrapped(3) : nil
        return .link(record.id, relationship: name, to: target.key, at: place)
    }

    /// Returns the change that disconnects two records.
    fileprivate func disconnection(record position: Int, relationship: Int) throws -> ChangeSet.Operation? {
        guard let record = try record(at: position), let relationship = record.relationship(at: relationship) else {
            return nil
        }
        let name = relationship.definition.name
        if case .reference(let slot, _, _) = relationship.storage { return .update(record.id, [slot: .null]) }
        guard let key = try related(record.id, name).first else { return nil }
        return .unlink(record.id, relationship: name, from: key)
    }
}

extension Record {
    /// Returns the relationship at a position, which begins again at 0; nil for an entity without any.
    fileprivate func relationship(at position: Int) -> ShapeRelationship? {
        shape.relationships.isEmpty ? nil : shape.relationships[position.wrapped(shape.relationships.count)]
    }
}

extension AttributeType {
    /// A value of the type for the number of an edit, which no other number or device has for text and numbers.
    fileprivate func sample(number: Int, device: Int?) -> Value {
        let unique = device.map { number &* 8 &+ $0 } ?? number
        return switch self {
        case .bool: .bool(number.isMultiple(of: 2))
        case .integer: .integer(Int64(unique))
        case .double: .double(Double(unique))
        case .decimal: .decimal(Decimal(unique))
        case .string: .string(device.map { "\(number) of \($0)" } ?? "\(number)")
        case .bytes: .bytes(Data("\(unique)".utf8))
        case .date: .date(Date(timeIntervalSinceReferenceDate: Double(unique)))
        case .uuid: .uuid(UUID(number: UInt64(bitPattern: Int64(unique))))
        case .url: URL(string: "https://example.com/\(unique)").map(Value.url) ?? .null
        case .json: ["number": .integer(Int64(unique))]
        }
    }
}

extension UUID {
    /// Creates an identifier with a number in its last eight bytes.
    fileprivate init(number: UInt64) {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
        self.init(
            uuid: (
                0, 0, 0, 0, 0, 0, 0, 0, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]
            ))
    }
}
