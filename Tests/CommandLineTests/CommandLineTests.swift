import TestSupport
import Testing

/// How the programs of the package answer a request for help, and a command line that is wrong.
struct CommandLineTests {
    static let programs = [
        "benchmarks", "countries", "demo", "diffsync", "inspect", "model", "moods", "notebook", "pictures",
    ]

    @Test(arguments: programs, ["--help", "-h"])
    func helpIsShownAndNothingIsWritten(program: String, option: String) throws {
        let run = try FolderRun(program, [option])
        #expect(run.exitCode == 0)
        #expect(run.output.contains("\(program)"))
        #expect(run.output.contains("--help") || run.output.count > 100)
        #expect(run.errors == "")
        #expect(run.files == [])
    }

    @Test(arguments: programs, [["--no-such-option"], ["-x"], ["--no-such-option", "a"], ["a", "b"], [""]])
    func unknownWordsAreRefusedAndNothingIsWritten(program: String, words: [String]) throws {
        let run = try FolderRun(program, words)
        #expect(run.exitCode == 64)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("\(program): "))
        #expect(run.errors.contains("help") || run.errors.contains("usage"))
        #expect(run.files == [])
    }

    @Test(arguments: [
        ("model", []), ("inspect", []), ("inspect", ["a", "--html"]), ("moods", ["phone"]),
        ("diffsync", ["diff"]), ("diffsync", ["diff", "a", "b"]),
        ("diffsync", ["merge", "a", "b", "c", "--key"]),
        ("diffsync", ["merge", "a", "b", "c", "--key", "k", "--output=--help"]),
        ("diffsync", ["merge", "a", "b", "c", "--key", "k", "--output"]), ("benchmarks", ["--suite"]),
        ("benchmarks", ["--json", "--check"]), ("benchmarks", ["--size", "none"]), ("benchmarks", ["--suite", "none"]),
    ])
    func missingArgumentsAreRefusedAndNothingIsWritten(program: String, words: [String]) throws {
        let run = try FolderRun(program, words)
        #expect(run.exitCode == 64)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("\(program): "))
        #expect(run.files == [])
    }

    @Test func pathAfterTwoDashesMayBeginWithADash() throws {
        let run = try FolderRun("countries", ["--", "--help"])
        #expect(run.exitCode == 0)
        #expect(run.files.contains("--help"))
    }
}

/// A run of a program in a process of its own, in an empty folder.
struct FolderRun {
    let exitCode: Int32
    let output: String
    let errors: String

    /// The names of the files that it has left.
    let files: [String]

    init(_ program: String, _ words: [String]) throws {
        let folder = TemporaryFolder()
        let process = try ChildProcess(ChildProcess.path(of: program), words, in: folder.path)
        (exitCode, output, errors) = process.finish()
        files = try folder.names
    }
}
