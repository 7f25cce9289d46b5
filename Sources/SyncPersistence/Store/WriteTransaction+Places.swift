extension WriteTransaction {
    /// Returns a record that an app stores, with its places in ordered relationships, which an app does not state.
    ///
    /// The record keeps its place beside the record that it refers to. If it refers to another one now, it is the last
    /// one there, as with ``ChangeSet/link(_:_:to:at:)``.
    ///
    /// - Parameters:
    ///   - record: The record as the app states it.
    ///   - old: The stored record, or nil if it is new.
    ///   - base: The shadow's record if an edit is undone: a record that returns to its target there has its place again.
    /// - Complexity: O(1) for an entity without places; else a query for the first record of each other one
    func placed(_ record: Record, over old: Record?, undoingTo base: Record? = nil) throws -> Record {
        let shape = record.shape
        if !shape.hasPlaces { return record }
        var record = record
        for side in try log.hierarchy(of: shape).references(of: shape, in: schema).places {
            guard let near = shape.slot(named: side.near), let place = shape.slot(named: side.position) else {
                continue
            }
            let (target, former) = (record.values[near], old?[side.near] ?? .null)
            let known = old?[side.position] ?? .null
            if target == former {
                if record.values[place].isNull { record.values[place] = known }
            } else if let base, base[side.near] == target {
                record.values[place] = base[side.position]
            } else if record.values[place] == known {
                record.values[place] =
                    try target.isNull ? .null : .integer(log.linkPositions.nextPosition(on: side, of: target, self))
            }
        }
        return record
    }
}
