/// Turns keys into 64-bit hashes for a ``KeyTable``, in one of two ways.
///
/// *Fast*: a seeded multiply-and-fold over the bytes of ASCII strings and over 64-bit integers. It costs a fraction of
/// the standard library's hash. The two seeds come from the process's random seed through `Hasher`. So keys that were
/// chosen without the seed collide no more than random ones. A table with too many collisions is built again with
/// standard hashes.
///
/// *Standard*: `Hashable` and SipHash, for all other types, and for strings if one of them is not ASCII. Strings are
/// equal by canonical equivalence, so equal strings may have different bytes: `"K"` also equals the Kelvin sign. A
/// table therefore never mixes the two ways.
@usableFromInline
@frozen
struct KeyHasher {
    /// The secret that integers and bytes are combined with.
    @usableFromInline let seed: UInt64
    /// The odd secret that they are multiplied by.
    @usableFromInline let multiplier: UInt64

    /// Whether keys are hashed the fast way.
    @usableFromInline private(set) var isFast: Bool

    /// Whether a sketch is the whole hash.
    ///
    /// Set when sketches of key parts distinguish too few keys.
    @usableFromInline var sketchesWholeKeys = false

    /// Whether the fast way could not hash a key.
    ///
    /// The table cannot be used then.
    @usableFromInline var sawUnhashable = false

    /// Creates a hasher for keys of the type: fast for strings and 64-bit integers, else standard.
    @inlinable
    init<Key: Hashable>(for type: Key.Type, seed: UInt64, multiplier: UInt64) {
        self.seed = seed
        self.multiplier = multiplier | 1
        self.isFast = type == String.self || type == Int.self || type == Int64.self || type == UInt64.self
    }

    /// Creates a hasher for keys of the type, seeded by the process.
    @inlinable
    init<Key: Hashable>(for type: Key.Type) {
        self.init(for: type, seed: KeyHasher.processSeed(0), multiplier: KeyHasher.processSeed(1))
    }

    /// Returns the standard hasher, which replaces a fast one that cannot be used.
    @inlinable
    func standard() -> KeyHasher {
        var hasher = self
        hasher.isFast = false
        hasher.sawUnhashable = false
        return hasher
    }

    /// Returns this hasher with whole hashes for sketches.
    @inlinable
    func sketchingWholeKeys() -> KeyHasher {
        var hasher = self
        hasher.sketchesWholeKeys = true
        return hasher
    }

    /// Returns a secret of the process, which a remote cannot know when it chooses keys.
    @inlinable
    static func processSeed(_ index: UInt8) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(index)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}

extension KeyHasher {
    /// Returns the hash of a key.
    ///
    /// O(1) for integers, O(length) for strings, the cost of `hash(into:)` otherwise.
    @inlinable
    @inline(__always)
    mutating func hash<Key: Hashable>(_ key: Key) -> UInt64 {
        guard isFast else { return UInt64(truncatingIfNeeded: key.hashValue) }
        if Key.self == String.self { return hash(ascii: key as! String) }
        if Key.self == Int.self { return hash(integer: UInt64(truncatingIfNeeded: key as! Int)) }
        if Key.self == Int64.self { return hash(integer: UInt64(truncatingIfNeeded: key as! Int64)) }
        return hash(integer: key as! UInt64)
    }

    /// Returns a cheap hash for a ``KeyFilter``: one multiplication of an integer, or a hash of a string's first and
    /// last eight bytes.
    ///
    /// Equal keys have equal sketches, or ``sawUnhashable`` is set. A string that equals an ASCII string has the same
    /// first and last bytes, unless one of these is not ASCII.
    @inlinable
    @inline(__always)
    mutating func sketch<Key: Hashable>(_ key: Key) -> UInt64 {
        if !isFast || sketchesWholeKeys { return hash(key) }
        if Key.self == String.self { return sketch(ascii: key as! String) }
        if Key.self == Int.self { return sketch(integer: UInt64(truncatingIfNeeded: key as! Int)) }
        if Key.self == Int64.self { return sketch(integer: UInt64(truncatingIfNeeded: key as! Int64)) }
        return sketch(integer: key as! UInt64)
    }

