/// Whether two values are equal, or differ only in numbers that are NaN in both.
///
/// A value that holds a NaN is not equal to itself. Compared by `==` alone, its record would be changed in every diff.
/// So where `==` is false, the values are compared part by part: numbers, optionals, collections, enumerations and
/// structures in depth, everything else by `==`. Two values that differ in anything but NaN are never the same. If no
/// part is NaN in both, `==` of the values counts, because it may be stricter than `==` of their parts.
///
/// ``SamenessCheck`` has an exception for properties that are declared as a protocol.
///
/// - Complexity: That of `==` where it is true, and for integers and text. Otherwise the parts are reflected, up to the
///   first one that differs.
@inlinable
@inline(__always)
func areSame<T: Equatable>(_ first: T, _ second: T) -> Bool {
    first == second || (canHoldNaN(T.self) && haveSameParts(first, second))
}

/// Whether two values are the same, or both are absent.
///
/// See ``areSame(_:_:)``.
@inlinable
@inline(__always)
func areSame<T: Equatable>(_ first: T?, _ second: T?) -> Bool {
    switch (first, second) {
    case (nil, nil): true
    case (let first?, let second?): areSame(first, second)
    default: false
    }
}

/// Whether values of a type may not be equal to themselves.
///
/// False for the types of most keys.
///
/// The optimizer evaluates this where it knows the type.
@inlinable
@inline(__always)
func canHoldNaN<T>(_ type: T.Type) -> Bool {
    !(type == Int.self || type == String.self || type == Int64.self || type == UInt64.self || type == Bool.self)
}

/// Whether two values that are not equal differ only in numbers that are NaN in both.
@usableFromInline
@inline(never)
func haveSameParts<T: Equatable>(_ first: T, _ second: T) -> Bool {
    // Only a collection can be equal to itself although it holds a NaN: collections compare their buffers' identity
    // first.
    if _isPOD(T.self) && (first == first || second == second) { return false }
    return Parts.compare(first, second) == .sameWithNaN
}

/// ``areSame(_:_:)`` for a loop over many values.
///
/// It reflects one value to find out which checks the others need.
///
/// It has one exception, where two copies of an element may be found different. All of this must hold:
///
/// - A property is declared as a protocol, such as `any Equatable`.
/// - In the first element it holds a value that is exactly as large as an existential: 40 bytes.
/// - In a later element it holds a collection with a NaN.
///
/// Reflection shows the type of the value, not the declared one. Without reading raw memory only their sizes
/// distinguish the two. A check of each pair would make a diff of structures with 40 bytes of text several times as
/// slow.
@usableFromInline
struct SamenessCheck<T: Equatable> {
    /// Whether the values may hold a NaN; nil before the first one was reflected.
    @usableFromInline var holding: NaNHolding?

    /// Creates a check that has not seen an element.
    @inlinable
    init() {}

    /// Whether two values are the same.
    @inlinable
    @inline(__always)
    mutating func areSame(_ first: T, _ second: T) -> Bool {
        first == second || areSame(unequal: first, second)
    }

    /// Whether two values are the same, or both are absent.
    @inlinable
    @inline(__always)
    mutating func areSame(_ first: T?, _ second: T?) -> Bool {
        switch (first, second) {
        case (nil, nil): true
        case (let first?, let second?): areSame(first, second)
        default: false
        }
    }

    /// Whether two values that are not equal are the same.
    @inlinable
    @inline(__always)
    mutating func areSame(unequal first: T, _ second: T) -> Bool {
        if !canHoldNaN(T.self) { return false }
        let holding = holding ?? findHolding(of: first)
        if holding == .nothing { return false }
        let isEqualToItself = first == first
        if isEqualToItself != (second == second) || (isEqualToItself && holding == .visible) { return false }
        return haveSameParts(first, second)
    }

    /// Finds whether values like one may contain NaN, and remembers it for the next ones.
    @inlinable
    @inline(never)
    mutating func findHolding(of value: T) -> NaNHolding {
        let found = NaNHolding(of: value)
        holding = found
        return found
    }
}

