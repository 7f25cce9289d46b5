import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct FaultyRemoteTests {
    @Test func lostMessageThrowsAndOnlyALostAnswerLeavesThePushApplied() async throws {
        for delivery in [Delivery.delivered, .requestLost, .answerLost] {
            let server = SimulatedRemoteServer<Item, Int>(primaryKey: \.id)
            let notes = try await InMemoryAdapter(schema: Schema([])).collection(of: Item.self, entity: "Item")
            try await notes.insert(Item(1))
            let remote = FaultyRemote(server) { request in
                if case .push = request { delivery } else { .delivered }
            }
            do {
                try await notes.synchronize(with: remote, pushID: "a", policy: .localWins)
                #expect(delivery == .delivered)
            } catch let error as LostMessage {
                #expect(error.delivery == delivery)
                let part = delivery == .requestLost ? "request" : "answer"
                #expect(error.description == "the \(part) was lost")
            }
            #expect(await server.remote.elements.isEmpty == (delivery == .requestLost))
        }
    }

    @Test func requestsOfTheDeviceReachTheRemoteUnchanged() async throws {
        let server = SimulatedRemoteServer<Item, Int>(primaryKey: \.id)
        await server.withRemote { $0.reset(to: [Item(1)]) }
        let version = RemoteVersion(epoch: "epoch 1", commit: "none")
        let remote = FaultyRemote(server) { request in
            #expect(request == .pull(since: version) || request == .status(of: "a"))
            return .delivered
        }
        #expect(try await remote.status(of: "a") == .notApplied)
        #expect(try await remote.pull(since: version) == .everything([Item(1)], version))
    }
}