    /// Reads the ends of a string, so that they are in the cache when it is hashed or compared.
    @inlinable
    @inline(__always)
    mutating func touch<Key: Hashable>(_ key: Key) -> UInt32 {
        isFast ? UInt32(truncatingIfNeeded: sketch(key)) : 0
    }

    /// Returns a quick hash of an integer, by one multiplication.
    @inlinable
    @inline(__always)
    func sketch(integer: UInt64) -> UInt64 {
        (integer ^ seed) &* multiplier
    }

    /// Returns a quick hash of a text's length and ends.
    @inlinable
    @inline(__always)
    mutating func sketch(ascii string: String) -> UInt64 {
        let ends = string.utf8.withContiguousStorageIfAvailable { bytes in
            KeyHasher.ends(of: UnsafeRawBufferPointer(bytes))
        }
        guard let ends, (ends.first | ends.last) & 0x8080_8080_8080_8080 == 0 else {
            sawUnhashable = true
            return 0
        }
        return KeyHasher.fold(ends.first ^ multiplier, ends.last ^ seed)
    }

    /// Returns the first and the last eight bytes.
    ///
    /// Fewer than eight bytes are returned twice.
    @inlinable
    @inline(__always)
    static func ends(of bytes: UnsafeRawBufferPointer) -> (first: UInt64, last: UInt64) {
        let count = bytes.count
        if count >= 8 {
            return (
                bytes.loadUnaligned(as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            )
        }
        let word = word(of: bytes)
        return (word, word)
    }

    /// Returns fewer than eight bytes as a number.
    @inlinable
    @inline(__always)
    static func word(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        var word: UInt64 = 0
        var offset = 0
        while offset < bytes.count {
            word = word &<< 8 | UInt64(truncatingIfNeeded: bytes[offset])
            offset &+= 1
        }
        return word
    }

    /// Returns the hash of an integer.
    @inlinable
    @inline(__always)
    func hash(integer: UInt64) -> UInt64 {
        // Twice, because one multiplication maps an arithmetic progression to another one.
        KeyHasher.fold(KeyHasher.fold(integer ^ seed, multiplier), 0x9E37_79B9_7F4A_7C15)
    }

    /// Returns the hash of a text, if all of its bytes are ASCII; other text has several forms that are equal.
    @inlinable
    @inline(__always)
    mutating func hash(ascii string: String) -> UInt64 {
        let hash = string.utf8.withContiguousStorageIfAvailable { bytes in
            self.hash(ascii: UnsafeRawBufferPointer(bytes))
        }
        if let hash, let hash { return hash }
        sawUnhashable = true
        return 0
    }

    /// Returns the hash of the bytes, or nil if one of them is not ASCII.
    @inlinable
    @inline(__always)
    func hash(ascii bytes: UnsafeRawBufferPointer) -> UInt64? {
        // Words of eight bytes, two at a time. The last two may overlap those before them: the length is hashed as
        // well. It is hashed last, so that the bytes of a longer string cannot cancel it.
        let count = bytes.count
        var hash = seed
        var seen: UInt64 = 0
        if count >= 8 {
            var offset = 0
            while offset &+ 16 < count {
                let first = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                let second = bytes.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)
                seen |= first | second
                hash = KeyHasher.fold(first ^ multiplier, second ^ hash)
                offset &+= 16
            }
            let first = bytes.loadUnaligned(fromByteOffset: count >= 16 ? count &- 16 : 0, as: UInt64.self)
            let second = bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            seen |= first | second
            hash = KeyHasher.fold(first ^ multiplier, second ^ hash)
        } else {
            let word = KeyHasher.word(of: bytes)
            seen = word
            hash = KeyHasher.fold(word ^ multiplier, hash)
        }
        if seen & 0x8080_8080_8080_8080 != 0 { return nil }
        return KeyHasher.fold(hash, multiplier ^ UInt64(truncatingIfNeeded: count))
    }

    /// Returns both halves of the full product, folded into one word: each bit depends on all bits of both factors.
    @inlinable
    @inline(__always)
    static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
