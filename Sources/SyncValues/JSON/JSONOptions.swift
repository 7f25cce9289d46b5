/// The options for reading JSON text.
///
/// ```swift
/// var options = JSONOptions()
/// options.refusesDuplicateNames = true
/// let value = try Value(json: text, options: options)
/// ```
public struct JSONOptions: Hashable, Sendable {
    /// How many arrays and objects may be open at a time; deeper text is refused.
    ///
    /// A number above ``maximumDepthLimit`` is reduced to it.
    public var depthLimit = 512 {
        didSet { depthLimit = min(depthLimit, Self.maximumDepthLimit) }
    }

    /// The highest ``depthLimit``.
    ///
    /// Swift releases nested values by recursion. This depth fits in the smallest stack that a system gives a thread.
    public static let maximumDepthLimit = 1_024

    /// How many bytes a string, a name or a number may have, unlimited by default; longer text is refused.
    public var lengthLimit = Int.max

    /// Whether an object with a repeated name is refused; otherwise the last member with the name counts.
    public var refusesDuplicateNames = false

    /// Whether an integer that does not fit in 64 bits is refused; otherwise it becomes the nearest double.
    public var refusesLargeIntegers = false

    /// Whether a number that is not an integer of 64 bits becomes an exact ``Value/decimal(_:)``.
    ///
    /// A number that no decimal holds becomes the nearest double. So does a zero with a sign.
    public var readsDecimals = false

    /// Whether a number that no double holds becomes infinite, so that it matters only where the number is used.
    package var readsHugeNumbers = false

    /// Whether an integer that does not fit in 64 bits becomes an exact ``Value/decimal(_:)``, if one holds it.
    package var readsLargeIntegers = false

    /// Whether a comma may follow the last element of an array and the last member of an object.
    public var allowsTrailingCommas = false

    /// Creates the options of RFC 8259; of several members with one name, the last counts.
    public init() {}
}

/// The layout of JSON text.
public struct JSONFormat: OptionSet, Hashable, Sendable {
    /// The options, one bit each.
    public let rawValue: Int

    /// Creates a set of options from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Writes each element and member on a line of its own, indented by two spaces for each level.
    public static let indented = JSONFormat(rawValue: 1)

    /// Sorts members by the Unicode scalars of their names instead of keeping their order.
    public static let sortedNames = JSONFormat(rawValue: 2)
}
