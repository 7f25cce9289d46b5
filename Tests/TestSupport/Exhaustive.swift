/// Returns all sequences of at most `maximumLength` elements of an alphabet, the shortest first.
///
/// - Complexity: O(*n*^*k*) sequences for *n* elements and a maximum length of *k*.
public func allSequences<Element>(of alphabet: [Element], upTo maximumLength: Int) -> [[Element]] {
    var all: [[Element]] = [[]]
    var longest: [[Element]] = [[]]
    for _ in 0..<maximumLength {
        longest = longest.flatMap { sequence in alphabet.map { sequence + [$0] } }
        all += longest
    }
    return all
}

/// Whether tests run at full scale.
///
/// Release builds do; debug builds check invariants and run the same tests over fewer inputs.
public let isFullScale: Bool = {
    #if DEBUG
        false
    #else
        true
    #endif
}()
