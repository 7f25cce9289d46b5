import Foundation
import TestSupport

/// The program `crash-client`, which tests kill.
enum CrashClient {
    /// Runs the program and returns the lines that it printed.
    ///
    /// - Parameters:
    ///   - folder: The folder of its files.
    ///   - run: The number of the run.
    ///   - seed: The seed of its random edits.
    ///   - task: The task of the program; nil to edit and synchronize without end.
    ///   - lineCount: The number of lines after which it is killed; nil to wait for its end.
    static func run(
        _ folder: String, _ run: Int, _ seed: UInt64, task: String? = nil, killedAfter lineCount: Int? = nil
    ) throws -> [String] {
        let process = try ChildProcess(
            ChildProcess.path(of: "crash-client"), [folder, "\(run)", "\(seed)"] + (task.map { [$0] } ?? []))
        var text = Data()
        var isKilled = false
        while true {
            let data = process.output.availableData
            if data.isEmpty { break }
            text.append(data)
            if let lineCount, !isKilled, text.count(where: { $0 == UInt8(ascii: "\n") }) >= lineCount {
                process.end()
                isKilled = true
            }
        }
        process.wait()
        // A last line without its end does not count.
        let whole = text.prefix(upTo: text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.startIndex)
        return String(decoding: whole, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
