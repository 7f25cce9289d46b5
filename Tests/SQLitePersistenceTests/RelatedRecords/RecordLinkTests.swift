import DifferentialSync
import Foundation
import SyncPersistence
import Testing

/// Links of to-many relationships are synchronized by a collection of their own.
@Suite(.needsStores) struct RecordLinkTests {
    private func devices(_ kind: StoreKind) async throws -> (phone: RelatedDevice, tablet: RelatedDevice) {
        let remotes = try RelatedRemotes()
        let (phone, tablet) = (try await remotes.device(kind), try await remotes.device(kind))
        try await phone.put("Task", ["id": 1], ["id": 2])
        try await phone.put("Tag", ["id": 1], ["id": 2], ["id": 3])
        try await phone.change { $0.setLinks(RecordID("Task", 1), "tags", to: [3, 1]) }
        for device in [phone, tablet] { try await device.sync(remotes.names) }
        return (phone, tablet)
    }

    @Test(arguments: StoreKind.allCases)
    func linksArriveInTheirOrder(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        #expect(try await tablet.related("Task", 1, "tags") == [3, 1])
        try await tablet.change { $0.setLinks(RecordID("Task", 1), "tags", to: [1, 2, 3]) }
        for device in [tablet, phone] { try await device.sync("Task.tags") }
        #expect(try await phone.related("Task", 1, "tags") == [1, 2, 3])
        #expect(try await phone.related("Tag", 2, "tasks") == [1])
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases)
    func linksWaitForTheirRecords(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.put("Tag", ["id": 9])
        try await phone.change {
            $0.link(RecordID("Task", 2), "tags", to: 9)
            $0.link(RecordID("Task", 2), "tags", to: 2)
        }
        try await phone.sync("Task.tags")
        try await tablet.sync("Task.tags", "Tag")
        #expect(try await tablet.related("Task", 2, "tags") == [2])
        try await phone.sync("Tag")
        try await tablet.sync("Tag", "Task.tags")
        #expect(try await tablet.related("Task", 2, "tags") == [9, 2])
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases)
    func tagThatWasLinkedHereOutlivesItsRemoteDeletion(kind: StoreKind) async throws {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Tag", 1)
        try await phone.delete("Tag", 2)
        for name in ["Tag", "Task.tags"] { try await phone.sync(name) }
        try await tablet.change { $0.link(RecordID("Task", 2), "tags", to: 1) }
        try await tablet.sync("Tag")
        #expect(try await tablet.keys("Tag") == [1, 3])
        #expect(try await tablet.related("Task", 2, "tags") == [1])
        // The link is sent, and keeps the tag until the conflict is resolved.
        for _ in 0..<3 { for device in [tablet, phone] { try await device.sync("Task.tags", "Tag") } }
        #expect(try await tablet.keys("Tag") == [1, 3])
        #expect(try await tablet.waiting("Tag") == [1])
        let tags = try await tablet.store.recordCollection(of: "Tag")
        try await tags.resolve(1, with: .local, of: try #require(try await tags.waiting.first))
        for device in [tablet, phone] { try await device.sync("Tag") }
        #expect(try await phone.related("Task", 2, "tags") == [1])
        try await expectAgreement([phone, tablet])
    }

    /// A phone that has deleted a tag, and a tablet that has linked it: each waits for the other.
    private func devicesThatWait(_ kind: StoreKind) async throws -> (phone: RelatedDevice, tablet: RelatedDevice) {
        let (phone, tablet) = try await devices(kind)
        try await phone.delete("Tag", 2)
        try await tablet.change { $0.link(RecordID("Task", 2), "tags", to: 2) }
        for _ in 0..<3 { for device in [phone, tablet] { try await device.sync("Tag", "Task.tags") } }
        #expect(try await tablet.waiting("Tag") == [2])
        let links = try await phone.store.linkCollection(of: "Task", relationship: "tags")
        #expect(try await links.waiting.map(\.remote?.id) == [RecordLink.ID(source: 2, target: 2)])
        return (phone, tablet)
    }

    @Test(arguments: StoreKind.allCases)
    func deviceThatHasDeletedTheTagCanDeclineTheLinkThatWaits(kind: StoreKind) async throws {
        let (phone, tablet) = try await devicesThatWait(kind)
        let links = try await phone.store.linkCollection(of: "Task", relationship: "tags")
        let waiting = try #require(try await links.waiting.first)
        try await links.resolve(try #require(waiting.remote?.id), with: .local, of: waiting)
        for device in [phone, tablet] { try await device.sync("Task.tags", "Tag") }
        #expect(try await tablet.keys("Tag") == [1, 3])
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases)
    func deviceThatHasMadeTheLinkCanDeleteTheTagThatWaits(kind: StoreKind) async throws {
        let (phone, tablet) = try await devicesThatWait(kind)
        let tags = try await tablet.store.recordCollection(of: "Tag")
        try await tags.resolve(2, with: .remote, of: try #require(try await tags.waiting.first))
        for device in [tablet, phone] { try await device.sync("Task.tags", "Tag") }
        #expect(try await tablet.keys("Tag") == [1, 3])
        try await expectAgreement([phone, tablet])
    }

    @Test(arguments: StoreKind.allCases)
    func collectionIsThatOfBothEnds(kind: StoreKind) async throws {
        let store = try await kind.store(.planner())
        let links = try await store.linkCollection(of: "Task", relationship: "tags")
        let others = try await store.linkCollection(of: "Tag", relationship: "tasks")
        #expect(links.entity == others.entity)
        let error = await #expect(throws: PersistenceError.self) {
            try await store.linkCollection(of: "Project", relationship: "tasks")
        }
        #expect(error?.code == .wrongType)
    }

    @Test(arguments: StoreKind.allCases)
    func linksAreReadAndWrittenAsElements(kind: StoreKind) async throws {
        let (phone, _) = try await devices(kind)
        let links = try await phone.store.linkCollection(of: "Tag", relationship: "tasks")
        let link = try #require(try await links.elements().first { $0.inversePosition == 0 })
        let (near, far) = (link.source, link.target)
        try await links.remove(link.id)
        #expect(try await phone.related("Task", 1, "tags").count == 1)
        try await links.insert(RecordLink(source: near, target: far, inversePosition: 5))
        #expect(try await phone.related("Task", 1, "tags").count == 2)
        #expect(try await links.localDiff?.replace.count == 1)
    }

    @Test func linkHasAStableForm() throws {
        let link = RecordLink(source: 7, target: "a", position: 0)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(link), as: UTF8.self)
        #expect(text == #"{"position":0,"source":7,"target":"a"}"#)
        #expect(try JSONDecoder().decode(RecordLink.self, from: Data(text.utf8)) == link)
    }
}
