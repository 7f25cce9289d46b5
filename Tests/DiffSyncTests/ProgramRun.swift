import Foundation

@testable import diffsync

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

/// A folder that goes with the test.
final class TemporaryFolder {
    private let url: URL

    /// - Parameter name: A name that no other test has.
    init(_ name: String = #function) throws {
        let letters = String(name.filter { $0.isLetter || $0.isNumber })
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("diffsync-tests-\(ProcessInfo.processInfo.processIdentifier)-\(letters)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var path: String { url.path }

    /// Writes a file.
    ///
    /// - Returns: Its path.
    func write(_ text: String, to name: String) throws -> String {
        let file = url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
    }
}
