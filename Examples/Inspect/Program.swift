import ExampleSupport
import Foundation
import SQLitePersistence

/// The program, which `main.swift` and the tests run.
struct Program {
    let output: ProgramOutput

    static let help = """
        inspect: why has this not synced? Shows a store in an SQLite file, and changes nothing.

          inspect FILE               what waits in the store and why, its device, its records and its sizes
          inspect FILE --json        the same as JSON
          inspect FILE --html OUT    the same as a page without other files, written to OUT
          inspect --timeline RECORDING --html OUT
                                     the messages of devices and remote as such a page; RECORDING is a file of JSON lines,
                                     each with device, kind (request, response or note) and text

        Keys of records are shown, and no values of attributes. A running app may have the file open.
        SQLite may leave two files beside it, FILE-wal and FILE-shm, which belong to it.

        Exit codes: 0 the store was read, 1 it cannot be read or OUT cannot be written, 64 the command line is wrong.
        """
}

extension Program {
    /// Runs the program.
    ///
    /// - Parameter words: The words of the command line, after the program's name.
    /// - Returns: The exit code.
    func run(_ words: [String]) async -> Int32 {
        do {
            switch try Arguments(words) {
            case .help: output.write(Program.help)
            case .inspect(let path, let isJSON, let html):
                let inspection = try await Inspection(path: path)
                if isJSON { output.write(try inspection.json) }
                if let html { try write(inspection, to: html) }
                if !isJSON && html == nil {
                    for line in Report(inspection).lines { output.write(line) }
                }
            case .timeline(let path, let html): try draw(path, to: html)
            }
            return ExitCode.success
        } catch let error as UsageError {
            output.writeError("inspect: \(error)")
            output.writeError("Try 'inspect --help'.")
            return ExitCode.usage
        } catch {
            output.writeError("inspect: \(printable("\(error)"))")
            return ExitCode.failure
        }
    }

    /// Writes the page, unless that would replace a file of the store.
    private func write(_ inspection: Inspection, to path: String) throws {
        if ["", "-wal", "-shm"].contains(where: { isSame(inspection.path + $0, path) }) {
            throw InspectionError("'\(path)' belongs to the store: give --html another path")
        }
        try write(Report(inspection).html, to: path)
    }

    /// Draws a recording.
    private func draw(_ recording: String, to path: String) throws {
        if isSame(recording, path) {
            throw InspectionError("'\(path)' is the recording itself: give --html another path")
        }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: recording))
        } catch {
            throw InspectionError("the recording '\(recording)' cannot be read: \(error.localizedDescription)")
        }
        let events: [TimelineEvent]
        do {
            events = try TimelineEvent.events(in: data)
        } catch {
            throw InspectionError("'\(recording)' is no recording of a timeline: \(error)")
        }
        try write(TimelinePage(recording, events).html, to: path)
    }

    private func isSame(_ path: String, _ other: String) -> Bool {
        func resolved(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        return resolved(path) == resolved(other)
    }

    private func write(_ page: String, to path: String) throws {
        do {
            try Data(page.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw InspectionError("the page cannot be written to '\(path)': \(error.localizedDescription)")
        }
    }
}

/// A file that cannot be read or written: the path, the reason, and a remedy.
struct InspectionError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Returns the text without characters that a terminal would obey: names and keys come from a file.
func printable(_ text: String) -> String {
    var printable = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        printable.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
    }
    return String(printable)
}
