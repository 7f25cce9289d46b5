import SyncPersistence

/// Reads the targets of relationships for many records at a time, with few indexed queries.
struct RelatedRecords {
    /// The transaction in which records are found.
    let transaction: ReadTransaction

    /// The number of keys in a query: the maximum for which a store uses an index.
    private static let batchCount = 200

    /// Returns the records that a relationship leads to from each owner, in the order of the relationship.
    ///
    /// - Complexity: O(number of found records), with a query for each 200 owners
    func records(of relationship: ShapeRelationship, from owners: [Record]) throws -> Groups<Record> {
        let destination = try transaction.shape(relationship.definition.destination)
        if case .inverse = relationship.storage {
            return try owned(relationship, by: owners)
        }
        let keys = try keys(of: relationship, from: owners)
        let found = try records(Set(keys.elements), of: destination)
        var records = Groups<Record>()
        for range in keys.ranges { records.append(keys.elements[range].lazy.compactMap { found[$0] }) }
        return records
    }

    /// Returns the keys of the records that a relationship leads to from each owner, in the order of the relationship.
    func keys(of relationship: ShapeRelationship, from owners: [Record]) throws -> Groups<Value> {
        switch relationship.storage {
        case .reference(let slot, _, _):
            var keys = Groups<Value>()
            for owner in owners { keys.append(CollectionOfOne(owner[slot]).lazy.filter { !$0.isNull }) }
            return keys
        case .inverse: return try owned(relationship, by: owners).map(\.key)
        case .links(let shape, let end):
            let isOrdered = transaction.schema[shape]?.slot(named: end.position) != nil
            let links = try grouped(
                shape, by: end.near, sort: isOrdered ? end.position : nil, keys: owners.map(\.key))
            return links.map { $0[end.far] }
        }
    }

    /// Returns the records that contain the keys of the owners in a slot.
    private func owned(_ relationship: ShapeRelationship, by owners: [Record]) throws -> Groups<Record> {
        guard case .inverse(let slot, let position) = relationship.storage else { return Groups() }
        return try grouped(
            relationship.definition.destination, by: slot, sort: position, keys: owners.map(\.key))
    }

    /// Returns the records of an entity that contain one of several distinct keys in a slot, grouped by that key.
    private func grouped(
        _ entity: String, by slot: String, sort: String?, keys: [Value]
    ) throws -> Groups<Record> {
        var records: [Record] = []
        var groups: [Int] = []
        // Consecutive records of one shape share a lookup.
        var (shape, position): (Shape?, Int?) = (nil, nil)
        // The order is that of the index. Keys of several parts have no order.
        let order = [keys.first?.isArray == true ? nil : slot, sort].compactMap { $0.map { Query.SortKey($0) } }
        var first = 0
        try forEachBatch(of: keys) { batch in
            var places = TokenTable()
            for (place, key) in zip(first..., batch) { places[DigestedKey(key).digest] = place }
            let query = Query(entity, where: .membership(path: slot, batch), sort: order)
            try transaction.forEach(query) { record in
                if record.shape !== shape { (shape, position) = (record.shape, record.shape.slot(named: slot)) }
                if let position, let place = places[record.values[position].digest(seed: DigestedKey.seed)] {
                    records.append(record)
                    groups.append(place)
                }
                return true
            }
            first += batch.count
        }
        var grouped = Groups(records, in: groups, count: keys.count)
        if let sort { grouped.sortSharedPlaces(sort) }
        return grouped
    }

    /// Returns the records of an entity with the given keys.
    private func records(_ keys: Set<Value>, of entity: Shape) throws -> [Value: Record] {
        var records: [Value: Record] = [:]
        records.reserveCapacity(keys.count)
        if entity.keySlots.count > 1 || keys.count == 1 {
            for key in keys { records[key] = try transaction.record(RecordID(entity.name, key)) }
            return records
        }
        let path = entity.slots[entity.keySlots[0]].name
        try forEachBatch(of: Array(keys)) { batch in
            try transaction.forEach(Query(entity.name, where: .membership(path: path, batch))) { record in
                records[record.key] = record
                return true
            }
        }
        return records
    }

    /// Calls `body` with up to 200 keys at a time.
    private func forEachBatch(of keys: [Value], _ body: ([Value]) throws -> Void) throws {
        var start = 0
        while start < keys.count {
            let end = min(start + Self.batchCount, keys.count)
            try body(Array(keys[start..<end]))
            start = end
        }
    }
}
