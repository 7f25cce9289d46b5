/// The words of a name in lower case, which match keys with properties in any spelling.
///
/// ```
/// NameWords("user_id") == NameWords("userID")  // true
/// NameWords("HTTPServer").snakeCase  // "http_server"
/// ```
///
/// A word begins after `_`, `-` and space, and at capitals. The last of several capitals belongs to the small letters
/// that follow, unless these are the `s` of a plural. So `HTTPServer` and `userIDs` have two words. Digits and symbols
/// are part of a word. A separator before a digit is ignored: `address_1` equals `address1`.
struct NameWords: Sendable {
    /// The words in their order; none is empty.
    let words: [String]
    /// The form that equal names share.
    private let spelling: String

    /// Creates a name from words in lower case.
    init(words: [String]) {
        self.words = words
        var spelling = ""
        for word in words {
            if !spelling.isEmpty, word.utf8.first.map({ $0 &- UInt8(ascii: "0") < 10 }) != true { spelling += "_" }
            spelling += word
        }
        self.spelling = spelling
    }

    /// Splits a name into words.
    ///
    /// - Complexity: O(*n*) for *n* characters
    init(_ name: String) {
        var splitting = NameSplitting()
        for character in name { splitting.take(character) }
        splitting.endWord()
        self.init(words: splitting.words)
    }

    /// The words in snake case, as they are exported: `first_name`.
    var snakeCase: String { words.joined(separator: "_") }

    /// The possible singular forms, with the last word changed by its ending: `genres` gives `genre`.
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

    /// Returns the words of one name followed by others: `NameWords("note") + ["ids"]`.
    static func + (left: NameWords, right: NameWords) -> NameWords {
        NameWords(words: left.words + right.words)
    }
}

extension NameWords: Hashable, ExpressibleByArrayLiteral {
    /// Whether both names have the same words, in any spelling.
    static func == (left: NameWords, right: NameWords) -> Bool { left.spelling == right.spelling }

    /// Hashes the words.
    func hash(into hasher: inout Hasher) { hasher.combine(spelling) }

    /// Creates a name from words in lower case.
    init(arrayLiteral words: String...) { self.init(words: words) }
}
