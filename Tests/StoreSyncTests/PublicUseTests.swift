import DifferentialSync
import Foundation
import StoreSync
import SyncPersistence
import Testing

/// What the author of a service or a transport, and an app, set and read of the module's values.
@Suite struct PublicUseTests {
    @Test func messagesKeepWhatTheyStateInJSON() throws {
        let handshake = HandshakeRequest(
            device: "phone", cursor: nil, lastPush: PushName(number: 3, name: "r"), entities: ["Tag": ["name"]])
        #expect(handshake.versions == [StoreProtocol.version])
        #expect(try HandshakeRequest(data: handshake.data).lastPush == PushName(number: 3, name: "r"))
        let pull = PullRequest(
            device: "phone", cursor: SyncCursor(epoch: "e", sequence: 7), limit: 20, comparison: 5)
        let readPull = try PullRequest(data: pull.data)
        #expect(readPull.limit == 20 && readPull.comparison == 5)
        let limits = SyncLimits(pageRecords: 10, pushRecords: 20, bytes: 30)
        #expect(limits.pushRecords == 20 && limits.pushBytes == 30)
        let response = HandshakeResponse(
            account: "ada", epoch: "e", limits: SyncLimits(pushRecords: 20, bytes: 30, pushBytes: 40), sequence: 0)
        #expect(response.version == StoreProtocol.version)
        let readLimits = try HandshakeResponse(data: response.data).limits
        #expect(readLimits.pushRecords == 20 && readLimits.pushBytes == 40)
    }

    @Test func errorOfAMessageHasItsPlace() {
        let nested = #"{"version":1,"cursor":{"epoch":"e","sequence":-1},"shapes":[],"entries":[],"hasMore":false}"#
        let error = #expect(throws: MessageError.self) { try PullResponse(data: Data(nested.utf8)) }
        #expect(error?.path == ["cursor", "sequence"])
        #expect(error?.problem == "expected a whole number from 0 up")
        let other = #expect(throws: MessageError.self) { try PullResponse(data: Data("[]".utf8)) }
        #expect(other?.path == [])
    }

    @Test func sealOpensWhatItHasSealedForTheSameName() throws {
        struct WrongName: Error {}
        var seal = ObjectSeal(
            seal: { bytes, name in Data(name.utf8) + bytes },
            open: { bytes, name in
                guard bytes.starts(with: Data(name.utf8)) else { throw WrongName() }
                return Data(bytes.dropFirst(name.utf8.count))
            })
        let sealed = try seal.seal(Data([1, 2]), "a")
        #expect(try seal.open(sealed, "a") == Data([1, 2]))
        #expect(throws: WrongName.self) { try seal.open(sealed, "b") }
        // An app may replace one of the functions, for example to read objects of an older form.
        let open = seal.open
        seal.open = { bytes, name in try open(bytes, name.lowercased()) }
        #expect(try seal.open(sealed, "A") == Data([1, 2]))
    }

    @Test func scopeHasTheEntitiesAndFiltersOfItsDefinition() {
        let scope = SyncScope("open", entities: ["Task", "Tag"], where: ["Task": Field("isDone") == false])
        #expect(scope.entities == ["Task", "Tag"])
        #expect(scope.filters == ["Task": Field("isDone") == false])
        #expect(SyncScope("all").entities == nil && SyncScope("all").filters.isEmpty)
    }

    @Test func commonPolicyMayBeChanged() async throws {
        let (_, service) = try Planner.service()
        let (phone, laptop) = (try Device("phone"), try Device("laptop"))
        try await phone.edit { try $0.put(Record("Tag", in: $1, ["id": 1, "name": "red"])) }
        for device in [phone, laptop] { try await device.sync(with: service) }
        try await phone.edit { changes, _ in changes.update(RecordID("Tag", 1), ["name": "blue"]) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Tag", 1), ["name": "green"]) }
        try await phone.sync(with: service)
        var policies = SyncPolicies()
        policies.otherwise = .localWins
        #expect(try await laptop.sync(with: service, policies).conflicts.map(\.isOpen) == [false])
        try await phone.sync(with: service)
        #expect(try await phone.value("Tag", 1, "name") == "green")
    }

    @Test func transactionReadsTheStatesOfRecords() async throws {
        let (_, service) = try Planner.service()
        let phone = try Device("phone")
        try await phone.edit { try $0.put(Record("Tag", in: $1, ["id": 1])) }
        try await phone.sync(with: service)
        let ids = (1...3).map { RecordID("Tag", .integer($0)) }
        let (states, state) = try await phone.store.write { transaction in
            var changes = ChangeSet()
            changes.put(Record(transaction.schema["Tag"]!, ["id": 2]))
            try transaction.apply(changes)
            return (try transaction.syncStates(of: ids), try transaction.syncState(of: ids[1]))
        }.result
        #expect(states == [ids[0]: .synced, ids[1]: .pending, ids[2]: .synced])
        #expect(state == .pending)
        await #expect(throws: PersistenceError.self) {
            try await phone.store.read { try $0.syncStates(of: [RecordID("Nothing", 1)]) }
        }
    }

    @Test func serviceAnswersWithinTheTransactionOfItsServer() async throws {
        let (store, service) = try Planner.service()
        #expect(service.account == "ada")
        struct Refusal: Error {}
        let request = HandshakeRequest(device: "phone", cursor: nil, lastPush: nil, entities: ["Tag": ["id"]])
        await #expect(throws: Refusal.self) {
            try await store.write { transaction in
                _ = try service.handshake(request, in: transaction)
                throw Refusal()
            }
        }
        let page = PullRequest(device: "phone", cursor: SyncCursor(epoch: "epoch 1", sequence: 0))
        // The handshake was rolled back with its transaction.
        await #expect {
            try await store.read { try service.pull(page, in: $0) }
        } throws: {
            if case .handshakeNeeded = $0 as? RemoteError { true } else { false }
        }
        let response = try await store.write { transaction in
            var changes = ChangeSet()
            changes.put(Record(transaction.schema["Tag"]!, ["id": 1]))
            let response = try service.handshake(request, in: transaction)
            try transaction.apply(changes)
            return response
        }.result
        #expect(response.account == "ada")
        let next = PullRequest(
            device: "phone", cursor: SyncCursor(epoch: response.epoch, sequence: response.sequence))
        #expect(try await store.read { try service.pull(next, in: $0) }.entries.map(\.id) == [RecordID("Tag", 1)])
    }
}
