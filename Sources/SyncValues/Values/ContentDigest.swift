#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A 64-bit digest of values.
///
/// One comparison of digests shows whether content has changed.
///
/// ```swift
/// ContentDigest.digest(of: record.values, seed: seed) == storedDigest
/// ```
///
/// Equal values have equal digests. The order of an object's members, the sign of a zero and the form of a decimal do
/// not count. The digest of given values and seed is the same in every process, on every platform and in every version
/// of this library. So digests can be stored.
///
/// Two different values have the same digest with a chance of about 2⁻⁶⁴. Of a million changed records, one is
/// overlooked once in 2·10¹³ times. Among *n* records, any two have the same digest with a chance of *n*² / 2⁶⁵. This
/// holds for content that was chosen without knowledge of the seed. The digest is not cryptographic: with the seed,
/// collisions can be constructed.
///
/// The bytes are read in words of eight. Two words at a time are multiplied and folded with the state, as in wyhash
/// (Wang Yi, *wyhash*, 2019).
package struct ContentDigest: Sendable {
    /// The state after the values so far.
    private var state: UInt64
    /// The mixed seed.
    ///
    /// It is combined with the factors of each multiplication, so that no content can be a known factor.
    private let key: UInt64

    /// Creates a digest of nothing.
    package init(seed: UInt64) {
        key = Self.fold(seed ^ Self.constants.0, Self.constants.1)
        state = key ^ Self.constants.2
    }

    /// Creates the digest of an object's member, which does not depend on the content before the object.
    private init(memberOf digest: ContentDigest) {
        key = digest.key
        state = digest.key ^ Self.constants.3
    }

    /// Returns the digest of everything combined so far.
    ///
    /// - Complexity: O(1)
    package func finalize() -> UInt64 {
        // Folded twice: after one multiplication by a constant, numbers in arithmetic progression are still in
        // progression. The sum of an object's members would show it.
        Self.fold(Self.fold(state ^ key, Self.constants.4) ^ key, Self.constants.5)
    }

    /// Returns the digest of values in their order.
    ///
    /// - Complexity: O(*n*) for *n* bytes of content; about 50 ns for four values of 100 bytes in all
    package static func digest(of values: [Value], seed: UInt64) -> UInt64 {
        var digest = ContentDigest(seed: seed)
        digest.combine(elements: values)
        return digest.finalize()
    }

    /// Returns the digest of bytes.
    ///
    /// - Complexity: O(*n*)
    package static func digest(of bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        ContentDigest(seed: seed).taking(.bytes, bytes).finalize()
    }

    /// Returns the digest of text in UTF-8.
    ///
    /// It equals the digest of the value with this text.
    ///
    /// - Complexity: O(*n*)
    package static func digest(ofText text: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        ContentDigest(seed: seed).taking(.string, text).finalize()
    }

    /// Odd numbers from the fraction of π, which mix the state.
    ///
    /// They must not change, because digests are stored.
    private static var constants: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) {
        (
            0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7345, 0xA409_3822_299F_31D1, 0x082E_FA98_EC4E_6C89,
            0x4528_21E6_38D0_1377, 0xBE54_66CF_34E9_0C6D, 0xC0AC_29B7_C97C_50DD
        )
    }
}

extension Value {
    /// Returns the ``ContentDigest`` of this value alone.
    package func digest(seed: UInt64) -> UInt64 {
        var digest = ContentDigest(seed: seed)
        digest.combine(self)
        return digest.finalize()
    }
}

extension ContentDigest {
    /// Combines a value into the digest.
    ///
    /// - Complexity: O(*n*) for *n* bytes of content
    package mutating func combine(_ value: Value) {
        switch value {
        case .null: take(.null)
        case .bool(let value): take(.bool, value ? 1 : 0)
        case .integer(let value): take(.integer, UInt64(bitPattern: value))
        case .double(let value): take(.double, Self.bits(value))
        case .decimal(let value): combine(value)
        case .string(let value): combine(value)
        case .bytes(let value): self = value.withUnsafeBytes { taking(.bytes, $0) }
        case .date(let value): take(.date, Self.bits(value.timeIntervalSinceReferenceDate))
        case .uuid(let value): self = withUnsafeBytes(of: value.uuid) { taking(.uuid, $0) }
        case .url(let value): self = value.absoluteString.withUTF8Bytes { taking(.url, $0) }
        case .array, .object: combine(parts: value)
        }
    }

    /// Combines text into the digest, like the value with this text.
    package mutating func combine(_ text: String) {
        self = text.withUTF8Bytes { taking(.string, $0) }
    }

    /// Combines values into the digest in their order.
    ///
    /// It works in place, because copies would cost more than their digests.
    private mutating func combine(elements: [Value]) {
        elements.withUnsafeBufferPointer { elements in
            for index in elements.indices { combine(elements[index]) }
        }
    }

    /// Combines a decimal in the form that all equal decimals share.
    private mutating func combine(_ decimal: Decimal) {
        let digits = DecimalDigits(decimal)
        let form = digits.isNaN ? 2 : digits.isNegative ? 1 : 0
        take(.decimal, count: (digits.exponent &+ 1024) << 2 | form, digits.low, digits.high)
    }

    /// An open container, the digest before it and, for an object, the sum of its members' digests.
    private struct Open {
        /// The parts of the container, and the position of the next one.
        var parts: ValueParts
        /// The digest before the members of an object.
        var outer: ContentDigest
        /// The sum of the digests of an object's members so far.
        ///
        /// A sum does not depend on their order. Their names are distinct, so no two members cancel each other out.
        var sum: UInt64 = 0
    }

