import ExampleSupport

/// What a command line asks for.
enum Arguments: Hashable {
    case help
    case inspect(path: String, isJSON: Bool, html: String?)
    /// Draws a recorded timeline.
    case timeline(path: String, html: String)

    /// Reads the words of a command line, those after the program's name.
    ///
    /// Words after `--` are no options.
    init(_ words: [String]) throws(UsageError) {
        var (isJSON, html, timeline): (Bool, String?, String?) = (false, nil, nil)
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
            case "--timeline":
                guard let path = rest.popFirst(), !path.isEmpty else {
                    throw UsageError("--timeline needs the path of a recording: --timeline FILE --html OUT")
                }
                timeline = path
            case "--":
                paths += rest
                rest = []
            case _ where word.hasPrefix("-"):
                throw UsageError(
                    "there is no option \(word); the options are --json, --html OUT, --timeline FILE and --help")
            default: paths.append(word)
            }
        }
        if let timeline {
            guard let html, !isJSON, paths.isEmpty else {
                throw UsageError("a timeline is drawn alone, as a page: --timeline FILE --html OUT")
            }
            self = .timeline(path: timeline, html: html)
            return
        }
        guard let path = paths.first else { throw UsageError("it takes the path of a store; none was given") }
        if paths.count > 1 { throw UsageError("it takes one path; \(paths.count) were given") }
        if path.isEmpty { throw UsageError("the path is empty") }
        self = .inspect(path: path, isJSON: isJSON, html: html)
    }
}
