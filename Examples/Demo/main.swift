import Foundation

let noColor = ProcessInfo.processInfo.environment["NO_COLOR"] ?? ""
let program = Program(
    output: { print($0) },
    errors: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) },
    isTerminal: isatty(STDOUT_FILENO) == 1 && noColor.isEmpty)
exit(program.run(Array(CommandLine.arguments.dropFirst())))
