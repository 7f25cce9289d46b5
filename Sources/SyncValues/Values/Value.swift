#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The value of a record's attribute.
///
/// ```swift
/// let title: Value = "Milk"
/// let tags: Value = ["food", "drink"]
/// let place: Value = ["latitude": 60.17, "longitude": 24.94]
/// ```
///
/// Values are equal if they have the same case and the same content. Text is compared by its Unicode scalars: `"é"` as
/// one scalar is not equal to `"é"` as two. So every store compares text in the same way, and an edit that changes only
/// the scalars is not lost. The order of an object's members does not count for equality. Numbers of different cases
/// are different values, but stores sort them by size.
public enum Value: Sendable {
    /// The null value.
    case null
    /// A truth value.
    case bool(Bool)
    /// A 64-bit integer.
    case integer(Int64)
    /// A floating-point number; a store refuses NaN.
    case double(Double)
    /// An exact decimal number; a store refuses NaN.
    case decimal(Decimal)
    /// Text.
    case string(String)
    /// Bytes.
    case bytes(Data)
    /// A point in time.
    case date(Date)
    /// A universally unique identifier.
    case uuid(UUID)
    /// A uniform resource locator.
    case url(URL)
    /// A JSON array.
    case array([Value])
    /// A JSON object.
    case object(ValueObject)
}

extension Value {
    /// Whether the value is null.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension Value: Hashable {
    /// Whether both have the same case and the same content.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right || left.isNaN && right.isNaN
        case (.decimal(let left), .decimal(let right)): DecimalDigits(left) == DecimalDigits(right)
        case (.string(let left), .string(let right)): left.hasSameScalars(as: right)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.date(let left), .date(let right)):
            Value.double(left.timeIntervalSinceReferenceDate) == .double(right.timeIntervalSinceReferenceDate)
        case (.uuid(let left), .uuid(let right)): left == right
        case (.url(let left), .url(let right)): left.absoluteString.hasSameScalars(as: right.absoluteString)
        case (.array, .array), (.object, .object): ValuePairs.areEqual(left, right)
        default: false
        }
    }

    /// Hashes the case and the content.
    public func hash(into hasher: inout Hasher) {
        guard var parts = ValueParts(sorted: self) else { return hashScalar(into: &hasher) }
        var outer: [ValueParts] = []
        hasher.combine(parts.values.count)
        while true {
            if parts.isAtEnd {
                guard let last = outer.popLast() else { return }
                parts = last
                continue
            }
            if let names = parts.names { names[parts.next].hashScalars(into: &hasher) }
            let part = parts.visitNext()
            if let inner = ValueParts(sorted: part) {
                hasher.combine(inner.values.count)
                outer.append(parts)
                parts = inner
            } else {
                part.hashScalar(into: &hasher)
            }
        }
    }

    /// Hashes a value that is neither an array nor an object.
    private func hashScalar(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? .nan : value)
        case .decimal(let value): hasher.combine(DecimalDigits(value))
        case .string(let value): value.hashScalars(into: &hasher)
        case .bytes(let value):
            // `Data` hashes only its first 80 bytes.
            hasher.combine(value.count)
            value.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .date(let value):
            hasher.combine(1 as UInt8)
            Value.double(value.timeIntervalSinceReferenceDate).hash(into: &hasher)
        case .uuid(let value): hasher.combine(value)
        case .url(let value): value.absoluteString.hashScalars(into: &hasher)
        case .array, .object: break
        }
    }
}

extension [Value] {
    /// Whether both have equal values.
    ///
    /// Arrays that share their memory are equal without a comparison.
    ///
    /// - Complexity: O(*n*)
    package func areSame(as other: [Value]) -> Bool {
        other.withUnsafeBufferPointer { areSame(as: $0) }
    }

    /// Whether both have equal values.
    ///
    /// Arrays that share their memory are equal without a comparison.
    ///
    /// - Complexity: O(*n*)
    package func areSame(as right: UnsafeBufferPointer<Value>) -> Bool {
        withUnsafeBufferPointer { left in
            if left.count != right.count { return false }
            if left.baseAddress == right.baseAddress { return true }
            var position = 0
            while position < left.count {
                if !left[position].isIdentical(to: right[position]), left[position] != right[position] { return false }
                position &+= 1
            }
            return true
        }
    }
}

extension Value {
    /// Whether both are text in the same memory, or short text with the same bytes.
    @inline(__always)
    fileprivate func isIdentical(to other: Value) -> Bool {
        guard case .string(let left) = self, case .string(let right) = other else { return false }
        return left.isIdentical(to: right)
    }
}

extension String {
    /// Whether both are text in the same memory, or short text with the same bytes; false if that is unknown.
    @inline(__always)
    func isIdentical(to other: String) -> Bool {
        #if _pointerBitWidth(_64)
            // because: on 64-bit platforms, the two words of a string are its whole representation.
            return unsafeBitCast(self, to: SIMD2<UInt64>.self) == unsafeBitCast(other, to: SIMD2<UInt64>.self)
        #else
            return false
        #endif
    }

    /// Whether both have the same Unicode scalars.
    ///
    /// Canonically equivalent strings may have different ones.
    package func hasSameScalars(as other: String) -> Bool {
        withUTF8Bytes { left in other.withUTF8Bytes { right in left.hasSameBytes(as: right) } }
    }

    /// Hashes the Unicode scalars.
    ///
    /// The byte 0xFF, which UTF-8 never contains, ends them. So two texts are not hashed like one longer text.
    package func hashScalars(into hasher: inout Hasher) {
        withUTF8Bytes { hasher.combine(bytes: $0) }
        hasher.combine(0xFF as UInt8)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both have the same bytes.
    ///
    /// - Complexity: O(*n*)
    @inline(__always)
    fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        if count != other.count { return false }
        if baseAddress == other.baseAddress { return true }
        var offset = 0
        while offset &+ 8 <= count {
            let left = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if left != other.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
            offset &+= 8
        }
        while offset < count {
            if self[offset] != other[offset] { return false }
            offset &+= 1
        }
        return true
    }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates ``null``.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a ``bool(_:)``.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an ``integer(_:)``.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a ``double(_:)``.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a ``string(_:)``.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an ``array(_:)``.
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
    /// Creates an ``object(_:)``; if a name is repeated, the last value counts.
    public init(dictionaryLiteral members: (String, Value)...) {
        self = .object(ValueObject(members.map { ValueObject.Member(name: $0, value: $1) }))
    }
}
