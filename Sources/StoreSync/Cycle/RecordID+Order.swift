import SyncPersistence

extension RecordID {
    /// Whether one record comes before another in lists.
    static func areInIncreasingOrder(_ left: RecordID, _ right: RecordID) -> Bool {
        left.entity == right.entity
            ? Value.areInIncreasingOrder(left.key, right.key) : left.entity < right.entity
    }
}
