import Foundation

/// What the command line of an example asks for that takes one path at most.
package enum PathCommand: Hashable, Sendable {
    /// To run, with the path if one was given.
    case run(path: String?)
    /// To show the help.
    case help
    /// Invalid arguments, with a description of the fault.
    case misuse(String)

    /// Reads the words of a command line, those after the program's name.
    ///
    /// Words after `--` are no options.
    package init(_ words: [String]) {
        let options = words.prefix { $0 != "--" }.filter { $0.hasPrefix("-") }
        var paths = words.prefix { $0 != "--" }.filter { !$0.hasPrefix("-") }
        paths += words.drop { $0 != "--" }.dropFirst()
        if options.contains("--help") || options.contains("-h") {
            self = .help
        } else if let option = options.first {
            self = .misuse("there is no option \(option); the only one is --help")
        } else if paths.count > 1 {
            self = .misuse("it takes one path; \(paths.count) were given")
        } else if paths.first == "" {
            self = .misuse("the path is empty: give another, or none")
        } else {
            self = .run(path: paths.first)
        }
    }
}

extension PathCommand {
    /// Returns the path that a program is run with; shows the help, or what is wrong, and ends the process, otherwise.
    package static func path(of program: String, help: String) -> String? {
        switch PathCommand(Array(CommandLine.arguments.dropFirst())) {
        case .run(let path): return path
        case .help:
            print(help)
            exit(ExitCode.success)
        case .misuse(let reason): exit(ProgramOutput.standard.misuse(program, reason))
        }
    }
}
