import SyncPersistence

extension Value {
    /// Throws if the value is nested deeper than JSON text can be.
    ///
    /// A sync is recursive for nested objects.
    func requireSyncableDepth() throws {
        if isDeeper() { throw Value.tooDeep }
    }

    /// The error for a value that is nested deeper than JSON text can be.
    static var tooDeep: PersistenceError {
        PersistenceError(
            .tooDeep,
            "the payload has more than \(maximumJSONDepth) arrays and objects in each other: sync its objects side by "
                + "side, each with the key of the one that it belongs to")
    }
}