extension SamenessCheck: Sendable {}

/// Whether values of a type may hold a NaN.
@usableFromInline
enum NaNHolding: Comparable, Sendable {
    /// They hold no NaN.
    case nothing
    /// A value that holds one is not equal to itself.
    case visible
    /// A value that holds one may be equal to itself. A collection is, by the identity of its buffer.
    case hidden
}

/// A key for dictionaries and sets that is equal to itself even if its value holds a NaN.
@usableFromInline
@frozen
struct ReflexiveKey<Value: Hashable>: Hashable {
    /// The value.
    @usableFromInline let value: Value

    /// Creates a key that equals itself, even if it contains NaN.
    @inlinable
    init(_ value: Value) { self.value = value }

    /// Whether both are equal, or the same with equal hashes.
    ///
    /// A table compares different keys often. Their hashes differ, so their parts are not reflected.
    @inlinable
    static func == (left: ReflexiveKey, right: ReflexiveKey) -> Bool {
        left.value == right.value
            || (canHoldNaN(Value.self) && left.value.hashValue == right.value.hashValue
                && haveSameParts(left.value, right.value))
    }

    /// Hashes the value; equal values hash alike, and NaN may collide.
    @inlinable
    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }

    /// Hashes the value in one step, as dictionaries do for standard types.
    @inlinable
    func _rawHashValue(seed: Int) -> Int { value._rawHashValue(seed: seed) }
}

extension ReflexiveKey: Sendable where Value: Sendable {}

/// The comparison of values by their parts, for those that `==` finds different.
enum Parts {
    /// What a comparison finds.
    enum Outcome {
        /// A part is different.
        case different
        /// All parts are equal.
        case equal
        /// All parts are equal or NaN in both values, and one of them is NaN.
        case sameWithNaN

        /// Creates the outcome for all parts, and stops at the first one that is different.
        init(_ parts: some Sequence<Outcome>) {
            self = .equal
            for part in parts where part != .equal {
                self = part
                if part == .different { return }
            }
        }
    }

    /// Compares two values of one type, part by part.
    static func compare(_ first: Any, _ second: Any) -> Outcome {
        if type(of: first) != type(of: second) { return .different }
        // A type may compare its texts more strictly than by canonical equivalence.
        if let first = first as? String { return haveSameScalars(first, second as? String) ? .equal : .different }
        if type(of: first) == [String].self, let first = first as? [String], let second = second as? [String] {
            return first.elementsEqual(second) { haveSameScalars($0, $1) } ? .equal : .different
        }
        guard let equatable = first as? any Equatable else { return compareParts(first, second) }
        if let outcome = compare(whole: equatable, second) { return outcome }
        let outcome = compareParts(first, second)
        // `==` of the values is stricter than that of the parts, unless the identity of a buffer has hidden a NaN.
        if outcome == .equal { return isEqualToItself(equatable) ? .different : .sameWithNaN }
        return outcome
    }

    /// Compares the parts of two values of one type.
    private static func compareParts(_ first: Any, _ second: Any) -> Outcome {
        if let first = first as? any FloatingPoint { return areNaN(first, second) ? .sameWithNaN : .different }
        if let first = first as? any Divisible { return first.compareParts(with: second) }
        if first is any CustomReflectable { return .different }
        let (firstParts, secondParts) = (Mirror(reflecting: first), Mirror(reflecting: second))
        switch firstParts.displayStyle {
        case .struct, .tuple, .enum:
            let (firstChildren, secondChildren) = (firstParts.children, secondParts.children)
            if firstChildren.isEmpty || firstChildren.count != secondChildren.count { return .different }
            return Outcome(
                zip(firstChildren, secondChildren).lazy.map {
                    $0.label == $1.label ? Parts.compare($0.value, $1.value) : .different
                })
        default:
            return .different
        }
    }

