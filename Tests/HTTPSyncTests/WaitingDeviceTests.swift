import DifferentialSyncTesting
import Foundation
import HTTPSync
import SyncCoordination
import SyncPersistence
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A coordinator that waits for the notifications of a service over HTTP, in virtual time.
@Suite(.timeLimit(.minutes(5))) struct WaitingDeviceTests {
    private let clock = VirtualClock()
    private let server: InMemoryAdapter
    private let device: InMemoryAdapter
    private let paths = Locked<[String]>([])
    private let coordinator: SyncCoordinator

    init() throws {
        let url = try #require(URL(string: "https://example.org"))
        let server = InMemoryAdapter(schema: try Accounts.schema())
        self.server = server
        device = InMemoryAdapter(schema: try Accounts.schema())
        let service = HTTPService(wait: .seconds(25), clock: clock) { _ in
            SyncService(server, account: "ada", makeName: { "a1" })
        }
        let send = transport(to: service)
        // Virtual time may pass while a request is under way, so no request times out.
        let remote = HTTPRemote(
            url, timeout: .seconds(1_000_000), clock: clock,
            transport: { [paths] request in
                let answer = try await send(request)
                paths.withLock { $0.append(request.url?.path ?? "") }
                return answer
            })
        var settings = CoordinatorSettings()
        settings.cycleTimeout = .seconds(1_000_000)
        coordinator = SyncCoordinator(
            of: device, with: remote, settings: settings, clock: clock, generator: SeededGenerator(seed: 1))
    }

    /// Returns how many requests to a path were answered.
    private func answerCount(_ route: HTTPRoute) -> Int { paths.current.count { $0 == route.rawValue } }

    /// Advances to the next time for which something waits, unless that is the timeout of a request.
    private func advance() async {
        clock.advanceToNextDeadline(within: .seconds(60))
        await Task.yield()
    }

    /// Lets time pass until so many further requests for notifications were answered.
    private func pass(_ count: Int) async {
        let end = answerCount(.notifications) + count
        while answerCount(.notifications) < end { await advance() }
    }

    @Test func anIdleDeviceBeginsNoCycleUntilThereIsAChange() async throws {
        try await device.put(1, "Dig")
        await coordinator.start()
        await coordinator.waitUntilIdle()
        #expect(try await server.title(1) == "Dig")
        await pass(2)
        let cycleCount = answerCount(.handshake)
        await pass(10)
        #expect(answerCount(.handshake) == cycleCount)
        // Now the device pauses between two requests.
        while clock.nextDeadline != clock.now.advanced(by: .seconds(1)) { await Task.yield() }
        try await server.put(2, "Sow")
        while try await device.title(2) == nil { await advance() }
        #expect(try await device.title(2) == "Sow")
        await coordinator.stop()
    }
}
