import DifferentialSync
import SyncPersistence

/// Connects the records of a payload.
///
/// A connection to a record that is missing is deferred until all objects have been processed. A later object that
/// specifies the same relationship supersedes it. A record that is missing at the end is reported, or the link waits
/// for a later payload.
final class LinkSettlement {
    /// The stored records and the drafts.
    private let records: SyncRecords
    /// The local changes of relationships.
    private let edits: LocalEdits
    /// The links whose targets are expected in later payloads.
    private let pendingLinks: PendingLinks
    /// Receives keys that lead to no record.
    private let reports: SyncReports
    /// Whether a link without a target is kept for later payloads.
    private let keepsPendingLinks: Bool

    /// The children that their owners no longer list.
    private(set) var removedChildren = RemovedChildren()

    /// Connections to records that were missing.
    private var deferred: [Connection] = []

    /// The number of entries of `deferred` that a later object has superseded, by relationship.
    private var superseded: [RecordRelationship: Int] = [:]

    /// Connections to records that are missing at the end.
    private var missing: [PendingLinks.Missing] = []

    /// Connections with records that were deleted locally, and the ids of these records.
    private var withDeleted: [(connection: Connection, deleted: [RecordID])] = []

    /// The owners of records that belong to one owner only.
    private var owners = StatedOwners()

    init(
        of records: SyncRecords, _ edits: LocalEdits, _ pendingLinks: PendingLinks, _ reports: SyncReports,
        _ options: SyncOptions
    ) {
        (self.records, self.edits, self.pendingLinks, self.reports) = (records, edits, pendingLinks, reports)
        keepsPendingLinks = options.keepsPendingLinks
    }

    /// The number of deferred connections.
    var deferredCount: Int { deferred.count }

    /// The number of connections with records that were deleted locally.
    var withDeletedCount: Int { withDeleted.count }

    /// The maps of all entities.
    private var mapping: Mapping { records.mapping }
    /// The transaction of the sync.
    private var transaction: any PayloadStore { records.transaction }
}

extension LinkSettlement {
    /// Removes the deferred connections of a relationship, because an object specifies it again.
    func supersede(_ relationship: String, of record: Record) {
        supersede(RecordRelationship(id: record.rootID, name: relationship))
    }

    /// Marks the connections of a relationship that were deferred so far as superseded.
    private func supersede(_ relationship: RecordRelationship) {
        if !deferred.isEmpty, superseded[relationship] != nil { superseded[relationship] = deferred.count }
    }

    /// Adds a child that its owner no longer lists.
    func remove(_ child: RemovedChildren.Child) { removedChildren.add(child) }

    /// Keeps a record as the child of an owner that lists it again.
    func keep(_ record: Record, at slot: String, of owner: Value) {
        if removedChildren.isEmpty { return }
        removedChildren.keep(RemovedChildren.Link(id: record.rootID, slot: slot, owner: owner))
    }

    /// Defers a connection until all objects have been processed.
    func postpone(_ connection: Connection) {
        deferred.append(connection)
        superseded[RecordRelationship(connection), default: 0] += 0
    }

    /// Makes a connection, as far as its operations allow, or defers it.
    func connect(_ connection: Connection) throws {
        if try !connect(connection, isLast: false) { postpone(connection) }
    }

    /// Records the owner of a record.
    ///
    /// Reports a contradiction if an earlier object states another owner.
    func claim(
        _ key: Value, for owner: Record, _ relationship: RelationshipMap, at place: @autoclosure () -> Place
    ) throws {
        guard let seed = relationship.claimSeed,
            let other = owners.add(owner.key, of: key.digest(seed: seed))
        else { return }
        try reports.add(
            .contradiction, at: place(), of: owner.id, relationship.name,
            expected: "a record that belongs to no other, and \(key) belongs to \(other)", found: key.finding)
    }

    /// Makes the deferred connections, and those that waited for records of the payload.
    ///
    /// - Returns: The number of links that wait for a later payload.
    func settle(_ cancellation: Cancellation) throws -> Int {
        deferred = deferred.enumerated().filter { $0 >= superseded[RecordRelationship($1)] ?? 0 }.map(\.element)
        var hasProgress = true
        while hasProgress, !deferred.isEmpty {
            try cancellation.check()
            let waiting = deferred
            deferred = []
            for connection in waiting where try !connect(connection, isLast: false) { deferred.append(connection) }
            hasProgress = try deferred.count < waiting.count || records.storeDraftsTogether(deferred)
        }
        for connection in deferred { _ = try connect(connection, isLast: true) }
        let count = try keepPending()
        try pendingLinks.resolve()
        // Released, because a sync needs the most memory when it stores what it remembers.
        owners = StatedOwners()
        return count
    }

