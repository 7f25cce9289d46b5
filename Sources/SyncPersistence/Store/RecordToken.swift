/// Digests of 64 bits that identify records and the targets of their relationships: equal for equal keys, in every
/// process.
///
/// Two different ones are equal with a probability of 2⁻⁶⁴ a pair.
package enum RecordToken {
    /// Returns the seed for the records of a hierarchy, by the name of its root.
    package static func seed(_ root: String) -> UInt64 { Value.string(root).digest(seed: 0) }

    /// Returns the seed for the targets of a slot, in a hierarchy or a table of links.
    package static func seed(_ owner: String, slot: String) -> UInt64 {
        ContentDigest.digest(of: [.string(owner), .string(slot)], seed: 1)
    }

    /// Returns the token of a record.
    @inline(__always)
    package static func record(_ key: Value, of shape: Shape) -> UInt64 { key.digest(seed: shape.tokenSeed) }

    /// Returns the token of a record whose key is text, by its UTF-8 bytes.
    package static func record(text: UnsafeRawBufferPointer, of shape: Shape) -> UInt64 {
        ContentDigest.digest(ofText: text, seed: shape.tokenSeed)
    }

    /// Calls a body with the tokens that a change affects: the record itself unless it is new, and its former and
    /// current targets.
    package static func forEach(from old: Record?, to new: Record?, _ body: (UInt64) -> Void) {
        guard let shape = (new ?? old)?.shape else { return }
        if old != nil, shape.role == nil, let key = (new ?? old)?.key { body(record(key, of: shape)) }
        forEachMembership(of: old, notOf: new, body)
        forEachMembership(of: new, notOf: old, body)
    }

    private static func forEachMembership(of record: Record?, notOf other: Record?, _ body: (UInt64) -> Void) {
        guard let record, record.shape.hasReferences else { return }
        for (position, seed) in record.shape.membershipSeeds {
            let key = record.values[position]
            if key.isNull { continue }
            if let other, other.shape == record.shape, other.values[position] == key { continue }
            body(key.digest(seed: seed))
        }
    }
}
