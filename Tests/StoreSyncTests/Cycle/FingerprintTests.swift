import DifferentialSyncTesting
import StoreSync
import Testing

/// A device whose remote has, or claims to have, other contents.
@Suite struct FingerprintTests: PlannerSuite {
    let shared: SharedPlanner

    init() throws { shared = try SharedPlanner(limits: SyncLimits(pageRecords: 5)) }

    /// Both devices have ten tags; the laptop has sent a change that the phone does not have.
    private func prepare() async throws {
        for number in 0..<10 as Range<Int64> { try await editTag(number, "old") }
        try await phone.sync(with: service)
        try await editTag(1, "new")
    }

    private func editTag(_ number: Int64, _ name: String) async throws {
        try await laptop.edit { changes, schema in
            try changes.put(Record("Tag", in: schema, ["id": .integer(number), "name": .string(name)]))
        }
        try await laptop.sync(with: service)
    }

    /// Returns a remote whose fingerprints are wrong.
    private func liar() -> ScriptedRemote {
        var remote = ScriptedRemote(service)
        remote.page = { page, _ in page.fingerprint?.low &+= 1 }
        return remote
    }

    @Test func aStoreWithAnotherFingerprintIsNotSynced() async throws {
        try await prepare()
        let outcome = try await phone.sync(with: liar())
        #expect(outcome.isVerified == false)
        #expect(!outcome.isSynced)
    }

    @Test func aFingerprintThatWasWrongOnceIsComparedAgainByTheNextCycle() async throws {
        try await prepare()
        try await phone.sync(with: liar())
        let outcome = try await phone.sync(with: service)
        #expect(outcome.isVerified == true)
        #expect(outcome.isSynced)
        let remote = ScriptedRemote(service)
        #expect(try await phone.sync(with: remote).isSynced)
        #expect(remote.requestCount.withLock { $0 } == 1)
    }

    @Test func aFingerprintThatIsAlwaysWrongCostsOneComparison() async throws {
        try await prepare()
        let first = liar()
        try await phone.sync(with: first)
        // A handshake, a page, and a comparison of two pages.
        #expect(first.requestCount.withLock { $0 } == 4)
        for _ in 1...3 {
            let next = liar()
            #expect(try await !phone.sync(with: next).isSynced)
            #expect(next.requestCount.withLock { $0 } == 2)
        }
    }

    @Test func aHistoryThatJumpsIsComparedOnceInACycle() async throws {
        try await prepare()
        var remote = liar()
        let jump = Locked<Int64>(0)
        remote.page = { page, _ in
            page.fingerprint?.low &+= 1
            if page.hasMore { return }
            let sequence = jump.withLock { jump in
                jump += 1_000
                return jump
            }
            page.cursor = SyncCursor(epoch: page.cursor.epoch, sequence: sequence)
        }
        try await phone.sync(with: remote)
        #expect(remote.requestCount.withLock { $0 } == 4)
    }

    @Test func aRecordThatAFaultyComparisonHasMissedArrivesLater() async throws {
        try await prepare()
        try await editTag(77, "missed")
        var remote = ScriptedRemote(service)
        remote.page = { page, _ in page.entries.removeAll { $0.id.key == 77 } }
        #expect(try await !phone.sync(with: remote).isSynced)
        #expect(try await phone.record("Tag", 77) == nil)
        for number in 0..<12 as Range<Int64> { try await editTag(number, "newest") }
        let outcome = try await phone.sync(with: service)
        #expect(outcome.isVerified == true)
        #expect(try await phone.value("Tag", 77, "name") == "missed")
    }
}
