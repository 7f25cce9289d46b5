import DifferentialSync
import SyncPersistence

extension SyncRun {
    /// Notes that an object says of a record what a relationship leads to: what waits of that does not count any more.
    func say(_ relationship: String, of record: Record) {
        spoken?.insert(relationship)
        outdate(relationship, of: RecordID(record.shape.root, record.key))
    }

    /// What was said of a record's relationship before, and waits for other records, does not count any more.
    func outdate(_ relationship: String, of id: RecordID) {
        if deferred.isEmpty { return }
        let statement = Statement(id: id, relationship: relationship)
        if outdated[statement] != nil { outdated[statement] = deferred.count }
    }

    /// Puts a connection off until all objects have been seen.
    func putOff(_ connection: Connection) {
        connection.operations = operations
        deferred.append(connection)
        outdated[Statement(connection), default: 0] += 0
    }

    /// Connects a record with others, as far as operations allow for that; what names records that are not there waits
    /// for the end of the payload.
    func connect(_ connection: Connection) throws {
        if try !connect(connection, isLast: false) { putOff(connection) }
    }

    /// Connects a record with others; answers whether that is done.
    ///
    /// - Parameter isLast: Whether no more records will come, so that what is still missing is reported.
    func connect(_ connection: Connection, isLast: Bool) throws -> Bool {
        let map = try mapping.destination(of: connection.relationship)
        guard let owner = try drafts[connection.id]?.record ?? transaction.known(connection.id, to: origin) else {
            // Operations have not let it in, or it was reported.
            return true
        }
        // It may have become a record of an entity without the relationship since, in the payload or here.
        if owner.shape.relationship(named: connection.relationship.name) == nil { return true }
        if try isGone(mapping.map(of: owner.entity), owner.key) { return true }
        var keys: [Value] = []
        var missing: [Value] = []
        // The remote leads to these as before, as far as it knows: that is no news, and nothing is missing.
        var deletedHere: Set<Value> = []
        var listed: Set<Value>?
        for key in connection.keys {
            if let stored = connection.isByKey ? try named(key, map) : try storedKey(key, map) {
                keys.append(stored)
            } else if try !connection.isByKey && isListedAsBefore(key, connection, map, owner, &listed) {
                keys.append(key)
            } else if map.isKeyPrimary, try isGone(map, key), try record(map, key) != nil {
                deletedHere.insert(key)
            } else {
                missing.append(key)
            }
        }
        if case .reference(let slot, _, _) = connection.relationship.storage {
            if !deletedHere.isEmpty { return true }
            return try refer(connection, of: owner, slot, to: keys.first, isLast: isLast)
        }
        if !isLast, isDraft(owner) || connection.isByKey && !missing.isEmpty { return false }
        if isDraft(owner) { return true }
        if connection.isByKey { try keepUnknown(missing, connection, owner) }
        // Keys that take a part from the owner, and that no record has, may be something else.
        if keys.isEmpty, !connection.keys.isEmpty,
            !connection.relationship.isToMany
                || deletedHere.isEmpty && map.takesKeyPart(from: connection.relationship.definition.inverse)
        {
            return true
        }
        try setLinks(of: owner, connection, to: keys, beside: deletedHere)
        return true
    }

    /// The key of a record that an object of the payload was stored as; nil if it was not.
    private func storedKey(_ key: Value, _ map: EntityMap) throws -> Value? {
        guard let record = try record(map, key), !isDraft(record), record.shape.inherits(map.shape.name) else {
            return nil
        }
        return try isGone(map, key) ? .none : .some(key)
    }

    /// Whether a record was deleted here whose link the remote still has, so that this is listed no differently.
    private func isListedAsBefore(
        _ key: Value, _ connection: Connection, _ map: EntityMap, _ owner: Record, _ listed: inout Set<Value>?
    ) throws -> Bool {
        guard case .links = connection.relationship.storage, try isGone(map, key) else { return false }
        let known = try listed ?? Set(related(owner.id, connection.relationship.name))
        listed = known
        return known.contains(key)
    }

    /// Keeps the links to records that are not there, if that is asked for, or reports them.
    private func keepUnknown(_ keys: [Value], _ connection: Connection, _ owner: Record) throws {
        if keys.isEmpty { return }
        if request.options.keepsPendingLinks, !isDraft(owner), mayConnect,
            try mapping.destination(of: connection.relationship).isKeyPrimary
        {
            return waiting.append((connection, owner, keys))
        }
        let destination = connection.relationship.definition.destination
        for key in keys {
            try report(
                SyncReport(
                    .unknownReference, at: connection.place(of: key).path, of: owner.id, connection.relationship.name,
                    expected: "the key of a record of '\(destination)'", found: "\(key), which none has"))
        }
    }