    /// Makes the connections with records whose local deletion a merge has undone.
    ///
    /// - Returns: The number of links that wait for a later payload.
    func connectRestored() throws -> Int {
        let connections = withDeleted
        withDeleted = []
        for (connection, deleted) in connections
        where try deleted.contains(where: { try transaction.record($0) != nil }) {
            _ = try connect(connection, isLast: true)
        }
        return try keepPending()
    }

    /// Stores the connections to missing records for later payloads; returns the number of links.
    private func keepPending() throws -> Int {
        defer { missing = [] }
        return try pendingLinks.keep(missing)
    }
}

extension LinkSettlement {
    /// Makes a connection; returns whether it is finished.
    ///
    /// - Parameter isLast: Whether no more records will come, so that missing ones are reported.
    private func connect(_ connection: Connection, isLast: Bool) throws -> Bool {
        let map = try mapping.destination(of: connection.relationship)
        // The owner is not stored: the operations do not allow it, or it was reported.
        guard let owner = try records.record(connection.id) else { return true }
        // The payload or a local change may have given it an entity without the relationship.
        if owner.shape.relationship(named: connection.relationship.name) == nil { return true }
        if try records.isDeletedLocally(mapping.map(of: owner.entity), owner.key) {
            withDeleted.append((connection, [connection.id]))
            return true
        }
        var keys: [Value] = []
        var missing: [Value] = []
        // The remote has links to these records as before, so they are not missing.
        var deletedLocally: Set<Value> = []
        var listed: Set<Value>?
        for key in connection.keys {
            let stored =
                try connection.isByKey
                ? records.storedKey(map, namedBy: key, for: connection.relationship)
                : records.connectableKey(map, key, for: connection.relationship)
            if let stored {
                keys.append(stored)
            } else if try !connection.isByKey && isListedAsBefore(key, connection, map, owner, &listed) {
                keys.append(key)
            } else if let stored = try connection.isByKey ? records.implicitKeys.primaryKey(map, of: key) : key,
                try records.isDeletedLocally(map, stored), try records.record(map, stored) != nil
            {
                deletedLocally.insert(stored)
            } else {
                missing.append(key)
            }
        }
        if case .reference(let slot, _, _) = connection.relationship.storage {
            if !deletedLocally.isEmpty {
                withDeleted.append((connection, deletedLocally.map { RecordID(map.shape.root, $0) }))
                return true
            }
            return try refer(connection, of: owner, slot, to: keys.first, isLast: isLast)
        }
        if !isLast, records.isDraft(owner) || connection.isByKey && !missing.isEmpty { return false }
        if records.isDraft(owner) { return true }
        if connection.isByKey { try add(missing: missing, connection, owner) }
        // If the key takes a part from the owner, an unknown key may identify another record.
        if keys.isEmpty, !connection.keys.isEmpty,
            !connection.relationship.isToMany
                || deletedLocally.isEmpty && map.takesKeyPart(from: connection.relationship.definition.inverse)
        {
            return true
        }
        if !deletedLocally.isEmpty && missing.isEmpty {
            withDeleted.append((connection, deletedLocally.map { RecordID(map.shape.root, $0) }))
        }
        try setLinks(of: owner, connection, to: keys, beside: deletedLocally)
        return true
    }

    /// Whether a record was deleted locally while the remote still has its link, so that the list is unchanged.
    private func isListedAsBefore(
        _ key: Value, _ connection: Connection, _ map: EntityMap, _ owner: Record, _ listed: inout Set<Value>?
    ) throws -> Bool {
        guard case .links = connection.relationship.storage, try records.isDeletedLocally(map, key) else {
            return false
        }
        let known = try listed ?? Set(records.related(owner.id, connection.relationship.name))
        listed = known
        return known.contains(key)
    }

    /// Adds the links to missing records to those that wait for a later payload, or reports them.
    private func add(missing keys: [Value], _ connection: Connection, _ owner: Record) throws {
        var seen: Set<Value> = []
        let keys = keys.filter { seen.insert($0).inserted }
        if keys.isEmpty { return }
        if keepsPendingLinks, !records.isDraft(owner), connection.operations.mayConnect,
            try mapping.destination(of: connection.relationship).isKeyPrimary
        {
            return missing.append(PendingLinks.Missing(connection: connection, owner: owner, keys: keys))
        }
        let destination = connection.relationship.definition.destination
        for key in keys {
            try reports.add(
                .unknownReference, at: connection.place(of: key), of: owner.id, connection.relationship.name,
                expected: "the key of a record of '\(destination)'", found: "\(key), which none has")
        }
    }

