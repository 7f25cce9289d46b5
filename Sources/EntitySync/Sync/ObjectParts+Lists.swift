import SyncPersistence

/// Lists of objects without a key. Each list replaces the previous one as a whole.
extension ObjectParts {
    /// A part of a record, as the origin of the payload knows it.
    private struct Part {
        /// The key of the part.
        let key: Value
        /// The stored part.
        let record: Record
        /// Whether an object with other values can take its key.
        let isFree: Bool
        /// Whether it was deleted locally.
        var isDeleted = false
        /// Whether an object of the list has it already.
        var isTaken = false
    }

    /// Assigns keys to the objects of a list: those of parts with the same values, then those of other parts of the
    /// owner, then new ones.
    ///
    /// A partial list does not replace any part.
    ///
    /// - Complexity: O(number of objects and parts)
    func assignKeys(
        to children: [PayloadObject], _ link: LinkStatement, _ destination: EntityMap, of owner: Record,
        isUnlinked: Bool
    ) throws {
        let relationship = link.relationship
        var keys = PartKeys(owner, relationship)
        var parts = isUnlinked ? [] : try self.parts(relationship, destination, of: owner)
        parts += try deletedParts(relationship, destination, of: owner)
        let contents = try children.map { try content(of: $0) }
        let pending = try match(children, contents, with: &parts)
        var free: [String: [Int]] = [:]
        if processor.allows([.updateRelationships, .deleteRelationships]), !link.isPartial {
            for part in parts.indices.reversed() where parts[part].isFree && !parts[part].isTaken {
                free[parts[part].record.entity, default: []].append(part)
            }
        }
        for child in pending {
            let map = try mapping.map(of: child.object, declaredAs: destination) ?? destination
            var part: Int?
            while part == nil, let candidate = free[map.shape.name]?.popLast() {
                if try !hasOtherOwners(parts[candidate].record, than: owner.id) { part = candidate }
            }
            if let part {
                parts[part].isTaken = true
                child.storedKey = parts[part].key
            } else {
                child.storedKey = try keys.next { key in
                    try processor.records.record(destination, key) != nil
                        || transaction.record(RecordID(destination.shape.root, key)) != nil
                }
            }
        }
        // Parts that were deleted locally and are no longer listed are deleted on both sides.
        for part in parts where part.isDeleted && !part.isTaken && !link.isPartial {
            try processor.linkReader.removeChild(part.key, of: owner, relationship, isByKey: false, .root)
        }
        try add(children, destination, of: owner.id)
    }

    /// Assigns the keys of parts with the same values; returns the objects without such a part.
    private func match(
        _ children: [PayloadObject], _ contents: [Value], with parts: inout [Part]
    ) throws -> [PayloadObject] {
        let known = try parts.map { try mapping.map(of: $0.record.entity).content(of: $0.record) }
        for position in children.indices where position < parts.count && contents[position] == known[position] {
            children[position].storedKey = parts[position].key
            parts[position].isTaken = true
        }
        var places: [Value: [Int]] = [:]
        for part in parts.indices.reversed() where !parts[part].isTaken {
            places[known[part], default: []].append(part)
        }
        var pending: [PayloadObject] = []
        for (child, content) in zip(children, contents) where child.storedKey == nil {
            if let part = places[content]?.popLast() {
                child.storedKey = parts[part].key
                parts[part].isTaken = true
            } else {
                pending.append(child)
            }
        }
        return pending
    }

    /// Returns the parts that a relationship leads to for the origin of the payload, in its order, and those that were
    /// inserted locally.
    private func parts(
        _ relationship: RelationshipMap, _ destination: EntityMap, of owner: Record
    ) throws -> [Part] {
        let records = processor.records
        let known = try records.related(owner.id, relationship.name).compactMap { key -> Part? in
            guard let record = try records.record(destination, key), !records.isDraft(record),
                try !records.isDeletedLocally(destination, key)
            else { return nil }
            return try Part(key: key, record: record, isFree: !isEdited(record, destination))
        }
        guard try records.mayDiffer(destination.shape) else { return known }
        // Inserted locally from an object; the remote may have it by now.
        return try known
            + transaction.related(owner.id, relationship.name).compactMap { key in
                let id = RecordID(destination.shape.root, key)
                guard key.isPartKey, try records.record(id) == nil, let record = try transaction.record(id),
                    try !records.isDeletedRemotely(id)
                else { return nil }
                return Part(key: key, record: record, isFree: false)
            }
    }

    /// Returns the parts that the origin of the payload knows and that were deleted locally.
    ///
    /// They stay deleted as long as they are listed.
    private func deletedParts(
        _ relationship: RelationshipMap, _ destination: EntityMap, of owner: Record
    ) throws -> [Part] {
        try processor.records.deletedLocally(owner.id, relationship.name, destination).compactMap { id in
            guard let record = try processor.records.record(destination, id.key) else { return nil }
            return Part(key: id.key, record: record, isFree: false, isDeleted: true)
        }
    }

    /// Whether a record has a local change that was not sent yet.
    private func isEdited(_ record: Record, _ map: EntityMap) throws -> Bool {
        guard try processor.origin == .remote && transaction.mayHaveEntries(of: map.shape),
            let present = try transaction.record(RecordID(map.shape.root, record.key))
        else { return false }
        return try transaction.hasLocalChange(in: present)
    }

    /// Returns the values that a new record of an object would have.
    private func content(of child: PayloadObject) throws -> Value {
        let map = try mapping.map(of: child.object, declaredAs: child.map) ?? child.map
        var record = Record(map.shape, slots: map.defaults)
        map.forEachValue(of: child.object, map.plan(for: child.object), child.surroundings) { attribute, value in
            record.values[attribute.slot] = value
        }
        return map.content(of: record)
    }

    /// Returns the parts in lists of a record that its delete rules do not delete.
    func listedParts(of record: Record) throws -> [RecordID] {
        try mapping.map(of: record.entity).relationships.flatMap { relationship -> [RecordID] in
            guard relationship.isToMany, !relationship.isShared, relationship.definition.deleteRule != .cascade else {
                return []
            }
            let destination = try mapping.destination(of: relationship)
            if destination.hasKey { return [] }
            return try transaction.related(record.id, relationship.name).filter(\.isPartKey).map {
                RecordID(destination.shape.name, $0)
            }
        }
    }
}

extension EntityMap {
    /// Returns the values of a record's attributes, and its entity.
    fileprivate func content(of record: Record) -> Value {
        .array([.string(shape.name)] + attributes.map { record.values[$0.slot] })
    }
}

/// Generates keys for the parts in one list of a record, the same each time.
private struct PartKeys {
    /// What the keys of an owner's parts begin with.
    private let owner: Value
    /// The number of the part that got a key last.
    private var number = 0

    /// Creates the keys of the parts in a relationship of an owner.
    init(_ owner: Record, _ relationship: RelationshipMap) {
        self.owner = .array([.string(owner.shape.root), owner.key, .string(relationship.name)])
    }

    /// Returns an integer from the digest of the owner and a running number.
    mutating func nextKey() -> Value? {
        let digest = Value.array([owner, .integer(Int64(number))]).digest(seed: 0)
        number += 1
        return PartKey.key(.integer, digest)
    }

    /// Returns the next key that is not taken.
    mutating func next(isTaken: (Value) throws -> Bool) rethrows -> Value? {
        while let key = nextKey() {
            if try !isTaken(key) { return key }
        }
        return nil
    }
}
