import DifferentialSyncTesting
import SQLitePersistence
import StoreSync
import TestSupport
import Testing

/// Devices whose service sends what no service should.
///
/// After each attack the device synchronizes with an honest service: none of its local changes is lost.
@Suite struct AdversarialServiceTests {
    /// A device with an update, an insert and a deletion that were not sent.
    private struct Victim {
        let world: ServiceWorld
        let store: any PersistenceAdapter
        private let names = Planner.names("device")

        init(isFile: Bool) async throws {
            world = ServiceWorld()
            try await world.edit { changes in
                try changes.put(Record("Project", in: ServiceWorld.schema, ["id": 1, "name": "garden"]))
                for id in 1...4 as ClosedRange<Int64> {
                    try changes.put(
                        Record(
                            "Task", in: ServiceWorld.schema,
                            ["id": .integer(id), "title": "theirs", "project": 1, "isDone": false]))
                }
                try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": "red"]))
                changes.link(RecordID("Task", 1), "tags", to: "red")
                try changes.put(Record("Bill", in: ServiceWorld.schema, ["year": 2026, "number": 1, "project": 1]))
                try changes.put(Record("Desk", in: ServiceWorld.schema, ["id": 5]))
                try changes.put(Record("Person", in: ServiceWorld.schema, ["id": 6, "name": "Ada", "desk": 5]))
                try changes.put(Record("Cat", in: ServiceWorld.schema, ["id": 7, "lives": 9]))
            }
            store =
                isFile
                ? try await SQLiteAdapter.inMemory(schema: ServiceWorld.schema)
                : InMemoryAdapter(schema: ServiceWorld.schema)
            try await sync(with: world.service)
            var changes = ChangeSet()
            changes.update(RecordID("Task", 1), ["title": "mine"])
            try changes.put(Record("Tag", in: ServiceWorld.schema, ["name": "blue", "color": "mine"]))
            changes.delete(RecordID("Task", 3))
            try await store.commit(changes)
        }

        @discardableResult
        func sync(with remote: some Remote) async throws -> StoreSync.StoreOutcome {
            try await store.synchronize(with: remote, policies: SyncPolicies(.localWins), makeName: names)
        }

        /// Synchronizes twice with a hostile service, which changes nothing at the honest one.
        ///
        /// - Returns: The outcomes or errors.
        func suffer(_ remote: ScriptedRemote) async throws -> [Result<StoreSync.StoreOutcome, any Error>] {
            var results: [Result<StoreSync.StoreOutcome, any Error>] = []
            for _ in 1...2 {
                do {
                    results.append(.success(try await sync(with: remote)))
                } catch {
                    results.append(.failure(error))
                }
            }
            return results
        }

        /// Checks that an honest service receives each local change.
        func expectNothingLost(_ location: SourceLocation = #_sourceLocation) async throws {
            // What exceeded a limit is sent again by itself once the limit is larger.
            for refused in try await store.refusedRecords where refused.code != "tooLarge" {
                try await store.releaseRefused(refused.id)
            }
            let first = try await sync(with: world.service)
            let outcome = try await sync(with: world.service)
            // A record that the hostile service has invented may wait for another one.
            let isListed = outcome.pending.isEmpty && outcome.refused.isEmpty && outcome.conflicts.isEmpty
            #expect(outcome.isVerified != true || outcome.isSynced, "\(outcome)", sourceLocation: location)
            #expect(outcome.failure == nil && isListed, "\(outcome)", sourceLocation: location)
            #expect(try await world.record("Task", 1)?["title"] == "mine", sourceLocation: location)
            #expect(try await world.record("Tag", "blue")?["color"] == "mine", sourceLocation: location)
            let isDeleted = try await world.record("Task", 3) == nil
            #expect(isDeleted, "\(first)", sourceLocation: location)
            #expect(try await store.read { try $0.record(RecordID("Task", 1)) }?["title"] == "mine")
        }
    }

