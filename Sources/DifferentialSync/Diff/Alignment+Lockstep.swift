extension Alignment {
    /// Pairs elements by walking both sides in lockstep, from the front and then from the back.
    ///
    /// After a mismatch the walk searches `reach` elements ahead. After `patience` failures in a row it searches for
    /// the next place where the sides are aligned (``resynchronized(_:from:_:from:key:)``). If there is none, the table
    /// pairs the rest. The walk skips about as many elements as it has read, so it costs O(*n*) for any input.
    ///
    /// - Complexity: O(*n* + *m*).
    @inlinable
    @inline(__always)
    mutating func walk<Key: Hashable>(key: (Element) -> Key) {
        let reach = 8
        let patience = 16
        var win = 0
        var lose = 0
        var failures = 0
        var lastFailure = -1

        walking: while win < wins.count && lose < loses.count {
            // A separate loop, so that the optimizer keeps the work for mismatches out of it.
            while elementsAreEqual(win, lose) {
                win &+= 1
                lose &+= 1
                if win == wins.count || lose == loses.count { break walking }
            }
            let winKey = key(wins[win])
            let loseKey = key(loses[lose])
            if winKey == loseKey {
                if unequalElementsDiffer(win, lose) {
                    replacedWins.insert(win)
                    replacedLoses.insert(lose)
                }
                win &+= 1
                lose &+= 1
                continue
            }
            failures = lastFailure &+ 1 == win ? failures &+ 1 : 1
            if failures > patience {
                let place = Alignment.resynchronized(wins, from: win, loses, from: lose, key: key)
                guard let place else { break walking }
                unpairedWins.insert(win..<place.win)
                unpairedLoses.insert(lose..<place.lose)
                win = place.win
                lose = place.lose
                continue
            }
            if let skip = step(from: win, winKey, and: lose, loseKey, within: reach, key: key) {
                if skip > 0 {
                    unpairedWins.insert(win..<win &+ skip)
                    win &+= skip
                } else {
                    unpairedLoses.insert(lose..<lose &- skip)
                    lose &-= skip
                }
                continue
            }
            unpairedWins.insert(win)
            unpairedLoses.insert(lose)
            lastFailure = win
            win &+= 1
            lose &+= 1
        }
        walkBack(to: win, lose, key: key)
    }

    /// Returns the smallest step within the distance after which the sides are aligned: positive on the winning side,
    /// negative on the losing one.
    ///
    /// Nil if there is none.
    @inlinable
    @inline(__always)
    func step<Key: Equatable>(
        from win: Int, _ winKey: Key, and lose: Int, _ loseKey: Key, within distance: Int, key: (Element) -> Key
    ) -> Int? {
        var step = 1
        while step <= distance {
            let isInsideWins = win &+ step < wins.count
            let isInsideLoses = lose &+ step < loses.count
            if isInsideWins && key(wins[win &+ step]) == loseKey { return step }
            if isInsideLoses && key(loses[lose &+ step]) == winKey { return 0 &- step }
            if !isInsideWins && !isInsideLoses { return nil }
            step &+= 1
        }
        return nil
    }

    /// Pairs the common end of both sides, back to where the walk from the front ended.
    ///
    /// The rest stays unpaired.
    @inlinable
    @inline(__always)
    mutating func walkBack<Key: Equatable>(to firstWin: Int, _ firstLose: Int, key: (Element) -> Key) {
        var win = wins.count
        var lose = loses.count
        while win > firstWin && lose > firstLose {
            if !elementsAreEqual(win &- 1, lose &- 1) {
                guard key(wins[win &- 1]) == key(loses[lose &- 1]) else { break }
                if unequalElementsDiffer(win &- 1, lose &- 1) {
                    replacedWins.insert(win &- 1)
                    replacedLoses.insert(lose &- 1)
                }
            }
            win &-= 1
            lose &-= 1
        }
        unpairedWins.insert(firstWin..<win)
        unpairedLoses.insert(firstLose..<lose)
    }
}
