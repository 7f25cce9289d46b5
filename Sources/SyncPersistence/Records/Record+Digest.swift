extension Record {
    /// Returns the digest of the record's entity and values.
    ///
    /// - Complexity: O(size of the record)
    package func digest(seed: UInt64) -> UInt64 {
        let digest = ContentDigest.digest(of: values, seed: seed)
        if shape.isRoot { return digest }
        return Value.string(shape.name).digest(seed: digest)
    }
}
