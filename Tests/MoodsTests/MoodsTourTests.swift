import TestSupport
import Testing

/// The tour of two devices that share moods.
struct MoodsTourTests {
    @Test func theTourEndsInAgreementAndIsTheSameEachTime() async throws {
        var outputs: [[String]] = []
        for _ in 0..<2 {
            let moods = MoodsRun()
            let run = await moods.run(["--folder", moods.folder.path])
            #expect(run.exitCode == 0)
            #expect(run.errors == [])
            #expect(try moods.folder.names.contains("laptop.sqlite"))
            outputs.append(run.output.dropLast().map { String($0) })
        }
        #expect(outputs[0] == outputs[1])
        let output = outputs[0]
        #expect(output.filter { $0.hasPrefix("✓ phone and laptop agree") }.count == 5)
        #expect(
            output.suffix(11) == [
                "Continent \"AS\": Asia", "  Country \"JP\": Japan", "    Mood \"laptop-1\": bored",
                "Continent \"EU\": Europe", "  Country \"DE\": Germany", "    Mood \"laptop-21\": patient",
                "  Country \"IS\": Iceland", "    Mood \"laptop-15\": cosy", "Continent \"OC\": Oceania",
                "  Country \"NZ\": New Zealand", "    Mood \"laptop-20\": chatty, \"in short\"",
            ])
    }

    @Test func theTourShowsConflictsARefusalAndEachMessage() async throws {
        let moods = MoodsRun()
        let output = await moods.run(["--folder", moods.folder.path]).output
        for line in [
            "     ! Mood \"laptop-1\": changed on both sides", "     ! Country \"IS\": deleted there, and needed here",
            "     → push 4: -Mood \"phone-1\", -Mood \"laptop-7\", -Country \"IS\"",
            "     ← Continent \"EU\", Country \"IS\", Mood \"phone-1\"",
        ] {
            #expect(output.contains(line))
        }
        #expect(output.contains { $0.hasPrefix("     ✗ Mood \"laptop-20\" is refused: ") && $0.hasSuffix("10000") })
        #expect(!output.contains("✗ phone and laptop do not agree"))
    }

    @Test func aSecondTourInTheSameFolderIsRefusedAndChangesNothing() async throws {
        let moods = MoodsRun()
        _ = await moods.run(["--folder", moods.folder.path])
        let before = moods.folder.contents(of: "phone.sqlite")
        let run = await moods.run(["--folder", moods.folder.path])
        #expect(run.exitCode == 1)
        #expect(run.errors.first?.contains("phone.sqlite' exists") == true)
        #expect(moods.folder.contents(of: "phone.sqlite") == before)
    }
}
