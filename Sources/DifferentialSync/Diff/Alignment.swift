/// Which elements of a winning and a losing collection belong together, found in two stages.
///
/// 1. **Lockstep** (``walk(key:)``): both collections are walked side by side while their keys agree, because most
///    real collections are mostly aligned. After an insertion or removal the walk looks a few elements ahead on either
///    side and goes on there. Keys are looked at only where the elements differ.
/// 2. **Table** (``match(key:keysAreUnique:)``): what is left unpaired is looked up through a ``KeyTable``, in blocks
///    so that cache misses overlap. A lockstep walk does not see a key that is there twice, so where keys are not known
///    to be unique the table covers every key.
///
/// All knowledge is held in bits: memory is about 3/4 byte for an element of either side, plus the table.
@usableFromInline
struct Alignment<Element: Equatable>: ~Copyable {
    @usableFromInline let wins: UnsafeBufferPointer<Element>
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

    /// For each unpaired win, in order: the number after that of the loser with its key, if they differ, else 0.
    ///
    /// A last place, of no meaning, is for ``touch(_:)``.
    @usableFromInline var partners: [UInt32] = []

    /// Whether the table found a key that one side has twice, or one that is not equal to itself.
    ///
    /// Nothing else here is of use then.
    @usableFromInline var hasDuplicateKeys = false

    /// Tells elements that differ from those that only hold a NaN.
    @usableFromInline var sameness = SamenessCheck<Element>()

    /// An alignment in which nothing is paired yet.
    ///
    /// Both buffers have to outlive it.
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

// The comparisons stand in functions of their own: inside a larger one the optimizer copies the elements out of their
// buffers first, which costs a retain and a release for each reference they hold.
extension Alignment {
    @inlinable
    @inline(never)
    static func areEqual(_ left: UnsafePointer<Element>, _ right: UnsafePointer<Element>) -> Bool {
        left.pointee == right.pointee
    }

    @inlinable
    @inline(__always)
    func elementsAreEqual(_ win: Int, _ lose: Int) -> Bool {
        Alignment.areEqual(wins.baseAddress.unsafelyUnwrapped + win, loses.baseAddress.unsafelyUnwrapped + lose)
    }

    @inlinable
    @inline(never)
    static func areSame(
        unequal left: UnsafePointer<Element>, _ right: UnsafePointer<Element>, _ sameness: inout SamenessCheck<Element>
    ) -> Bool {
        sameness.areSame(unequal: left.pointee, right.pointee)
    }

    /// Whether two elements that are not equal differ in something else than a NaN.
    @inlinable
    @inline(__always)
    mutating func unequalElementsDiffer(_ win: Int, _ lose: Int) -> Bool {
        // Asked here, so that elements that hold no NaN are not copied for the call.
        if !canHoldNaN(Element.self) || sameness.holding == .nothing { return true }
        return !Alignment.areSame(
            unequal: wins.baseAddress.unsafelyUnwrapped + win, loses.baseAddress.unsafelyUnwrapped + lose, &sameness)
    }
}
