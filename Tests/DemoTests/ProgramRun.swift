import Foundation

@testable import demo

/// One run of the program, in this process.
struct ProgramRun {
    let exitCode: Int32
    let output: [String]
    let errors: [String]

    init(_ words: [String], isTerminal: Bool = false) {
        let lines = Lines()
        let program = Program(
            output: { lines.output.append($0) }, errors: { lines.errors.append($0) }, isTerminal: isTerminal)
        exitCode = program.run(words)
        output = lines.output
        errors = lines.errors
    }

    private final class Lines {
        var output: [String] = []
        var errors: [String] = []
    }
}
