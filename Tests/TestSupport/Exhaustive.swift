/// All sequences of at most `maximumLength` elements of an alphabet, the shortest first.
public func allSequences<Element>(of alphabet: [Element], upTo maximumLength: Int) -> [[Element]] {
    var all: [[Element]] = [[]]
    var longest: [[Element]] = [[]]
    for _ in 0..<maximumLength {
        longest = longest.flatMap { sequence in alphabet.map { sequence + [$0] } }
        all += longest
    }
    return all
}

/// Whether tests run at full scale: in release builds.
///
/// Debug builds, which check invariants, run the same tests over less.
public let isFullScale: Bool = {
    #if DEBUG
        false
    #else
        true
    #endif
}()
