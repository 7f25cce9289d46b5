import ExampleSupport
import StoreSync

/// What a command line asks for.
enum Arguments: Hashable {
    case help
    /// The tour, in a temporary folder if there is none, and the path of the page with its timeline.
    case tour(folder: String?, timeline: String?)
    /// A command on one device.
    case device(String, folder: String, Command)

    /// A command on one device.
    enum Command: Hashable {
        case list
        case add(country: String, feeling: String, note: String?)
        case edit(String, feeling: String, note: String?)
        case delete(String)
        case sync
        case watch
        case conflicts
        case resolve(String, Resolution<Record>)
    }

    /// Reads the words of a command line, those after the program's name.
    init(_ words: [String]) throws(UsageError) {
        var (folder, timeline): (String?, String?) = (nil, nil)
        var others: [String] = []
        var position = 0
        while position < words.count {
            let word = words[position]
            position += 1
            if word == "--" {
                others += words[position...]
                break
            } else if word == "--help" || word == "-h" {
                self = .help
                return
            } else if word == "--folder" {
                guard position < words.count, !words[position].isEmpty else {
                    throw UsageError("--folder needs a path: --folder PATH")
                }
                if folder != nil { throw UsageError("--folder is given twice") }
                folder = words[position]
                position += 1
            } else if word == "--timeline" {
                guard position < words.count, !words[position].isEmpty else {
                    throw UsageError("--timeline needs the path of the page: --timeline OUT")
                }
                timeline = words[position]
                position += 1
            } else if word.hasPrefix("-") {
                throw UsageError(
                    "there is no option \(word); the options are --folder PATH, --timeline OUT and --help")
            } else {
                others.append(word)
            }
        }
        guard let device = others.first else {
            self = .tour(folder: folder, timeline: timeline)
            return
        }
        if timeline != nil {
            throw UsageError("--timeline is for the tour: 'inspect --timeline' draws the timeline of two terminals")
        }
        let isName = device.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        guard isName, (1...40).contains(device.count) else {
            throw UsageError("'\(device)' is no name of a device: take up to 40 letters, digits and hyphens")
        }
        guard let folder else { throw UsageError("device '\(device)' needs the folder of its files: --folder PATH") }
        self = .device(device, folder: folder, try Command(Array(others.dropFirst())))
    }
}

extension Arguments.Command {
    fileprivate init(_ words: [String]) throws(UsageError) {
        let parameters = Array(words.dropFirst())
        let usage: String
        switch (words.first, parameters.count) {
        case (nil, _):
            throw UsageError("a command is missing: list, add, edit, delete, sync, watch, conflicts or resolve")
        case ("list", 0):
            self = .list
            return
        case ("add", 2...3):
            self = .add(country: parameters[0], feeling: parameters[1], note: parameters.dropFirst(2).first)
            return
        case ("edit", 2...3):
            self = .edit(parameters[0], feeling: parameters[1], note: parameters.dropFirst(2).first)
            return
        case ("delete", 1):
            self = .delete(parameters[0])
            return
        case ("sync", 0):
            self = .sync
            return
        case ("watch", 0):
            self = .watch
            return
        case ("conflicts", 0):
            self = .conflicts
            return
        case ("resolve", 2) where parameters[1] == "mine" || parameters[1] == "theirs":
            self = .resolve(parameters[0], parameters[1] == "mine" ? .local : .remote)
            return
        case ("add", _): usage = "add COUNTRY FEELING [NOTE]"
        case ("edit", _): usage = "edit MOOD FEELING [NOTE]"
        case ("delete", _): usage = "delete ID"
        case ("resolve", _): usage = "resolve ID mine|theirs"
        case ("list", _), ("sync", _), ("watch", _), ("conflicts", _): usage = words[0]
        case (let name?, _):
            throw UsageError(
                "there is no command '\(name)': they are list, add, edit, delete, sync, watch, conflicts and resolve")
        }
        throw UsageError("the command is: moods DEVICE --folder PATH \(usage)")
    }
}
