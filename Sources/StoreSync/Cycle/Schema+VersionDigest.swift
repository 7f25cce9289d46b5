package import SyncPersistence

extension Schema {
    /// Returns a digest of the slots of the records in the hierarchy of an entity.
    ///
    /// With another digest, the values of a version may be missing, not allowed, or mean something else.
    package func versionDigest(of entity: String) -> String {
        var digest = ContentDigest(seed: 0)
        for shape in self[entity].map(hierarchy) ?? [] {
            digest.combine("\(shape.name) \(shape.isAbstract)")
            for slot in shape.slots {
                digest.combine("\(slot.name) \(slot.content) \(slot.isOptional)")
                // A version need not state it.
                digest.combine(slot.defaultValue)
            }
        }
        return String(digest.finalize(), radix: 16)
    }
}