    /// Combines an array or object of any depth.
    ///
    /// It uses a stack, because recursion would overflow the call stack at some depth. An array combines its count and
    /// then its elements. An object combines its count and the sum of its members' digests.
    ///
    /// - Complexity: O(*n*) for *n* bytes of content
    private mutating func combine(parts value: Value) {
        var stack: [Open] = []
        if let parts = ValueParts(value) { stack.append(open(parts)) }
        while let top = stack.indices.last {
            let names = stack[top].parts.names
            if names != nil, stack[top].parts.next > 0 { stack[top].sum &+= finalize() }
            if stack[top].parts.isAtEnd {
                let last = stack.removeLast()
                if names == nil { continue }
                self = last.outer
                take(.object, count: last.parts.values.count, last.sum)
                continue
            }
            if let names {
                self = ContentDigest(memberOf: stack[top].outer)
                combine(names[stack[top].parts.next])
            }
            let part = stack[top].parts.visitNext()
            if let parts = ValueParts(part) { stack.append(open(parts)) } else { combine(part) }
        }
    }

    /// Begins a container, and combines the count of an array into the digest.
    private mutating func open(_ parts: ValueParts) -> Open {
        if parts.names == nil { take(.array, count: parts.values.count) }
        return Open(parts: parts, outer: self)
    }

    /// Returns the bits of a number.
    ///
    /// Equal numbers have the same bits, and all NaNs have the same bits.
    private static func bits(_ double: Double) -> UInt64 {
        double.isNaN ? 0x7FF8_0000_0000_0000 : double == 0 ? 0 : double.bitPattern
    }
}

extension ContentDigest {
    /// The numbers of a value's cases, which must not change.
    private enum Kind: UInt64 {
        case null = 1, bool, integer, double, decimal, string, bytes, date, uuid, url, array, object
    }

    /// Folds two words into the state, with a head that identifies the kind and the count.
    @inline(__always)
    private mutating func take(_ kind: Kind, count: Int = 0, _ first: UInt64 = 0, _ second: UInt64 = 0) {
        take(Self.head(kind, count: count), first, second)
    }

    /// Folds two words and their head into the state.
    @inline(__always)
    private mutating func take(_ head: UInt64, _ first: UInt64, _ second: UInt64) {
        state = Self.fold(first ^ state, second ^ head ^ key)
    }

    /// Returns the kind and the count, spread over all bits, so that no similar content can compensate for them.
    @inline(__always)
    private static func head(_ kind: Kind, count: Int) -> UInt64 {
        (UInt64(truncatingIfNeeded: count) << 8 | kind.rawValue) &* constants.6
    }

    /// Folds one word into the state.
    @inline(__always)
    private mutating func take(_ kind: Kind, _ first: UInt64) {
        take(kind, count: 0, first)
    }

    /// Returns this digest with bytes combined into it.
    ///
    /// It returns a copy, because Swift checks exclusive access at run time where a closure changes a captured
    /// variable.
    ///
    /// - Complexity: O(*n*) for *n* bytes
    @inline(__always)
    private func taking(_ kind: Kind, _ bytes: UnsafeRawBufferPointer) -> ContentDigest {
        var digest = self
        let count = bytes.count
        if count > 16 {
            // The last two words may overlap earlier ones. This is sound because the length counts as well.
            var offset = 0
            while offset &+ 16 < count {
                digest.state = Self.fold(
                    Self.word(bytes, offset) ^ key, Self.word(bytes, offset &+ 8) ^ digest.state)
                offset &+= 16
            }
            digest.take(kind, count: count, Self.word(bytes, count &- 16), Self.word(bytes, count &- 8))
        } else {
            let (first, second) = Self.words(bytes)
            digest.take(kind, count: count, first, second)
        }
        return digest
    }

    /// Returns up to 16 bytes as two words.
    @inline(__always)
    private static func words(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        let count = bytes.count
        if count >= 8 { return (word(bytes, 0), word(bytes, count &- 8)) }
        if count >= 4 { return (halfWord(bytes, 0), halfWord(bytes, count &- 4)) }
        if count == 0 { return (0, 0) }
        let ends = UInt64(bytes[0]) | UInt64(bytes[count &- 1]) << 16
        return (ends | UInt64(bytes[count &>> 1]) << 8, 0)
    }

    /// Returns the eight bytes at an offset as a little-endian number.
    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns the four bytes at an offset as a little-endian number.
    @inline(__always)
    private static func halfWord(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// Multiplies two words and folds the factors and both halves of the product into one word.
    ///
    /// A factor of zero does not lose the other factor.
    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low ^ left ^ right
    }
}

extension ContentDigest {
    /// A text that many digests combine, such as a name.
    package struct Text: Sendable {
        fileprivate let text: String
        /// What the text of up to 16 bytes adds to a digest; nil for a longer one.
        fileprivate let words: (head: UInt64, first: UInt64, second: UInt64)?

        package init(_ text: String) {
            self.text = text
            words = text.withUTF8Bytes { bytes -> (head: UInt64, first: UInt64, second: UInt64)? in
                if bytes.count > 16 { return nil }
                let (first, second) = ContentDigest.words(bytes)
                return (ContentDigest.head(.string, count: bytes.count), first, second)
            }
        }
    }

    /// Combines text into the digest, like the value with this text.
    package mutating func combine(_ text: Text) {
        if let words = text.words { take(words.head, words.first, words.second) } else { combine(text.text) }
    }

    /// Combines a value into two digests.
    ///
    /// - Complexity: O(*n*) for *n* bytes of content
    package static func combine(_ value: Value, into first: inout ContentDigest, _ second: inout ContentDigest) {
        if case .string(let text) = value {
            (first, second) = text.withUTF8Bytes { [first, second] in
                (first.taking(.string, $0), second.taking(.string, $0))
            }
        } else {
            first.combine(value)
            second.combine(value)
        }
    }
}