    /// Lets a hostile service answer a device, and checks what every attack must leave intact.
    private func attack(
        isFile: Bool, most: Int = 60, _ location: SourceLocation = #_sourceLocation,
        _ prepare: (inout ScriptedRemote) -> Void
    ) async throws -> [Result<StoreSync.StoreOutcome, any Error>] {
        let victim = try await Victim(isFile: isFile)
        var remote = ScriptedRemote(victim.world.service)
        prepare(&remote)
        let results = try await victim.suffer(remote)
        for case .failure(let error) in results {
            #expect(
                error is RemoteError || error is CycleError || error is KeptApartError, "\(error)",
                sourceLocation: location)
        }
        #expect(remote.requestCount.withLock { $0 } <= most, sourceLocation: location)
        try await victim.expectNothingLost(location)
        return results
    }

    private static func entry(_ entity: String, _ key: Value, _ values: [String: Value]) -> PullResponse.Entry {
        PullResponse.Entry(RecordID(entity, key), .present(ValueObject(values)))
    }

    private static func deletion(_ entity: String, _ key: Value) -> PullResponse.Entry {
        PullResponse.Entry(RecordID(entity, key), .deleted)
    }

    private static var deep: Value {
        var deep: Value = 1
        for _ in 0..<2_000 { deep = [deep] }
        return deep
    }

    /// Entries that do not fit the schema, by name.
    static let entries: [String: [PullResponse.Entry]] = [
        "wrong types": [
            entry("Task", 2, ["id": 2, "title": 7, "isDone": "no", "project": [1, 2], "parent": "x"]),
            entry("Task", 8, ["id": 8, "title": ["a": 1], "isDone": .null]),
            entry("Bill", [2026, 1], ["year": "x", "number": 1]), entry("Person", 6, ["id": 6, "desk": .null]),
            entry("Task", 9, ["id": 9, "extra": .double(.nan)]), entry("Task", 10, ["id": 10, "extra": deep]),
            entry("Tag", "t", ["name": "t", "color": ["x"]]), entry("Tag", "u", [:]),
        ],
        "other keys": [
            entry("Task", 2, ["id": 1, "title": "stolen"]), entry("Task", "2", ["id": "2"]),
            entry("Task", [1, 2], ["id": [1, 2]]), entry("Bill", 2026, ["year": 2026, "number": 1]),
            entry("Bill", [2026], ["year": 2026]), entry("Tag", .double(.nan), ["name": .double(.nan)]),
            entry("Task", deep, ["id": deep]), entry("Tag", "", ["name": ""]), entry("Task", 1.5, ["id": 1.5]),
            deletion("Task", "1"), deletion("Task", [1]), deletion("Bill", 1), deletion("Bill", []),
            deletion("Tag", .double(.nan)), deletion("Task", .null), deletion("Task", deep),
            PullResponse.Entry(RecordID("Task", ["x"]), .outOfScope),
        ],
        "other entities": [
            entry("None", 1, ["id": 1]), deletion("None", 1), entry("", 1, ["id": 1]),
            entry("sync.metadata", "sync.store.state", ["name": "sync.store.state", "value": "{}"]),
            deletion("sync.metadata", "sync.store.state"), deletion("sync.history", 1),
            entry("sync.history", 1, ["entity": "Task", "key": "1", "sequence": 1]),
            deletion("sync.journal.Task", 1), entry("sync.journal.Task", 1, ["sync.isUnsettled": true]),
            entry("Animal", 8, ["id": 8]), entry("Animal", 7, ["id": 7]), entry("Dog", 7, ["id": 7, "name": "x"]),
            deletion("Dog", 7), deletion("Animal", 7), entry(ServiceWorld.links, ["red", 99], ["x": 1]),
            entry(ServiceWorld.links, "red", [:]), deletion(ServiceWorld.links, 1),
        ],
        "broken references": [
            entry("Task", 2, ["id": 2, "title": "x", "isDone": false, "project": 99, "parent": 98]),
            entry("Person", 8, ["id": 8, "desk": 99]), deletion("Desk", 5), deletion("Project", 1),
            entry("Task", 4, ["id": 4, "parent": 4, "isDone": false]),
        ],
        "deletions and revivals": [
            deletion("Task", 1), entry("Task", 1, ["id": 1, "title": "x", "isDone": false]), deletion("Task", 1),
            entry("Task", 3, ["id": 3, "title": "x", "isDone": false]), deletion("Task", 3),
            entry("Task", 3, ["id": 3, "title": "y", "isDone": false]), deletion("Tag", "blue"),
            entry("Tag", "blue", ["name": "blue", "color": "theirs"]), deletion("Tag", "blue"),
            deletion("Tag", "red"), deletion("Project", 1), deletion("Task", 1),
        ],
    ]

    @Test(arguments: entries.keys.sorted(), [false, true])
    func entriesThatNoServiceShouldSendHarmNothing(name: String, isFile: Bool) async throws {
        let entries = Self.entries[name] ?? []
        let results = try await attack(isFile: isFile) { remote in
            remote.greeting = { $0.sequence += 1 }
            remote.page = { page, request in
                page.entries = entries
                page.cursor = SyncCursor(epoch: request.cursor.epoch, sequence: request.cursor.sequence + 1)
                (page.hasMore, page.fingerprint) = (false, nil)
            }
            remote.answer = { _ in throw RemoteError.later() }
        }
        #expect(throws: Never.self) { for result in results { _ = try result.get() } }
    }

    @Test(arguments: [false, true])
    func everyOrderOfDeletionsMeetsLocalEdits(isFile: Bool) async throws {
        let ids = [
            RecordID("Task", 1), RecordID("Project", 1), RecordID("Bill", [2026, 1]),
            RecordID(ServiceWorld.links, ["red", 1]),
        ]
        for order in permutations(of: ids) {
            _ = try await attack(isFile: isFile) { remote in
                remote.greeting = { $0.sequence += 1 }
                remote.page = { page, request in
                    page.entries = order.map { PullResponse.Entry($0, .deleted) }
                    page.cursor = SyncCursor(epoch: request.cursor.epoch, sequence: request.cursor.sequence + 1)
                    (page.hasMore, page.fingerprint) = (false, nil)
                }
                remote.answer = { _ in throw RemoteError.later() }
            }
        }
    }

    private func permutations<Element>(of elements: [Element]) -> [[Element]] {
        if elements.count < 2 { return [elements] }
        return elements.indices.flatMap { index in
            var rest = elements
            let first = rest.remove(at: index)
            return permutations(of: rest).map { [first] + $0 }
        }
    }

    /// Changes of pages, by name.
    static let pages: [String: @Sendable (inout PullResponse, PullRequest) -> Void] = [
        "cursor stands still": { page, request in (page.cursor, page.hasMore) = (request.cursor, true) },
        "cursor runs back": { page, request in
            page.cursor = SyncCursor(epoch: request.cursor.epoch, sequence: request.cursor.sequence - 1)
        },
        "cursor is below zero": { page, request in
            page.cursor = SyncCursor(epoch: request.cursor.epoch, sequence: -1)
        },
        "cursor runs to the end": { page, request in
            page.cursor = SyncCursor(epoch: request.cursor.epoch, sequence: .max)
        },
        "another epoch": { page, request in
            page.cursor = SyncCursor(epoch: "other", sequence: request.cursor.sequence + 1)
        },
        "more than the limit": { page, _ in
            page.entries = (0...SyncLimits().pageRecords).map {
                entry("Tag", .string("\($0)"), ["name": .string("\($0)")])
            }
        },
        "many entries of one record": { page, _ in
            page.entries = Array(repeating: entry("Task", 1, ["id": 1, "isDone": true]), count: 100_000)
        },
        "remaining is a lie": { page, _ in page.remaining = -5 },
        "fingerprint never agrees": { page, _ in
            page.fingerprint = StoreFingerprint(of: Record(ServiceWorld.schema["Tag"]!, ["name": "none"]))
        },
    ]

    @Test(arguments: pages.keys.sorted(), [false, true])
    func pagesThatNoServiceShouldSendHarmNothing(name: String, isFile: Bool) async throws {
        _ = try await attack(isFile: isFile) { remote in
            remote.greeting = { $0.sequence += 1 }
            if let page = Self.pages[name] { remote.page = page }
            remote.answer = { _ in throw RemoteError.later() }
        }
    }

    @Test func limitsWithoutEndDoNotMakePagesUnlimited() async throws {
        let victim = try await Victim(isFile: false)
        var remote = ScriptedRemote(victim.world.service)
        remote.greeting = {
            $0.sequence += 1
            $0.limits = SyncLimits(pageRecords: .max, pushRecords: .max, bytes: .max)
        }
        remote.page = { page, _ in
            let entry = Self.entry("Task", 1, ["id": 1, "isDone": true])
            page.entries = Array(repeating: entry, count: StoreProtocol.maximumRecords + 1)
        }
        for case .success(let outcome) in try await victim.suffer(remote) { Issue.record("\(outcome)") }
        try await victim.expectNothingLost()
    }

    @Test func pagesWithoutEndEndTheCycle() async throws {
        let victim = try await Victim(isFile: false)
        var greeting = try await victim.world.service.handshake(HandDevice.request("other"))
        greeting.sequence = .max
        let response = greeting
        let (outcome, pageCount) = try await victim.store.write { transaction in
            var cycle = StoreCycle(maximumPages: 20, makeName: Planner.names("cycle"))
            _ = try cycle.begin(in: transaction)
            var step = try cycle.received(response, in: transaction)
            var pageCount = 0
            while case .pull(let request) = step, pageCount < 100 {
                pageCount += 1
                let cursor = SyncCursor(epoch: request.cursor.epoch, sequence: request.cursor.sequence + 1)
                let page = PullResponse(entries: [], cursor: cursor, hasMore: true, remaining: 1)
                step = try cycle.received(page, in: transaction)
            }
            return (cycle.outcome, pageCount)
        }.result
        #expect(pageCount == 20 && outcome.failure == .later())
        try await victim.expectNothingLost()
    }

    /// Changes of responses to handshakes, by name.
    static let greetings: [String: @Sendable (inout HandshakeResponse) -> Void] = [
        "limits of zero": { $0.limits = SyncLimits(pageRecords: 0, pushRecords: 0, bytes: 0) },
        "limits below zero": { $0.limits = SyncLimits(pageRecords: -1, pushRecords: .min, bytes: -7) },
        "limit of a byte": { $0.limits.bytes = 1 },
        "no account": { $0.account = "" },
        "another account": { $0.account = "eve" },
        "version 2": { $0.version = 2 },
        "no epoch": { $0.epoch = "" },
        "another epoch": { $0.epoch = "other" },
        "sequence runs back": { $0.sequence = 0 },
        "sequence is below zero": { ($0.sequence, $0.horizon) = (.min, .min) },
        "horizon at the end": { $0.horizon = .max },
        "no entities": { $0.entities = [:] },
        "an unknown push": {
            $0.lastPush = PushResponse(name: PushName(number: .max, name: "x"), outcomes: [.conflict])
        },
        "a push below zero": { $0.lastPush = PushResponse(name: PushName(number: .min, name: "x"), outcomes: []) },
    ]

    @Test(arguments: greetings.keys.sorted(), [false, true])
    func greetingsThatNoServiceShouldSendHarmNothing(name: String, isFile: Bool) async throws {
        _ = try await attack(isFile: isFile) { remote in
            if let greeting = Self.greetings[name] { remote.greeting = greeting }
            remote.answer = { _ in throw RemoteError.later() }
        }
    }

    @Test func anotherEpochInEachGreetingDoesNotEndInACircle() async throws {
        let epochs = Planner.names("epoch")
        _ = try await attack(isFile: false) { remote in
            remote.greeting = { $0.epoch = epochs() }
            remote.page = { page, request in
                page.cursor = SyncCursor(epoch: request.cursor.epoch, sequence: request.cursor.sequence + 1)
                page.hasMore = false
            }
            remote.answer = { _ in throw RemoteError.handshakeNeeded("again") }
        }
    }
}
