import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct DurableCycleTests {
    /// A remote of the given items, and a phone that has synchronized with it.
    private func world(
        _ items: [Item]
    ) async throws -> (server: SimulatedRemoteServer<Item, Int>, phone: PersistentCollection<Item, Int>) {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: items)
        let server = SimulatedRemoteServer(remote)
        let phone = try await itemCollection()
        try await phone.synchronize(with: server, pushID: "first", policy: .unexpected)
        return (server, phone)
    }

    private func tablet(
        _ server: SimulatedRemoteServer<Item, Int>, _ id: String,
        _ body: @Sendable (PersistentCollection<Item, Int>) async throws -> Void
    ) async throws {
        let tablet = try await itemCollection()
        try await tablet.synchronize(with: server, pushID: "tablet \(id) 1", policy: .unexpected)
        try await body(tablet)
        try await tablet.synchronize(with: server, pushID: "tablet \(id) 2", policy: .unexpected)
    }

    @Test func cycleOfTwoEmptyCollectionsChangesNothing() async throws {
        let server = SimulatedRemoteServer<Item, Int>(primaryKey: \.id)
        let phone = try await itemCollection()
        var sequences: [Int64] = []
        for id in ["a", "b"] {
            let outcome = try await phone.synchronize(with: server, pushID: id, policy: .unexpected)
            #expect(outcome.isSynced && outcome.version == nil && outcome.counts == SyncCounts())
            sequences.append(try await phone.store.read { try $0.sequence })
        }
        #expect(sequences[0] == sequences[1], "the second cycle writes nothing")
        #expect(await !server.remote.exists)
    }

    @Test func firstCycleMergesBothCollectionsInOrder() async throws {
        let server = SimulatedRemoteServer<Item, Int>(primaryKey: \.id)
        let phone = try await itemCollection([Item(3), Item(1)])
        try await phone.synchronize(with: server, pushID: "a", policy: .unexpected)
        #expect(await server.remote.elements == [Item(3), Item(1)])
        let tablet = try await itemCollection([Item(2), Item(1)])
        try await tablet.synchronize(with: server, pushID: "b", policy: .unexpected)
        #expect(try await tablet.elements() == [Item(2), Item(1), Item(3)])
        try await phone.synchronize(with: server, pushID: "c", policy: .unexpected)
        #expect(try await phone.elements() == [Item(3), Item(1), Item(2)])
        #expect(try await phone.version == RemoteVersion(epoch: "epoch 1", commit: "b"))
    }

    @Test func cycleWithoutChangesWritesNothing() async throws {
        let (server, phone) = try await world([Item(1)])
        let sequence = try await phone.store.read { try $0.sequence }
        try await phone.synchronize(with: server, pushID: "a", policy: .unexpected)
        #expect(try await phone.store.read { try $0.sequence } == sequence)
    }

    @Test func unresolvedConflictIsStoredAndReportedAgainUntilItIsResolved() async throws {
        let (server, phone) = try await world([Item(1), Item(2)])
        try await phone.upsert(Item(1, 5))
        try await phone.remove(2)
        try await tablet(server, "a") { try await $0.upsert(contentsOf: [Item(1, 7), Item(2, 7)]) }
        let conflicts = [
            Conflict(base: Item(1), local: Item(1, 5), remote: Item(1, 7)),
            Conflict(base: Item(2), local: nil, remote: Item(2, 7)),
        ]
        for id in ["b", "c"] {
            let again = try await phone.store.collection(of: Item.self, entity: "Item")
            let outcome = try await again.synchronize(with: server, pushID: id, policy: .leaveOpen)
            #expect(outcome.isSynced && outcome.counts.open == 2)
            #expect(Set(try await again.conflicts) == Set(conflicts))
            #expect(try await again.elements() == [Item(1, 5)])
            #expect(try await again.outgoingDiff == nil)
        }
        #expect(Set(await server.remote.elements) == [Item(1, 7), Item(2, 7)])
        try await phone.synchronize(with: server, pushID: "d", policy: .keepEdits(otherwise: .localWins))
        #expect(try await phone.sorted == [Item(1, 5), Item(2, 7)])
        #expect(try await phone.conflicts.isEmpty)
        #expect(Set(await server.remote.elements) == [Item(1, 5), Item(2, 7)])
    }

    @Test(arguments: [nil, Item(1, 7)])
    func anEditThatTakesTheRemotesVersionResolvesTheConflict(remote: Item?) async throws {
        @Sendable func put(_ item: Item?, _ items: PersistentCollection<Item, Int>) async throws {
            if let item { try await items.upsert(item) } else { try await items.remove(1) }
        }
        let (server, phone) = try await world([Item(1), Item(2)])
        try await phone.upsert(Item(1, 5))
        try await tablet(server, "a") { try await put(remote, $0) }
        try await phone.synchronize(with: server, pushID: "b", policy: .leaveOpen)
        #expect(try await phone.conflicts == [Conflict(base: Item(1), local: Item(1, 5), remote: remote)])
        try await put(remote, phone)
        #expect(try await phone.conflicts.isEmpty)
        #expect(try await phone.waiting.isEmpty)
        #expect(try await phone.store.read { try $0.journal(of: "Item") }.isEmpty)

        // The next cycle has no conflict to pull for, so it takes one round trip.
        try await phone.upsert(Item(2, 9))
        let outcome = try await phone.synchronize(with: server, pushID: "c", policy: .leaveOpen)
        #expect(outcome.trace.events.map(\.description) == ["push accepted"])
        #expect(outcome.counts.open == 0)
        #expect(Set(await server.remote.elements) == Set([remote, Item(2, 9)].compactMap { $0 }))
    }

    @Test(arguments: [true, false])
    func policyDecidesBetweenADeletionAndAnEdit(isDeletedHere: Bool) async throws {
        for (policy, survives) in [
            (ConflictPolicy<Item>.localWins, !isDeletedHere), (.remoteWins, isDeletedHere),
            (.keepEdits(otherwise: .unexpected), true),
        ] {
            let (server, phone) = try await world([Item(1), Item(2)])
            if isDeletedHere { try await phone.remove(1) } else { try await phone.upsert(Item(1, 5)) }
            try await tablet(server, "a") { tablet in
                if isDeletedHere { try await tablet.upsert(Item(1, 5)) } else { try await tablet.remove(1) }
            }
            try await phone.synchronize(with: server, pushID: "b", policy: policy)
            #expect(try await phone.element(1) == (survives ? Item(1, 5) : nil))
            #expect(Set(await server.remote.elements) == Set(try await phone.elements()))
            #expect(try await phone.localDiff == nil)
        }
    }

    @Test func editsDuringAPushArePushedNextInTheSameCycle() async throws {
        let (server, phone) = try await world([Item(1), Item(2), Item(3)])
        try await phone.upsert(contentsOf: [Item(1, 1), Item(2, 1)])
        let remote = FaultyRemote(server) { request in
            if case .push(let push) = request, push.id == "a" {
                try await phone.upsert(contentsOf: [Item(1, 9), Item(3, 9), Item(4, 9)])
                try await phone.remove(2)
            }
            return .delivered
        }
        let outcome = try await phone.synchronize(with: remote, pushID: "a", policy: .unexpected)
        #expect(outcome.counts.pushed == ChangeCounts(added: 1, deleted: 1, replaced: 4))
        #expect(outcome.version?.commit == "a.2")
        #expect(try await phone.sorted == [Item(1, 9), Item(3, 9), Item(4, 9)])
        #expect(Set(await server.remote.elements) == [Item(1, 9), Item(3, 9), Item(4, 9)])
        #expect(try await phone.localDiff == nil)
    }

    @Test(arguments: [Delivery.requestLost, .answerLost])
    func errorOfTheRemoteIsRethrownAndThePushStaysInDoubt(delivery: Delivery) async throws {
        let (server, phone) = try await world([Item(1)])
        try await phone.upsert(Item(1, 5))
        let remote = FaultyRemote(server) { _ in delivery }
        for id in ["a", "b"] {
            await #expect(throws: LostMessage.self) {
                try await phone.synchronize(with: remote, pushID: id, policy: .unexpected)
            }
            #expect(try await phone.pendingPush?.id == "a")
            #expect(try await phone.localDiff != nil)
        }
        try await phone.synchronize(with: server, pushID: "c", policy: .unexpected)
        #expect(try await phone.pendingPush == nil)
        #expect(try await phone.version?.commit == "a")
        #expect(await server.remote.elements == [Item(1, 5)])
    }

    @Test func throwingPolicyChangesNothingAndTheCycleAcceptsAnotherPull() async throws {
        struct Undecided: Error {}
        let (server, phone) = try await world([Item(1)])
        try await tablet(server, "a") { try await $0.upsert(Item(1, 7)) }
        try await phone.upsert(Item(1, 5))
        var cycle = DurableCycle(
            phone, pushID: "b", account: "account", recognizesPushes: true,
            policy: ConflictPolicy { _ in throw Undecided() })
        guard case .push(let push) = try await cycle.begin() else { fatalError("it begins with a push") }
        #expect(try await server.push(push) == .refused)
        guard case .pull(let version) = try await cycle.pushed(.refused) else { fatalError("a pull follows") }
        let before = try await phone.snapshot()
        let pull = await server.pull(since: version)
        await #expect(throws: Undecided.self) { _ = try await cycle.pulled(pull) }
        await #expect(throws: Undecided.self) { _ = try await cycle.pulled(pull) }
        #expect(try await phone.snapshot() == before)
    }

    @Test func reportThatDoesNotFitTheCycleIsRefused() async throws {
        let phone = try await itemCollection([Item(1)])
        var cycle = DurableCycle(phone, pushID: "a", account: "account", policy: .unexpected)
        await #expect(throws: CycleError.self) { _ = try await cycle.pulled(.nothing) }
        _ = try await cycle.begin()
        await #expect(throws: CycleError.self) { _ = try await cycle.begin() }
        await #expect(throws: CycleError.self) { _ = try await cycle.pushed(.refused) }
        #expect(try await phone.pendingPush == nil)
    }

    @Test func snapshotOfTheSameEpochAppliesOnlyDifferencesAndRefusesDuplicates() async throws {
        let (_, phone) = try await world([Item(1), Item(2), Item(3)])
        try await phone.upsert(Item(1, 5))
        try await phone.remove(3)
        let version = RemoteVersion(epoch: "epoch 1", commit: "later")
        var cycle = DurableCycle(
            phone, pushID: "a", account: "account", recognizesPushes: true, policy: .unexpected)
        _ = try await cycle.begin()
        _ = try await cycle.pushed(.refused)
        let error = await #expect(throws: KeyError.self) {
            _ = try await cycle.pulled(.everything([Item(2), Item(3, 1), Item(2, 9)], version))
        }
        #expect(error?.collection == "remote" && error?.key as? Int == 2 && error?.positions == [0, 2])
        let step = try await cycle.pulled(
            .everything([Item(1), Item(4), Item(2, 8), Item(3), Item(4)], version))
        guard case .push(let push) = step else { fatalError(summary(step)) }
        #expect(Set(push.changes.changes) == [.replace(old: Item(1), new: Item(1, 5)), .delete(Item(3))])
        #expect(try await phone.sorted == [Item(1, 5), Item(2, 8), Item(4)], "what was pulled is there at once")
        _ = try await cycle.pushed(.accepted(RemoteVersion(epoch: "epoch 1", commit: "a")))
        #expect(try await phone.sorted == [Item(1, 5), Item(2, 8), Item(4)])
        #expect(try await phone.localDiff == nil)
    }

    /// A transport delivers a push twice, and another device edits and deletes elements between the two copies.
    @Test(arguments: [false, true])
    func refusedPushIsConfirmedAlsoByTheNextCycle(isCutOff: Bool) async throws {
        let (server, phone) = try await world([Item(1)])
        try await phone.upsert(contentsOf: [Item(1, 2), Item(5)])
        var cycle = DurableCycle(phone, pushID: "a", account: "account", policy: .localWins)
        guard case .push(let push) = try await cycle.begin() else { fatalError("it begins with a push") }
        #expect(try await server.push(push) != .refused)
        try await tablet(server, "b") { tablet in
            try await tablet.upsert(Item(1, 3))
            try await tablet.remove(5)
        }
        // The remote compares only versions.
        #expect(try await cycle.pushed(.refused) == .confirm(pushID: "a"))
        #expect(try await phone.pendingPush?.id == "a", "it is still in doubt")
        if isCutOff {
            let trace = try await phone.synchronize(with: server, pushID: "c", policy: .localWins).trace
            #expect(trace.description.hasPrefix("push confirmed, pull ·"))
        } else {
            guard case .pull(let version) = try await cycle.confirmed(await server.status(of: "a")) else {
                fatalError("a pull follows")
            }
            #expect(version?.commit == "a")
            guard case .finished(let outcome) = try await cycle.pulled(await server.pull(since: version)) else {
                fatalError("nothing is left to push")
            }
            #expect(outcome.isSynced && outcome.counts.resolved == 0)
        }
        #expect(try await phone.elements() == [Item(1, 3)])
        #expect(await server.remote.elements == [Item(1, 3)])
        #expect(try await phone.localDiff == nil)
        #expect(try await phone.pendingPush == nil)
    }

    @Test func refusedPushThatWasNotAppliedIsMergedAnew() async throws {
        let (server, phone) = try await world([Item(1)])
        try await phone.upsert(Item(1, 2))
        var cycle = DurableCycle(phone, pushID: "a", account: "account", policy: .localWins)
        guard case .push = try await cycle.begin() else { fatalError("it begins with a push") }
        try await tablet(server, "b") { try await $0.upsert(Item(1, 3)) }
        #expect(try await cycle.pushed(.refused) == .confirm(pushID: "a"))
        guard case .pull(let version) = try await cycle.confirmed(await server.status(of: "a")) else {
            fatalError("a pull follows")
        }
        #expect(try await phone.pendingPush == nil)
        guard case .push(let push) = try await cycle.pulled(await server.pull(since: version)) else {
            fatalError("the edit is pushed anew")
        }
        #expect(push.id == "a.2")
        #expect(push.changes == Diff([.replace(old: Item(1, 3), new: Item(1, 2))]))
    }

    @Test(arguments: [false, true])
    func unreadablePushInDoubtIsStillConfirmedWithTheRemote(wasTaken: Bool) async throws {
        struct Changed: Codable, Identifiable, Equatable { var id: Int; var text: String }
        let (server, phone) = try await world([Item(1)])
        try await phone.upsert(Item(1, 5))
        let delivery = wasTaken ? Delivery.answerLost : .requestLost
        await #expect(throws: LostMessage.self) {
            try await phone.synchronize(with: FaultyRemote(server) { _ in delivery }, pushID: "a", policy: .unexpected)
        }
        let changed = try await phone.store.collection(of: Changed.self, entity: "Item", formerly: "Item")
        await #expect(throws: PersistenceError.self) { _ = try await changed.pendingPush }
        var cycle = DurableCycle(changed, pushID: "b", account: "account", policy: .localWins)
        #expect(try await cycle.begin() == .confirm(pushID: "a"))
        let version = RemoteVersion(epoch: "epoch 1", commit: wasTaken ? "a" : "none")
        let step = try await cycle.confirmed(wasTaken ? .applied(version) : .notApplied)
        #expect(step == .pull(since: nil), "the type is another one")
        guard case .finished(let outcome) = try await cycle.failed() else { fatalError("a failure ends it") }
        #expect(outcome.ending == .failed)
        #expect(try await phone.pendingPush == nil)
        try await phone.synchronize(with: server, pushID: "c", policy: .unexpected)
        #expect(await server.remote.elements == [Item(1, 5)])
        #expect(try await phone.localDiff == nil)
    }

    @Test func pushInDoubtCanBeForgotten() async throws {
        let (server, phone) = try await world([Item(1)])
        try await phone.upsert(Item(1, 5))
        await #expect(throws: LostMessage.self) {
            try await phone.synchronize(
                with: FaultyRemote(server) { _ in .answerLost }, pushID: "a", policy: .unexpected)
        }
        try await phone.forgetPendingPushUnanswered()
        #expect(try await phone.pendingPush == nil)
        #expect(try await phone.localDiff != nil)
        try await phone.synchronize(with: server, pushID: "c", policy: .unexpected)
        #expect(try await phone.localDiff == nil)
    }

    @Test func recordCollectionsHaveDurableCycles() async throws {
        let (phone, tablet) = try await (
            noteStore().recordCollection(of: "Note"), noteStore().recordCollection(of: "Note")
        )
        let server = SimulatedRemoteServer<Record, Value>(primaryKey: \.key)
        let shape = try #require(phone.store.schema["Note"])
        try await phone.insert(Record(shape, ["id": 1, "text": "milk"]))
        try await tablet.insert(Record(shape, ["id": 2, "text": "eggs"]))
        await #expect(throws: LostMessage.self) {
            try await phone.synchronize(
                with: FaultyRemote(server) { if case .push = $0 { .answerLost } else { .delivered } }, pushID: "a",
                policy: .unexpected)
        }
        #expect(try await phone.pendingPush?.changes.add.map(\.key) == [1])
        try await phone.synchronize(with: server, pushID: "b", policy: .unexpected)
        try await tablet.synchronize(with: server, pushID: "c", policy: .unexpected)
        try await phone.synchronize(with: server, pushID: "d", policy: .unexpected)
        #expect(try await phone.elements().map { $0["text"] } == ["milk", "eggs"])
        #expect(Set(try await phone.elements()) == Set(await server.remote.elements))
    }
}
