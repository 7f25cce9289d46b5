/// The next free places at the ends of ordered relationships, as far as a transaction has looked for them.
struct LinkPositions {
    /// The next free place by end.
    private var next: [End: Int64] = [:]

    /// The sides of the known ends, by the root of the records that have the places.
    private var sides: [String: Set<Side>] = [:]

    /// The slots of the records that have the places: links, or the records at the other end.
    struct Side: Hashable {
        /// The entity of the records.
        let entity: String
        /// The slot that names the record with the relationship.
        let near: String
        /// The slot of the place.
        let position: String

        /// Creates the side of an entity's records.
        init(entity: String, near: String, position: String) {
            (self.entity, self.near, self.position) = (entity, near, position)
        }

        /// Creates the side of the records to which a relationship leads.
        ///
        /// It is nil if the relationship has no order, is stored elsewhere, or does not lead to records of a shape.
        init?(_ relationship: ShapeRelationship, for shape: Shape) {
            let destination = relationship.definition.destination
            guard case .inverse(let slot, let position?) = relationship.storage, shape.inherits(destination) else {
                return nil
            }
            self.init(entity: destination, near: slot, position: position)
        }
    }

    /// One end of an ordered relationship: a record, and the slots that refer to it.
    private struct End: Hashable {
        /// The slots.
        let side: Side
        /// The key of the record.
        let key: Value
    }

    /// Returns a record that an app stores, with its places in ordered relationships, which an app does not state.
    ///
    /// The record keeps its place beside the record that it refers to. If it refers to another one now, it is the last
    /// one there, as with ``ChangeSet/link(_:_:to:at:)``.
    ///
    /// - Parameters:
    ///   - record: The record as the app states it.
    ///   - old: The stored record, or nil if it is new.
    ///   - base: The shadow's record if an edit is undone: a record that returns to its target there has its place again.
    ///   - sides: The slots of the record's places.
    ///   - transaction: Reads the last places.
    /// - Complexity: A query for the first record of each target
    mutating func placed(
        _ record: Record, over old: Record?, undoingTo base: Record?, on sides: Set<Side>,
        _ transaction: ReadTransaction
    ) throws -> Record {
        let shape = record.shape
        var record = record
        for side in sides {
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
                    try target.isNull ? .null : .integer(nextPosition(on: side, of: target, transaction))
            }
        }
        return record
    }

    /// A place behind all others of a record at one end.
    ///
    /// - Complexity: A query for the first call for a record; then O(1)
    mutating func nextPosition(on side: Side, of key: Value, _ transaction: ReadTransaction) throws -> Int64 {
        let end = End(side: side, key: key)
        if let known = next[end] { return known }
        let last = try transaction.records(
            Query(
                side.entity, where: .comparison(path: side.near, .equal, key),
                sort: [Query.SortKey(side.position, isDescending: true)], limit: 1)
        ).first?[side.position]
        var position: Int64 = 0
        if case .integer(let last)? = last { position = min(last, .max - 1) + 1 }
        next[end] = position
        sides[try transaction.shape(side.entity).root, default: []].insert(side)
        return position
    }

    /// Moves the next places behind a record that is stored.
    mutating func add(_ record: Record) {
        forEachKnownEnd(of: record) { _, position, next in max(next, min(position, .max - 1) + 1) }
    }

    /// Forgets the next place at each end of a record that was the last one there and was removed or moved.
    mutating func remove(_ record: Record, becoming new: Record?) {
        forEachKnownEnd(of: record) { end, position, next in
            let isKept = new?[end.side.position] == .integer(position) && new?[end.side.near] == end.key
            return position >= next - 1 && !isKept ? nil : next
        }
    }

    /// Forgets all places.
    mutating func removeAll() { (next, sides) = ([:], [:]) }

    /// Updates the next place at each end of a record, where it is known.
    private mutating func forEachKnownEnd(
        of record: Record, _ update: (_ end: End, _ position: Int64, _ next: Int64) -> Int64?
    ) {
        if next.isEmpty { return }
        for side in sides[record.shape.root] ?? [] {
            guard case .integer(let position) = record[side.position] else { continue }
            let end = End(side: side, key: record[side.near])
            if let known = next[end] { next[end] = update(end, position, known) }
        }
    }
}
