import ExampleSupport

/// What a command line asks for.
enum Arguments: Hashable {
    case help
    case inspect(path: String, isJSON: Bool, html: String?)

    /// Reads the words of a command line, those after the program's name.
    ///
    /// Words after `--` are no options.
    init(_ words: [String]) throws(UsageError) {
        var (isJSON, html): (Bool, String?) = (false, nil)
        var paths: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h":
                self = .help
                return
            case "--json": isJSON = true
            case "--html":
                guard let path = rest.popFirst(), !path.isEmpty else {
                    throw UsageError("--html needs the path of the page: --html OUT")
                }
                html = path
            case "--":
                paths += rest
                rest = []
            case _ where word.hasPrefix("-"):
                throw UsageError("there is no option \(word); the options are --json, --html OUT and --help")
            default: paths.append(word)
            }
        }
        guard let path = paths.first else { throw UsageError("it takes the path of a store; none was given") }
        if paths.count > 1 { throw UsageError("it takes one path; \(paths.count) were given") }
        if path.isEmpty { throw UsageError("the path is empty") }
        self = .inspect(path: path, isJSON: isJSON, html: html)
    }
}
