import SyncPersistence

/// An ordered relationship of which the payload has another order than the remote had before, and the orders that there
/// were.
struct Reordering {
    let id: RecordID
    let relationship: String
    /// The keys as the remote had them.
    let base: [Value]
    /// The keys as they are here.
    let local: [Value]
}

/// Orders that were changed here, merged with those of the payload.
extension SyncRun {
    /// Notes the order of a relationship's records here, if it is another than the remote has.
    func noteOrder(of owner: Record, _ relationship: RelationshipMap, _ known: [Value]) throws {
        guard origin == .remote, relationship.isOrdered, try transaction.mayHaveEntries(of: placed(by: relationship)),
            try transaction.record(owner.id) != nil,
            !orders.contains(Statement(id: owner.id, relationship: relationship.name))
        else { return }
        var local = try transaction.related(owner.id, relationship.name)
        if local == known { return }
        if let place = relationship.inverse?.position {
            // Those that the payload has brought have no place yet.
            local = try transaction.relatedRecords(owner.id, relationship.name).filter { !$0[place].isNull }.map(\.key)
        }
        orders.insert(Statement(id: owner.id, relationship: relationship.name))
        reordered.append(Reordering(id: owner.id, relationship: relationship.name, base: known, local: local))
    }

    /// The shape of the records that keep the places of a relationship's records.
    private func placed(by relationship: RelationshipMap) throws -> Shape {
        if case .links(let name, _) = relationship.storage { return try transaction.shape(name) }
        return try mapping.destination(of: relationship).shape
    }

    /// Whether records of an ordered relationship were changed here, so that their places may be other ones here.
    func mayHavePlaces(_ keys: [Value], _ relationship: RelationshipMap, _ owner: Record) throws -> Bool {
        let shape = try placed(by: relationship)
        guard try origin == .remote && transaction.mayHaveEntries(of: shape) else { return false }
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

    /// Puts records in an order that has what either side has changed.
    ///
    /// - Complexity: O(number of their records)
    func mergeOrders() throws {
        for order in reordered {
            guard try transaction.record(order.id) != nil else { continue }
            let present = try transaction.related(order.id, order.relationship)
            let remote = try knownLinks.related(order.id, order.relationship)
            let merged = order.merged(with: remote, of: present)
            if merged == present { continue }
            try transaction.setLinks(order.id, order.relationship, from: present, to: merged, origin: .local)
        }
        (reordered, orders) = ([], [])
    }
}

extension Reordering {
    /// The keys that are there, in the order of the remote if the order was not changed here, else as they are here; the
    /// others each behind the one that it follows on its own side.
    func merged(with remote: [Value], of present: [Value]) -> [Value] {
        let (known, here) = (Set(base), Set(local))
        let isAsBefore = base.filter(here.contains) == local.filter(known.contains)
        let (first, second) = isAsBefore ? (remote, local) : (local, remote)
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
