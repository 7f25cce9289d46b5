/// How JSON text is read.
///
/// ```swift
/// var options = JSONOptions()
/// options.refusesDuplicateNames = true
/// let value = try Value(json: text, options: options)
/// ```
public struct JSONOptions: Hashable, Sendable {
    /// How many arrays and objects may be open at a time; the text is refused beyond that.
    ///
    /// It is ``maximumDepthLimit`` at most: a higher number has the same effect.
    public var depthLimit = 512 {
        didSet { depthLimit = min(depthLimit, Self.maximumDepthLimit) }
    }

    /// The highest ``depthLimit``.
    ///
    /// Swift releases what is nested by recursion. This depth fits in the smallest stack that a system gives a thread.
    public static let maximumDepthLimit = 1_024

    /// How many bytes the text of a string, a name or a number may have, any number unless said otherwise; the text is
    /// refused beyond that.
    public var lengthLimit = Int.max

    /// Whether an object in which a name stands twice is refused; otherwise the last member of the name counts.
    public var refusesDuplicateNames = false

    /// Whether an integer that 64 bits do not hold is refused; otherwise the nearest double takes its place.
    public var refusesLargeIntegers = false

    /// Whether a number that no integer of 64 bits is becomes an exact ``Value/decimal(_:)``.
    ///
    /// Where no decimal is that number, the nearest double takes its place; so it does for a zero with a sign.
    public var readsDecimals = false

    /// Whether a number that no double holds becomes an infinite one, so that only who uses it is concerned.
    package var readsHugeNumbers = false

    /// Whether a comma may follow the last element of an array and the last member of an object.
    public var allowsTrailingCommas = false

    /// The options of RFC 8259, where the last of several members with one name counts.
    public init() {}
}

/// How JSON text is laid out.
public struct JSONFormat: OptionSet, Hashable, Sendable {
    /// The options, one bit each.
    public let rawValue: Int

    /// A set of options by its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Each element and member on a line of its own, indented by two spaces for each level.
    public static let indented = JSONFormat(rawValue: 1)

    /// Members sorted by the Unicode scalars of their names, not in their own order.
    public static let sortedNames = JSONFormat(rawValue: 2)
}
