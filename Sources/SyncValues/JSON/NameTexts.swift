/// The texts before the values of an object's members: the names in quotes, and everything up to the colon.
///
/// The objects of a list have the same names in the same places. So a comparison with the text of the previous object
/// is faster than reading the names.
package struct NameTexts: Sendable {
    /// The texts one after the other, and eight more bytes, because whole words are read.
    @usableFromInline var bytes = [UInt8](repeating: 0, count: 8)
    /// The range of each text in `bytes`; empty for unknown texts.
    @usableFromInline var ranges: [Range<Int>] = []

    /// Creates an empty list.
    package init() {}

    /// The number of bytes in all texts.
    package var byteCount: Int { bytes.count - 8 }

    /// Sets the text at a place, after empty ones if necessary.
    ///
    /// It reuses the memory of the former text if that is not shorter.
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

    /// Removes all texts.
    mutating func removeAll() {
        bytes.removeSubrange(..<byteCount)
        ranges.removeAll(keepingCapacity: true)
    }

    /// Returns the end of the text at a place if some bytes contain it at an offset; nil if they differ or are too few.
    ///
    /// - Complexity: O(*n*) for a text of *n* bytes, compared eight at a time
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
            // The last word may overlap the previous one.
            return difference(at: count &- 8) == 0
        }
        return isSame ? offset &+ count : nil
    }
}
