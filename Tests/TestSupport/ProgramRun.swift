/// A run of an example's program within the process of the tests: its exit code and lines.
package struct ProgramRun {
    package let exitCode: Int32
    package let output: [String]
    package let errors: [String]

    /// Runs a program.
    ///
    /// - Parameter run: Receives the functions that write a line to the output and to the error output, and returns the
    ///   exit code.
    package init(
        _ run: (_ output: @escaping (String) -> Void, _ errors: @escaping (String) -> Void) -> Int32
    ) {
        let (output, errors) = (Lines(), Lines())
        exitCode = run({ output.lines.append($0) }, { errors.lines.append($0) })
        self.output = output.lines
        self.errors = errors.lines
    }

    private final class Lines {
        var lines: [String] = []
    }
}
