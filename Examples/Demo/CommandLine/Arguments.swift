import ExampleSupport

/// A command line, taken apart.
struct Arguments: Hashable {
    var command = Command.everything
    /// Whether to use colours; nil for what fits the terminal.
    var isColored: Bool?

    init() {}
}

/// What the program can do.
enum Command: String, Hashable, CaseIterable {
    case everything
    case tour
    case currencies
    case help
}

extension Arguments {
    /// Takes a command line apart.
    ///
    /// - Parameter words: The words after the program's name.
    init(_ words: [String]) throws(UsageError) {
        var words = words[...]
        if let word = words.first, !word.hasPrefix("-") {
            if word == "diff" || word == "merge" {
                throw UsageError("diff and merge of files are a program of their own: write diffsync \(word)")
            }
            guard let command = Command(rawValue: word), command != .everything else {
                throw UsageError("there is no command '\(word)'; the commands are tour, currencies and help")
            }
            self.command = command
            words.removeFirst()
        }
        while let word = words.popFirst() {
            switch word {
            case "--help", "-h":
                command = .help
                return
            case "--plain", "--color":
                if let isColored {
                    throw UsageError(
                        isColored == (word == "--color")
                            ? "\(word) is given twice: give it once"
                            : "--plain and --color exclude each other: give one of them")
                }
                isColored = word == "--color"
            default:
                let name = command == .everything ? "demo without a command" : "demo \(command.rawValue)"
                if word.hasPrefix("-") {
                    throw UsageError("\(name) has no option \(word); its options are --plain, --color and --help")
                }
                throw UsageError("\(name) takes no files; '\(word)' was given")
            }
        }
    }
}
