import Foundation

let program = Program(
    output: { print($0) },
    errors: { line in
        // What has been printed comes first, even where both go to one file.
        fflush(nil)
        FileHandle.standardError.write(Data((line + "\n").utf8))
    })
exit(program.run(Array(CommandLine.arguments.dropFirst())))
