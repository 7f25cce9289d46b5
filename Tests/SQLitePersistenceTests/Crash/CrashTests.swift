import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// A program that edits and synchronizes is killed at any moment, over and over.
@Suite("Killed at any moment")
struct CrashTests {
    static let killCount = 300
    static let seed = SeededGenerator.testSeed(300)

    @Test("files are whole, all parts fit together, and nothing that was done is lost, 300 times")
    func killed() async throws {
        var generator = SeededGenerator(seed: Self.seed)
        let folder = TemporaryFolder()
        var expected = ExpectedNotes()
        for run in 0..<Self.killCount {
            let lineCount = Int.random(in: 1...30, using: &generator)
            let lines = try CrashClient.run(
                folder.path, run, generator.next(), killedAfter: lineCount)
            expected.read(lines)
            let world = try await StoredWorld(folder.path)
            let faults = try await world.faults(&expected)
            await world.close()
            try #require(faults == [], "seed \(Self.seed), after kill \(run)")
        }
        let lines = try CrashClient.run(folder.path, Self.killCount, 0, task: "settle")
        #expect(lines.last == "settled", "seed \(Self.seed): \(lines)")
        let world = try await StoredWorld(folder.path)
        let disagreements = try await world.disagreements(&expected)
        #expect(disagreements == [], "seed \(Self.seed)")
        await world.close()
        #expect(expected.doneCount > Self.killCount, "the program has had no time to do anything")
    }

    @Test("the expectation tells what was done from what may have been done")
    func expectation() {
        var expected = ExpectedNotes()
        expected.read(["try put a1 x", "done", "try put a1 y", "done", "try put a2 z", "done", "try remove a2"])
        func faults(_ notes: [Note], thenAgain later: [Note]? = nil) -> [String] {
            var expected = expected
            let faults = expected.faults(on: "a", notes)
            return later.map { expected.faults(on: "a", $0) } ?? faults
        }
        let (first, second) = (Note(id: "a1", text: "y"), Note(id: "a2", text: "z"))
        #expect(faults([first, second]) == [])
        #expect(faults([first]) == [])
        #expect(faults([second]) == ["a has nothing under a1, and must have y"])
        #expect(faults([Note(id: "a1", text: "x"), second]) == ["a has x under a1, and must have y"])
        #expect(faults([first], thenAgain: [first, second]) == ["a has z under a2, and must have nothing"])
        #expect(faults([first], thenAgain: [first, Note(id: "a3", text: "")]) == ["a has a3, which nobody has put"])
    }
}

/// What the devices must have, by what the program has told.
struct ExpectedNotes {
    /// The text of each note that was put, or nil if it was removed.
    private(set) var texts: [String: String?] = [:]

    /// What was begun and may have been done.
    private(set) var begun: (id: String, text: String?)?

    /// How many edits were done.
    private(set) var doneCount = 0

    /// Takes in what one run of the program has told.
    mutating func read(_ lines: [String]) {
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            switch (words.first, words.count) {
            case ("try", 4): begun = (words[2], words[3])
            case ("try", 3): begun = (words[2], nil)
            case ("done", 1):
                if let begun { texts[begun.id] = begun.text }
                begun = nil
                doneCount += 1
            default: break
            }
        }
    }

    /// What a device has that it must not, or the other way round; what was begun is settled by it.
    mutating func faults(on device: String, _ notes: [Note]) -> [String] {
        let present = Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0.text) })
        if let (id, text) = begun, id.hasPrefix(device) {
            if present[id] == text { texts[id] = .some(text) }
            begun = nil
        }
        let own = texts.filter { $0.key.hasPrefix(device) }
        let lost = own.filter { $0.value != present[$0.key] }.map { id, text in
            "\(device) has \(present[id] ?? "nothing") under \(id), and must have \(text ?? "nothing")"
        }
        let unknown = present.keys.filter { $0.hasPrefix(device) && own[$0] == nil }
        return (lost + unknown.map { "\(device) has \($0), which nobody has put" }).sorted()
    }
}

struct Note: Codable, Identifiable, Equatable, Sendable {
    let id: String
    var text: String
}
