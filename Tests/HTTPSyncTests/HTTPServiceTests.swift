import DifferentialSyncTesting
import Foundation
import HTTPSync
import SQLitePersistence
import SyncPersistence
import Testing

@Suite struct HTTPServiceTests {
    private let greeting = HandshakeRequest(
        device: "phone", cursor: nil, lastPush: nil, entities: ["Note": ["id", "title"]])

    @Test func aBodyWithAContentCodingIsRefused() async throws {
        let http = HTTPService { _ in throw RemoteError.unauthorized }
        for (coding, status) in [("gzip", 415), ("identity", 401), ("", 401)] {
            let request = HTTPServiceRequest(
                method: "POST", path: "/sync/v1/pull",
                headers: [("Content-Type", "application/json"), ("Content-Encoding", coding)], body: Data("{}".utf8))
            #expect(await http.response(to: request).status == status)
        }
    }

    @Test(arguments: [
        "", "/", "/sync/v1", "/sync/v1/pull/", "/sync/v1/../v1/pull", "/sync/./v1/pull", "//sync/v1/pull",
        "/sync/v1/%70ull", "/SYNC/v1/pull", "/sync/v1/pull\0", "/sync/v1/pull;a", "http://localhost/sync/v1/pull",
        "/sync/v1/pull#a", "/sync/v1/pull ", "/../../etc/passwd", "/sync/v1/PULL",
    ])
    func otherPathsAreNotFound(path: String) async throws {
        let response = try await Accounts().service().response(to: .post(path, Data()))
        #expect(response.status == 404)
        #expect(response.code == "unknownPath")
    }