    /// Whether a value is equal to itself.
    private static func isEqualToItself<T: Equatable>(_ value: T) -> Bool { value == value }

    /// Whether two texts have the same scalars.
    private static func haveSameScalars(_ first: String, _ second: String?) -> Bool {
        second?.utf8.elementsEqual(first.utf8) ?? false
    }

    /// Returns the outcome for values that are equal, or have the same bytes; nil for others.
    private static func compare<T: Equatable>(whole first: T, _ second: Any) -> Outcome? {
        guard let second = second as? T else { return nil }
        if first == second { return .equal }
        // because: the bytes are only read, while the values live. Values with equal bytes are the same, also if their
        // type hides its parts. Padding can only make the same values look different.
        let haveSameBytes = withUnsafeBytes(of: first) { first in
            withUnsafeBytes(of: second) { second in first.elementsEqual(second) }
        }
        return haveSameBytes ? .sameWithNaN : nil
    }

    /// Whether both are NaN.
    private static func areNaN<T: FloatingPoint>(_ first: T, _ second: Any) -> Bool {
        first.isNaN && (second as? T)?.isNaN == true
    }
}

extension NaNHolding {
    /// Finds out whether values of this one's type may hold a NaN that ``areSame(_:_:)`` finds.
    @usableFromInline
    init<T: Equatable>(of value: T) {
        if let known = NaNHolding(type: T.self) {
            self = known
        } else if let part = (value as? any Divisible)?.onlyPart as? any Equatable {
            self.init(of: part)
        } else if value is any CustomReflectable || _isPOD(T.self) {
            self = .visible
        } else {
            let mirror = Mirror(reflecting: value)
            switch mirror.displayStyle {
            case .struct, .tuple: self = NaNHolding(parts: mirror.children.map(\.value), of: T.self)
            case .enum, .optional: self = .hidden
            default: self = .visible
            }
        }
    }

    /// Finds out whether the values of a structure or tuple may hold a NaN, from the stored parts of one of them.
    ///
    /// A part that is declared as a protocol, such as `any Equatable`, may have another type in the next value.
    private init<T>(parts: [Any], of type: T.Type) {
        var holding = parts.isEmpty ? NaNHolding.visible : .nothing
        var end = 0
        for part in parts {
            guard let part = part as? any Equatable else {
                self = .hidden
                return
            }
            let (size, alignment) = part.layout
            end = (end + alignment - 1) / alignment * alignment + size
            holding = Swift.max(holding, NaNHolding(of: part))
            // A part of this size may be declared as a protocol that can hold values of any size.
            if size >= MemoryLayout<Any>.size && size % MemoryLayout<Int>.size == 0 {
                holding = Swift.max(holding, .visible)
            }
        }
        // The parts are laid out one after the other. They fill the type unless a part is declared larger than its
        // value.
        self = end == MemoryLayout<T>.size ? holding : .hidden
    }

    /// Finds out whether values of a type may hold a NaN; nil if that does not follow from the type alone.
    init?<T>(type: T.Type) {
        switch type {
        case is any BinaryInteger.Type, is any StringProtocol.Type, is Bool.Type: self = .nothing
        case is any FloatingPoint.Type: self = .visible
        case let type as any Divisible.Type:
            guard let holding = type.holding else { return nil }
            self = holding
        // Usually enumerations without associated values. A larger type may have more parts than its raw value.
        case is any RawRepresentable.Type where MemoryLayout<T>.size < 2: self = .nothing
        default: return nil
        }
    }

    /// Whether a collection of values of a type may hold a NaN.
    static func collection<T>(of type: T.Type) -> NaNHolding {
        NaNHolding(type: type) == NaNHolding.nothing ? .nothing : .hidden
    }
}

extension Equatable {
    /// The size and alignment of a value by its own type, whatever it is declared as.
    fileprivate var layout: (size: Int, alignment: Int) { (MemoryLayout<Self>.size, MemoryLayout<Self>.alignment) }
}
