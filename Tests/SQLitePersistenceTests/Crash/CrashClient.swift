import Foundation

/// The program that is killed.
enum CrashClient {
    /// Runs the program and answers the lines that it has told.
    ///
    /// - Parameters:
    ///   - task: What it is told to do; to edit and synchronize without end unless given.
    ///   - lineCount: After how many lines it is killed; nil to wait for its end.
    static func run(
        _ folder: String, _ run: Int, _ seed: UInt64, task: String? = nil, killedAfter lineCount: Int? = nil
    ) throws -> [String] {
        let process = Process()
        process.executableURL = executable
        process.arguments = [folder, "\(run)", "\(seed)"] + (task.map { [$0] } ?? [])
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        var text = Data()
        var isKilled = false
        while true {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { break }
            text.append(data)
            if let lineCount, !isKilled, text.count(where: { $0 == UInt8(ascii: "\n") }) >= lineCount {
                kill(process.processIdentifier, SIGKILL)
                isKilled = true
            }
        }
        process.waitUntilExit()
        // A last line without its end was not told.
        let whole = text.prefix(upTo: text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.startIndex)
        return String(decoding: whole, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Beside the tests, or above, where those are in a bundle.
    private static var executable: URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<5 {
            let candidate = folder.appendingPathComponent("crash-client")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
            folder = folder.deletingLastPathComponent()
        }
        preconditionFailure("crash-client is not beside \(CommandLine.arguments[0])")
    }
}
