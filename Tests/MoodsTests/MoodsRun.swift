import ExampleSupport
import SyncPersistence
import TestSupport

@testable import moods

/// Runs of the program in one folder, each with its exit code and its lines.
struct MoodsRun: Sendable {
    let folder = TemporaryFolder()
    private let names = Locked(0)

    /// Runs the program with the words of a command line.
    func run(_ words: [String]) async -> (exitCode: Int32, output: [String], errors: [String]) {
        let (output, errors) = (Locked<[String]>([]), Locked<[String]>([]))
        let program = Program(
            output: ProgramOutput(
                write: { line in output.withLock { $0.append(line) } },
                writeError: { line in errors.withLock { $0.append(line) } }),
            makeName: { [names] in "name-\(names.next())" })
        let exitCode = await program.run(words)
        return (exitCode, output.withLock { $0 }, errors.withLock { $0 })
    }

    /// Runs a command on a device in the folder, and returns its lines.
    @discardableResult
    func on(_ device: String, _ command: String...) async throws -> [String] {
        let run = await run([device, "--folder", folder.path] + command)
        guard run.exitCode == 0, run.errors.isEmpty else { throw Failure(errors: run.errors) }
        return run.output
    }

    /// A command that failed, with the lines of its errors.
    struct Failure: Error {
        let errors: [String]
    }
}
