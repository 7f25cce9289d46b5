package import Foundation

/// A program that runs in a child process, with its output read through pipes.
///
/// `posix_spawn` starts the process, because `run()` of Foundation's `Process` crashes on Linux while the tests have
/// more than about 1,300 files open. It copies each entry of `/proc/self/fd` as 280 bytes, whatever its length, and so
/// reads beyond the end of the list.
package final class ChildProcess {
    /// The process identifier.
    package let id: pid_t

    /// The pipe of the standard output, and of the error output if the process merges the two.
    package let output: FileHandle

    /// The pipe of the standard error output; empty if the process merges the two.
    package let errors: FileHandle

    /// The result of `wait()`; nil until the process was awaited.
    private var exitCode: Int32?

    /// A lock that lets one process start at a time.
    private static let spawning = NSLock()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The path of the executable file.
    ///   - arguments: The arguments, without the program's name.
    ///   - folder: The working directory; nil for the one of the tests.
    ///   - environment: The environment variables.
    ///   - mergesErrors: Whether to write the error output to the standard output.
    ///   - pipes: The pipes that are the standard input and output instead; nil for the input of the tests and ``output``.
    package init(
        _ path: String, _ arguments: [String] = [], in folder: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment, mergesErrors: Bool = false,
        pipes: (input: FileHandle, output: FileHandle)? = nil
    ) throws {
        var words = [path] + arguments
        // `posix_spawn` has no portable action that changes the working directory.
        if let folder { words = ["/bin/sh", "-c", #"cd "$1" && shift && exec "$@""#, "sh", folder] + words }
        // Concurrently started processes must not inherit the pipes. Otherwise reading would not end when this process
        // ends.
        Self.spawning.lock()
        defer { Self.spawning.unlock() }
        let (output, errors) = (Pipe(), Pipe())
        for end in [
            output.fileHandleForReading, output.fileHandleForWriting, errors.fileHandleForReading,
            errors.fileHandleForWriting,
        ] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let outputEnd = (pipes?.output ?? output.fileHandleForWriting).fileDescriptor
        if let pipes { posix_spawn_file_actions_adddup2(&actions, pipes.input.fileDescriptor, STDIN_FILENO) }
        posix_spawn_file_actions_adddup2(&actions, outputEnd, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(
            &actions, mergesErrors ? outputEnd : errors.fileHandleForWriting.fileDescriptor, STDERR_FILENO)
        let cWords = words.map { strdup($0) } + [nil]
        let cVariables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in cWords + cVariables { free(text) } }
        var id: pid_t = 0
        let failure = posix_spawn(&id, words[0], &actions, nil, cWords, cVariables)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EINVAL) }
        self.id = id
        self.output = output.fileHandleForReading
        self.errors = errors.fileHandleForReading
        try output.fileHandleForWriting.close()
        try errors.fileHandleForWriting.close()
    }

    /// Kills the process by a signal that it cannot handle.
    package func end() {
        kill(id, SIGKILL)
    }

    /// Waits until the process has ended.
    ///
    /// - Returns: The exit code, or the number of the signal that ended it.
    @discardableResult
    package func wait() -> Int32 {
        if let exitCode { return exitCode }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 && errno == EINTR {}
        let code = status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F
        exitCode = code
        return code
    }

    deinit {
        guard exitCode == nil else { return }
        end()
        wait()
    }
}

extension ChildProcess {
    /// Reads both outputs to their end, and waits for the process.
    ///
    /// The error output must fit into the buffer of a pipe, because it is read second.
    package func finish() -> (exitCode: Int32, output: String, errors: String) {
        let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
        let errorText = String(decoding: errors.readDataToEndOfFile(), as: UTF8.self)
        return (wait(), text, errorText)
    }

    /// Returns the path of a program of the package, which is built beside the tests.
    ///
    /// Throws if it was not built.
    package static func path(of program: String) throws -> String {
        // On some platforms the tests are in a bundle, several folders below the programs.
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<5 {
            let candidate = folder.appendingPathComponent(program).path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            folder = folder.deletingLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
