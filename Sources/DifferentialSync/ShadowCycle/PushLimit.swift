/// The greatest size of one push.
///
/// A cycle sends changes beyond the limit in further pushes, each with at least one change.
///
/// ```swift
/// let limit = PushLimit<Note>(count: 500, weight: 1_000_000) { $0.text.utf8.count }
/// ```
public struct PushLimit<Element>: Sendable {
    /// The greatest number of changes in a push.
    public let count: Int

    /// The greatest total weight of the changes in a push.
    public let weight: Int

    /// Returns the size of an element; nil if only their number is limited.
    @usableFromInline let weigh: (@Sendable (Element) -> Int)?

    /// Creates a limit of the number of changes.
    ///
    /// - Parameter count: The greatest number of changes in a push. At least 1, or the cycle throws when it begins.
    public init(count: Int = 5_000) {
        self.count = count
        weight = .max
        weigh = nil
    }

    /// Creates a limit of the number of changes and of their weight.
    ///
    /// - Parameters:
    ///   - count: The greatest number of changes in a push. At least 1, or the cycle throws when it begins.
    ///   - weight: The greatest total weight of the elements in a push, old and new ones.
    ///   - weigh: Returns the weight of an element, such as its coded size in bytes.
    public init(count: Int = 5_000, weight: Int, of weigh: @escaping @Sendable (Element) -> Int) {
        self.count = count
        self.weight = weight
        self.weigh = weigh
    }

    /// Up to 5,000 changes in a push.
    public static var `default`: PushLimit { PushLimit() }

    /// Returns the weight of a change's elements.
    @inlinable
    package func weight(of change: Change<Element>) -> Int {
        guard let weigh else { return 0 }
        let (old, new) = (change.old.map(weigh) ?? 0, change.new.map(weigh) ?? 0)
        let (sum, isTooLarge) = Swift.max(0, old).addingReportingOverflow(Swift.max(0, new))
        return isTooLarge ? .max : sum
    }
}
