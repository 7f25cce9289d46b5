/// The next free places at the ends of ordered links, as far as a transaction has looked for them.
struct LinkPositions {
    /// The next free place by end.
    private var next: [End: Int64] = [:]

    /// One end of ordered links: a record, and the slot of the links that refers to it.
    private struct End: Hashable {
        /// The shape of the links.
        let shape: String
        /// The slot that names the record.
        let slot: String
        /// The key of the record.
        let key: Value
    }

    /// A place behind all links of a record at one end.
    ///
    /// - Complexity: A query for the first call for a record; then O(1)
    mutating func nextPosition(
        in shape: String, at side: LinkEnd, of key: Value, _ transaction: ReadTransaction
    ) throws -> Int64 {
        let end = End(shape: shape, slot: side.near, key: key)
        if let known = next[end] { return known }
        let last = try transaction.records(
            Query(
                shape, where: .comparison(path: side.near, .equal, key),
                sort: [Query.SortKey(side.position, isDescending: true)], limit: 1)
        ).first?[side.position]
        var position: Int64 = 0
        if case .integer(let last)? = last { position = min(last, .max - 1) + 1 }
        next[end] = position
        return position
    }

    /// Moves the next places behind a link that is stored.
    mutating func add(_ link: Record) {
        forEachKnownEnd(of: link) { _, position, next in max(next, min(position, .max - 1) + 1) }
    }

    /// Forgets the next place at each end of a link that was the last one there and was removed or moved.
    mutating func remove(_ link: Record, becoming new: Record?) {
        forEachKnownEnd(of: link) { slot, position, next in
            position >= next - 1 && new?.values[slot] != .integer(position) ? nil : next
        }
    }

    /// Forgets all places.
    mutating func removeAll() { next = [:] }

    /// Updates the next place at each end of a link, where it is known.
    private mutating func forEachKnownEnd(
        of link: Record, _ update: (_ slot: Int, _ position: Int64, _ next: Int64) -> Int64?
    ) {
        if next.isEmpty { return }
        for side in [LinkEnd.source, .target] {
            guard let slot = link.shape.slot(named: side.position), case .integer(let position) = link.values[slot]
            else { continue }
            let end = End(shape: link.shape.name, slot: side.near, key: link[side.near])
            if let known = next[end] { next[end] = update(slot, position, known) }
        }
    }
}
