import ExampleSupport
import TestSupport
import Testing

@testable import demo

struct ArgumentsTests {
    @Test func wordsAreReadAsArguments() throws {
        #expect(try Arguments([]).command == .everything)
        #expect(try Arguments(["--plain"]).isColored == false)
        #expect(try Arguments(["tour", "--color"]).isColored == true)
        #expect(try Arguments(["tour", "--color"]).command == .tour)
        #expect(try Arguments(["currencies", "--help"]).command == .help)
        #expect(try Arguments(["-h"]).command == .help)
    }

    @Test(arguments: [
        ("difff", "there is no command 'difff'; the commands are tour, currencies and help"),
        ("everything", "there is no command 'everything'; the commands are tour, currencies and help"),
        ("diff a b", "diff and merge of files are a program of their own: write diffsync diff"),
        ("--al", "demo without a command has no option --al; its options are --plain, --color and --help"),
        ("tour --key x", "demo tour has no option --key; its options are --plain, --color and --help"),
        ("tour x", "demo tour takes no files; 'x' was given"),
        ("--plain --color", "--plain and --color exclude each other: give one of them"),
        ("--plain --plain", "--plain is given twice: give it once"),
    ])
    func errorsSayWhatToWriteInstead(line: String, error: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(throws: UsageError(error)) { try Arguments(words) }
        let run = ProgramRun(words)
        #expect(run.exitCode == 64)
        #expect(run.output == [])
        #expect(run.errors == ["demo: \(error)", "Try 'demo --help'."])
    }

    @Test(arguments: ["help", "--help", "tour --help", "help --plain"])
    func helpIsPrinted(line: String) {
        let run = ProgramRun(line.split(separator: " ").map(String.init))
        #expect(run.exitCode == 0)
        #expect(run.output == [Program.help])
        #expect(run.errors == [])
    }

    @Test func helpNamesEachCommand() {
        for command in Command.allCases where command != .everything {
            #expect(Program.help.contains("demo \(command.rawValue)"))
        }
        #expect(Program.help.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }
}

extension ProgramRun {
    init(_ words: [String], isTerminal: Bool = false) {
        self.init { output, errors in
            Program(output: ProgramOutput(write: output, writeError: errors, isTerminal: isTerminal)).run(words)
        }
    }
}
