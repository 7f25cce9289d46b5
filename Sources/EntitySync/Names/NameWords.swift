/// The words of a name, in lower case, by which the keys of a remote reach attributes however they are spelled.
///
/// ```
/// NameWords("user_id") == NameWords("userID")  // true
/// NameWords("HTTPServer").snakeCase  // "http_server"
/// ```
///
/// A word begins after `_`, `-` and space, and where capitals begin; of several capitals the last one belongs to the
/// small letters that follow, unless those are the `s` of a plural: `HTTPServer` has two words, and so has `userIDs`.
/// Digits and symbols stay in their word, and it makes no difference whether a word that starts with a digit stands
/// alone: `address_1` equals `address1`.
struct NameWords: Sendable {
    /// The words in their order; none is empty.
    let words: [String]
    /// What equal names share.
    private let spelling: String

    /// The given words, which are in lower case.
    init(words: [String]) {
        self.words = words
        var spelling = ""
        for word in words {
            if !spelling.isEmpty, word.utf8.first.map({ $0 &- UInt8(ascii: "0") < 10 }) != true { spelling += "_" }
            spelling += word
        }
        self.spelling = spelling
    }

    /// The words of a name. O(*n*) for *n* characters
    init(_ name: String) {
        var splitting = NameSplitting()
        for character in name { splitting.take(character) }
        splitting.endWord()
        self.init(words: splitting.words)
    }

    /// The words in a row, as remotes call what is exported: `first_name`.
    var snakeCase: String { words.joined(separator: "_") }

    /// The words with the last one in the singular, as far as its end tells: `genres` gives `genre`.
    var singulars: [NameWords] {
        guard let last = words.last else { return [] }
        let irregular = ["children": "child", "people": "person", "men": "man", "women": "woman"]
        var singulars: [String] = []
        if let singular = irregular[last] { singulars.append(singular) }
        if last.hasSuffix("ies") { singulars.append(last.dropLast(3) + "y") }
        if last.hasSuffix("es") { singulars.append(String(last.dropLast(2))) }
        if last.hasSuffix("s"), last.count > 1 { singulars.append(String(last.dropLast())) }
        return singulars.filter { !$0.isEmpty }.map { NameWords(words: words.dropLast() + [$0]) }
    }

    /// The words of one name and then those of another: `NameWords("note") + ["ids"]`.
    static func + (left: NameWords, right: NameWords) -> NameWords {
        NameWords(words: left.words + right.words)
    }
}

extension NameWords: Hashable, ExpressibleByArrayLiteral {
    /// Whether both have the same words, whatever they were spelled like.
    static func == (left: NameWords, right: NameWords) -> Bool { left.spelling == right.spelling }

    /// Hashes the words.
    func hash(into hasher: inout Hasher) { hasher.combine(spelling) }

    /// The given words, which are in lower case.
    init(arrayLiteral words: String...) { self.init(words: words) }
}
