import ExampleSupport
import Foundation
import TestSupport
import Testing

/// Pages of recorded timelines.
struct TimelineTests {
    private let files = TemporaryFolder()
    private var recording: String { files.file("timeline.jsonl") }
    private var page: String { files.file("page.html") }

    private func draw(_ data: Data) async -> (run: (exitCode: Int32, output: [String], errors: [String]), html: String?)
    {
        files.write(data, to: "timeline.jsonl")
        let run = await InspectedStore.inspect("--timeline", recording, "--html", page)
        return (run, files.contents(of: "page.html").map { String(decoding: $0, as: UTF8.self) })
    }

    private static let events = [
        TimelineEvent("phone", .note, "adds \"phone-1\""), TimelineEvent("phone", .request, "push 1: +Mood phone-1"),
        TimelineEvent("phone", .response, "accepted"),
        TimelineEvent("<b>&\u{1B}", .request, "</svg><script>alert(1)</script>" + String(repeating: "x", count: 500)),
    ]

    private static func lines(_ events: [TimelineEvent]) throws -> Data {
        try events.reduce(into: Data()) { $0 += try $1.line }
    }

    @Test func thePageShowsAllEventsAndIsSelfContained() async throws {
        let (run, drawn) = await draw(try Self.lines(Self.events))
        #expect(run.exitCode == 0 && run.output == [] && run.errors == [])
        let html = try #require(drawn)
        #expect(html.hasPrefix("<!DOCTYPE html>") && html.hasSuffix("</html>\n"))
        for mark in ["<b>", "http", "src=", "<script", "\u{1B}", "@import", "href"] { #expect(!html.contains(mark)) }
        #expect(html.contains("adds &quot;phone-1&quot;") && html.contains("2 devices, 4 events"))
    }

    @Test(.enabled(if: Browser.path != nil, "there is no chromium")) func aBrowserShowsTheTimeline() async throws {
        _ = await draw(try Self.lines(Self.events))
        let document = try Browser.document(of: page, in: files)
        #expect(document.contains("<p id=\"summary\">2 devices, 4 events</p>"))
        #expect(document.components(separatedBy: "<g class=\"request\">").count == 3)
        #expect(document.components(separatedBy: "<g class=\"response\">").count == 2)
        #expect(document.contains(">push 1: +Mood phone-1</text>"))
        // The markup of a text has not become part of the document.
        #expect(document.contains("&lt;script&gt;") && !document.contains("<script"))
        let end = try #require(document.range(of: "</svg>"))
        #expect(!document[end.upperBound...].contains("<g"))
    }

    @Test func onePageShowsAStoreAndItsTimeline() async throws {
        let inspected = InspectedStore()
        try await inspected.open { try await inspected.write("a", to: "1", in: $0) }
        files.write(try Self.lines(Self.events), to: "timeline.jsonl")
        let run = await InspectedStore.inspect(inspected.path, "--timeline", recording, "--html", page)
        #expect(run.exitCode == 0 && run.output == [] && run.errors == [])
        let html = try #require(files.contents(of: "page.html").map { String(decoding: $0, as: UTF8.self) })
        #expect(html.contains("<p id=\"verdict\">") && html.contains("<p id=\"summary\">2 devices, 4 events</p>"))
        #expect(html.components(separatedBy: "<h1>").count == 2 && html.hasSuffix("</html>\n"))
    }

    @Test func anInterruptedRecordingIsShownUpToItsLastLine() async throws {
        let data = try Self.lines(Self.events)
        for length in 0...data.count {
            let events = try TimelineEvent.events(in: data.prefix(length))
            #expect(events == Array(Self.events.prefix(events.count)))
        }
        #expect(try TimelineEvent.events(in: data) == Self.events)
        let (run, html) = await draw(data.dropLast(20))
        #expect(run.exitCode == 0 && html?.contains("1 devices, 3 events") == true)
        #expect(await draw(Data()).html?.contains("0 devices, 0 events") == true)
    }

    @Test func aLineThatIsNoEventIsNamed() async throws {
        for line in [
            "{}", "[1]", "x", "{\"device\":1,\"kind\":\"note\",\"text\":\"a\"}", "\u{0}", "{\"kind\":\"other\"}",
        ] {
            let (run, html) = await draw(try Self.lines(Self.events) + Data("\(line)\n\n".utf8))
            #expect(run.exitCode == 1 && run.errors.count == 1 && html == nil)
            #expect(run.errors.first?.contains("line 5 is no event") == true)
        }
    }

    @Test func whatCannotBeReadOrWrittenIsAnError() async throws {
        let missing = await InspectedStore.inspect("--timeline", recording, "--html", page)
        #expect(missing.exitCode == 1 && missing.errors.first?.contains("cannot be read") == true)
        files.write(try Self.lines(Self.events), to: "timeline.jsonl")
        let same = await InspectedStore.inspect("--html", files.file("./timeline.jsonl"), "--timeline", recording)
        #expect(same.exitCode == 1 && same.errors.first?.contains("the recording itself") == true)
        #expect(files.contents(of: "timeline.jsonl") == (try Self.lines(Self.events)))
        let words = [["--timeline"], ["--timeline", recording], ["--timeline", recording, "--html", page, "--json"]]
        for words in words { #expect(await InspectedStore.inspect(words).exitCode == 64) }
    }
}