    @Test(arguments: HTTPRoute.allCases)
    func otherMethodsAreNotAllowed(route: HTTPRoute) async throws {
        let service = try await Accounts().service()
        for method in ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "post", ""] where method != route.method {
            let response = await service.response(to: HTTPServiceRequest(method: method, path: route.rawValue))
            #expect(response.status == 405)
            #expect(response.headers["Allow"] == route.method)
        }
    }

    @Test func aQueryIsIgnored() async throws {
        let response = try await Accounts().service().response(to: .post("/sync/v1/handshake?a=/../b", greeting.data))
        #expect(response.status == 200)
    }

    @Test func bodiesAreLimited() async throws {
        let accounts = try await Accounts()
        let service = HTTPService(maximumBody: 10) { try accounts.remote(for: $0) }
        let large = await service.response(to: .post("/sync/v1/pull", Data(count: 11)))
        #expect(large.status == 413)
        #expect(large.code == "tooLarge")
        let largest = await service.response(to: .post("/sync/v1/pull", Data(count: 10)))
        #expect(largest.status == 400)
    }

    @Test func bodiesMustBeJSONByTheirType() async throws {
        let service = try await Accounts().service()
        for type in ["", "text/plain", "application/json2", "application/x-www-form-urlencoded"] {
            let response = await service.response(to: .post("/sync/v1/handshake", greeting.data, type: type))
            #expect(response.status == 415)
        }
        for type in ["application/json; charset=utf-8", "Application/JSON ;a=b"] {
            let response = await service.response(to: .post("/sync/v1/handshake", greeting.data, type: type))
            #expect(response.status == 200)
        }
    }

    @Test func malformedBodiesAreReportedWithTheirPlace() async throws {
        let service = try await Accounts().service()
        let bodies: [Data] = [
            Data(), Data("{".utf8), Data("[]".utf8), Data("null".utf8), Data([0xFF, 0xFE]), Data("{}".utf8),
            Data(String(repeating: "[", count: 100_000).utf8), Data("{\"version\":1,\"device\":7}".utf8),
        ]
        for route in HTTPRoute.allCases where route.method == "POST" {
            for body in bodies {
                let response = await service.response(to: .post(route.rawValue, body))
                #expect(response.status == 400)
                #expect(response.code == "malformed")
            }
        }
    }

    @Test func anAccountIsReachedByItsTokenOnly() async throws {
        let accounts = try await Accounts()
        let service = accounts.service()
        try await accounts.store(of: "ada").put(1, "secret of ada")
        #expect(await service.response(to: .post("/sync/v1/handshake", greeting.data)).status == 200)
        let pull = PullRequest(device: "phone", cursor: SyncCursor(epoch: "a1", sequence: 0))
        #expect(await service.response(to: .post("/sync/v1/pull", pull.data)).status == 200)
        let push = PushRequest(
            device: "phone", name: PushName(number: 1, name: "x"), base: pull.cursor,
            mutations: [Mutation(RecordID("Note", 1), .delete)])
        for token in ["token-of-bob", "", "token-of-ada2", "token-of-ada, Bearer token-of-bob", "ada"] {
            for (path, body) in [("/sync/v1/pull", pull.data), ("/sync/v1/push", push.data)] {
                let response = await service.response(to: .post(path, body, token: token))
                #expect(response.status == (token == "token-of-bob" ? 409 : 401))
                #expect(!String(decoding: response.body, as: UTF8.self).contains("secret"))
            }
        }
        // Bob's device has ada's identifier, and ada's history has the same name as his own.
        let own = await service.response(to: .post("/sync/v1/handshake", greeting.data, token: "token-of-bob"))
        #expect(own.status == 200)
        let foreign = await service.response(to: .post("/sync/v1/pull", pull.data, token: "token-of-bob"))
        #expect(try PullResponse(data: foreign.body).entries.isEmpty)
        #expect(await service.response(to: .post("/sync/v1/push", push.data, token: "token-of-bob")).status == 200)
        #expect(try await accounts.store(of: "ada").title(1) == "secret of ada")
    }

    @Test func aRequestWithTwoAuthorizationsHasNone() async throws {
        let request = HTTPServiceRequest(
            method: "GET", path: "/sync/v1/notifications",
            headers: [("Authorization", "Bearer token-of-ada"), ("authorization", "Bearer token-of-bob")])
        #expect(request.bearerToken == nil)
        let response = try await Accounts().service().response(to: request)
        #expect(response.status == 401)
        #expect(response.headers["WWW-Authenticate"] == "Bearer")
    }

    @Test func theAuthorizationIsCheckedBeforeTheBodyIsRead() async throws {
        let response = try await Accounts().service().response(to: .post("/sync/v1/push", Data("{".utf8), token: "a"))
        #expect(response.status == 401)
    }

    @Test func textOfSQLIsOnlyText() async throws {
        let accounts = try await Accounts()
        let text = "x'); DROP TABLE \"Note\"; DELETE FROM Note; --\0\""
        let remote = HTTPRemote(
            try #require(URL(string: "http://localhost")), token: { _ in "token-of-ada" },
            transport: transport(to: accounts.service()))
        var greeting = greeting
        greeting.device = text
        greeting.entities[text] = [text]
        let cursor = SyncCursor(epoch: try await remote.handshake(greeting).epoch, sequence: 0)
        let insert = ValueObject([.init(name: "id", value: 1), .init(name: "title", value: .string(text))])
        let response = try await remote.push(
            PushRequest(
                device: text, name: PushName(number: 1, name: text), base: cursor,
                mutations: [
                    Mutation(RecordID("Note", 1), .insert(insert)), Mutation(RecordID(text, 1), .delete),
                    Mutation(RecordID("Note", .string(text)), .delete),
                ]))
        #expect(response.outcomes[0] == .accepted())
        #expect(try await accounts.store(of: "ada").title(1) == .string(text))
        await #expect(throws: RemoteError.self) {
            try await remote.pull(PullRequest(device: text, cursor: SyncCursor(epoch: text, sequence: 0)))
        }
    }

    @Test func eachErrorOfARemoteReachesTheDevice() async throws {
        let errors: [(RemoteError, Int)] = [
            (.later(), 503), (.later(after: 7), 503), (.throttled(), 429), (.throttled(after: 0), 429),
            (.unauthorized, 401), (.handshakeNeeded("another \"epoch\"\n"), 409), (.gone("moved"), 410),
            (.incompatible("old"), 400),
        ]
        for (error, status) in errors {
            let service = HTTPService { _ in throw error }
            let response = await service.response(to: .post("/sync/v1/handshake", greeting.data))
            #expect(response.status == status)
            let remote = HTTPRemote(try #require(URL(string: "http://localhost")), transport: transport(to: service))
            let expected =
                error == .incompatible("old") ? .incompatible("status 400 of /sync/v1/handshake: old") : error
            await #expect(throws: expected) { try await remote.handshake(greeting) }
        }
    }

    @Test func otherErrorsAreReportedWithoutTheirText() async throws {
        struct Secret: Error { let password = "hunter2" }
        let reported = Locked<[String]>([])
        let service = HTTPService(report: { error, request in
            reported.withLock { $0.append("\(error) of \(request.path)") }
        }) { _ in throw Secret() }
        let response = await service.response(to: .post("/sync/v1/handshake", greeting.data))
        #expect(response.status == 500)
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == "{\"error\":\"failed\",\"message\":\"The service has failed.\"}")
        #expect(reported.current.count == 1)
        #expect(reported.current.first?.contains("hunter2") == true)
    }

    @Test func headersOfOneNameAreJoinedWhateverItsCase() {
        let request = HTTPServiceRequest(
            method: "GET", path: "/", headers: [("Accept", "a"), ("X-Kind", "1"), ("ACCEPT", "b")])
        #expect(request.headers == ["accept": "a, b", "x-kind": "1"])
    }
}

