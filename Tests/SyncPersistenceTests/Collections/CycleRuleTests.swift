import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import TestSupport
import Testing

struct CycleRuleTests {
    private func world(
        _ items: [Item], account: String = "ada"
    ) async throws -> (server: SimulatedRemoteServer<Item, Int>, phone: PersistentCollection<Item, Int>) {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: items)
        let server = SimulatedRemoteServer(remote, account: account)
        let phone = try await itemCollection()
        try await phone.synchronize(with: server, policy: .unexpected)
        return (server, phone)
    }

    // MARK: Accounts

    @Test func remoteOfAnotherAccountIsRefused() async throws {
        let (_, phone) = try await world([Item(1)])
        try await phone.upsert(Item(2))
        let other = SimulatedRemoteServer<Item, Int>(account: "bob", primaryKey: \.id)
        let before = try await StoreDump(of: phone.store)
        let error = await #expect(throws: CycleError.self) {
            try await phone.synchronize(with: other, policy: .unexpected)
        }
        #expect(error?.code == .otherAccount)
        #expect(await !other.remote.exists)
        #expect(try await StoreDump(of: phone.store) == before)
        #expect(try await phone.account == "ada")
    }

    @Test func anotherAccountIsMergedOrReplacesWhatIsHereByChoice() async throws {
        for (choice, here) in [(AccountChange.merge, [Item(1), Item(2), Item(7)]), (.replace, [Item(7)])] {
            let (server, phone) = try await world([Item(1)])
            try await phone.upsert(Item(2))
            // A push to the first account is in doubt.
            await #expect(throws: LostMessage.self) {
                try await phone.synchronize(with: FaultyRemote(server) { _ in .requestLost }, policy: .unexpected)
            }
            var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
            remote.reset(to: [Item(7)])
            let other = SimulatedRemoteServer(remote, account: "bob")
            try await phone.synchronize(with: other, onAccountChange: choice, policy: .unexpected)
            #expect(try await phone.sorted == here)
            #expect(await other.remote.elements.sorted { $0.id < $1.id } == here)
            #expect(try await phone.account == "bob")
            #expect(try await phone.localDiff == nil)
            #expect(try await phone.pendingPush == nil)
            try await phone.synchronize(with: other, policy: .unexpected)
            #expect(await server.remote.elements == [Item(1)])
        }
    }

    // MARK: Names and rounds

    @Test func nameThatWasUsedIsRefusedAndOneIsMadeByDefault() async throws {
        let (server, phone) = try await world([Item(1)])
        for value in 1...3 {
            try await phone.upsert(Item(1, value))
            try await phone.synchronize(with: server, policy: .unexpected)
        }
        #expect(await server.remote.elements == [Item(1, 3)])
        try await phone.upsert(Item(1, 4))
        try await phone.synchronize(with: server, pushID: "phone 1", policy: .unexpected)
        try await phone.upsert(Item(1, 5))
        let error = await #expect(throws: CycleError.self) {
            try await phone.synchronize(with: server, pushID: "phone 1", policy: .unexpected)
        }
        #expect(error?.code == .usedName)
        #expect(try await phone.localDiff?.changes == [.replace(old: Item(1, 4), new: Item(1, 5))])
    }

    @Test func pushThatWasRefusedIsNotInDoubtAfterGivingUp() async throws {
        let (server, phone) = try await world([Item(1)])
        try await phone.upsert(Item(2))
        let pushes = Locked(0)
        let remote = FaultyRemote(server) { request in
            if case .push = request {
                let number = pushes.next()
                let tablet = try await itemCollection()
                try await tablet.synchronize(with: server, policy: .unexpected)
                try await tablet.upsert(Item(1, number))
                try await tablet.synchronize(with: server, policy: .unexpected)
            }
            return .delivered
        }
        let outcome = try await phone.synchronize(with: remote, maximumRounds: 3, policy: .unexpected)
        #expect(outcome.ending == .gaveUp(rounds: 3))
        #expect(pushes.current == 3)
        #expect(try await phone.pendingPush == nil)
        #expect(try await phone.localDiff?.changes == [.add(Item(2))])
    }

    // MARK: Answers and epochs

    @Test func whatTheRemoteMakesOfAPushIsTakenInWithoutAnEcho() async throws {
        for isEdited in [false, true] {
            let remote = SimulatedRemote<Item, Int>(primaryKey: \.id, amend: { Item($0.id, $0.value + 100) })
            let server = SimulatedRemoteServer(remote)
            let phone = try await itemCollection([Item(1), Item(2)])
            let faulty = FaultyRemote(server) { request in
                if isEdited, case .push(let push) = request, push.id == "a" { try await phone.upsert(Item(1, 7)) }
                return .delivered
            }
            try await phone.synchronize(with: faulty, pushID: "a", policy: .localWins)
            #expect(try await phone.sorted == [Item(1, isEdited ? 107 : 100), Item(2, 100)])
            #expect(try await phone.localDiff == nil)
            #expect(await server.remote.version?.commit == (isEdited ? "a.2" : "a"))
        }
    }

    @Test func recordThatNobodyEditedTakesTheRemotesValueInANewEpoch() async throws {
        let (server, phone) = try await world([Item(1), Item(2), Item(3), Item(4)])
        try await phone.upsert(Item(2, 5))
        try await phone.remove(3)
        await server.withRemote { $0.reset(to: [Item(1, 9), Item(2), Item(3)]) }
        try await phone.synchronize(with: server, policy: .unexpected)
        let expected = [Item(1, 9), Item(2, 5), Item(4)]
        #expect(try await phone.sorted == expected)
        #expect(await server.remote.elements.sorted { $0.id < $1.id } == expected)
    }

    // MARK: Conflicts

    @Test func conflictIsResolvedOnceAndLaterOnesComeUpAgain() async throws {
        let (server, phone) = try await world([Item(1), Item(2)])
        func edit(_ value: Int) async throws {
            let tablet = try await itemCollection()
            try await tablet.synchronize(with: server, policy: .unexpected)
            try await tablet.upsert(Item(1, value))
            try await tablet.synchronize(with: server, policy: .unexpected)
        }
        try await phone.upsert(Item(1, 1))
        try await edit(2)
        try await phone.synchronize(with: server, policy: .leaveOpen)
        let conflict = try #require(try await phone.conflicts.first)
        #expect(conflict == Conflict(base: Item(1), local: Item(1, 1), remote: Item(1, 2)))
        try await phone.upsert(Item(1, 3))
        let changed = await #expect(throws: ConflictError.self) {
            try await phone.resolve(1, with: .local, of: conflict)
        }
        #expect(changed?.code == .changed)
        let unknown = await #expect(throws: ConflictError.self) {
            try await phone.resolve(2, with: .local, of: conflict)
        }
        #expect(unknown?.code == .unknown)
        let present = try #require(try await phone.conflict(for: 1))
        try await phone.resolve(1, with: .merged(Item(1, 4)), of: present)
        #expect(try await phone.conflicts.isEmpty)
        try await phone.synchronize(with: server, policy: .unexpected)
        #expect(Set(await server.remote.elements) == [Item(1, 4), Item(2)])
        try await phone.upsert(Item(1, 5))
        try await edit(6)
        let outcome = try await phone.synchronize(with: server, policy: .leaveOpen)
        #expect(outcome.counts.open == 1)
    }

    // MARK: Storing

    @Test func storingOfAPullReportsItsProgress() async throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: (0..<3_500).map { Item($0) })
        let phone = try await itemCollection()
        let parts = Locked<[Int]>([])
        try await phone.synchronize(with: SimulatedRemoteServer(remote), policy: .unexpected) { progress in
            #expect(progress.total == 3_500)
            parts.withLock { $0.append(progress.completed) }
        }
        #expect(parts.current == [1_000, 2_000, 3_000, 3_500])
    }

    @Test func storingOfAPullThatIsCancelledLeavesNothingBehind() async throws {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: (0..<3_500).map { Item($0) })
        let server = SimulatedRemoteServer(remote)
        let phone = try await itemCollection()
        // The account is stored with the beginning of the first cycle.
        var begun = DurableCycle(phone, account: server.account, policy: .unexpected)
        _ = try await begun.begin()
        let before = try await StoreDump(of: phone.store)
        let running = Locked<Task<Void, any Error>?>(nil)
        let (started, starter) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in started { break }
            try await phone.synchronize(with: server, policy: .unexpected) { progress in
                if progress.completed == 2_000 { running.current?.cancel() }
            }
        }
        running.exchange(with: task)
        starter.yield()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await StoreDump(of: phone.store) == before)
        try await phone.synchronize(with: server, policy: .unexpected)
        #expect(try await phone.count == 3_500)
    }
}
