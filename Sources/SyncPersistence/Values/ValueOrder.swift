/// How two values are ordered.
package enum ValueOrder: Sendable {
    /// The first comes before the second.
    case ascending
    /// Neither comes before the other.
    case same
    /// The second comes before the first.
    case descending

    /// The order of two of what has one.
    init<Content: Comparable>(_ left: Content, _ right: Content) {
        self = left < right ? .ascending : left > right ? .descending : .same
    }

    /// The order of the second and the first.
    package var reversed: ValueOrder {
        switch self {
        case .ascending: .descending
        case .same: .same
        case .descending: .ascending
        }
    }
}

extension ValueOrder {
    /// The order of two binary numbers; what is not a number comes last, both zeros are the same.
    init(number left: Double, _ right: Double) {
        if left.isNaN || right.isNaN {
            self.init(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0)
        } else {
            self = left < right ? .ascending : left > right ? .descending : .same
        }
    }

    /// The order of an integer and a binary number, neither rounded.
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

    /// The order of bytes, the first difference deciding; what ends first comes first.
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

    /// The order of texts by their UTF-8 bytes, which is that of their Unicode scalars.
    init(text left: String, _ right: String) {
        self = left.withUTF8Bytes { left in right.withUTF8Bytes { right in ValueOrder(bytes: left, right) } }
    }
}

extension String {
    /// Calls the body with the UTF-8 bytes, in place where they are contiguous.
    @inlinable @inline(__always)
    package func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
