extension Alignment {
    /// Returns the next place where both sides are aligned after a block was inserted, removed or moved, or nil if
    /// there is none.
    ///
    /// The search looks for a few keys of each side on the other one, in ranges of growing length. So a near place
    /// costs little. A place counts only if the keys after it agree too. In shuffled collections the search ends after
    /// a few places that do not count.
    ///
    /// The function is static, so that the walk keeps the alignment in registers.
    ///
    /// - Complexity: O(distance of the place), or O(*n* + *m*) if there is none.
    @inlinable
    @inline(never)
    static func resynchronized<Key: Hashable>(
        _ wins: UnsafeBufferPointer<Element>, from win: Int, _ loses: UnsafeBufferPointer<Element>, from lose: Int,
        key: (Element) -> Key
    ) -> (win: Int, lose: Int)? {
        var hasher = KeyHasher(for: Key.self)
        // With slow hashes only the near elements are searched.
        let share = hasher.isFast ? 1 : 8
        let winEnd = win &+ (wins.count &- win) / share
        let loseEnd = lose &+ (loses.count &- lose) / share
        let winSample = KeySample(wins, from: win, hasher: &hasher, key: key)
        let loseSample = KeySample(loses, from: lose, hasher: &hasher, key: key)
        var (nextWin, nextLose) = (win, lose)
        var length = 64
        // The number of wrong places after which the search ends.
        var patience = 8
        while !hasher.sawUnhashable && (nextWin < winEnd || nextLose < loseEnd) {
            let loseStretch = nextLose..<Swift.min(nextLose &+ length, loseEnd)
            for position in loseStretch {
                guard let place = winSample.position(of: loses[position], hasher: &hasher, key: key) else { continue }
                if areInLine(wins, place, loses, position, key: key) { return (place, position) }
                patience &-= 1
                if patience == 0 { return nil }
            }
            let winStretch = nextWin..<Swift.min(nextWin &+ length, winEnd)
            for position in winStretch {
                guard let place = loseSample.position(of: wins[position], hasher: &hasher, key: key) else { continue }
                if areInLine(wins, position, loses, place, key: key) { return (position, place) }
                patience &-= 1
                if patience == 0 { return nil }
            }
            nextLose = loseStretch.upperBound
            nextWin = winStretch.upperBound
            length &*= 2
        }
        return nil
    }

    /// Whether at least four of the sixteen pairs of keys after a place agree, or all if there are fewer than four.
    @inlinable
    static func areInLine<Key: Equatable>(
        _ wins: UnsafeBufferPointer<Element>, _ win: Int, _ loses: UnsafeBufferPointer<Element>, _ lose: Int,
        key: (Element) -> Key
    ) -> Bool {
        let count = Swift.min(16, wins.count &- win, loses.count &- lose)
        var agreeing = 0
        for offset in 0..<count where key(wins[win &+ offset]) == key(loses[lose &+ offset]) {
            agreeing &+= 1
            if agreeing == 4 { return true }
        }
        return agreeing == count
    }
}

/// Consecutive keys of a collection, to be found in another one.
@usableFromInline
struct KeySample<Element, Key: Hashable>: ~Copyable {
    /// The elements of the collection that the keys are from.
    @usableFromInline let elements: UnsafeBufferPointer<Element>
    /// The position of the first key.
    @usableFromInline let start: Int
    /// The hashes of the keys.
    @usableFromInline var hashes: [UInt64] = []
    /// Excludes most hashes that are not among these.
    @usableFromInline let filter = KeyFilter(count: 64)

    /// Creates a sample of up to 64 keys from a position on.
    @inlinable
    @inline(__always)
    init(
        _ elements: UnsafeBufferPointer<Element>, from start: Int, hasher: inout KeyHasher, key: (Element) -> Key
    ) {
        self.elements = elements
        self.start = start
        for position in start..<Swift.min(start &+ 64, elements.count) {
            let hash = hasher.hash(key(elements[position]))
            hashes.append(hash)
            filter.insert(hash: hash)
        }
    }

    /// Returns the position of an element's key in the sample's collection, or nil if the sample does not hold it.
    @inlinable
    @inline(__always)
    func position(of element: Element, hasher: inout KeyHasher, key: (Element) -> Key) -> Int? {
        let hash = hasher.hash(key(element))
        if !filter.mayContain(hash: hash) { return nil }
        for index in hashes.indices where hashes[index] == hash {
            if key(elements[start &+ index]) == key(element) { return start &+ index }
        }
        return nil
    }
}
