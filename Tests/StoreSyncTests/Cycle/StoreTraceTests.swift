import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// The trace of a cycle of a whole store.
@Suite struct StoreTraceTests {
    private let phone: Device
    private let server: any PersistenceAdapter
    private let service: SyncService

    init() throws {
        phone = try Device("phone")
        (server, service) = try Planner.service(limits: SyncLimits(pageRecords: 3, pushRecords: 3))
    }

    /// A remote that fails at once.
    private struct Failing: Remote {
        let error: RemoteError

        func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse { throw error }

        func pull(_ request: PullRequest) async throws -> PullResponse { throw error }

        func push(_ request: PushRequest) async throws -> PushResponse { throw error }
    }

    private func insertTags(_ ids: ClosedRange<Int64>, on device: Device) async throws {
        try await device.edit { changes, schema in
            for id in ids { try changes.put(Record("Tag", in: schema, ["id": .integer(id)])) }
        }
    }

    @Test func requestsAreListedWithWhatTheyChanged() async throws {
        let laptop = try Device("laptop")
        try await insertTags(1...7, on: laptop)
        let upload = try await laptop.sync(with: service).trace
        #expect(upload.events.map(\.request) == [.handshake, .pull, .push, .push, .push])
        #expect(upload.events.map(\.pushedCount) == [0, 0, 3, 3, 1])
        #expect("\(upload)" == "handshake, pull, push, push, push · pushed 7")
        try await insertTags(8...9, on: phone)
        let both = try await phone.sync(with: service).trace
        #expect("\(both)" == "handshake, 3 × pull, push · pulled 7; pushed 2")
        #expect(both.events[1].count == 3 && both.events[1].pulledCount == 7)
        #expect(both.pulledCount == 7 && both.events.allSatisfy { $0.failure == nil })
        // The first poll moves the cursor past the device's own changes.
        #expect("\(try await phone.sync(with: service).trace)" == "handshake, pull · nothing changed")
        #expect("\(try await phone.sync(with: service).trace)" == "handshake · nothing changed")
    }

    @Test func aFailureIsListedWithItsReason() async throws {
        try await insertTags(1...2, on: phone)
        var remote = ScriptedRemote(service)
        remote.losesAnswers = true
        let cut = try await phone.store.synchronize(with: remote, makeName: Planner.names("phone"))
        #expect("\(cut.trace)" == "handshake, pull, push failed: later · nothing changed")
        // The handshake brings the response to the push.
        let next = try await phone.sync(with: service).trace
        #expect(next.events.first?.pushedCount == 2)
        #expect(next.pushedCount == 2)
    }

    @Test(arguments: [
        (RemoteError.later(after: 30), "later, after 30 seconds"),
        (.throttled(after: 5), "too many requests, again after 5 seconds"),
        (.unauthorized, "unauthorized"), (.incompatible("version 9"), "incompatible: version 9"),
        (.gone("account"), "gone: account"),
    ])
    func eachFailureHasItsWords(failure: RemoteError, words: String) async throws {
        let outcome = try await phone.store.synchronize(
            with: Failing(error: failure), makeName: Planner.names("phone"))
        #expect("\(outcome.trace)" == "handshake failed: \(words) · nothing changed")
        #expect(outcome.trace.events.map(\.failure) == [failure])
    }
}
