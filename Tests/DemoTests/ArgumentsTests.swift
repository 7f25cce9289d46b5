import Testing

@testable import demo

struct ArgumentsTests {
    @Test func wordsAreTakenApart() throws {
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

        #expect(try Arguments([]).command == .everything)
        #expect(try Arguments(["--plain"]).command == .everything)
        #expect(try Arguments(["diff", "--help"]).command == .help)
        #expect(try Arguments(["-h"]).command == .help)
        #expect(try Arguments(["merge", "a", "b", "c", "--key", "k"]).policy == .fields)
    }

    @Test(arguments: [
        ("difff", "there is no command 'difff'; the commands are tour, currencies, diff, merge and help"),
        ("everything", "there is no command 'everything'; the commands are tour, currencies, diff, merge and help"),
        ("--al", "demo without a command has no option --al; its options are --plain, --color and --help"),
        ("tour --key x", "demo tour has no option --key; its options are --plain, --color and --help"),
        ("diff a b -k", "demo diff has no option -k; its options are --key, --all, --plain, --color and --help"),
        (
            "diff a b --policy local",
            "demo diff has no option --policy; its options are --key, --all, --plain, --color and --help"
        ),
        ("tour x", "demo tour takes no files; one was given"),
        ("diff --key a", "demo diff takes two files, A.json B.json; none was given"),
        ("diff x --key a", "demo diff takes two files, A.json B.json; one was given"),
        ("diff x y z --key a", "demo diff takes two files, A.json B.json; 3 were given"),
        ("merge x y --key a", "demo merge takes three files, BASE.json LOCAL.json REMOTE.json; 2 were given"),
        ("diff a b", "demo diff needs the name of the records' key: write --key code, or --key code,region"),
        ("merge a b c", "demo merge needs the name of the records' key: write --key code, or --key code,region"),
        ("diff a b --key", "--key needs a value, such as --key code"),
        ("diff a b --key=", "--key needs a value, such as --key code"),
        ("diff a b --key --all", "--key needs a value, such as --key code"),
        ("diff a b --key a,,b", "--key is 'a,,b', which has an empty name in it: write --key code,region"),
        ("diff a b --key a --key b", "--key is given twice: give it once"),
        ("diff a b --key a --all=yes", "--all takes no value: write --all alone"),
        ("--plain --color", "--plain and --color exclude each other: give one of them"),
        ("merge a b c --key k --policy mine", "--policy is 'mine': write local, remote, fields or open"),
        ("merge a b c --key k --policy", "--policy needs a value, such as --policy local"),
        ("merge a b c --key k --output", "--output needs a value, such as --output merged.json"),
    ])
    func errorsSayWhatToWriteInstead(line: String, error: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(throws: UsageError(error)) { try Arguments(words) }
        let run = ProgramRun(words)
        #expect(run.exitCode == 64)
        #expect(run.output == [])
        #expect(run.errors == ["demo: \(error)", "Try 'demo help'."])
    }

    @Test(arguments: ["help", "--help", "diff --help", "help merge --plain"])
    func help(line: String) {
        let run = ProgramRun(line.split(separator: " ").map(String.init))
        #expect(run.exitCode == 0)
        #expect(run.output == [Program.help])
        #expect(run.errors == [])
    }

    @Test func theHelpNamesEverything() {
        for command in Command.allCases where command != .everything {
            #expect(Program.help.contains("demo \(command.rawValue)"))
            for option in command.options { #expect(Program.help.contains(option)) }
            for file in command.files { #expect(Program.help.contains(file)) }
        }
        for policy in MergePolicy.allCases { #expect(Program.help.contains("--policy \(policy.rawValue)")) }
        #expect(Program.help.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }
}
