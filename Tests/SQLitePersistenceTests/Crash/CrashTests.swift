import DifferentialSync
import DifferentialSyncTesting
import Foundation
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// A program that edits and synchronizes is killed at any moment, over and over.
struct CrashTests {
    static let killCount = 300
    static let seed = SeededGenerator.testSeed(300)

    @Test func processKilledAtAnyMomentLeavesConsistentFilesAndLosesNothing() async throws {
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
        expected.read(lines)
        let world = try await StoredWorld(folder.path)
        let disagreements = try await world.disagreements(&expected)
        #expect(disagreements == [], "seed \(Self.seed)")
        await world.close()
        #expect(expected.doneCount > Self.killCount, "the program has had no time to do anything")
    }

    @Test func expectationDistinguishesCompletedFromAttemptedEdits() {
        var expected = ExpectedNotes()
        expected.read([
            "try put a a1 x", "done", "try put a a1 y", "done", "try put a a2 z", "done", "try remove a a2",
        ])
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

    @Test func sharedNoteKeepsTheLastLocalEditUntilTheDeviceSynchronizes() {
        func faults(_ lines: [String], on device: String = "a", _ text: String?) -> [String] {
            var expected = ExpectedNotes()
            expected.read(lines)
            return expected.faults(on: device, text.map { [Note(id: "s1", text: $0)] } ?? [])
        }
        let edit = ["try put a s1 x", "done"]
        #expect(faults(edit, "x") == [])
        #expect(faults(edit, nil) == ["a has nothing under s1, and must have x"])
        #expect(faults(edit, "y") == ["a has y under s1, and must have x"])
        #expect(faults(edit + ["sync a", "synced a"], nil) == [])
        #expect(faults(edit + ["sync a", "synced a"], "y") == ["a has y under s1, which nobody has put"])
        #expect(faults(edit + ["sync b", "synced b"], "y") == ["a has y under s1, and must have x"])
        #expect(faults(edit + ["try remove a s1"], nil) == [])
        #expect(faults(edit + ["try remove a s1"], "x") == [])
        #expect(faults(edit + ["try remove a s1", "done"], "x") == ["a has x under s1, and must have nothing"])
        #expect(faults(edit + ["try put b s1 y", "done", "sync a"], "y") == [])
        #expect(faults(edit + ["try put b s1 y", "done"], on: "b", "y") == [])
    }

    @Test func sharedNoteFinallyHasTheLastEditOfOneDevice() {
        var expected = ExpectedNotes()
        expected.read(["try put a s1 x", "done", "try put a s1 y", "done", "try remove b s1", "done", "sync a"])
        #expect(expected.sharedFaults([Note(id: "s1", text: "y")]) == [])
        #expect(expected.sharedFaults([]) == [])
        #expect(
            expected.sharedFaults([Note(id: "s1", text: "x")]) == ["s1 is x in the end, which no device has done last"])
    }
}

struct Note: Codable, Identifiable, Equatable, Sendable {
    let id: String
    var text: String
}