    /// Names a record in the slot of another, which may be a draft that waits for just that.
    private func refer(
        _ connection: Connection, of owner: Record, _ slot: String, to key: Value?, isLast: Bool
    ) throws -> Bool {
        guard let key else {
            // Why an object has not been stored was reported with it.
            if isLast, connection.isByKey { try keepUnknown([connection.keys.first ?? .null], connection, owner) }
            return isLast
        }
        let current = owner[slot]
        guard current == key || (current.isNull ? mayConnect : allows(.updateRelationships)) else { return true }
        var record = owner
        record[slot] = key
        stay(record, at: slot, with: key)
        try store(record, present: owner, mapping.map(of: owner.entity), connection.place)
        return true
    }

    /// Makes a relationship lead to the given records, as far as operations allow for that.
    ///
    /// - Parameter deletedHere: The records that the object lists as well, and that were deleted here.
    private func setLinks(
        of owner: Record, _ connection: Connection, to keys: [Value], beside deletedHere: Set<Value>
    ) throws {
        let relationship = connection.relationship
        let present = try related(owner.id, relationship.name)
        let known = Set(present)
        var seen: Set<Value> = []
        var wanted: [Value] = []
        for key in keys where seen.insert(key).inserted {
            if try known.contains(key) || mayConnect(relationship, to: key) { wanted.append(key) }
        }
        for key in wanted { try claim(key, for: owner, relationship, at: connection.place(of: key)) }
        if let inverse = relationship.inverse, !departures.isEmpty || !deferred.isEmpty {
            let root = try mapping.destination(of: relationship).shape.root
            for key in wanted {
                stay(RecordID(root, key), at: inverse.slot, with: owner.key)
                outdate(inverse.slot, of: RecordID(root, key))
            }
        }
        // A link that must not be made leaves the one that is there.
        if !relationship.isToMany && wanted.isEmpty && !keys.isEmpty { return }
        let gone = diff(wins: wanted, loses: present)?.deletions ?? []
        var staying: [Value] = []
        for key in gone {
            if try deletedHere.contains(key) || !mayDisconnect(relationship, from: key, connection, owner) {
                staying.append(key)
            }
        }
        if !relationship.isToMany, !wanted.isEmpty {
            // The new one takes the place of the old.
            guard present.isEmpty || present == wanted || allows(.updateRelationships) else { return }
            staying = []
        }
        let final = wanted + staying
        if relationship.isOrdered
            ? try final == present && !mayHavePlaces(final, relationship, owner)
            : final.count == present.count && known.isSuperset(of: final)
        {
            return
        }
        try noteOrder(of: owner, relationship, present)
        try transaction.setLinks(owner.id, relationship.name, from: present, to: final, origin: origin)
    }

    /// Whether operations allow for a link to a record that is not linked yet, which moves there if it has an owner.
    private func mayConnect(_ relationship: RelationshipMap, to key: Value) throws -> Bool {
        guard let inverse = relationship.inverse, !allows(.updateRelationships) else { return mayConnect }
        let map = try mapping.destination(of: relationship)
        return try mayConnect && record(map, key)?[inverse.slot].isNull ?? true
    }

    /// Whether a link may be taken away: operations allow for it, the other record can be without, and it does not go
    /// itself.
    private func mayDisconnect(
        _ relationship: RelationshipMap, from key: Value, _ connection: Connection, _ owner: Record
    ) throws -> Bool {
        guard allows(.deleteRelationships), !connection.keeps else { return false }
        guard let inverse = relationship.inverse else { return true }
        if !connection.isByKey && !connection.separates && (relationship.isOwning || relationship.isCascading) {
            return false
        }
        let map = try mapping.destination(of: relationship)
        guard let record = try record(map, key), let slot = record.shape.slot(named: inverse.slot),
            !record.shape.slots[slot].isOptional
        else { return true }
        try report(
            SyncReport(
                .missingValue, at: connection.place.path, of: owner.id, relationship.name,
                expected: "the key \(key), as '\(record.id)' must have an owner", found: "a list without it"))
        return false
    }
}
