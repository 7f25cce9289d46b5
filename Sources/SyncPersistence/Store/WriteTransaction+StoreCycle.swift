/// What the synchronization of a whole store needs of a transaction, besides the public functions of a transaction and
/// ``PayloadStore``.
extension WriteTransaction {
    /// Sets metadata under a name of the library's own, or removes it for nil.
    package func setLibraryMetadata(_ value: String?, for name: String) throws {
        try changing { _ = try metadataLog.set(value, for: name) }
    }
}
