import ExampleSupport
import RecordFiles

/// A command line, taken apart.
struct Arguments: Hashable {
    var command = Command.help
    var files: [String] = []
    /// The names of the parts of the records' key.
    var key: [MemberName] = []
    var policy = MergePolicy.fields
    /// The file that the merged records are written to.
    var output: String?
    /// The path of the file in the repository, for messages and for its form.
    var path: String?
    /// Whether the files hold a record in each line; nil to tell by name and content.
    var isLines: Bool?
    /// Whether all changes are shown, and whole lines of them.
    var showsAll = false
    /// Whether to use colours; nil for what fits the terminal.
    var isColored: Bool?

    init() {}
}

/// What the program can do.
enum Command: String, Hashable, CaseIterable {
    case diff
    case merge
    case textconv
    case gitDiff = "git-diff"
    case gitMerge = "git-merge"
    case help

    /// The files that the command reads, by the names that the help has for them.
    var files: [String] {
        switch self {
        case .diff: ["OLD", "NEW"]
        case .merge: ["BASE", "LOCAL", "REMOTE"]
        case .textconv: ["FILE"]
        case .gitMerge: ["%O", "%A", "%B"]
        case .gitDiff, .help: []
        }
    }

    /// The options that the command understands.
    var options: [String] {
        switch self {
        case .diff, .gitDiff: ["--key", "--lines", "--all", "--plain", "--color"]
        case .merge: ["--key", "--policy", "--output", "--lines", "--all", "--plain", "--color"]
        case .textconv: ["--key", "--lines"]
        case .gitMerge: ["--key", "--policy", "--path", "--lines"]
        case .help: ["--plain", "--color"]
        }
    }
}

/// How a merge resolves conflicts.
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
        guard let first = words.popFirst() else { return }
        if first == "--help" || first == "-h" { return }
        guard let command = Command(rawValue: first) else {
            let names = Command.allCases.map(\.rawValue)
            throw UsageError(
                "there is no command '\(first)'; the commands are \(names.dropLast().joined(separator: ", ")) and help")
        }
        self.command = command
        var seen: Set<String> = []
        while let word = words.popFirst() {
            if word == "--help" || word == "-h" {
                self.command = .help
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
        case "--all", "--plain", "--color", "--lines":
            if value != nil { throw UsageError("\(option) takes no value: write \(option) alone") }
            try read(flag: option)
        default:
            let next = words.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
            if value == nil && next != nil { words.removeFirst() }
            guard let value = value ?? next, !value.isEmpty else {
                let examples = ["--key": "id", "--policy": "local", "--output": "merged.json", "--path": "%P"]
                throw UsageError("\(option) needs a value, such as \(option) \(examples[option] ?? "VALUE")")
            }
            try read(option, value)
        }
    }

    private mutating func read(flag: String) throws(UsageError) {
        switch flag {
        case "--all": showsAll = true
        case "--lines": isLines = true
        default:
            if isColored != nil { throw UsageError("--plain and --color exclude each other: give one of them") }
            isColored = flag == "--color"
        }
    }

    private mutating func read(_ option: String, _ value: String) throws(UsageError) {
        switch option {
        case "--key":
            key = value.split(separator: ",", omittingEmptySubsequences: false).map { MemberName(String($0)) }
            if key.contains("") {
                throw UsageError("--key is '\(value)', which has an empty name in it: write --key code,region")
            }
        case "--policy":
            guard let policy = MergePolicy(rawValue: value) else {
                throw UsageError("--policy is '\(value)': write local, remote, fields or open")
            }
            self.policy = policy
        case "--path":
            path = value
        default:
            if value.hasPrefix("-") {
                throw UsageError("--output is '\(value)', which looks like an option: write --output ./\(value)")
            }
            output = value
        }
    }

    private func unknownOption(_ option: String) -> UsageError {
        let options = command.options.joined(separator: ", ")
        return UsageError("diffsync \(command.rawValue) has no option \(option); its options are \(options) and --help")
    }

    private func check() throws(UsageError) {
        if command == .gitDiff {
            if ![1, 7, 9].contains(files.count) {
                throw UsageError(
                    "diffsync git-diff takes the seven words that git passes to an external diff: set it as "
                        + "diff.NAME.command, or use diffsync diff OLD NEW")
            }
        } else if files.count != command.files.count {
            let given = [0: "none was given", 1: "one was given"][files.count] ?? "\(files.count) were given"
            let count = [1: "one file", 2: "two files", 3: "three files"][command.files.count] ?? "no files"
            throw UsageError(
                "diffsync \(command.rawValue) takes \(count), \(command.files.joined(separator: " ")); \(given)")
        }
        if key.isEmpty {
            throw UsageError(
                "diffsync \(command.rawValue) needs the name of the records' key: write --key id, or --key code,region")
        }
    }
}
