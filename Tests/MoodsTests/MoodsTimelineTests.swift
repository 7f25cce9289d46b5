import ExampleSupport
import Foundation
import TestSupport
import Testing

/// The recorded timeline of the devices.
struct MoodsTimelineTests {
    private let moods = MoodsRun()

    @Test func theTourWritesAPageOfAllMessagesWithoutValues() async throws {
        let page = moods.folder.file("page.html")
        let run = await moods.run(["--folder", moods.folder.path, "--timeline", page])
        #expect(run.exitCode == 0 && run.errors == [])
        let html = String(decoding: moods.folder.contents(of: "page.html") ?? Data(), as: UTF8.self)
        for text in ["phone", "laptop", "remote", "resolves Country", "1 refused", "in step with the remote"] {
            #expect(html.contains(text), "\(text)")
        }
        #expect(!html.contains("hot spring") && !html.contains("amazed"))
    }

    @Test func twoTerminalsRecordOneTimeline() async throws {
        try await moods.on("phone", "add", "IS", "calm")
        for device in ["phone", "laptop"] { try await moods.on(device, "sync") }
        let events = try TimelineEvent.events(in: moods.folder.contents(of: "timeline.jsonl") ?? Data())
        #expect(events.first == TimelineEvent("phone", .note, "adds phone-1"))
        #expect(events.last == TimelineEvent("laptop", .note, "in step with the remote"))
        #expect(events.contains { $0.kind == .request && $0.text.contains("+Mood \"phone-1\"") })
        #expect(events.count { $0.kind == .request } == events.count { $0.kind == .response })
    }

    @Test func aPageThatCannotBeWrittenIsAnError() async throws {
        let run = await moods.run([
            "--folder", moods.folder.path, "--timeline", moods.folder.file("none/page.html"),
        ])
        #expect(run.exitCode == 1 && run.errors.first?.contains("none/page.html") == true)
        #expect(await moods.run(["phone", "--folder", moods.folder.path, "--timeline", "a", "list"]).exitCode == 64)
    }
}
