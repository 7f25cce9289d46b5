extension StoreFingerprint {
    /// Creates the fingerprint of all records and links of a store.
    ///
    /// - Complexity: O(size of the store)
    package init(ofAllIn store: ReadTransaction) throws {
        self.init()
        for shape in store.schema.referenceOrder.roots {
            try store.forEach(Query(shape.name)) { record in
                self = self + StoreFingerprint(of: record)
                return true
            }
        }
    }
}
