/// The pairing of the elements of a winning and a losing collection, made in two stages.
///
/// 1. **Lockstep** (``walk(key:)``): both collections are walked side by side while their keys agree, because most
///    real collections are mostly aligned. After an insertion or removal the walk searches a few elements ahead on both
///    sides and continues there. Keys are read only where the elements differ.
/// 2. **Table** (``match(key:keysAreUnique:)``): unpaired elements are looked up in a ``KeyTable``, in blocks so that
///    cache misses overlap. A lockstep walk does not find keys that repeat. So if keys are not known to be unique, the
///    table holds every key.
///
/// The result is stored in bits: about 3/4 byte for each element of either side, and the table.
@usableFromInline
struct Alignment<Element: Equatable>: ~Copyable {
    /// The elements of the winning side.
    @usableFromInline let wins: UnsafeBufferPointer<Element>
    /// The elements of the losing side.
    @usableFromInline let loses: UnsafeBufferPointer<Element>

    /// Elements that the walk did not pair.
    @usableFromInline let unpairedWins: BitSet
    @usableFromInline let unpairedLoses: BitSet

    /// Elements paired, by walk or table, with one that differs from them.
    @usableFromInline let replacedWins: BitSet
    @usableFromInline let replacedLoses: BitSet

    /// Elements that the table paired.
    @usableFromInline let matchedWins: BitSet
    @usableFromInline let matchedLoses: BitSet

    /// For each unpaired win, in order: the position of the loser with its key plus 1 if the two differ, else 0.
    ///
    /// The last entry has no meaning: ``touch(_:)`` writes to it.
    @usableFromInline var partners: [UInt32] = []

    /// Whether one side has a key twice, or a key that is not equal to itself.
    ///
    /// The other properties have no meaning then.
    @usableFromInline var hasDuplicateKeys = false

    /// Compares elements, so that a NaN in them is equal to itself.
    @usableFromInline var sameness = SamenessCheck<Element>()

    /// Creates an alignment without pairs.
    ///
    /// Both buffers must outlive it.
    @inlinable
    init(wins: UnsafeBufferPointer<Element>, loses: UnsafeBufferPointer<Element>) {
        self.wins = wins
        self.loses = loses
        unpairedWins = BitSet(count: wins.count)
        unpairedLoses = BitSet(count: loses.count)
        replacedWins = BitSet(count: wins.count)
        replacedLoses = BitSet(count: loses.count)
        matchedWins = BitSet(count: wins.count)
        matchedLoses = BitSet(count: loses.count)
    }
}

// The comparisons are separate functions. Inside a larger one the optimizer copies the elements out of their buffers
// first, which costs a retain and a release for each reference in them.
extension Alignment {
    /// Whether two elements are equal, by pointers, so that large elements are not copied.
    @inlinable
    @inline(never)
    static func areEqual(_ left: UnsafePointer<Element>, _ right: UnsafePointer<Element>) -> Bool {
        left.pointee == right.pointee
    }

    /// Whether the elements at two positions are equal.
    @inlinable
    @inline(__always)
    func elementsAreEqual(_ win: Int, _ lose: Int) -> Bool {
        Alignment.areEqual(wins.baseAddress.unsafelyUnwrapped + win, loses.baseAddress.unsafelyUnwrapped + lose)
    }

    /// Whether two elements that are not equal are the same nevertheless, because they contain NaN.
    @inlinable
    @inline(never)
    static func areSame(
        unequal left: UnsafePointer<Element>, _ right: UnsafePointer<Element>, _ sameness: inout SamenessCheck<Element>
    ) -> Bool {
        sameness.areSame(unequal: left.pointee, right.pointee)
    }

    /// Whether two elements that are not equal differ in anything but a NaN.
    @inlinable
    @inline(__always)
    mutating func unequalElementsDiffer(_ win: Int, _ lose: Int) -> Bool {
        // Checked here, so that elements that hold no NaN are not copied for the call.
        if !canHoldNaN(Element.self) || sameness.holding == .nothing { return true }
        return !Alignment.areSame(
            unequal: wins.baseAddress.unsafelyUnwrapped + win, loses.baseAddress.unsafelyUnwrapped + lose, &sameness)
    }
}
