/// Finds the words of a name, one character after the other.
struct NameSplitting {
    /// The words that are complete, in lower case.
    private(set) var words: [String] = []
    /// What the word at the end has so far.
    private var word = ""
    /// The capital that came last, which belongs to what follows or to the word before.
    private var capital: Character?
    /// Whether there are capitals before that one, and nothing since.
    private var isRun = false
    /// Whether the last character was an `s` after several capitals, the end of a plural if no small letter follows.
    private var isPlural = false

    /// Goes on with the next character of the name.
    mutating func take(_ character: Character) {
        switch character {
        case "_", "-", " ": endWord()
        case _ where character.isUppercase: takeCapital(character)
        default: takeOther(character)
        }
    }

    /// Ends the word that is open.
    mutating func endWord() {
        if let capital { word.append(capital) }
        if !word.isEmpty { words.append(word.lowercased()) }
        (word, capital, isRun, isPlural) = ("", nil, false, false)
    }

    private mutating func takeCapital(_ character: Character) {
        if let capital {
            word.append(capital)
            isRun = true
        } else {
            endWord()
        }
        capital = character
    }

    private mutating func takeOther(_ character: Character) {
        if isPlural, character.isLetter {
            // It was no plural: the last capital and the `s` begin a word of their own.
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

    /// Ends the word before the given end of it, which begins the next.
    private mutating func begin(_ end: Substring) {
        let next = String(end)
        word.removeLast(end.count)
        endWord()
        word = next
    }
}
