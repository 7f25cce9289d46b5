import SyncPersistence

/// The records that the payload states to be deleted.
struct StatedDeletions {
    /// The deletions in the order of the payload.
    private(set) var all: [Deletion] = []

    /// The key of a deleted record, and the place in the payload that states the deletion.
    struct Deletion {
        /// The entity of the record.
        let map: EntityMap
        /// The key of the record.
        let key: Value
        /// The place of the statement, for reports.
        let place: Place
    }

    /// Whether the payload states no deletion.
    var isEmpty: Bool { all.isEmpty }
    /// How many deletions the payload states.
    var count: Int { all.count }

    /// Adds a record that the payload states to be deleted.
    mutating func add(_ key: Value, _ map: EntityMap, at place: Place) {
        all.append(Deletion(map: map, key: key, place: place))
    }
}
