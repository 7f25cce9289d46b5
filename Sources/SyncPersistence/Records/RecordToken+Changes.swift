extension RecordToken {
    /// Calls a body with the tokens that a change affects: the record itself unless it is new, and its former and
    /// current targets.
    package static func forEach(from old: Record?, to new: Record?, _ body: (UInt64) -> Void) {
        guard let shape = (new ?? old)?.shape else { return }
        if old != nil, shape.role == nil, let key = (new ?? old)?.key { body(record(key, of: shape)) }
        forEachMembership(of: old, notOf: new, body)
        forEachMembership(of: new, notOf: old, body)
    }

    /// Calls a body with the token of each relationship of another record in which a record is, and the other version
    /// is not or is at another place.
    private static func forEachMembership(of record: Record?, notOf other: Record?, _ body: (UInt64) -> Void) {
        guard let record, record.shape.hasReferences else { return }
        for (position, seed) in record.shape.membershipSeeds {
            let key = record.values[position]
            if key.isNull { continue }
            if let other, other.shape == record.shape, other.values[position] == key,
                record.shape.placeSlots.allSatisfy({ record.values[$0] == other.values[$0] })
            {
                continue
            }
            body(key.digest(seed: seed))
        }
    }
}
