import Foundation
import Testing

/// What the programs of the package do with a command line that asks for help, or that they do not understand.
@Suite struct CommandLineTests {
    static let programs = ["benchmarks", "countries", "demo", "diffsync", "model", "notebook", "pictures"]

    @Test(arguments: programs, ["--help", "-h"])
    func helpIsShownAndNothingIsWritten(program: String, option: String) throws {
        let run = try ProgramRun(program, [option])
        #expect(run.exitCode == 0)
        #expect(run.output.contains("\(program)"))
        #expect(run.output.contains("--help") || run.output.count > 100)
        #expect(run.errors == "")
        #expect(run.files == [])
    }

    @Test(arguments: programs, [["--no-such-option"], ["-x"], ["--no-such-option", "a"], ["a", "b"], [""]])
    func whatIsNotUnderstoodIsRefusedAndNothingIsWritten(program: String, words: [String]) throws {
        let run = try ProgramRun(program, words)
        #expect(run.exitCode == 64)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("\(program): "))
        #expect(run.errors.contains("help") || run.errors.contains("usage"))
        #expect(run.files == [])
    }

    @Test(arguments: [
        ("model", []), ("diffsync", ["diff"]), ("diffsync", ["diff", "a", "b"]),
        ("diffsync", ["merge", "a", "b", "c", "--key"]),
        ("diffsync", ["merge", "a", "b", "c", "--key", "k", "--output=--help"]),
        ("diffsync", ["merge", "a", "b", "c", "--key", "k", "--output"]), ("benchmarks", ["--suite"]),
        ("benchmarks", ["--json", "--check"]), ("benchmarks", ["--size", "none"]), ("benchmarks", ["--suite", "none"]),
    ])
    func missingArgumentsAreRefusedAndNothingIsWritten(program: String, words: [String]) throws {
        let run = try ProgramRun(program, words)
        #expect(run.exitCode == 64)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("\(program): "))
        #expect(run.files == [])
    }

    @Test func pathAfterTwoDashesMayBeginWithADash() throws {
        let run = try ProgramRun("countries", ["--", "--help"])
        #expect(run.exitCode == 0)
        #expect(run.files.contains("--help"))
    }
}

/// One run of a program, in an empty folder.
struct ProgramRun {
    let exitCode: Int32
    let output: String
    let errors: String

    /// The names of the files that it has left.
    let files: [String]

    init(_ program: String, _ words: [String]) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("CommandLineTests-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = try ProgramRun.executable(program)
        process.arguments = words
        process.currentDirectoryURL = folder
        // What it writes is no more than a pipe holds.
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        self.errors = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        exitCode = process.terminationStatus
        files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// Beside the tests, or above, where those are in a bundle.
    private static func executable(_ program: String) throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<5 {
            let candidate = folder.appendingPathComponent(program)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder = folder.deletingLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
