import EntitySync
import SyncPersistence
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An API of short messages: accounts in messages, fields and poll options without keys, languages as texts, dates of
/// several precisions.
struct SocialAPITests {
    static func schema() throws -> Schema {
        try Schema {
            Entity("Message") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("createdAt", .date)
                Attribute("editedAt", .date)
                Attribute("content", .string)
                Relationship("account", to: "Account", inverse: "messages")
                Relationship("poll", to: "Poll", inverse: "message", deleteRule: .cascade)
                Relationship("tags", toMany: "Tag", inverse: "messages")
                Relationship("languages", toMany: "Language", isOrdered: true, inverse: "messages")
            }
            Entity("Account") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("name", .string, remoteKey: "acct")
                Attribute("lastMessageAt", .date)
                Relationship("messages", toMany: "Message", inverse: "account")
                Relationship("fields", toMany: "Field", isOrdered: true, inverse: "account", deleteRule: .cascade)
            }
            Entity("Field") {
                Attribute("name", .string)
                Attribute("value", .string)
                Attribute("verifiedAt", .date)
                Relationship("account", to: "Account", inverse: "fields")
            }
            Entity("Poll") {
                Attribute("id", .string, isPrimaryKey: true)
                Attribute("released", .date)
                Relationship("message", to: "Message", inverse: "poll")
                Relationship("options", toMany: "Choice", isOrdered: true, inverse: "poll", deleteRule: .cascade)
            }
            Entity("Choice") {
                Attribute("title", .string)
                Attribute("votes", .integer, remoteKey: "counts.votes")
                Relationship("poll", to: "Poll", inverse: "options")
            }
            Entity("Tag") {
                Attribute("name", .string, isPrimaryKey: true)
                Attribute("url", .url)
                Relationship("messages", toMany: "Message", inverse: "tags")
            }
            Entity("Language") {
                Attribute("code", .string, isPrimaryKey: true, userInfo: ["sync.isElement": "YES"])
                Relationship("messages", toMany: "Message", inverse: "languages")
            }
        }
    }

    private static let timeline = """
        [{"id": "2", "created_at": "2024-05-01T10:11:12.345Z", "edited_at": null, "content": "Vote!",
          "account": {"id": "9", "acct": "ada", "last_message_at": "2024-05-01",
                      "fields": [{"name": "web", "value": "example.org", "verified_at": "2020-01-02T03:04:05.678+02:00"},
                                 {"name": "born", "value": "1815", "verified_at": null}]},
          "poll": {"id": "7", "released": "1983",
                   "options": [{"title": "yes", "counts": {"votes": 3}}, {"title": "no", "counts": {"votes": null}}]},
          "tags": [{"name": "vote", "url": "https://example.org/vote"}], "languages": ["en", "de"]},
         {"id": "1", "created_at": "2024-04-30T00:00:00Z", "content": "Hi",
          "account": {"id": "9", "acct": "ada", "last_message_at": "2024-05-01",
                      "fields": [{"name": "web", "value": "example.org", "verified_at": "2020-01-02T03:04:05.678+02:00"},
                                 {"name": "born", "value": "1815", "verified_at": null}]},
          "poll": null, "tags": [], "languages": ["de"]}]
        """

    private func titles(_ store: SyncStore) async throws -> [Value] {
        var titles: [Value] = []
        for key in try await store.related("Poll", "7", "options") {
            titles += [try await store.value("Choice", key, "title"), try await store.value("Choice", key, "votes")]
        }
        return titles
    }

    @Test(arguments: StoreKind.allCases)
    func timelineEditsAndDeletionsArrive(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        #expect(store.adapter.schema.syncProblems.isEmpty)
        let result = try await store.sync(Self.timeline, into: "Message")
        #expect(result.reports.isEmpty)
        #expect(try await titles(store) == ["yes", 3, "no", .null])
        // An account in two messages has its fields once.
        #expect(try await store.keys("Field").count == 2)
        #expect(try await store.related("Message", "2", "languages") == ["en", "de"])
        #expect(try await store.members("Language", "de", "messages") == ["1", "2"])
        let released = try await store.value("Poll", "7", "released")
        #expect(released == .date(try Date("1983-01-01T00:00:00Z", strategy: .iso8601)))
        #expect(try await store.sync(Self.timeline, into: "Message").isUnchanged)

        // A vote, another field in front, one language fewer. Message 1 was deleted.
        let edited = """
            [{"id": "2", "edited_at": "2024-05-02T00:00:00.000Z",
              "account": {"id": "9", "fields": [{"name": "new", "value": "x"},
                                                {"name": "web", "value": "example.org",
                                                 "verified_at": "2020-01-02T01:04:05.678Z"}]},
              "poll": {"id": "7", "options": [{"title": "yes", "counts": {"votes": 4}},
                                              {"title": "no", "counts": {"votes": 1}}]}, "languages": ["de"]}]
            """
        let change = try await store.sync(edited, into: "Message")
        #expect(change.reports.isEmpty)
        #expect(change["Message"].deleted.map(\.key) == ["1"])
        #expect(try await titles(store) == ["yes", 4, "no", 1])
        #expect(change["Choice"].updated.count == 2)
        #expect(change["Choice"].inserted.isEmpty && change["Choice"].deleted.isEmpty)
        // The unchanged field keeps its record.
        #expect(change["Field"].updated.filter { $0.properties.contains("name") }.count == 1)
        #expect(change["Field"].inserted.isEmpty && change["Field"].deleted.isEmpty)
        #expect(change["Language"].deleted.isEmpty)
        #expect(try await store.keys("Language") == ["de", "en"])
        #expect(try await store.sync(edited, into: "Message").isUnchanged)

        try await store.sync(#"[{"id": "2", "poll": null}]"#, into: "Message")
        #expect(try await store.keys("Poll") == [])
        #expect(try await store.keys("Choice") == [])
        try await store.sync("[]", into: "Account")
        #expect(try await store.keys("Field") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func exportReadsBack(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(Self.timeline, into: "Message")
        let exported = try await store.adapter.exportJSON("Message")
        #expect(String(decoding: exported, as: UTF8.self).contains(#""languages":["en","de"]"#))
        let copy = try await SyncStore(kind, Self.schema())
        #expect(try await copy.adapter.sync(exported, into: "Message").reports.isEmpty)
        #expect(try await copy.contents() == store.contents())
        #expect(try await store.adapter.sync(exported, into: "Message").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func oddFormsAreReportedAndChangeNothingElse(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(Self.timeline, into: "Message")
        let before = try await store.contents()
        for member in [
            #""languages": "en""#, #""languages": {"en": true}"#, #""languages": [["en"]]"#, #""languages": [null]"#,
            #""poll": {"id": "7", "options": "yes"}"#, #""poll": {"id": "7", "options": [[]]}"#, #""poll": []"#,
            #""account": {"id": "9", "fields": 5}"#,
        ] {
            let json = "[{\"id\": \"2\", \(member)}]"
            let result = try await store.sync(
                json, into: "Message", operations: [.insert, .update, .deleteRelationships])
            #expect(result.reportCount == 0 || result.isUnchanged)
            let all = try await store.sync(
                json, into: "Message",
                operations: [.insert, .update, .insertRelationships, .updateRelationships, .deleteRelationships])
            #expect(all.reportCount > 0, "\(member)")
            #expect(try await store.contents() == before, "\(member)")
        }
    }
}
