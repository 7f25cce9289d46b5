/// The order of two values.
package enum ValueOrder: Sendable {
    /// The first comes before the second.
    case ascending
    /// Neither comes before the other.
    case same
    /// The second comes before the first.
    case descending

    /// Creates the order of two comparable values.
    init<Content: Comparable>(_ left: Content, _ right: Content) {
        self = left < right ? .ascending : left > right ? .descending : .same
    }

    /// The order of the second value and the first.
    package var reversed: ValueOrder {
        switch self {
        case .ascending: .descending
        case .same: .same
        case .descending: .ascending
        }
    }
}

extension ValueOrder {
    /// Creates the order of two binary numbers; NaN comes last, and both zeros are the same.
    init(number left: Double, _ right: Double) {
        if left.isNaN || right.isNaN {
            self.init(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0)
        } else {
            self = left < right ? .ascending : left > right ? .descending : .same
        }
    }

    /// Creates the order of an integer and a binary number, without rounding.
    ///
    /// A conversion of the integer to a double would round integers beyond 2⁵³.
    init(number left: Int64, _ right: Double) {
        if right.isNaN || right >= 0x1p63 {
            self = .ascending
        } else if right < -0x1p63 {
            self = .descending
        } else {
            let whole = right.rounded(.towardZero)
            self.init(left, Int64(whole))
            if self == .same { self.init(number: 0 as Double, right - whole) }
        }
    }

    /// Creates the order of bytes: by the first difference, otherwise by their number.
    ///
    /// It compares eight bytes at a time.
    ///
    /// - Complexity: O(*n*) for *n* equal bytes at the start
    init(bytes left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) {
        let count = min(left.count, right.count)
        var offset = 0
        while offset &+ 8 <= count {
            let one = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let other = right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if one != other {
                self.init(UInt64(bigEndian: one), UInt64(bigEndian: other))
                return
            }
            offset &+= 8
        }
        while offset < count {
            if left[offset] != right[offset] {
                self.init(left[offset], right[offset])
                return
            }
            offset &+= 1
        }
        self.init(left.count, right.count)
    }

    /// Creates the order of texts by their UTF-8 bytes, which is the order of their Unicode scalars.
    ///
    /// - Complexity: O(*n*) for *n* equal bytes at the start
    init(text left: String, _ right: String) {
        self = left.withUTF8Bytes { left in right.withUTF8Bytes { right in ValueOrder(bytes: left, right) } }
    }
}

extension String {
    /// Returns the result of `body`, called with the UTF-8 bytes of the text.
    ///
    /// It makes a copy only if the bytes are not contiguous.
    ///
    /// - Parameter body: A function that must not keep the bytes after it returns.
    @inlinable @inline(__always)
    package func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
