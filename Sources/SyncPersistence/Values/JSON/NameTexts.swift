/// The texts of names as they stand before the values of an object's members: the quotes, and what follows up to the
/// colon.
///
/// Objects of a list have the same names in the same places, so a comparison with the text of the one before tells what
/// a name is faster than reading it.
package struct NameTexts: Sendable {
    /// The texts one after the other, and a word behind them that may be read.
    @usableFromInline var bytes = [UInt8](repeating: 0, count: 8)
    /// Where each begins and ends; empty where none is known.
    @usableFromInline var ranges: [Range<Int>] = []

    package init() {}

    /// How many bytes there are.
    package var byteCount: Int { bytes.count - 8 }

    /// Puts a text in a place, after as many empty ones as it takes; a longer one that was there leaves its memory to it.
    package mutating func set(_ text: some Collection<UInt8>, at place: Int) {
        while ranges.count <= place { ranges.append(0..<0) }
        let known = ranges[place]
        if known.count >= text.count {
            bytes.replaceSubrange(known.lowerBound..<known.lowerBound + text.count, with: text)
            ranges[place] = known.lowerBound..<known.lowerBound + text.count
        } else {
            ranges[place] = byteCount..<byteCount + text.count
            bytes.insert(contentsOf: text, at: byteCount)
        }
    }

    /// Forgets all texts.
    package mutating func removeAll() {
        bytes.removeSubrange(..<byteCount)
        ranges.removeAll(keepingCapacity: true)
    }

    /// Where the text in a place ends if it stands at an offset of some bytes; nil if it does not, or may not.
    ///
    /// - Complexity: O(*n*) for a text of *n* bytes, of which eight are compared at a time
    @inlinable @inline(__always)
    package func end(of place: Int, in text: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        guard place < ranges.count else { return nil }
        let (start, count) = (ranges[place].lowerBound, ranges[place].count)
        guard count > 0, offset &+ count &+ 8 <= text.count else { return nil }
        let isSame = bytes.withUnsafeBytes { bytes in
            func difference(at place: Int) -> UInt64 {
                bytes.loadUnaligned(fromByteOffset: start &+ place, as: UInt64.self)
                    ^ text.loadUnaligned(fromByteOffset: offset &+ place, as: UInt64.self)
            }
            if count < 8 { return UInt64(littleEndian: difference(at: 0)) << UInt64(64 &- count &* 8) == 0 }
            var done = 0
            while done &+ 8 < count {
                if difference(at: done) != 0 { return false }
                done &+= 8
            }
            // The last word may overlap the one before.
            return difference(at: count &- 8) == 0
        }
        return isSame ? offset &+ count : nil
    }
}
