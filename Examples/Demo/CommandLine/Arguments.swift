/// A command line, taken apart.
struct Arguments: Hashable {
    var command = Command.everything
    var files: [String] = []
    /// The names of the parts of the records' key.
    var key: [String] = []
    var policy = MergePolicy.fields
    /// The file that the merged records are written to.
    var output: String?
    /// Whether all changes are shown, and whole lines of them.
    var showsAll = false
    /// Whether to use colours; nil for what fits the terminal.
    var isColored: Bool?

    init() {}
}

/// What the program can do.
enum Command: String, Hashable, CaseIterable {
    case everything
    case tour
    case currencies
    case diff
    case merge
    case help

    /// The files that the command reads, by the names that the help has for them.
    var files: [String] {
        switch self {
        case .diff: ["A.json", "B.json"]
        case .merge: ["BASE.json", "LOCAL.json", "REMOTE.json"]
        case .everything, .tour, .currencies, .help: []
        }
    }

    /// The options that the command understands.
    var options: [String] {
        switch self {
        case .diff: ["--key", "--all", "--plain", "--color"]
        case .merge: ["--key", "--policy", "--output", "--all", "--plain", "--color"]
        case .everything, .tour, .currencies, .help: ["--plain", "--color"]
        }
    }
}

/// How `demo merge` settles conflicts.
enum MergePolicy: String, Hashable, CaseIterable {
    case local
    case remote
    case fields
    case open
}

extension Arguments {
    /// Takes a command line apart.
    ///
    /// - Parameter words: The words after the program's name.
    init(_ words: [String]) throws(UsageError) {
        var words = words[...]
        if let word = words.first, !word.hasPrefix("-") {
            guard let command = Command(rawValue: word), command != .everything else {
                throw UsageError(
                    "there is no command '\(word)'; the commands are tour, currencies, diff, merge and help")
            }
            self.command = command
            words.removeFirst()
        }
        var seen: Set<String> = []
        while let word = words.popFirst() {
            if word == "--help" || word == "-h" {
                command = .help
                return
            }
            if word == "--" {
                files += words
                break
            }
            if !word.hasPrefix("-") || word == "-" {
                files.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if !command.options.contains(parts[0]) { throw unknownOption(parts[0]) }
            if !seen.insert(parts[0]).inserted { throw UsageError("\(parts[0]) is given twice: give it once") }
            try read(parts[0], value: parts.count > 1 ? parts[1] : nil, following: &words)
        }
        if command != .help { try check() }
    }

    private mutating func read(
        _ option: String, value: String?, following words: inout ArraySlice<String>
    ) throws(UsageError) {
        switch option {
        case "--all", "--plain", "--color":
            if value != nil { throw UsageError("\(option) takes no value: write \(option) alone") }
            if option == "--all" {
                showsAll = true
            } else if isColored == nil {
                isColored = option == "--color"
            } else {
                throw UsageError("--plain and --color exclude each other: give one of them")
            }
            return
        default:
            break
        }
        let next = words.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
        if value == nil && next != nil { words.removeFirst() }
        guard let value = value ?? next, !value.isEmpty else {
            let example = ["--key": "code", "--policy": "local", "--output": "merged.json"][option] ?? "VALUE"
            throw UsageError("\(option) needs a value, such as \(option) \(example)")
        }
        switch option {
        case "--key":
            key = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            if key.contains("") {
                throw UsageError("--key is '\(value)', which has an empty name in it: write --key code,region")
            }
        case "--policy":
            guard let policy = MergePolicy(rawValue: value) else {
                throw UsageError("--policy is '\(value)': write local, remote, fields or open")
            }
            self.policy = policy
        default:
            output = value
        }
    }

    private func unknownOption(_ option: String) -> UsageError {
        let name = command == .everything ? "demo without a command" : "demo \(command.rawValue)"
        return UsageError(
            "\(name) has no option \(option); its options are \(command.options.joined(separator: ", ")) and --help")
    }

    private func check() throws(UsageError) {
        let expected = command.files
        if files.count != expected.count {
            let given = [0: "none was given", 1: "one was given"][files.count] ?? "\(files.count) were given"
            let count = [0: "no files", 2: "two files", 3: "three files"][expected.count] ?? "files"
            let names = expected.isEmpty ? "" : ", \(expected.joined(separator: " "))"
            let name = command == .everything ? "demo without a command" : "demo \(command.rawValue)"
            throw UsageError("\(name) takes \(count)\(names); \(given)")
        }
        if !expected.isEmpty && key.isEmpty {
            throw UsageError(
                "demo \(command.rawValue) needs the name of the records' key: write --key code, or --key code,region")
        }
    }
}
