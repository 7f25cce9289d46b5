import Foundation
import StoreSync
import SyncPersistence
import Testing

/// The examples of the guide *Messages*.
@Suite struct MessagesGuideTests {
    /// The JSON of the guide by the name of its message, which is the last one that the text before it names.
    private static let examples: [String: String] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let guide = root.appendingPathComponent("Sources/StoreSync/StoreSync.docc/Messages.md").path
        var examples: [String: String] = [:]
        var (name, isExample) = ("", false)
        for line in String(decoding: FileManager.default.contents(atPath: guide) ?? Data(), as: UTF8.self)
            .split(separator: "\n")
        {
            if line.hasPrefix("```") {
                isExample = line == "```json"
            } else if isExample {
                examples[name, default: ""] += line + "\n"
            } else if let match = line.matches(of: /``(\w+(?:Request|Response))``/).last {
                name = String(match.1)
            }
        }
        return examples
    }()

    @Test func eachExampleIsItsMessage() throws {
        try check(HandshakeRequest.self)
        try check(HandshakeResponse.self)
        try check(PullRequest.self)
        try check(PullResponse.self)
        try check(PushRequest.self)
        try check(PushResponse.self)
        #expect(Self.examples.count == 6)
    }

    /// Checks that an example is read, and written again with the same members.
    private func check<Message: SyncMessage>(_ type: Message.Type) throws {
        let example = try #require(Self.examples["\(type)"])
        let message = try Message(data: Data(example.utf8))
        #expect(try Value(json: message.data) == Value(json: example))
    }

    @Test func theExamplesMeanWhatTheGuideSays() throws {
        let page = try PullResponse(data: Data(#require(Self.examples["PullResponse"]).utf8))
        #expect(page.entries.map(\.id) == [7, 8, 9].map { RecordID("ToDo", $0) })
        #expect(page.entries[1].state == .deleted)
        guard case .present(let values) = page.entries[0].state else {
            Issue.record("\(page.entries[0])")
            return
        }
        #expect(values["due"] == .date(Date(timeIntervalSinceReferenceDate: 788_918_400)))
        let push = try PushRequest(data: Data(#require(Self.examples["PushRequest"]).utf8))
        #expect(push.mutations[3] == Mutation(RecordID("ToDo", 6), .delete))
        #expect(push.mutations[1].change == .update(RandomMessages.object(["title": "Dig deep"])))
        let response = try PushResponse(data: Data(#require(Self.examples["PushResponse"]).utf8))
        #expect(
            response.outcomes == [
                .accepted(), .accepted(amended: RandomMessages.object(["title": "Dig deep!"])), .accepted(key: 1_009),
                .conflict, .refused(code: "invalid", reason: "A title is required."), .later(after: 30),
                .blocked(by: RecordID("Project", 2)), .unauthorized,
            ])
    }
}
