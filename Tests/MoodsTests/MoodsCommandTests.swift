import Foundation
import TestSupport
import Testing

/// The commands by which two terminals play two devices.
struct MoodsCommandTests {
    private let moods = MoodsRun()

    @Test func moodsOfOneDeviceArriveOnTheOther() async throws {
        #expect(try await moods.on("phone", "add", "IS", "calm", "rain") == ["added phone-1"])
        try await moods.on("phone", "sync")
        let output = try await moods.on("laptop", "sync")
        #expect(output.last == "     ✓ in step with the remote")
        let lines = try await moods.on("laptop", "list")
        #expect(
            lines == [
                "Continent \"EU\": Europe", "  Country \"IS\": Iceland", "    Mood \"phone-1\": calm, \"rain\"",
            ])
        #expect(try await moods.on("phone", "list") == lines)
    }

    @Test func aConflictIsListedAndResolved() async throws {
        try await moods.on("phone", "add", "IS", "calm")
        for device in ["phone", "laptop"] { try await moods.on(device, "sync") }
        try await moods.on("phone", "edit", "phone-1", "happy")
        try await moods.on("laptop", "edit", "phone-1", "bored", "no rain")
        for device in ["phone", "laptop"] { try await moods.on(device, "sync") }
        #expect(try await moods.on("phone", "conflicts") == ["no conflicts"])
        #expect(
            try await moods.on("laptop", "conflicts") == [
                "! Mood \"phone-1\": changed on both sides", "    mine:   Mood \"phone-1\": bored, \"no rain\"",
                "    theirs: Mood \"phone-1\": happy",
            ])
        try await moods.on("laptop", "resolve", "phone-1", "theirs")
        for device in ["laptop", "phone"] { try await moods.on(device, "sync") }
        #expect(try await moods.on("phone", "list").last == "    Mood \"phone-1\": happy, \"no rain\"")
        #expect(try await moods.on("laptop", "conflicts") == ["no conflicts"])
    }

    @Test func aCountryThatIsDeletedThereAndNeededHereNamesTheMoodsThatItWouldTakeAlong() async throws {
        try await moods.on("phone", "add", "IS", "calm")
        for device in ["phone", "laptop"] { try await moods.on(device, "sync") }
        try await moods.on("phone", "delete", "IS")
        try await moods.on("laptop", "add", "IS", "happy")
        try await moods.on("laptop", "edit", "phone-1", "bored")
        for device in ["phone", "laptop"] { try await moods.on(device, "sync") }
        #expect(
            try await moods.on("laptop", "conflicts") == [
                "! Country \"IS\": deleted there, and needed here", "    mine:   Country \"IS\": Iceland",
                "    theirs: deleted, with Mood \"laptop-4\", Mood \"phone-1\"",
                "! Mood \"phone-1\": changed on both sides", "    mine:   Mood \"phone-1\": bored",
                "    theirs: deleted",
            ])
        for id in ["phone-1", "IS"] { try await moods.on("laptop", "resolve", id, "mine") }
        for device in ["laptop", "phone"] { try await moods.on(device, "sync") }
        let lines = try await moods.on("phone", "list")
        #expect(lines.suffix(2) == ["    Mood \"laptop-4\": happy", "    Mood \"phone-1\": bored"])
        #expect(try await moods.on("laptop", "list") == lines)
    }

    @Test func deletingACountryDeletesItsMoods() async throws {
        try await moods.on("phone", "add", "IS", "calm")
        #expect(try await moods.on("phone", "delete", "IS") == ["deleted Country \"IS\""])
        #expect(try await moods.on("phone", "list") == ["Continent \"EU\": Europe"])
    }

    @Test func aDeviceWithANewFileReplacesNoMoodOfTheFormerOne() async throws {
        for _ in 0..<20 { try await moods.on("phone", "add", "IS", "calm") }
        try await moods.on("phone", "sync")
        for end in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: "\(moods.folder.path)/phone.sqlite\(end)")
        }
        try await moods.on("phone", "sync")
        try await moods.on("phone", "add", "IS", "tired")
        let lines = try await moods.on("phone", "list")
        #expect(lines.count { $0.hasSuffix(": calm") } == 20)
        #expect(lines.count { $0.hasSuffix(": tired") } == 1)
    }

    @Test(arguments: [
        ["add", "XX", "calm"], ["edit", "phone-9", "calm"], ["delete", "phone-9"], ["resolve", "phone-9", "mine"],
    ])
    func whatDoesNotExistIsAnErrorWithARemedy(command: [String]) async throws {
        let run = await moods.run(["phone", "--folder", moods.folder.path] + command)
        #expect(run.exitCode == 1)
        #expect(run.output == [])
        #expect(run.errors.count == 1)
        #expect(run.errors[0].contains("'\(command[1])'"))
    }

    @Test(arguments: [
        ["phone"], ["phone", "list"], ["--folder"], ["--folder", ""], ["--folder", "a", "--folder", "b"],
        ["a/b", "--folder", "x", "list"], ["", "--folder", "x", "list"], ["phone", "--folder", "x"],
        ["phone", "--folder", "x", "lst"], ["phone", "--folder", "x", "list", "all"],
        ["phone", "--folder", "x", "add", "IS"], ["phone", "--folder", "x", "resolve", "a", "ours"],
        ["phone", "--folder", "x", "sync", "--now"],
    ])
    func aWrongCommandLineIsRefused(words: [String]) async throws {
        let run = await moods.run(words)
        #expect(run.exitCode == 64)
        #expect(run.output == [])
        #expect(run.errors.last == "Try 'moods --help'.")
    }

    @Test func aFileOfAnotherProgramIsRefusedUntouched() async throws {
        moods.folder.write(Data("no database of anyone".utf8), to: "phone.sqlite")
        let run = await moods.run(["phone", "--folder", moods.folder.path, "list"])
        #expect(run.exitCode == 1)
        #expect(run.errors.first?.contains("phone.sqlite") == true)
        #expect(moods.folder.contents(of: "phone.sqlite") == Data("no database of anyone".utf8))
    }
}
