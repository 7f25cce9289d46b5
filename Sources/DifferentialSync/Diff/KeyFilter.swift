/// A Bloom filter with one function: a set of hashes with false positives and no false negatives.
///
/// The filter has 32 to 64 bits for each entry, and each entry sets one bit. At most one look-up in 32 is a false
/// positive. The filter fits into the cache beside a collection that is scanned. A ``KeyTable`` does not.
///
/// B. Bloom, *Space/Time Trade-offs in Hash Coding with Allowable Errors*, 1970.
@usableFromInline
struct KeyFilter: ~Copyable {
    /// The bits that the hashes have set.
    @usableFromInline let bits: BitSet

    /// The shift that makes a hash the number of a bit.
    ///
    /// The highest bits of a product are the most random ones.
    @usableFromInline let shift: UInt64

    /// Creates a filter for `count` hashes. O(`count`)
    @inlinable
    init(count: Int) {
        let width = Int.bitWidth &- (32 &* count &+ 63).leadingZeroBitCount
        bits = BitSet(count: 1 &<< width)
        shift = UInt64(truncatingIfNeeded: 64 &- width)
    }

    /// Returns the number of the bit of a hash.
    @inlinable
    @inline(__always)
    func home(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash &>> shift)
    }

    /// Sets the bit of a hash, after which other hashes with the same bit count as inserted too.
    @inlinable
    @inline(__always)
    func insert(hash: UInt64) {
        bits.insert(home(of: hash))
    }

    /// Returns 1 if the hash may have been inserted, and 0 if it was not.
    ///
    /// The number saves a loop a branch.
    @inlinable
    @inline(__always)
    func bit(of hash: UInt64) -> UInt64 {
        let home = home(of: hash)
        return bits.words[home &>> 6] &>> UInt64(truncatingIfNeeded: home & 63) & 1
    }

    /// Whether the hash may have been inserted.
    ///
    /// False means that it was not.
    @inlinable
    @inline(__always)
    func mayContain(hash: UInt64) -> Bool {
        bit(of: hash) != 0
    }
}
