import Foundation

/// The functions that a program writes its lines with.
package struct ProgramOutput: Sendable {
    /// Writes a line to the standard output.
    package let write: @Sendable (String) -> Void

    /// Writes a line to the standard error output.
    package let writeError: @Sendable (String) -> Void

    /// Whether the standard output is a terminal that shows colours.
    package let isTerminal: Bool

    package init(
        write: @escaping @Sendable (String) -> Void, writeError: @escaping @Sendable (String) -> Void,
        isTerminal: Bool = false
    ) {
        self.write = write
        self.writeError = writeError
        self.isTerminal = isTerminal
    }

    /// The outputs of this process.
    package static var standard: ProgramOutput {
        let noColor = ProcessInfo.processInfo.environment["NO_COLOR"] ?? ""
        return ProgramOutput(
            write: { print($0) },
            writeError: { line in
                // Flushes the lines before, which may go to the same file.
                fflush(nil)
                FileHandle.standardError.write(Data((line + "\n").utf8))
            },
            isTerminal: isatty(STDOUT_FILENO) == 1 && noColor.isEmpty)
    }
}

extension ProgramOutput {
    /// Runs a program and reports the error that it throws.
    ///
    /// - Parameters:
    ///   - program: The name of the program.
    ///   - failure: The exit code for errors other than a ``UsageError``.
    ///   - body: The program, which returns its exit code.
    /// - Returns: The exit code.
    package func run(
        _ program: String, failure: Int32 = ExitCode.failure, _ body: () throws -> Int32
    ) -> Int32 {
        do { return try body() } catch { return report(error, of: program, failure: failure) }
    }

    /// Runs an asynchronous program, and reports the error that it throws.
    ///
    /// - Parameters:
    ///   - program: The name of the program.
    ///   - describe: Returns the text of an error other than a ``UsageError``.
    ///   - body: The program, which returns its exit code.
    /// - Returns: The exit code.
    package func run(
        _ program: String, describe: (any Error) -> String = { "\($0)" }, _ body: () async throws -> Int32
    ) async -> Int32 {
        do { return try await body() } catch { return report(error, of: program, describe: describe) }
    }

    /// Reports an error that a program has thrown, and returns the exit code.
    private func report(
        _ error: any Error, of program: String, failure: Int32 = ExitCode.failure,
        describe: (any Error) -> String = { "\($0)" }
    ) -> Int32 {
        if error is UsageError { return misuse(program, "\(error)") }
        writeError("\(program): \(describe(error))")
        return failure
    }

    /// Says what is wrong with a command line, and how to get help.
    ///
    /// - Returns: The exit code.
    package func misuse(_ program: String, _ reason: String) -> Int32 {
        writeError("\(program): \(reason)")
        writeError("Try '\(program) --help'.")
        return ExitCode.usage
    }
}