/// Requests that wait for a change.
@Suite struct NotificationTests {
    private let clock = VirtualClock()
    private let request = HTTPServiceRequest(
        method: "GET", path: "/sync/v1/notifications", headers: [("Authorization", "Bearer token-of-ada")])

    private func waiting(_ remote: any Remote) -> Task<String, Never> {
        let service = HTTPService(wait: .seconds(25), clock: clock) { _ in remote }
        return Task { String(decoding: await service.response(to: request).body, as: UTF8.self) }
    }

    /// A remote whose notifications a test sends.
    private struct Ringing: Remote {
        let stream: AsyncStream<SyncCursor?>
        var positionError: RemoteError?

        func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse { throw RemoteError.later() }
        func pull(_ request: PullRequest) async throws -> PullResponse { throw RemoteError.later() }
        func push(_ request: PushRequest) async throws -> PushResponse { throw RemoteError.later() }
        func notifications() -> AsyncStream<SyncCursor?> { stream }

        func position() async throws -> SyncCursor? {
            if let positionError { throw positionError }
            return nil
        }
    }

    @Test func aChangeIsReportedEvenIfThePositionCannotBeRead() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncCursor?.self)
        let response = waiting(Ringing(stream: stream, positionError: RemoteError.later()))
        await clock.waitForSleepers()
        continuation.yield(nil)
        #expect(await response.value == "{\"changed\":true}")
    }

    @Test func aRequestEndsWithAChange() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncCursor?.self)
        let response = waiting(Ringing(stream: stream))
        await clock.waitForSleepers()
        continuation.yield(nil)
        #expect(await response.value == "{\"changed\":true}")
    }

    @Test func aRequestEndsWithTheEndOfTheHistory() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncCursor?.self)
        let response = waiting(Ringing(stream: stream))
        await clock.waitForSleepers()
        continuation.yield(SyncCursor(epoch: "e", sequence: 7))
        #expect(await response.value == "{\"changed\":true,\"cursor\":{\"epoch\":\"e\",\"sequence\":7}}")
    }

    @Test func aRequestEndsWhenItHasWaited() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncCursor?.self)
        let response = waiting(Ringing(stream: stream))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(25))
        #expect(await response.value == "{\"changed\":false}")
        continuation.finish()
    }

    @Test func aWaitInVainEndsWithTheEndOfTheHistory() async throws {
        let store = InMemoryAdapter(schema: try Accounts.schema())
        try await store.put(1, "Dig")
        let service = SyncService(store, account: "ada", makeName: { "e" })
        _ = try await service.handshake(
            HandshakeRequest(device: "phone", cursor: nil, lastPush: nil, entities: ["Note": ["id", "title"]]))
        let response = waiting(service)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(25))
        #expect(await response.value == "{\"changed\":false,\"cursor\":{\"epoch\":\"e\",\"sequence\":1}}")
    }

    @Test func aRemoteWithoutNotificationsIsNotAskedAgainAtOnce() async throws {
        let response = waiting(Ringing(stream: AsyncStream { $0.finish() }))
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(25))
        #expect(await response.value == "{\"changed\":false}")
    }

    @Test func aCancelledRequestEnds() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncCursor?.self)
        let response = waiting(Ringing(stream: stream))
        await clock.waitForSleepers()
        response.cancel()
        #expect(await response.value.isEmpty == false)
        continuation.finish()
    }
}
