import SyncPersistence

extension Value {
    /// Throws if there are more levels of arrays and objects than JSON is read with.
    ///
    /// A sync calls itself for objects within others.
    func requireSyncableDepth() throws {
        if !isDeeper() { return }
        throw PersistenceError(
            .tooDeep,
            "the payload has more than \(Self.maximumJSONDepth) arrays and objects in each other: sync its objects side "
                + "by side, each with the key of the one that it belongs to")
    }
}
