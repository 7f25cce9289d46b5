/// The changes from a *losing* collection to a *winning* one.
///
/// A diff is made by ``diff(wins:loses:)`` or ``diff(wins:loses:primaryKey:duplicates:)``, and applied
/// by ``merge(into:applying:)->[Element]`` or ``merge(into:applying:primaryKey:shouldReplace:)->[Element]``:
///
/// ```swift
/// let old = ["apple", "pear"]
/// let new = ["apple", "plum"]
/// let changes = diff(wins: new, loses: old)   // + "plum"  - "pear"
/// merge(into: old, applying: changes)         // ["apple", "plum"]
/// ```
///
/// If nothing differs, the diff is nil, not empty. A diff holds the exact old values. So it can be applied with or
/// without a key, checked before it is applied (``applied(exactlyTo:)``), inverted and composed. Its vocabulary is that
/// of [DS](https://github.com/lyc2345/DS).
public struct Diff<Element> {
    /// The elements that only the winning collection has, in its order.
    public let add: [Element]

    /// The elements that only the losing collection has, in its order: the removed elements and the old values of the
    /// replaced ones.
    public let delete: [Element]

    /// The winning elements whose key the losing collection has with another value, in the winning order.
    ///
    /// Their old values are in ``delete``.
    public let replace: [Element]

    /// For each element of `replace`, its place.
    ///
    /// Empty for a diff that was decoded from DS's form and is not paired.
    @usableFromInline let pairs: [Pair]

    /// Creates a diff of its parts.
    ///
    /// - Precondition: Each pair has a position in both lists.
    @inlinable
    init(add: [Element], delete: [Element], replace: [Element], pairs: [Pair]) {
        self.add = add
        self.delete = delete
        self.replace = replace
        self.pairs = pairs
    }
}

extension Diff {
    /// The place of a replacement.
    @usableFromInline
    @frozen
    struct Pair: Hashable, Sendable {
        @usableFromInline let storedOld: UInt32
        @usableFromInline let storedRank: UInt32

        @inlinable
        init(old: Int, rank: Int) {
            storedOld = UInt32(truncatingIfNeeded: old)
            storedRank = UInt32(truncatingIfNeeded: rank)
        }

        /// The position of the old value in `delete`.
        @inlinable
        var old: Int { Int(storedOld) }

        /// The position of the new value among `add` and `replace` together, in the winning order.
        @inlinable
        var rank: Int { Int(storedRank) }
    }

    /// Whether each replacement knows its old value.
    @inlinable
    var isPaired: Bool { pairs.count == replace.count }
}

extension Diff: Sendable where Element: Sendable {}

extension Diff: Equatable where Element: Equatable {
    /// Whether both diffs have equal lists ``add``, ``delete`` and ``replace``.
    ///
    /// The keys determine which deletion belongs to which replacement. So a diff that was decoded from DS's form,
    /// without pairs, is equal to the paired one.
    @inlinable
    public static func == (left: Diff, right: Diff) -> Bool {
        left.add == right.add && left.delete == right.delete && left.replace == right.replace
    }
}

extension Diff: Hashable where Element: Hashable {
    /// Hashes the three lists.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(add)
        hasher.combine(delete)
        hasher.combine(replace)
    }
}
