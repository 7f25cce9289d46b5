import ExampleSupport
import Foundation

let program = Program(
    write: { print($0) },
    writeError: { line in
        // Flushes the lines before, which may go to the same file.
        fflush(nil)
        FileHandle.standardError.write(Data((line + "\n").utf8))
    },
    makeName: { UUID().uuidString })
exit(await program.run(Array(CommandLine.arguments.dropFirst())))
