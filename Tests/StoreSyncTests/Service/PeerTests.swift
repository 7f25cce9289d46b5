import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// Stores without a common server: each answers the next one, and some are devices of another at the same time.
@Suite(.needsServiceStore) struct PeerTests {
    /// A store that is a device and a service.
    private struct Peer {
        let device: Device
        let service: SyncService

        init(_ name: String) throws {
            device = try Device(name, ServiceStores.make(Planner.schema()))
            service = SyncService(device.store, account: "ada", makeName: Planner.names("epoch of \(name)"))
        }
    }

    private let peers: [Peer]

    /// Three peers in a line: the first synchronizes with the second, and the second with the third.
    init() throws { peers = try ["phone", "laptop", "desk"].map(Peer.init) }

    @discardableResult
    private func syncAll(_ policies: SyncPolicies = SyncPolicies()) async throws -> [StoreOutcome] {
        var outcomes: [StoreOutcome] = []
        for _ in 1...3 {
            outcomes = []
            for (device, other) in zip(peers, peers.dropFirst()) {
                outcomes.append(try await device.device.sync(with: other.service, policies))
            }
        }
        return outcomes
    }

    private func share() async throws {
        for (position, peer) in peers.enumerated() {
            let id = Value.integer(Int64(position))
            try await peer.device.edit { changes, schema in
                try changes.put(Record("Project", in: schema, ["id": id, "name": "garden"]))
                try changes.put(Record("Task", in: schema, ["id": id, "title": "dig", "project": id]))
                try changes.put(Record("Tag", in: schema, ["id": id]))
                changes.link(RecordID("Task", id), "tags", to: id)
            }
        }
        #expect(try await syncAll().allSatisfy(\.isSynced))
        try await expectAgreement()
    }

    private func expectAgreement(_ location: SourceLocation = #_sourceLocation) async throws {
        try await expectEqualContents(of: peers.map(\.device.store), location: location)
    }

    @Test func recordsOfEachPeerReachAllOthers() async throws {
        try await share()
        for peer in peers { #expect(try await peer.device.store.read { try $0.keys(of: "Task") }.count == 3) }
    }

    @Test func editsOfAllPeersAreMerged() async throws {
        try await share()
        let edits: [[String: Value]] = [["name": "yard"], ["budget": 50], ["area": 7]]
        for (peer, values) in zip(peers, edits) {
            try await peer.device.edit { changes, schema in
                try changes.put(Record("Area", in: schema, ["id": 7]))
                changes.update(RecordID("Project", 1), values)
            }
        }
        #expect(try await syncAll().allSatisfy { $0.isSynced && $0.conflicts.isEmpty })
        try await expectAgreement()
        for (name, value) in edits.flatMap(\.self) {
            #expect(try await peers[0].device.value("Project", 1, name) == value)
        }
    }

    @Test func aConflictOfTheEndsIsResolvedOnTheWay() async throws {
        try await share()
        for (peer, name) in [(peers[0], "yard"), (peers[2], "field")] as [(Peer, Value)] {
            try await peer.device.edit { changes, _ in changes.update(RecordID("Project", 1), ["name": name]) }
        }
        #expect(try await syncAll(SyncPolicies(.localWins)).allSatisfy(\.isSynced))
        try await expectAgreement()
        #expect(try await peers[2].device.value("Project", 1, "name") == "yard")
    }

    @Test func aDeletionAtOneEndMeetsANewTaskOfTheOther() async throws {
        try await share()
        try await peers[0].device.edit { changes, _ in changes.delete(RecordID("Project", 1)) }
        try await peers[2].device.edit { changes, schema in
            try changes.put(Record("Task", in: schema, ["id": 9, "title": "sow", "project": 1]))
        }
        #expect(try await syncAll(SyncPolicies(.keepEdits(otherwise: .remoteWins))).allSatisfy(\.isSynced))
        try await expectAgreement()
        #expect(try await peers[0].device.value("Task", 9, "title") == "sow")
    }
}
