/// Splits a name into words, character by character.
struct NameSplitting {
    /// The complete words, in lower case.
    private(set) var words: [String] = []
    /// The characters of the last word so far.
    private var word = ""
    /// The last capital, which belongs to the next characters or to the word before.
    private var capital: Character?
    /// Whether other capitals directly precede the last one.
    private var isRun = false
    /// Whether the last character was an `s` after several capitals: a plural, unless a small letter follows.
    private var isPlural = false

    /// Adds the next character of the name.
    mutating func take(_ character: Character) {
        switch character {
        case "_", "-", " ": endWord()
        case _ where character.isUppercase: takeCapital(character)
        default: takeOther(character)
        }
    }

    /// Completes the last word.
    mutating func endWord() {
        if let capital { word.append(capital) }
        if !word.isEmpty { words.append(word.lowercased()) }
        (word, capital, isRun, isPlural) = ("", nil, false, false)
    }

    /// Adds a capital.
    private mutating func takeCapital(_ character: Character) {
        if let capital {
            word.append(capital)
            isRun = true
        } else {
            endWord()
        }
        capital = character
    }

    /// Adds a character that is neither a capital nor a separator.
    private mutating func takeOther(_ character: Character) {
        if isPlural, character.isLetter {
            // It was not a plural: the last capital and the `s` begin a word.
            begin(word.suffix(2))
        }
        isPlural = false
        if let capital {
            self.capital = nil
            word.append(capital)
            isPlural = isRun && character == "s"
            if isRun, !isPlural, character.isLetter { begin(word.suffix(1)) }
            isRun = false
        }
        word.append(character)
    }

    /// Completes the word except for a suffix, which begins the next word.
    private mutating func begin(_ end: Substring) {
        let next = String(end)
        word.removeLast(end.count)
        endWord()
        word = next
    }
}
