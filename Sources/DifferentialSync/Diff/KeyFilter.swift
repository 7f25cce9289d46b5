/// A set of hashes that answers "perhaps" or "no", in 32 to 64 bits an entry: small enough to stay in the cache beside a
/// collection that is scanned, where a ``KeyTable`` would not.
///
/// One bit is set for each hash, so at most one look-up in 32 says "perhaps" of a hash that is not there: a Bloom filter
/// with one function (B. Bloom, *Space/Time Trade-offs in Hash Coding with Allowable Errors*, 1970).
@usableFromInline
struct KeyFilter: ~Copyable {
    @usableFromInline let bits: BitSet

    /// How far a hash is shifted to be the number of a bit: the highest bits of a product are its best.
    @usableFromInline let shift: UInt64

    /// A filter for so many hashes. O(`count`)
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

    /// Enters a hash.
    @inlinable
    @inline(__always)
    func insert(hash: UInt64) {
        bits.insert(home(of: hash))
    }

    /// Returns 1 if the hash may have been entered, and 0 if it has not: a number, so that a loop needs no branch.
    @inlinable
    @inline(__always)
    func bit(of hash: UInt64) -> UInt64 {
        let home = home(of: hash)
        return bits.words[home &>> 6] &>> UInt64(truncatingIfNeeded: home & 63) & 1
    }

    /// Whether the hash may have been entered; if not, it has not.
    @inlinable
    @inline(__always)
    func mayContain(hash: UInt64) -> Bool {
        bit(of: hash) != 0
    }
}
