import DifferentialSyncTesting
import Foundation
import HTTPSync
import SyncPersistence
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct HTTPRemoteTests {
    private let url: URL
    private let pull = PullRequest(device: "phone", cursor: SyncCursor(epoch: "a1", sequence: 0))
    private let page = PullResponse(
        entries: [], cursor: SyncCursor(epoch: "a1", sequence: 7), hasMore: false, remaining: 0)

    init() throws { url = try #require(URL(string: "https://example.org/app/")) }

    /// Returns a remote whose requests have one answer.
    private func remote(_ status: Int, _ headers: [String: String] = [:], _ body: Data = Data()) -> HTTPRemote {
        HTTPRemote(
            url, maximumBody: 1_000, date: { Date(timeIntervalSince1970: 784_111_777 - 90) },
            transport: { _ in (body, try head(status, headers)) })
    }

    @Test func aRequestHasTheMessageAndTheToken() async throws {
        let requests = Locked<[URLRequest]>([])
        let remote = HTTPRemote(
            url, token: { _ in "t" }, timeout: .seconds(9),
            transport: { [page] request in
                requests.withLock { $0.append(request) }
                return (page.data, try head(200))
            })
        #expect(try await remote.pull(pull) == page)
        let request = try #require(requests.current.first)
        #expect(request.url?.absoluteString == "https://example.org/app/sync/v1/pull")
        #expect(request.httpMethod == "POST")
        #expect(request.httpBody == pull.data)
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer t")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(request.timeoutInterval == 9)
    }

    @Test func largeBodiesAreCompressedIfTheAppCompresses() async throws {
        let requests = Locked<[URLRequest]>([])
        let remote = HTTPRemote(
            url, compress: { $0.count < 2_000 ? Data("zipped".utf8) : nil },
            transport: { [page] request in
                requests.withLock { $0.append(request) }
                return (page.data, try head(200))
            })
        let cursor = SyncCursor(epoch: "a1", sequence: 0)
        for length in [900, 1_500, 2_500] {
            _ = try await remote.pull(PullRequest(device: String(repeating: "a", count: length), cursor: cursor))
        }
        let sent = requests.current
        #expect(sent.map { $0.value(forHTTPHeaderField: "Content-Encoding") } == [nil, "gzip", nil])
        #expect(sent[1].httpBody == Data("zipped".utf8))
        #expect(try PullRequest(data: #require(sent[2].httpBody)).device.count == 2_500)
    }

    @Test(arguments: [
        (201, RemoteError.incompatible("status 201 of /app/sync/v1/pull")),
        (204, .incompatible("status 204 of /app/sync/v1/pull")),
        (302, .incompatible("status 302 of /app/sync/v1/pull")),
        (400, .incompatible("status 400 of /app/sync/v1/pull")),
        (401, .unauthorized), (403, .unauthorized), (404, .incompatible("status 404 of /app/sync/v1/pull")),
        (405, .incompatible("status 405 of /app/sync/v1/pull")),
        (408, .later()), (409, .handshakeNeeded("status 409")), (410, .gone("status 410")),
        (413, .incompatible("status 413 of /app/sync/v1/pull")), (425, .later()),
        (426, .incompatible("status 426 of /app/sync/v1/pull")), (429, .throttled()),
        (500, .later()), (502, .later()), (503, .later()), (504, .later()), (599, .later()),
    ])
    func eachStatusIsAnError(status: Int, error: RemoteError) async throws {
        await #expect(throws: error) { try await remote(status).pull(pull) }
        await #expect(throws: error) { try await remote(status, [:], Data("<html>".utf8)).pull(pull) }
    }

    @Test func anAddressWithTheWrongPathIsAnErrorThatNamesThePath() async throws {
        let service = HTTPService { _ in throw RemoteError.gone("no request arrives") }
        let address = try #require(URL(string: "http://localhost/sync/v1/"))
        let remote = HTTPRemote(address, transport: transport(to: service))
        let reason =
            "status 404 of /sync/v1/sync/v1/pull: "
            + "The service has no such path. The address of an HTTPRemote ends before /sync/v1."
        await #expect(throws: RemoteError.incompatible(reason)) { try await remote.pull(pull) }
    }

    @Test func aRedirectionIsAnErrorThatNamesItsTarget() async throws {
        let target = "https://login.example/" + String(repeating: "a", count: 300) + "?secret=1"
        let reason = "status 302 of /app/sync/v1/pull, a redirection to \(target.prefix(200)), which is not followed"
        await #expect(throws: RemoteError.incompatible(reason)) {
            try await remote(302, ["Location": target]).pull(pull)
        }
        let page = "https://login.example/page"
        for secret in ["?secret=1", "#secret=1"] {
            await #expect(throws: RemoteError.incompatible(reason.replacing(target.prefix(200), with: page))) {
                try await remote(302, ["Location": page + secret]).pull(pull)
            }
        }
    }

    @Test(arguments: [
        ("7", 7), ("0", 0), ("99999999999999999999999", 86_400), ("Sun, 06 Nov 1994 08:49:37 GMT", 90),
        ("Sun, 06 Nov 1994 08:40:00 GMT", 0), ("Sun, 06 Nov 2094 08:49:37 GMT", 86_400), ("-5", nil), ("soon", nil),
        ("", nil), ("1.5", nil), ("Sun, 99 Nov 1994 08:49:37 GMT", nil),
    ])
    func retryAfterIsANumberOrADate(text: String, seconds: Int?) async throws {
        await #expect(throws: RemoteError.later(after: seconds)) {
            try await remote(503, ["Retry-After": text]).pull(pull)
        }
        await #expect(throws: RemoteError.throttled(after: seconds)) {
            try await remote(429, ["Retry-After": text]).pull(pull)
        }
    }

    @Test func pushesStaySmallWhateverTheServiceAccepts() async throws {
        let request = HandshakeRequest(device: "phone", cursor: nil, lastPush: nil, entities: [:])
        for (limit, expected) in [(4_000_000, 1_000_000), (500, 500)] {
            var response = HandshakeResponse(account: "ada", epoch: "a1", sequence: 0)
            response.limits = SyncLimits(pushRecords: 20_000, pushBytes: limit)
            let body = response.data
            let remote = HTTPRemote(url, transport: { _ in (body, try head(200)) })
            #expect(try await remote.handshake(request).limits == SyncLimits(pushRecords: 20_000, pushBytes: expected))
        }
        let body = HandshakeResponse(account: "ada", epoch: "a1", sequence: 0).data
        let narrow = HTTPRemote(url, pushBytes: 10_000, transport: { _ in (body, try head(200)) })
        #expect(try await narrow.handshake(request).limits == SyncLimits(pushBytes: 10_000))
    }

    /// A store with notes, and a remote behind a proxy that refuses bodies above a limit.
    private func proxied(
        _ limit: Locked<Int> = Locked(1 << 20), _ now: Locked<Date> = Locked(Date(timeIntervalSince1970: 0)),
        serverSchema: Schema? = nil, epoch: String = "a1"
    ) throws -> (device: InMemoryAdapter, server: InMemoryAdapter, remote: HTTPRemote) {
        let schema = try Accounts.schema()
        let (device, server) = (InMemoryAdapter(schema: schema), InMemoryAdapter(schema: serverSchema ?? schema))
        let send = transport(to: HTTPService { _ in SyncService(server, account: "ada", makeName: { epoch }) })
        let remote = HTTPRemote(
            try #require(URL(string: "http://localhost")), date: { now.current },
            transport: { request in
                if (request.httpBody?.count ?? 0) > limit.current { return (Data("<html>".utf8), try head(413)) }
                return try await send(request)
            })
        return (device, server, remote)
    }

    @Test func aPushThatIsTooLargeForAProxyIsSentInParts() async throws {
        let (device, server, remote) = try proxied()
        // As JSON, each character takes two bytes.
        for id in 1...200 { try await device.put(id, String(repeating: "\"", count: 10_000)) }
        try await server.put(1_000, "Dig")
        var outcome = try await device.synchronize(with: remote)
        #expect(outcome.failure == .later())
        for _ in 1...3 where !outcome.isSynced { outcome = try await device.synchronize(with: remote) }
        #expect(outcome.isSynced && outcome.refused.isEmpty)
        #expect(try await server.read { try $0.count(Query("Note")) } == 201)
        #expect(try await device.title(1_000) == "Dig")
    }

    @Test func aRecordThatIsTooLargeForAProxyDelaysNoOthers() async throws {
        let (device, server, remote) = try proxied()
        try await device.put(1, String(repeating: "\"", count: 600_000))
        for _ in 1...3 { _ = try await device.synchronize(with: remote) }
        try await device.put(2, "Sow")
        try await server.put(3, "Dig")
        let outcome = try await device.synchronize(with: remote)
        #expect(outcome.failure == nil && outcome.refused.map(\.code) == ["tooLarge"])
        #expect(try await server.title(2) == "Sow")
        #expect(try await device.title(3) == "Dig")
    }

    /// The app does not know the photo of a note that a service has lost.
    @Test func aRecordWhoseUnknownAttributesAreTooLargeForAProxyIsRefused() async throws {
        let schema = try Schema([
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string)
                Attribute("photo", .string)
            }
        ])
        let (device, former, remote) = try proxied(serverSchema: schema)
        var changes = ChangeSet()
        let photo = Value.string(String(repeating: "a", count: 20_000))
        try changes.put(Record("Note", in: schema, ["id": 1, "title": "Sow", "photo": photo]))
        try await former.commit(changes)
        #expect(try await device.synchronize(with: remote).isSynced)
        let (_, restored, later) = try proxied(Locked(10_000), serverSchema: schema, epoch: "a2")
        #expect(try await device.synchronize(with: later).failure == .later())
        try await restored.put(2, "Dig")
        try await device.put(3, "Hoe")
        let outcome = try await device.synchronize(with: later)
        #expect(outcome.failure == nil && outcome.refused.map(\.id) == [RecordID("Note", 1)])
        #expect(outcome.refused.map(\.code) == ["tooLarge"])
        #expect(try await device.title(2) == "Dig")
        #expect(try await restored.title(3) == "Hoe")
    }

    @Test func aSmallerRecordThanOneThatWasTooLargeIsSent() async throws {
        let (device, server, remote) = try proxied()
        // As JSON, the first record takes 1.2 MB.
        try await device.put(1, String(repeating: "aa\"", count: 300_000))
        for _ in 1...3 { _ = try await device.synchronize(with: remote) }
        try await device.put(2, String(repeating: "a", count: 700_000))
        let outcome = try await device.synchronize(with: remote)
        #expect(outcome.failure == nil && outcome.refused.map(\.id) == [RecordID("Note", .integer(1))])
        #expect(try await server.title(2) != nil)
    }

    @Test func aRecordThatWasTooLargeIsSentAgainAfterAnHour() async throws {
        let (limit, now) = (Locked(1 << 20), Locked(Date(timeIntervalSince1970: 0)))
        let (device, server, remote) = try proxied(limit, now)
        try await device.put(1, String(repeating: "\"", count: 600_000))
        for _ in 1...2 { _ = try await device.synchronize(with: remote) }
        limit.exchange(with: 16 << 20)
        #expect(try await device.synchronize(with: remote).refused.map(\.code) == ["tooLarge"])
        now.withLock { $0 += 3_600 }
        let outcome = try await device.synchronize(with: remote)
        #expect(outcome.isSynced && outcome.refused.isEmpty)
        #expect(try await server.title(1) != nil)
    }

    @Test func acceptedPushesRaiseTheLimitAgain() async throws {
        let greeting = HandshakeRequest(device: "phone", cursor: nil, lastPush: nil, entities: [:])
        let name = PushName(number: 1, name: "x")
        let mutations = (Int64(1)...1_000).map { Mutation(RecordID("Note", .integer($0)), .delete) }
        let push = PushRequest(device: "phone", name: name, base: pull.cursor, mutations: mutations)
        let greeted = HandshakeResponse(account: "ada", epoch: "a1", sequence: 0).data
        let pushed = PushResponse(name: name, outcomes: []).data
        let status = Locked(413)
        let remote = HTTPRemote(
            url,
            transport: { request in
                if request.url?.lastPathComponent == "handshake" { return (greeted, try head(200)) }
                return (pushed, try head(status.current))
            })
        await #expect(throws: RemoteError.later()) { try await remote.push(push) }
        #expect(try await remote.handshake(greeting).limits.pushBytes == push.data.count / 2)
        status.exchange(with: 200)
        for _ in 1...20 { _ = try await remote.push(push) }
        #expect(try await remote.handshake(greeting).limits == SyncLimits())
    }

    @Test func unreadableAndLargeBodiesAreIncompatible() async throws {
        for body in ["", "<html>", "{}", "null", String(repeating: " ", count: 1_001)] {
            do {
                _ = try await remote(200, [:], Data(body.utf8)).pull(pull)
                Issue.record("\(body) was accepted")
            } catch RemoteError.incompatible {}
        }
    }

    @Test func aFailedConnectionIsTriedLater() async throws {
        let remote = HTTPRemote(url, transport: { _ in throw URLError(.networkConnectionLost) })
        await #expect(throws: RemoteError.later()) { try await remote.pull(pull) }
    }

    @Test func anAddressOfAFileIsIncompatible() async throws {
        let remote = HTTPRemote(URL(fileURLWithPath: "/etc"), transport: { _ in (Data(), try head(200)) })
        await #expect(throws: RemoteError.incompatible("the address of the service is not one of HTTP")) {
            try await remote.pull(pull)
        }
    }

    /// Returns a remote whose server accepts one token, and what the token source was called with.
    private func remote(accepting accepted: String, _ tokens: [String?]) -> (HTTPRemote, Locked<[String?]>) {
        let calls = Locked<[String?]>([])
        let remote = HTTPRemote(
            url,
            token: { refused in
                calls.withLock { calls in
                    calls.append(refused)
                    return tokens[calls.count - 1]
                }
            },
            transport: { [page] request in
                let isAccepted = request.value(forHTTPHeaderField: "Authorization") == "Bearer \(accepted)"
                return (page.data, try head(isAccepted ? 200 : 401))
            })
        return (remote, calls)
    }

    @Test func aRefusedTokenIsRefreshedOnce() async throws {
        let (remote, calls) = remote(accepting: "new", ["old", "new"])
        #expect(try await remote.pull(pull) == page)
        #expect(calls.current == [nil, "old"])
    }

    @Test(arguments: [["old", "other"], ["old", "old"], ["old", nil], [nil], ["a\r\nX: b"], ["a b"], ["ä"]])
    func aTokenThatStaysRefusedIsUnauthorized(tokens: [String?]) async throws {
        let (remote, calls) = remote(accepting: "new", tokens)
        await #expect(throws: RemoteError.unauthorized) { try await remote.pull(pull) }
        #expect(calls.current.count == tokens.count)
    }

    @Test func aTokenThatCannotBeRefreshedNowIsTriedLater() async throws {
        let remote = HTTPRemote(
            url, token: { _ in throw URLError(.notConnectedToInternet) }, transport: { _ in (Data(), try head(200)) })
        await #expect(throws: RemoteError.later()) { try await remote.pull(pull) }
    }

    /// Sends a request that gets no answer.
    private func unanswered(_ clock: VirtualClock) -> Task<PullResponse, any Error> {
        let remote = HTTPRemote(
            url, timeout: .seconds(30), clock: clock,
            transport: { _ in
                for await _ in AsyncStream<Void>.makeStream().stream {}
                throw URLError(.cancelled)
            })
        return Task { try await remote.pull(pull) }
    }

    @Test func aRequestWithoutAnswerEndsAfterTheTimeout() async throws {
        let clock = VirtualClock()
        let request = unanswered(clock)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(30))
        await #expect(throws: RemoteError.later()) { try await request.value }
    }

    @Test func aCancelledRequestThrowsItsCancellation() async throws {
        let clock = VirtualClock()
        let request = unanswered(clock)
        await clock.waitForSleepers()
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
    }

    /// Waits until a remote pauses; the timeout of a request is later than the end of each pause.
    private func waitForPause(_ clock: VirtualClock) async {
        let latest = clock.now.advanced(by: .seconds(60))
        while clock.nextDeadline.map({ $0 <= latest }) != true { await Task.yield() }
    }

    @Test func notificationsPauseAfterFailuresAndEndWithoutAuthorization() async throws {
        let clock = VirtualClock()
        let statuses = Locked([200, 503, 200, 401])
        let remote = HTTPRemote(
            url, timeout: .seconds(1_000), clock: clock,
            transport: { _ in
                let cursor = "{\"epoch\":\"e\",\"sequence\":7}"
                return (
                    Data("{\"changed\":true,\"cursor\":\(cursor)}".utf8),
                    try head(statuses.withLock { $0.removeFirst() })
                )
            })
        var elements = remote.notifications().makeAsyncIterator()
        #expect(await elements.next() == .some(SyncCursor(epoch: "e", sequence: 7)))
        for pause in [1, 2, 1] {
            await waitForPause(clock)
            clock.advance(by: .seconds(pause))
        }
        #expect(await elements.next() != nil)
        #expect(await elements.next() == nil)
        #expect(statuses.current.isEmpty)
    }

    @Test func notificationsThatCannotBeReadAreNoChangesAndArriveLessAndLessOften() async throws {
        let clock = VirtualClock()
        let answers = Locked(["<html>", "{}", "null", "{\"changed\":true}"])
        let remote = HTTPRemote(
            url, timeout: .seconds(1_000), clock: clock,
            transport: { _ in
                let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                return (Data((answer ?? "").utf8), try head(answer == nil ? 401 : 200))
            })
        var elements = remote.notifications().makeAsyncIterator()
        for pause in [2, 4, 8] {
            await waitForPause(clock)
            #expect(clock.nextDeadline == clock.now.advanced(by: .seconds(pause)))
            clock.advance(by: .seconds(pause))
        }
        #expect(await elements.next() == .some(nil))
        while clock.nextDeadline != clock.now.advanced(by: .seconds(1)) { await Task.yield() }
        clock.advance(by: .seconds(1))
        #expect(await elements.next() == nil, "there was one element")
    }
}
