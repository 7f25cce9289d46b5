/// What the storage keeps with a connection between transactions.
final class StorageCache {
    /// The tables of the layout in use; nil if there is none yet, or if the tables have changed.
    var tables: TableCache?

    /// The objects that SQL functions look up by number.
    let operands = LookupTable()

    /// The handler of `sync_replaces`, which decides whether an upsert overwrites the existing record.
    let replacement = Replacement()
}

extension Connection {
    /// The storage's cache on this connection.
    var cache: StorageCache {
        if let known = attachment as? StorageCache { return known }
        let cache = StorageCache()
        attachment = cache
        return cache
    }
}
