import Foundation

let noColor = ProcessInfo.processInfo.environment["NO_COLOR"] ?? ""
let program = Program(
    output: { print($0) },
    errors: { line in
        // What has been printed comes first, even where both go to one file.
        fflush(nil)
        FileHandle.standardError.write(Data((line + "\n").utf8))
    },
    isTerminal: isatty(STDOUT_FILENO) == 1 && noColor.isEmpty)
exit(program.run(Array(CommandLine.arguments.dropFirst())))
