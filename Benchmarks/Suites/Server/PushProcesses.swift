#if canImport(PostgreSQLPersistence)
    import BenchmarkSupport
    import Foundation
    import TestSupport

    /// Processes that make pushes side by side, see `PushWorker`.
    final class PushProcesses {
        private var processes: [(process: ChildProcess, input: FileHandle, output: FileHandle)] = []
        /// The processor time of all processes in the last run, in seconds.
        private(set) var processorSeconds = 0.0

        init(_ count: Int, _ connection: String, firstNumber: Int) {
            for number in 0..<count {
                let (input, output) = (Pipe(), Pipe())
                for end in [input.fileHandleForWriting, output.fileHandleForReading] {
                    _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
                }
                let process = unfailing {
                    try ChildProcess(
                        CommandLine.arguments[0], ["push-worker", connection, "\(firstNumber + number)"],
                        pipes: (input.fileHandleForReading, output.fileHandleForWriting))
                }
                unfailing { try output.fileHandleForWriting.close() }
                processes.append((process, input.fileHandleForWriting, output.fileHandleForReading))
            }
            for process in processes { precondition(line(of: process.output) == "ready") }
        }

        /// Lets all processes make their pushes, and waits for them.
        func run() {
            for process in processes { process.input.write(Data("\n".utf8)) }
            processorSeconds = processes.reduce(0) { sum, process in
                sum + (line(of: process.output).split(separator: " ").last.flatMap { Double($0) } ?? 0)
            }
        }

        private func line(of output: FileHandle) -> String {
            var line = Data()
            while line.last != UInt8(ascii: "\n") {
                let part = output.availableData
                precondition(!part.isEmpty, "a process has ended")
                line += part
            }
            return String(decoding: line.dropLast(), as: UTF8.self)
        }
    }
#endif
