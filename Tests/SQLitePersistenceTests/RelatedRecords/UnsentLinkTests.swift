import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import Testing

/// A link was made here, its relationship has had no cycle on this device, and the remote deletes one of its records.
@Suite(.needsStores) struct UnsentLinkTests {
    private let linkID = RecordID("sync.links.Tag.tasks", [1, 1])

    /// A tablet that has linked task 1 with tag 1, both from the remote; a phone has deleted the tag since.
    private func tablet(
        _ kind: StoreKind, opensLinks: Bool, remotes: RelatedRemotes
    ) async throws -> (phone: RelatedDevice, tablet: RelatedDevice) {
        let (phone, tablet) = (try await remotes.device(kind), try await remotes.device(kind))
        if opensLinks { _ = try await tablet.store.linkCollection(of: "Task", relationship: "tags") }
        try await phone.put("Tag", ["id": 1], ["id": 2])
        try await phone.put("Task", ["id": 1])
        for device in [phone, tablet] { try await device.sync("Task", "Tag") }
        try await tablet.change { $0.link(RecordID("Task", 1), "tags", to: 1) }
        try await phone.delete("Tag", 1)
        try await phone.sync("Tag")
        return (phone, tablet)
    }

    private func syncTags(_ device: RelatedDevice) async throws -> CycleOutcome {
        let server = try #require(device.remotes.records["Tag"])
        return try await device.store.recordCollection(of: "Tag")
            .synchronize(with: server, pushID: device.remotes.nextPushID(), policy: .leaveOpen)
    }

    @Test(arguments: StoreKind.allCases)
    func linkKeepsItsTagOnceItsCollectionWasOpened(kind: StoreKind) async throws {
        let (phone, tablet) = try await tablet(kind, opensLinks: true, remotes: try RelatedRemotes())
        let outcome = try await syncTags(tablet)
        #expect(outcome.waiting == [RecordID("Tag", 1)])
        #expect(outcome.deletedLinks == [])
        #expect(try await tablet.related("Task", 1, "tags") == [1])
        try await tablet.sync("Task.tags", "Tag")
        let tags = try await tablet.store.recordCollection(of: "Tag")
        try await tags.resolve(1, with: .local, of: try #require(try await tags.waiting.first))
        for device in [tablet, phone] { try await device.sync("Tag", "Task.tags") }
        #expect(try await phone.related("Task", 1, "tags") == [1])
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases)
    func tagIsDeletedOnceTheLinkWasTakenAwayHere(kind: StoreKind) async throws {
        let (_, tablet) = try await tablet(kind, opensLinks: true, remotes: try RelatedRemotes())
        _ = try await syncTags(tablet)
        try await tablet.change { $0.unlink(RecordID("Task", 1), "tags", from: 1) }
        #expect(try await tablet.keys("Tag") == [2], "without another cycle")
        #expect(try await syncTags(tablet).waiting == [])
    }

    @Test(arguments: StoreKind.allCases)
    func linkOfACollectionThatWasNeverOpenedIsListedOnceItIsDeleted(kind: StoreKind) async throws {
        let (_, tablet) = try await tablet(kind, opensLinks: false, remotes: RelatedRemotes(try .planner()))
        let outcome = try await syncTags(tablet)
        #expect(try await tablet.keys("Tag") == [2])
        #expect(outcome.isSynced)
        #expect(outcome.deletedLinks == [linkID])
        #expect(try await syncTags(tablet).deletedLinks == [], "only once")
    }

    @Test(arguments: StoreKind.allCases)
    func itIsListedByTheNextCycleIfTheFirstIsCutOff(kind: StoreKind) async throws {
        let (_, tablet) = try await tablet(kind, opensLinks: false, remotes: RelatedRemotes(try .planner()))
        try await tablet.update("Tag", 2, ["name": "edited"])
        let tags = try await tablet.store.recordCollection(of: "Tag")
        let server = try #require(tablet.remotes.records["Tag"])
        let account = try #require(try await tags.account)
        var cycle = DurableCycle(
            tags, pushID: "cut off", account: account, recognizesPushes: true, policy: .leaveOpen)
        guard case .push = try await cycle.begin() else { throw CancellationError() }
        guard case .pull(let version) = try await cycle.pushed(.refused) else { throw CancellationError() }
        guard case .push = try await cycle.pulled(await server.pull(since: version)) else {
            throw CancellationError()
        }
        #expect(try await tablet.keys("Tag") == [2])
        guard case .finished(let failed) = try await cycle.failed() else { throw CancellationError() }
        #expect(failed.deletedLinks == [linkID])
        #expect(try await syncTags(tablet).deletedLinks == [linkID], "no cycle has ended since")
        #expect(try await syncTags(tablet).deletedLinks == [])
    }

    @Test(arguments: StoreKind.allCases)
    func linkThatIsDeletedWithATagHereIsNotListed(kind: StoreKind) async throws {
        let (_, tablet) = try await tablet(kind, opensLinks: false, remotes: RelatedRemotes(try .planner()))
        try await tablet.delete("Tag", 1)
        #expect(try await syncTags(tablet).deletedLinks == [])
    }

    @Test(arguments: StoreKind.allCases)
    func linkThatWasNotMadeHereKeepsNothingBeforeTheFirstCycle(kind: StoreKind) async throws {
        let (_, tablet) = try await tablet(kind, opensLinks: true, remotes: try RelatedRemotes())
        // As a sync of JSON stores it.
        let name = try await tablet.store.linkCollection(of: "Task", relationship: "tags").entity
        try await tablet.store.write { transaction in
            var changes = ChangeSet(origin: .agreed)
            for link in try transaction.records(Query(name)) { changes.put(link) }
            try transaction.apply(changes)
        }
        let outcome = try await syncTags(tablet)
        #expect(try await tablet.keys("Tag") == [2])
        #expect(outcome.deletedLinks == [])
    }

    @Test(arguments: StoreKind.allCases)
    func openingACollectionOfLinksAgainWritesNothing(kind: StoreKind) async throws {
        let store = try await kind.store(.planner())
        _ = try await store.linkCollection(of: "Task", relationship: "tags")
        let sequence = try await store.read { try $0.sequence }
        _ = try await store.linkCollection(of: "Tag", relationship: "tasks")
        #expect(try await store.read { try $0.sequence } == sequence)
    }
}
