/// A natural number of any size, for exact comparisons of decimals with doubles.
///
/// 1e-128 and the double nearest to it differ after hundreds of bits. The standard library has no integers above 128 bits.
/// A rounded comparison would not be transitive: two decimals can have one nearest double.
struct BigNatural {
    /// The digits to base 2³², the lowest first; the highest is not zero.
    private var words: [UInt32] = []

    /// Creates a number from its 128 bits, `high` · 2⁶⁴ + `low`.
    init(high: UInt64, low: UInt64) {
        words = [low, high].flatMap { [UInt32(truncatingIfNeeded: $0), UInt32(truncatingIfNeeded: $0 >> 32)] }
        while words.last == 0 { words.removeLast() }
    }

    /// Multiplies the number by ten.
    ///
    /// - Complexity: O(*n*) for *n* words of 32 bits
    mutating func multiplyByTen() {
        var carry: UInt64 = 0
        for index in words.indices {
            carry += UInt64(words[index]) * 10
            words[index] = UInt32(truncatingIfNeeded: carry)
            carry >>= 32
        }
        if carry > 0 { words.append(UInt32(carry)) }
    }

    /// Multiplies the number by 2 to the given power, which is not negative.
    mutating func shiftLeft(by power: Int) {
        guard !words.isEmpty else { return }
        let bits = UInt64(power % 32)
        var carry: UInt64 = 0
        for index in words.indices {
            carry |= UInt64(words[index]) << bits
            words[index] = UInt32(truncatingIfNeeded: carry)
            carry >>= 32
        }
        if carry > 0 { words.append(UInt32(carry)) }
        words.insert(contentsOf: repeatElement(0, count: power / 32), at: 0)
    }

    /// Returns the order of this number and another.
    ///
    /// - Complexity: O(*n*) for *n* words of 32 bits
    func order(to other: BigNatural) -> ValueOrder {
        if words.count != other.words.count { return ValueOrder(words.count, other.words.count) }
        for (left, right) in zip(words.reversed(), other.words.reversed()) where left != right {
            return ValueOrder(left, right)
        }
        return .same
    }
}
