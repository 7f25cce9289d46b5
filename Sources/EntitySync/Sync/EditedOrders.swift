import SyncPersistence

/// A relationship of a record, with the name of the record's hierarchy root.
struct RecordRelationship: Hashable {
    /// The record whose relationship is ordered.
    let id: RecordID
    /// The relationship.
    let name: String
}

/// The locally changed orders of relationships for which the payload states another order.
///
/// Both orders are merged at the end of the sync. For example, a user has moved task 3 to the front, and the payload
/// has a new task 4 after task 2. The result is 3, 1, 2, 4.
struct EditedOrders {
    /// The orders by relationship; the first that was added counts.
    private var orders: [RecordRelationship: Order] = [:]

    /// The remote's version and the local version of an order, before the payload.
    fileprivate struct Order {
        /// The number of orders that were added before.
        let number: Int
        /// The record that has the relationship.
        let id: RecordID
        /// The keys in the order of the remote.
        let base: [Value]
        /// The keys in the local order.
        let local: [Value]
    }

    /// Whether no local order differs from the payload.
    var isEmpty: Bool { orders.isEmpty }

    /// Adds the local order of a relationship, if it differs from the remote's.
    mutating func add(
        _ owner: Record, _ relationship: RelationshipMap, known: [Value], _ records: SyncRecords
    ) throws {
        let transaction = records.transaction
        let changed = RecordRelationship(id: owner.id, name: relationship.name)
        guard relationship.isOrdered, try records.mayDiffer(records.shapeOfPlaces(relationship)),
            try transaction.record(owner.id) != nil, orders[changed] == nil
        else { return }
        var local = try transaction.related(owner.id, relationship.name)
        if local == known { return }
        if let place = relationship.inverse?.position {
            // New records of the payload have no place yet.
            local = try transaction.relatedRecords(owner.id, relationship.name).filter { !$0[place].isNull }.map(\.key)
        }
        orders[changed] = Order(number: orders.count, id: owner.id, base: known, local: local)
    }

    /// Merges the changes of both sides in each order, stores the results, and removes all orders.
    ///
    /// - Complexity: O(number of the records)
    mutating func merge(_ records: SyncRecords) throws {
        let transaction = records.transaction
        for (changed, order) in orders.sorted(by: { $0.value.number < $1.value.number }) {
            guard try transaction.record(order.id) != nil else { continue }
            let present = try transaction.related(order.id, changed.name)
            let merged = order.merged(with: try records.knownLinks.related(order.id, changed.name), of: present)
            if merged == present { continue }
            try transaction.setLinks(order.id, changed.name, from: present, to: merged, origin: .local)
        }
        orders = [:]
    }
}

extension EditedOrders.Order {
    /// Returns the present keys in the local order if it has changed, else in the remote's order.
    ///
    /// A key that only the other side has is inserted after the key that it follows there.
    fileprivate func merged(with remote: [Value], of present: [Value]) -> [Value] {
        let (known, own) = (Set(base), Set(local))
        let isUnchanged = base.filter(own.contains) == local.filter(known.contains)
        let (first, second) = isUnchanged ? (remote, local) : (local, remote)
        let present = Set(present)
        let leading = first.filter(present.contains)
        var seen = Set(leading)
        var followers: [Value: [Value]] = [:]
        var front: [Value] = []
        var latest: Value?
        for key in second where present.contains(key) {
            if seen.insert(key).inserted {
                if let latest { followers[latest, default: []].append(key) } else { front.append(key) }
            } else {
                latest = key
            }
        }
        let merged = front + leading.flatMap { [$0] + (followers[$0] ?? []) }
        return merged + present.subtracting(merged).sorted(by: Value.areInIncreasingOrder)
    }
}

extension SyncRecords {
    /// Whether records of an ordered relationship have local changes, so that their places may have changed locally.
    func mayHaveLocalPlaces(_ keys: [Value], _ relationship: RelationshipMap, of owner: Record) throws -> Bool {
        let shape = try shapeOfPlaces(relationship)
        guard try mayDiffer(shape) else { return false }
        return try keys.contains { key in
            let placed: Value =
                switch relationship.storage {
                case .links(_, .target): [key, owner.key]
                case .links: [owner.key, key]
                case .inverse, .reference: key
                }
            return try transaction.journalEntry(RecordID(shape.root, placed)) != nil
        }
    }

    /// Returns the shape of the records that contain the places of an ordered relationship.
    fileprivate func shapeOfPlaces(_ relationship: RelationshipMap) throws -> Shape {
        if case .links(let name, _) = relationship.storage { return try transaction.shape(name) }
        return try mapping.destination(of: relationship).shape
    }
}
