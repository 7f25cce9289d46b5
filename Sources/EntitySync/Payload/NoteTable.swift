/// Notes in memory, found by the tokens of their objects' records.
///
/// A note is some words: the token, the digest, the commit that has stored it, and the number of tokens of what the object
/// speaks of, which follow.
struct NoteTable {
    /// The words of all notes, one after the other; the token is 0 of one that is void.
    private var words: [UInt64] = []
    /// Where the note of a token begins.
    private var places = TokenTable()

    /// Makes room for so many more notes.
    mutating func reserve(_ count: Int) {
        places.reserve(places.count + count)
        words.reserveCapacity(words.count + count * 5)
    }

    /// Where the note of a token begins; nil if there is none. O(1)
    @inline(__always)
    func place(of token: UInt64) -> Int? { places[token] }

    /// The token of the note that begins at a place.
    func token(at place: Int) -> UInt64 { words[place] }

    /// The digest of the object of the note that begins at a place.
    @inline(__always)
    func digest(at place: Int) -> UInt64 { words[place + 1] }

    /// The commit that has stored the note that begins at a place.
    @inline(__always)
    func sequence(at place: Int) -> Int64 { Int64(bitPattern: words[place + 2]) }

    /// The tokens of what the object of the note that begins at a place speaks of.
    @inline(__always)
    func coverage(at place: Int) -> ArraySlice<UInt64> { words[place + 4..<end(of: place)] }

    /// The words of the note that begins at a place.
    func note(at place: Int) -> ArraySlice<UInt64> { words[place..<end(of: place)] }

    /// Makes a note, in the place of one before; answers whether there was none. O(1), amortized
    mutating func set(
        _ token: UInt64, _ digest: UInt64, coverage: ArraySlice<UInt64>, in sequence: Int64
    ) -> Bool {
        // It says that a note is void: one record of 2⁶⁴ has none.
        if token == 0 { return false }
        let former = places.number(of: token, orInsert: words.count)
        if let former {
            words[former] = 0
            places[token] = words.count
        }
        words.append(token)
        words.append(digest)
        words.append(UInt64(bitPattern: sequence))
        words.append(UInt64(coverage.count))
        words.append(contentsOf: coverage)
        return former == nil
    }

    /// Takes a note away; answers whether there was one. O(1)
    mutating func remove(_ token: UInt64) -> Bool {
        guard let place = places[token] else { return false }
        words[place] = 0
        places[token] = nil
        return true
    }

    /// Takes in notes, as far as they are whole.
    mutating func take(_ notes: [UInt64]) {
        var place = words.count
        words += notes
        while place + 4 <= words.count, let count = Int(exactly: words[place + 3]), count <= words.count - place - 4 {
            // Of two with one token, the last counts.
            if let former = places.number(of: words[place], orInsert: place) {
                words[former] = 0
                places[words[place]] = place
            }
            place += 4 + count
        }
        words.removeSubrange(place...)
    }

    /// Hands over where each note begins, in the order in which they were made.
    func forEach(_ body: (Int) -> Void) {
        var place = 0
        while place < words.count {
            if words[place] != 0 { body(place) }
            place = end(of: place)
        }
    }

    @inline(__always)
    private func end(of place: Int) -> Int { place + 4 + Int(words[place + 3]) }
}
