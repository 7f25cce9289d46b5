/// A set of hashes that answers "perhaps" or "no", in 16 bits an entry: small enough to stay in the cache beside a
/// collection that is scanned, where a ``KeyTable`` would not.
///
/// One bit is set for each hash, so about one look-up in 16 says "perhaps" of a hash that is not there: a Bloom filter
/// with one function (B. Bloom, *Space/Time Trade-offs in Hash Coding with Allowable Errors*, 1970).
@usableFromInline
struct KeyFilter: ~Copyable {
    @usableFromInline let bits: BitSet
    @usableFromInline let capacity: UInt64

    /// A filter for so many hashes. O(`count` / 4)
    @inlinable
    init(count: Int) {
        bits = BitSet(count: 16 &* count &+ 64)
        capacity = UInt64(truncatingIfNeeded: 16 &* count &+ 64)
    }

    /// Where a hash has its bit.
    @inlinable
    @inline(__always)
    func home(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash.multipliedFullWidth(by: capacity).high)
    }

    /// Enters a hash.
    @inlinable
    @inline(__always)
    func insert(hash: UInt64) {
        bits.insert(home(of: hash))
    }

    /// Whether the hash may have been entered; if not, it has not.
    @inlinable
    @inline(__always)
    func mayContain(hash: UInt64) -> Bool {
        bits.contains(home(of: hash))
    }
}
