import ExampleSupport
import RecordFiles
import TestSupport
import Testing

@testable import diffsync

struct ArgumentsTests {
    @Test func wordsAreReadAsArguments() throws {
        let diff = try Arguments(["diff", "A.json", "--key", "code,region", "B.json", "--all", "--plain"])
        #expect(diff.command == .diff)
        #expect(diff.files == ["A.json", "B.json"])
        #expect(diff.key == ["code", "region"])
        #expect(diff.showsAll)
        #expect(diff.isColored == false)

        let merge = try Arguments([
            "merge", "--policy=local", "--key=a=b", "--output=m", "--color", "a", "b", "--", "--c",
        ])
        #expect(merge.command == .merge)
        #expect(merge.policy == .local)
        #expect(merge.key == ["a=b"])
        #expect(merge.output == "m")
        #expect(merge.isColored == true)
        #expect(merge.files == ["a", "b", "--c"])

        #expect(try Arguments([]).command == .help)
        #expect(try Arguments(["diff", "--help"]).command == .help)
        #expect(try Arguments(["-h"]).command == .help)
        let git = try Arguments(["git-merge", "--key", "id", "--path", "a b.json", "O", "A", "B"])
        #expect(git.command == .gitMerge && git.path == "a b.json" && git.files == ["O", "A", "B"])
        #expect(try Arguments(["merge", "a", "b", "c", "--key", "k"]).policy == .fields)
    }

    @Test(arguments: [
        ("difff", "there is no command 'difff'; the commands are diff, merge, textconv, git-diff, git-merge and help"),
        ("--al", "there is no command '--al'; the commands are diff, merge, textconv, git-diff, git-merge and help"),
        (
            "diff a b -k",
            "diffsync diff has no option -k; its options are --key, --lines, --all, --plain, --color and --help"
        ),
        (
            "diff a b --policy local",
            "diffsync diff has no option --policy; its options are --key, --lines, --all, --plain, --color and --help"
        ),
        ("diff --key a", "diffsync diff takes two files, OLD NEW; none was given"),
        ("diff x --key a", "diffsync diff takes two files, OLD NEW; one was given"),
        ("diff x y z --key a", "diffsync diff takes two files, OLD NEW; 3 were given"),
        ("merge x y --key a", "diffsync merge takes three files, BASE LOCAL REMOTE; 2 were given"),
        ("diff a b", "diffsync diff needs the name of the records' key: write --key id, or --key code,region"),
        ("merge a b c", "diffsync merge needs the name of the records' key: write --key id, or --key code,region"),
        ("diff a b --key", "--key needs a value, such as --key id"),
        ("diff a b --key=", "--key needs a value, such as --key id"),
        ("diff a b --key --all", "--key needs a value, such as --key id"),
        ("diff a b --key a,,b", "--key is 'a,,b', which has an empty name in it: write --key code,region"),
        ("diff a b --key a --key b", "--key is given twice: give it once"),
        ("diff a b --key a --all=yes", "--all takes no value: write --all alone"),
        ("diff a b --key k --plain --color", "--plain and --color exclude each other: give one of them"),
        ("merge a b c --key k --policy mine", "--policy is 'mine': write local, remote, fields or open"),
        ("merge a b c --key k --policy", "--policy needs a value, such as --policy local"),
        ("merge a b c --key k --output", "--output needs a value, such as --output merged.json"),
        (
            "merge a b c --key k --output=--help",
            "--output is '--help', which looks like an option: write --output ./--help"
        ),
        ("textconv a b --key k", "diffsync textconv takes one file, FILE; 2 were given"),
        ("git-merge a b --key k", "diffsync git-merge takes three files, %O %A %B; 2 were given"),
        (
            "git-diff a b --key k",
            "diffsync git-diff takes the seven words that git passes to an external diff: set it as diff.NAME.command, "
                + "or use diffsync diff OLD NEW"
        ),
    ])
    func errorsSayWhatToWriteInstead(line: String, error: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(throws: UsageError(error)) { try Arguments(words) }
        let run = ProgramRun(words)
        #expect(run.exitCode == 64)
        #expect(run.output == [])
        #expect(run.errors == ["diffsync: \(error)", "Try 'diffsync --help'."])
    }

    @Test(arguments: ["help", "--help", "diff --help", "help --plain", ""])
    func helpIsPrinted(line: String) {
        let run = ProgramRun(line.split(separator: " ").map(String.init))
        #expect(run.exitCode == 0)
        #expect(run.output == [Program.help])
        #expect(run.errors == [])
    }

    @Test func helpNamesEachCommandAndOption() {
        for command in Command.allCases {
            #expect(Program.help.contains("diffsync \(command.rawValue)"))
            for option in command.options { #expect(Program.help.contains(option)) }
            for file in command.files { #expect(Program.help.contains(file)) }
        }
        for policy in MergePolicy.allCases { #expect(Program.help.contains("--policy \(policy.rawValue)")) }
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
