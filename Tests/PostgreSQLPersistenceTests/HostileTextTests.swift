import Foundation
import HTTPSync
import PostgreSQLPersistence
import PostgreSQLTestSupport
import StoreSync
import SyncPersistence
import Testing

/// Requests over HTTP with SQL in every text, and those of one account about another one.
@Suite(.needsPostgreSQL) struct HostileTextTests {
    /// Texts that would change the database if one of them met a statement unquoted.
    static let texts = [
        "'; DROP SCHEMA \"hostile bob\" CASCADE; --", "\"; DROP SCHEMA \"hostile bob\" CASCADE; --",
        "' OR '1'='1", "$1", "$$; SELECT pg_terminate_backend(pg_backend_pid()); $$", "\\'; SELECT 1; --",
        "E'\\x27'", "%s%n", "a\u{0}b", "\u{1}\u{1}", "{\"a\",NULL}", "{}", "NULL", "(1,2)", "\u{FF07}; DELETE",
        "sync.metadata", "hostile bob.Tag", "public", String(repeating: "'\"", count: 50),
    ]

    private let ada: PostgreSQLAdapter
    private let bob: PostgreSQLAdapter
    private let http: HTTPService

    /// The number in the names of the accounts' schemas.
    private let number: Int

    init() async throws {
        let cluster = try TestCluster.shared
        let number = cluster.nextNumber()
        let bob = try await cluster.store(ServiceWorld.schema, in: "hostile bob \(number)")
        let ada = try await cluster.store(ServiceWorld.schema, in: "hostile ada' \"\(number)")
        (self.ada, self.bob, self.number) = (ada, bob, number)
        http = HTTPService { request in
            switch request.bearerToken {
            case "a": SyncService(ada, account: "ada", makeName: { "epoch of ada" })
            case "b": SyncService(bob, account: "bob", makeName: { "epoch of bob" })
            default: throw RemoteError.unauthorized
            }
        }
    }

    private func send(_ path: String, _ body: Data, token: String = "a") async -> HTTPServiceResponse {
        await http.response(
            to: HTTPServiceRequest(
                method: "POST", path: "/sync/v1/\(path)",
                headers: [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")], body: body))
    }

    private func greet(_ device: String, token: String = "a") async throws -> HandshakeResponse {
        let response = await send("handshake", HandDevice.request(device).data, token: token)
        #expect(response.status == 200, "\(device)")
        return try HandshakeResponse(data: response.body)
    }

    @Test func sqlInEachTextIsATextOnly() async throws {
        let cluster = try TestCluster.shared
        _ = try await greet("phone", token: "b")
        // Other suites create tables of their own in the database.
        let tables = """
            SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
            WHERE nspname IN ('hostile bob \(number)', 'hostile ada'' "\(number)') ORDER BY 1, 2
            """
        let before = try cluster.sql(tables)
        #expect(before.count { $0.hasPrefix("hostile bob") } > 4 && before.count { $0.hasPrefix("hostile ada") } > 4)
        for text in Self.texts {
            let greeting = try await greet(text)
            let cursor = SyncCursor(epoch: greeting.epoch, sequence: greeting.sequence)
            let push = PushRequest(
                device: text, name: PushName(number: 1, name: String(text.prefix(60))), base: cursor,
                mutations: [
                    .insert("Tag", .string(text), ["color": .string(text)]),
                    .insert(
                        "Task", .integer(1),
                        ["title": .string(text), "extra": .object(ValueObject([text: .string(text)]))]),
                    .insert(text, .string(text)), .insert("Tag", "x", [text: .string(text)]),
                    .update("Tag", .string(text + text), [text: .null]), .delete(text, .string(text)),
                    .delete("Task", .string(text)), .link(1, .string(text)),
                ])
            let answer = await send("push", push.data)
            #expect(answer.status == 200, "\(text)")
            let outcomes = try PushResponse(data: answer.body).outcomes
            #expect(outcomes[0] == .ok, "\(text)")
            #expect(outcomes[2].code == "unknownName" && outcomes[3].code == "unknownName", "\(text)")
            let tag = try await ada.read { try $0.record(RecordID("Tag", .string(text))) }
            #expect(tag?["color"] == .string(text))
            let pull = PullRequest(device: text, cursor: SyncCursor(epoch: greeting.epoch, sequence: 0))
            #expect(await send("pull", pull.data).status == 200)
            let foreign = PullRequest(device: text, cursor: SyncCursor(epoch: text, sequence: 0))
            #expect(await send("pull", foreign.data).status == 409)
            #expect(await send("handshake", HandDevice.request(text, scope: text).data).status == 401)
        }
        #expect(try cluster.sql(tables) == before)
        #expect(try await bob.read { try $0.count(Query("Tag")) } == 0)
        #expect(try await ada.read { try $0.count(Query("Tag")) } == Self.texts.count)
        await ada.close()
        await bob.close()
    }

    @Test func positionsDevicesAndPushesOfAnotherAccountAreUnknown() async throws {
        let (mine, other) = (try await greet("phone"), try await greet("tablet", token: "b"))
        _ = try await greet("phone", token: "b")
        let secret = PushRequest(
            device: "tablet", name: PushName(number: 1, name: "push"),
            base: SyncCursor(epoch: other.epoch, sequence: other.sequence), mutations: [.insert("Tag", "secret")])
        #expect(await send("push", secret.data, token: "b").status == 200)
        // The same push with another token: neither the stored answer nor a change.
        #expect(await send("push", secret.data).status == 409)
        for epoch in [mine.epoch, other.epoch] {
            for device in ["tablet", "phone"] where epoch == other.epoch || device == "tablet" {
                let pull = PullRequest(device: device, cursor: SyncCursor(epoch: epoch, sequence: 0))
                #expect(await send("pull", pull.data).status == 409, "\(device), \(epoch)")
            }
        }
        let pull = PullRequest(device: "phone", cursor: SyncCursor(epoch: mine.epoch, sequence: 0))
        #expect(try PullResponse(data: await send("pull", pull.data).body).entries.isEmpty)
        #expect(try await ada.read { try $0.count(Query("Tag")) } == 0)
        #expect(await send("pull", pull.data, token: "c").status == 401)
        await ada.close()
        await bob.close()
    }
}
