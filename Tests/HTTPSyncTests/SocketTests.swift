import DifferentialSyncTesting
import Foundation
import HTTPSync
import SQLitePersistence
import SocketServing
import SyncPersistence
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Devices and a service over real sockets.
@Suite struct SocketTests {
    private let pull = PullRequest(device: "phone", cursor: SyncCursor(epoch: "a1", sequence: 0))

    private func remote(_ server: SocketServer, token: String = "token-of-ada") throws -> HTTPRemote {
        HTTPRemote(try #require(server.url)) { _ in token }
    }

    /// Synchronizes until a cycle succeeds, at most three times, as a coordinator does.
    ///
    /// On Linux, a session sometimes does not send a request while other processes have the processors. It ends with its
    /// timeout then.
    private func synchronize(_ device: InMemoryAdapter, with remote: HTTPRemote) async throws -> StoreSync.StoreOutcome
    {
        for _ in 0..<2 {
            let outcome = try await device.synchronize(with: remote)
            if outcome.failure != .later(after: nil) { return outcome }
        }
        return try await device.synchronize(with: remote)
    }

    @Test func devicesAgreeAlthoughConnectionsAreCut() async throws {
        let accounts = try await Accounts()
        let random = Locked((generator: SeededGenerator(seed: 7), isCutting: true, cuts: 0))
        let server = try SocketServer(accounts.service()) {
            random.withLock { state in
                guard state.isCutting, Int.random(in: 0..<5, using: &state.generator) == 0 else { return nil }
                state.cuts += 1
                return SocketServer.Cut.allCases.randomElement(using: &state.generator)
            }
        }
        let remote = try remote(server)
        let devices = try [InMemoryAdapter(schema: Accounts.schema()), InMemoryAdapter(schema: Accounts.schema())]
        for round in 0..<15 {
            for (number, device) in devices.enumerated() {
                for note in 0..<20 {
                    try await device.put(1_000 * number + 20 * round + note, "note \(note) of round \(round)")
                }
                let outcome = try await device.synchronize(with: remote)
                #expect(outcome.conflicts.isEmpty && outcome.refused.isEmpty)
            }
        }
        random.withLock { $0.isCutting = false }
        for device in devices + devices {
            let outcome = try await synchronize(device, with: remote)
            #expect(outcome.isSynced, "\(outcome)")
        }
        let service = try accounts.store(of: "ada")
        let expected = try #require(try await service.read { try $0.fingerprint() })
        #expect(expected.count == 600)
        #expect(random.current.cuts > 5)
        for device in devices { #expect(try await device.read { try $0.fingerprint() } == expected) }
        #expect(try await accounts.store(of: "bob").read { try $0.record(RecordID("Note", 1)) } == nil)
    }

    /// A sync is cancelled while the service answers its first, second, third or fourth request, or not at all.
    @Test func devicesAgreeAlthoughSyncsAreCancelled() async throws {
        let accounts = try await Accounts()
        let state = Locked((requests: 0, cancel: { @Sendable () -> Void in }))
        let server = try SocketServer(accounts.service()) {
            let cancel = state.withLock { state in
                state.requests -= 1
                return state.requests == 0 ? state.cancel : nil
            }
            cancel?()
            return nil
        }
        let remote = try remote(server)
        let devices = try [InMemoryAdapter(schema: Accounts.schema()), InMemoryAdapter(schema: Accounts.schema())]
        var cancelledCount = 0
        for round in 0..<60 {
            let device = devices[round % 2]
            try await device.put(round, "new")
            if round > 1 { try await device.put(round - 2, "edited in round \(round)") }
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let sync = Task {
                for await _ in begun { break }
                return try await device.synchronize(with: remote)
            }
            state.withLock { $0 = (round / 2 % 5 + 1, { sync.cancel() }) }
            begin.yield()
            if case .failure = await sync.result { cancelledCount += 1 }
        }
        #expect(cancelledCount > 20)
        for device in devices + devices {
            let outcome = try await synchronize(device, with: remote)
            #expect(outcome.isSynced && outcome.conflicts.isEmpty, "\(outcome)")
        }
        let service = try accounts.store(of: "ada")
        let expected = try #require(try await service.read { try $0.fingerprint() })
        #expect(expected.count == 60)
        for device in devices { #expect(try await device.read { try $0.fingerprint() } == expected) }
        for number in 0..<58 { #expect(try await service.title(number) == .string("edited in round \(number + 2)")) }
    }

    @Test func aChangeOfAnotherDeviceEndsAWait() async throws {
        let accounts = try await Accounts()
        let clock = VirtualClock()
        let server = try SocketServer(HTTPService(clock: clock) { try accounts.remote(for: $0) })
        var notifications = try remote(server).notifications().makeAsyncIterator()
        await clock.waitForSleepers()
        // The service subscribes before or after this instant, so a device changes something until it is noticed.
        let store = try accounts.store(of: "ada")
        let edits = Task {
            var number = 0
            while !Task.isCancelled {
                number += 1
                try await store.put(1, "edit \(number)")
                await Task.yield()
            }
        }
        #expect(await notifications.next() != nil)
        edits.cancel()
    }

    @Test func aLargeBodyIsNotReceivedToItsEnd() async throws {
        let body = Data(repeating: UInt8(ascii: " "), count: 40 << 20)
        let server = try SocketServer { _ in HTTPServiceResponse(status: 200, body: body) }
        let received = Locked(0)
        let remote = HTTPRemote(
            try #require(server.url), maximumBody: 1_000_000,
            transport: { request in
                let answer = try await HTTPRemote.standardTransport(request)
                received.withLock { $0 = answer.0.count }
                return answer
            })
        await #expect(
            throws: RemoteError.incompatible("the response has more than 1000000 bytes, and no more are accepted")
        ) {
            try await remote.pull(pull)
        }
        // The transport has thrown, and passed on no body.
        #expect(received.current == 0)
    }

    @Test func aForeignTokenIsRefused() async throws {
        let server = try SocketServer(try await Accounts().service())
        let device = InMemoryAdapter(schema: try Accounts.schema())
        let outcome = try await device.synchronize(with: remote(server, token: "token-of-eve"))
        #expect(outcome.failure == .unauthorized)
    }

    @Test func aServerThatDoesNotListenIsTriedLater() async throws {
        var server: SocketServer? = try SocketServer(try await Accounts().service())
        let remote = try remote(#require(server))
        let device = InMemoryAdapter(schema: try Accounts.schema())
        #expect(try await device.synchronize(with: remote).isSynced)
        // Its end also ends the connection that is still open.
        server = nil
        #expect(try await device.synchronize(with: remote).failure == .later())
    }

    @Test func aRedirectionDoesNotReceiveTheToken() async throws {
        let requests = Locked<[HTTPServiceRequest]>([])
        let other = try SocketServer { request in
            requests.withLock { $0.append(request) }
            return HTTPServiceResponse(status: 200)
        }
        let target = try #require(other.url).absoluteString
        for status in [301, 302, 307, 308] {
            let server = try SocketServer { _ in HTTPServiceResponse(status: status, headers: ["Location": target]) }
            let reason = "status \(status) of /sync/v1/pull, a redirection to \(target), which is not followed"
            await #expect(throws: RemoteError.incompatible(reason)) { try await remote(server).pull(pull) }
        }
        #expect(requests.current.isEmpty)
    }

    @Test func aCancelledRequestEnds() async throws {
        let (received, continuation) = AsyncStream.makeStream(of: Void.self)
        let (end, ending) = AsyncStream.makeStream(of: Void.self)
        let server = try SocketServer { _ in
            continuation.yield()
            for await _ in end {}
            return HTTPServiceResponse(status: 200)
        }
        let remote = try remote(server)
        let request = Task { try await remote.pull(pull) }
        for await _ in received { break }
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        ending.finish()
    }

    /// A session of the app has a cache by default.
    @Test(arguments: [false, true])
    func requestsThatAreCancelledAtAnyTimeEnd(isSessionOfTheApp: Bool) async throws {
        let page = PullResponse(entries: [], cursor: SyncCursor(epoch: "a1", sequence: 7), hasMore: false)
        let server = try SocketServer { _ in HTTPServiceResponse(status: 200, body: page.data) }
        let remote = HTTPRemote(
            try #require(server.url), token: { _ in "token-of-ada" },
            transport: isSessionOfTheApp
                ? HTTPRemote.transport(over: URLSession(configuration: .ephemeral)) : HTTPRemote.standardTransport)
        for round in 0..<(isFullScale ? 20_000 : 2_000) {
            let request = Task { try? await remote.pull(pull) }
            // Some are cancelled before they are sent, and some after they have ended.
            for _ in 0..<(round % 50) { await Task.yield() }
            request.cancel()
            _ = await request.value
        }
        #expect(try await remote.pull(pull) == page)
    }

    @Test func cancelledRequestOverASessionWithACacheEndsForItsCaller() async throws {
        let (received, continuation) = AsyncStream.makeStream(of: Void.self)
        let (end, ending) = AsyncStream.makeStream(of: Void.self)
        let server = try SocketServer { _ in
            continuation.yield()
            for await _ in end {}
            return HTTPServiceResponse(status: 200)
        }
        let transport = HTTPRemote.transport(over: URLSession(configuration: .ephemeral))
        let remote = HTTPRemote(try #require(server.url), token: { _ in "token-of-ada" }, transport: transport)
        let request = Task { try await remote.pull(pull) }
        for await _ in received { break }
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        ending.finish()
    }

    @Test func sessionOfTheAppCarriesRequests() async throws {
        let requests = Locked<[HTTPServiceRequest]>([])
        let page = PullResponse(entries: [], cursor: SyncCursor(epoch: "a1", sequence: 7), hasMore: false)
        let server = try SocketServer { request in
            requests.withLock { $0.append(request) }
            return HTTPServiceResponse(status: 200, body: page.data)
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-App": "notes"]
        let token: HTTPRemote.TokenSource = { refused in refused == nil ? "t" : nil }
        let compress: HTTPRemote.Compression = { _ in nil }
        let remote = HTTPRemote(
            try #require(server.url), token: token, compress: compress,
            transport: HTTPRemote.transport(over: URLSession(configuration: configuration)))
        #expect(try await remote.pull(pull) == page)
        #expect(requests.current.map { $0.headers["x-app"] } == ["notes"])
        #expect(requests.current.map(\.bearerToken) == ["t"])
    }
}
