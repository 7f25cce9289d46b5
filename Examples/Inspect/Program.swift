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
          inspect FILE --timeline RECORDING --html OUT
                                     also the messages of devices and remote, and these alone without FILE; RECORDING is
                                     a file of JSON lines, each with device, kind (request, response or note) and text

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
        await output.run("inspect", describe: { printable("\($0)") }) {
            switch try Arguments(words) {
            case .help: output.write(Program.help)
            case .inspect(let path, let isJSON):
                let inspection = try await Inspection(path: path)
                for line in isJSON ? [try inspection.json] : Report(inspection).lines { output.write(line) }
            case .draw(let path, let timeline, let html): try await draw(path, timeline, to: html)
            }
            return ExitCode.success
        }
    }

    /// Draws a store, a recording, or both, unless that would replace one of their files.
    private func draw(_ store: String?, _ recording: String?, to path: String) async throws {
        var page = HTMLPage(printable(store ?? recording ?? ""))
        if let store {
            let inspection = try await Inspection(path: store)
            if ["", "-wal", "-shm"].contains(where: { isSame(inspection.path + $0, path) }) {
                throw InspectionError("'\(path)' belongs to the store: give --html another path")
            }
            Report(inspection).draw(on: &page)
        }
        if let recording {
            if isSame(recording, path) {
                throw InspectionError("'\(path)' is the recording itself: give --html another path")
            }
            Timeline(try events(in: recording)).draw(on: &page)
        }
        do {
            try Data(page.html.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw InspectionError("the page cannot be written to '\(path)': \(error.localizedDescription)")
        }
    }

    private func events(in recording: String) throws -> [TimelineEvent] {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: recording))
        } catch {
            throw InspectionError("the recording '\(recording)' cannot be read: \(error.localizedDescription)")
        }
        do {
            return try TimelineEvent.events(in: data)
        } catch {
            throw InspectionError("'\(recording)' is no recording of a timeline: \(error)")
        }
    }

    private func isSame(_ path: String, _ other: String) -> Bool {
        func resolved(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        return resolved(path) == resolved(other)
    }
}

/// A file that cannot be read or written: the path, the reason, and a remedy.
struct InspectionError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
