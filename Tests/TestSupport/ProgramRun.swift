import SyncPersistence

/// A run of an example's program within the process of the tests, with its exit code and its lines.
package struct ProgramRun {
    /// The exit code that the program returned.
    package let exitCode: Int32
    /// The lines of the standard output.
    package let output: [String]
    /// The lines of the error output.
    package let errors: [String]

    /// Runs a program.
    ///
    /// - Parameter run: Runs the program and returns its exit code. It receives one function that writes a line to the
    ///   output, and one for the error output.
    package init(
        _ run: (_ output: @escaping @Sendable (String) -> Void, _ errors: @escaping @Sendable (String) -> Void) -> Int32
    ) {
        let (output, errors) = (Locked<[String]>([]), Locked<[String]>([]))
        exitCode = run({ line in output.withLock { $0.append(line) } }, { line in errors.withLock { $0.append(line) } })
        self.output = output.current
        self.errors = errors.current
    }
}