    /// Stores the key of a target in the slot of a record, which may be a draft without it.
    private func refer(
        _ connection: Connection, of owner: Record, _ slot: String, to key: Value?, isLast: Bool
    ) throws -> Bool {
        guard let key else {
            // An object that was not stored was reported before.
            if isLast, connection.isByKey { try add(missing: [connection.keys.first ?? .null], connection, owner) }
            return isLast
        }
        let current = owner[slot]
        guard current == key || connection.operations.mayReplace(current) else { return true }
        var record = owner
        record[slot] = key
        keep(record, at: slot, of: key)
        try records.store(record, present: owner, mapping.map(of: owner.entity), connection.place)
        return true
    }

    /// Sets the targets of a relationship, as far as the operations of a connection allow.
    ///
    /// - Parameter deletedLocally: The listed keys of records that were deleted locally.
    private func setLinks(
        of owner: Record, _ connection: Connection, to keys: [Value], beside deletedLocally: Set<Value>
    ) throws {
        let relationship = connection.relationship
        let present = try records.related(owner.id, relationship.name)
        let known = Set(present)
        var seen: Set<Value> = []
        var wanted: [Value] = []
        for key in keys where seen.insert(key).inserted {
            if try known.contains(key) || mayConnect(connection, to: key) { wanted.append(key) }
        }
        for key in wanted { try claim(key, for: owner, relationship, at: connection.place(of: key)) }
        if let inverse = relationship.inverse, !removedChildren.isEmpty || !deferred.isEmpty {
            let root = try mapping.destination(of: relationship).shape.root
            for key in wanted {
                let id = RecordID(root, key)
                removedChildren.keep(RemovedChildren.Link(id: id, slot: inverse.slot, owner: owner.key))
                supersede(RecordRelationship(id: id, name: inverse.slot))
            }
        }
        // The present link is kept if the new one is not allowed.
        if !relationship.isToMany && wanted.isEmpty && !keys.isEmpty { return }
        var kept = try (diff(wins: wanted, loses: present)?.deletions ?? []).filter { key in
            try deletedLocally.contains(key) || !mayDisconnect(connection, from: key, owner)
        }
        if !relationship.isToMany, !wanted.isEmpty {
            // The new target replaces the present one.
            guard present.isEmpty || present == wanted || connection.operations.contains(.updateRelationships) else {
                return
            }
            kept = []
        }
        let final = wanted + kept
        if relationship.isOrdered
            ? try final == present && !records.mayHaveLocalPlaces(final, relationship, of: owner)
            : final.count == present.count && known.isSuperset(of: final)
        {
            return
        }
        try edits.addOrder(of: owner, relationship, known: present)
        try transaction.setLinks(owner.id, relationship.name, from: present, to: final, origin: records.origin)
    }

    /// Whether the operations allow a new link, and the move of the record from another owner.
    private func mayConnect(_ connection: Connection, to key: Value) throws -> Bool {
        let operations = connection.operations
        guard let inverse = connection.relationship.inverse, !operations.contains(.updateRelationships) else {
            return operations.mayConnect
        }
        let map = try mapping.destination(of: connection.relationship)
        return try operations.mayConnect && records.record(map, key)?[inverse.slot].isNull ?? true
    }

    /// Whether a link may be removed.
    ///
    /// The operations must allow it, and the other record must not require an owner. The link of a child that is
    /// deleted is not removed.
    private func mayDisconnect(_ connection: Connection, from key: Value, _ owner: Record) throws -> Bool {
        let relationship = connection.relationship
        guard connection.operations.contains(.deleteRelationships), !connection.keeps else { return false }
        guard let inverse = relationship.inverse else { return true }
        if !connection.isByKey && !connection.separates && (relationship.isOwning || relationship.isCascading) {
            return false
        }
        let map = try mapping.destination(of: relationship)
        guard let record = try records.record(map, key), let slot = record.shape.slot(named: inverse.slot),
            !record.shape.slots[slot].isOptional
        else { return true }
        try reports.add(
            .missingValue, at: connection.place, of: owner.id, relationship.name,
            expected: "the key \(key), as '\(record.id)' must have an owner", found: "a list without it")
        return false
    }
}

extension RecordRelationship {
    /// Creates the relationship that a connection changes.
    fileprivate init(_ connection: Connection) {
        self.init(id: connection.id, name: connection.relationship.name)
    }
}

/// The owners that objects state for records with one owner only.
private struct StatedOwners {
    /// The keys of the owners, in the order of the payload.
    private var owners: [Value] = []
    /// The index of each record's owner, by the token of the record.
    private var indices = TokenTable()

    /// Adds the owner of a record; returns another owner that an earlier object has stated.
    mutating func add(_ owner: Value, of token: UInt64) -> Value? {
        let earlier = indices[token].map { owners[$0] }
        if owners.last != owner { owners.append(owner) }
        indices[token] = owners.count - 1
        return earlier == owner ? nil : earlier
    }
}
