import ExampleSupport
import Foundation
import StoreSync

/// The program, which `main.swift` and the tests run.
struct Program: Sendable {
    /// Writes lines to the standard output and the standard error output.
    let output: ProgramOutput

    /// Returns another name with each call.
    let makeName: @Sendable () -> String

    static let help = """
        moods: devices share moods by country, over a folder and without a server.

          moods                                        a tour by itself, in a temporary folder that is deleted at the end
          moods --folder PATH                          the same, with files that are kept for 'inspect' and sqlite3
          moods --timeline OUT                         the tour, with a page of all messages that is written to OUT
          moods DEVICE --folder PATH COMMAND           one device; two terminals play two devices, 'phone' and 'laptop'

        Commands:
          list                          the continents, countries and moods of the device
          add COUNTRY FEELING [NOTE]    a new mood, such as: add IS calm "after the rain"
          edit MOOD FEELING [NOTE]      another feeling, and another note if one is given
          delete ID                     deletes a mood, or a country with all of its moods
          sync                          synchronizes over PATH/remote, and shows each message
          watch                         synchronizes by itself after each edit in any terminal, until Ctrl-C
          conflicts                     what both devices have changed differently
          resolve ID mine|theirs        resolves such a conflict, which the next sync sends

        COUNTRY is one of: \(Country.all.map(\.code).joined(separator: " ")).
        Exit codes: 0 all is well, 1 it cannot be done, 64 the command line is wrong.
        """
}

extension Program {
    /// Runs the program.
    ///
    /// - Parameter words: The words of the command line, after the program's name.
    /// - Returns: The exit code.
    func run(_ words: [String]) async -> Int32 {
        await output.run("moods") {
            switch try Arguments(words) {
            case .help:
                output.write(Program.help)
                return ExitCode.success
            case .tour(let folder, let timeline): return try await runTour(in: folder, timeline: timeline)
            case .device(let name, let folder, let command):
                let device = try await MoodDevice(name, in: MoodFolder(folder), makeName: makeName)
                do {
                    try await run(command, on: device)
                } catch {
                    await device.close()
                    throw error
                }
                await device.close()
                return ExitCode.success
            }
        }
    }

    private func runTour(in folder: String?, timeline: String?) async throws -> Int32 {
        let name = "moods-\(ProcessInfo.processInfo.processIdentifier)"
        let path = folder ?? FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        defer { if folder == nil { try? FileManager.default.removeItem(atPath: path) } }
        let isAgreed = try await MoodsTour.run(in: MoodFolder(path), makeName: makeName, write: output.write)
        if let timeline {
            try drawTimeline(of: MoodFolder(path), to: timeline)
            output.write("The page with all messages is \(timeline).")
        }
        if folder != nil {
            output.write("The files are in \(path): 'inspect \(path)/laptop.sqlite' shows one of them.")
        }
        return isAgreed ? ExitCode.success : ExitCode.failure
    }

    private func drawTimeline(of folder: MoodFolder, to path: String) throws {
        let recording = try Data(contentsOf: URL(fileURLWithPath: folder.timeline))
        var page = HTMLPage("Two devices share moods")
        Timeline(try TimelineEvent.events(in: recording)).draw(on: &page)
        do {
            try Data(page.html.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw MoodsError("the page cannot be written to '\(path)': \(error.localizedDescription)")
        }
    }

    private func run(_ command: Arguments.Command, on device: MoodDevice) async throws {
        switch command {
        case .list: for line in try await device.lines() { output.write(line) }
        case .add(let country, let feeling, let note):
            output.write("added \(try await device.add(feeling, in: country, note: note))")
        case .edit(let id, let feeling, let note):
            try await device.edit(id, feeling: feeling, note: note)
            output.write("edited \(id)")
        case .delete(let id): output.write("deleted \(try await device.delete(id))")
        case .sync: try await device.synchronize(write: output.write)
        case .watch: await device.watch(write: output.write)
        case .conflicts:
            let conflicts = try await device.store.openConflicts
            if conflicts.isEmpty { output.write("no conflicts") }
            for conflict in conflicts { for line in try await device.lines(of: conflict) { output.write(line) } }
        case .resolve(let id, let side):
            try await device.resolve(id, with: side)
            // What it needs may be in conflict still.
            let sending = "mine; a sync sends it, once the records that it needs have no conflict"
            output.write("resolved \(id): \(side == .local ? sending : "theirs")")
        }
    }
}

/// Something that a command cannot do: what, and the remedy.
struct MoodsError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
