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
}
