import SyncPersistence

/// A record that the payload states to be deleted.
struct StatedDeletion {
    /// The entity of the record.
    let map: EntityMap
    /// The key of the record.
    let key: Value
    /// The place of the statement, for reports.
    let place: Place
}
