import DifferentialSyncTesting
package import SyncPersistence

/// Random records of a schema with tricky values, reproducible from a seed.
package struct RandomRecords {
    private let schema: Schema
    private var generator: SeededGenerator
    private var values: RandomValues
    /// The keys that were returned before, under root names.
    private var usedKeys: Set<RecordID> = []
    /// The last integer that was assigned as a key.
    private var lastImplicitKey: Int64 = 0

    /// Creates a generator of records from a seed.
    package init(of schema: Schema, seed: UInt64) {
        self.schema = schema
        generator = SeededGenerator(seed: seed)
        values = RandomValues(seed: generator.next())
    }

    /// Returns a key that no other record of the hierarchy has; nil if 20 attempts find none.
    package mutating func newKey(of shape: Shape) -> Value? {
        for _ in 0..<20 {
            let parts = shape.keySlots.map { position -> Value in
                if shape.slots[position].name != Schema.implicitKey { return values.value(for: shape.slots[position]) }
                lastImplicitKey += 1
                return .integer(lastImplicitKey)
            }
            let key = parts.count == 1 ? parts[0] : .array(parts)
            if usedKeys.insert(RecordID(shape.root, key)).inserted { return key }
        }
        return nil
    }

    /// Returns a record with the given key and random values; its references are null.
    package mutating func record(of shape: Shape, key: Value) -> Record {
        var slots = shape.slots.map { slot -> Value in
            if case .reference = slot.content { return .null }
            return slot.isInternal ? .null : values.value(for: slot)
        }
        let parts = if shape.keySlots.count > 1, case .array(let parts) = key { parts } else { [key] }
        for (position, part) in zip(shape.keySlots, parts) { slots[position] = part }
        return Record(shape, slots: slots)
    }

    /// Returns up to `count` new records of all entities, which can be stored together.
    ///
    /// Mandatory values are present, and each reference leads to one of the records. Exclusive references lead to
    /// different records.
    package mutating func records(_ count: Int) -> [Record] {
        let shapes = schema.shapes.filter { !$0.isAbstract }
        guard !shapes.isEmpty else { return [] }
        var records: [Record] = []
        for _ in 0..<count {
            let shape = shapes[Int.random(in: shapes.indices, using: &generator)]
            if let key = newKey(of: shape) { records.append(record(of: shape, key: key)) }
        }
        // Removes records without a mandatory reference, and reconnects the records that referred to them.
        while true {
            connect(&records)
            let sound = records.filter { isSound($0, among: records) }
            if sound.count == records.count { return records }
            records = sound
        }
    }
}

extension RandomRecords {
    /// Returns random links for the relationships that are stored as links.
    ///
    /// Each operation sets all links of one record; the operations can be made in this order.
    package mutating func links(among records: [Record]) -> [ChangeSet.Operation] {
        let keysByEntity = keys(of: records)
        var operations: [ChangeSet.Operation] = []
        for record in records {
            for relationship in record.shape.relationships {
                guard case .links = relationship.storage, generator.happens(0.5) else { continue }
                let keys = (keysByEntity[relationship.definition.destination] ?? []).shuffled(using: &generator)
                let some = keys.prefix(Int.random(in: 0...4, using: &generator))
                operations.append(
                    .setLinks(record.id, relationship: relationship.definition.name, to: Array(some)))
            }
        }
        return operations
    }

    /// Returns the keys of the records by entity; each record counts for its ancestors too.
    private func keys(of records: [Record]) -> [String: [Value]] {
        var keys: [String: [Value]] = [:]
        for record in records {
            for entity in record.shape.lineage { keys[entity, default: []].append(record.key) }
        }
        return keys
    }

    /// Gives all references new values.
    private mutating func connect(_ records: inout [Record]) {
        let keys = keys(of: records)
        // The records that no exclusive reference leads to yet.
        var free: [RelationshipName: [Value]] = [:]
        var partners: [RelationshipName: [Value: Value]] = [:]
        for relationship in schema.shapes.flatMap(\.relationships) {
            guard case .reference(_, true, let isSymmetric) = relationship.storage else { continue }
            let name = RelationshipName(relationship)
            let all = (keys[relationship.definition.destination] ?? []).shuffled(using: &generator)
            if !isSymmetric {
                free[name] = all
            } else if partners[name] == nil {
                for (one, other) in zip(all.prefix(all.count / 2), all.suffix(all.count / 2)) {
                    partners[name, default: [:]][one] = other
                    partners[name, default: [:]][other] = one
                }
            }
        }
        for index in records.indices {
            for relationship in records[index].shape.relationships {
                guard case .reference(let slot, let isExclusive, let isSymmetric) = relationship.storage else {
                    continue
                }
                let name = RelationshipName(relationship)
                let isNull = relationship.definition.isOptional && generator.happens(0.3)
                records[index][slot] =
                    if isSymmetric {
                        partners[name]?[records[index].key] ?? .null
                    } else if isNull {
                        .null
                    } else if isExclusive {
                        free[name]?.popLast() ?? .null
                    } else {
                        keys[relationship.definition.destination]?.randomElement(using: &generator) ?? .null
                    }
            }
        }
    }

    /// Whether all mandatory relationships of a record lead to a record.
    private func isSound(_ record: Record, among records: [Record]) -> Bool {
        record.shape.relationships.allSatisfy { relationship in
            if relationship.definition.isOptional { return true }
            switch relationship.storage {
            case .reference(let slot, _, _):
                return !record[slot].isNull
            case .inverse(let slot, _):
                return relationship.definition.isToMany
                    || records.contains {
                        $0.shape.inherits(relationship.definition.destination) && $0[slot] == record.key
                    }
            case .links:
                return true
            }
        }
    }

    /// A relationship, identified by the entity that declares it.
    private struct RelationshipName: Hashable {
        let entity: String
        let name: String

        init(_ relationship: ShapeRelationship) {
            entity = relationship.declaredBy
            name = relationship.definition.name
        }
    }
}
