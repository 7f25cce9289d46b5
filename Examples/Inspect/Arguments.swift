import ExampleSupport

/// What a command line asks for.
enum Arguments: Hashable {
    case help
    case inspect(path: String, isJSON: Bool)
    /// Draws a store, a recorded timeline, or both.
    case draw(path: String?, timeline: String?, html: String)

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
        if paths.count > 1 { throw UsageError("it takes one path; \(paths.count) were given") }
        if paths.first?.isEmpty == true { throw UsageError("the path is empty") }
        if let html, timeline != nil || !paths.isEmpty, !isJSON {
            self = .draw(path: paths.first, timeline: timeline, html: html)
            return
        }
        if timeline != nil { throw UsageError("a timeline is drawn on a page: --timeline FILE --html OUT") }
        if html != nil, isJSON { throw UsageError("it writes JSON or a page: give --json or --html OUT") }
        guard let path = paths.first else { throw UsageError("it takes the path of a store; none was given") }
        self = .inspect(path: path, isJSON: isJSON)
    }
}
