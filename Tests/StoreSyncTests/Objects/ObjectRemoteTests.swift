import DifferentialSyncTesting
import Foundation
import StoreSync
import SyncPersistence
import TestSupport
import Testing

/// The messages of devices to a remote over objects.
@Suite struct ObjectRemoteTests {
    let objects = InMemoryObjects()
    let names = Locked(0)

    func remote(
        _ objects: (any ObjectStore)? = nil, limits: SyncLimits = SyncLimits(), maximumSegments: Int = 64,
        seal: ObjectSeal? = nil
    ) -> ObjectRemote {
        ObjectRemote(
            objects ?? self.objects, account: "ann", limits: limits, seal: seal, maximumSegments: maximumSegments,
            makeName: { [names] in "n\(names.next())" })
    }

    /// Two devices that know the remote, each with an instance of it.
    func devices(_ make: () -> ObjectRemote) async throws -> (HandDrivenDevice, HandDrivenDevice) {
        var (phone, tablet) = (HandDrivenDevice("phone", make()), HandDrivenDevice("tablet", make()))
        try await phone.greet()
        try await tablet.greet()
        return (phone, tablet)
    }

    @Test func theFirstHandshakeBeginsAHistoryForAllDevices() async throws {
        let (phone, tablet) = try await devices { remote() }
        #expect(phone.cursor == SyncCursor(epoch: "n1", sequence: 0))
        #expect(tablet.cursor == phone.cursor)
        let request = HandshakeRequest(
            versions: [2, 3], device: "new", cursor: nil, lastPush: nil, entities: [:])
        await #expect(throws: RemoteError.self) { try await remote().handshake(request) }
        var scoped = HandshakeRequest(device: "new", cursor: nil, lastPush: nil, entities: [:])
        scoped.scope = "home"
        await #expect(throws: RemoteError.unauthorized) { try await remote().handshake(scoped) }
    }

    @Test func whatOneDevicePushesTheOtherPulls() async throws {
        var (phone, tablet) = try await devices { remote() }
        #expect(try await phone.push(.insert(1, "milk"), .insert(2, "tea")) == [.accepted(), .accepted()])
        #expect(try await tablet.pull() == [note(1), note(2)])
        #expect(try await tablet.push(.update(1, "oat milk"), .delete(2)) == [.accepted(), .accepted()])
        #expect(try await phone.pull() == [note(1), note(2)])
        // The update has only changed values; the page has all.
        #expect(phone.records == [note(1): RandomMessages.object(["text": "oat milk", "done": false])])
        #expect(try await tablet.pull() == [], "its own changes do not come back")
        #expect(try await tablet.pull(comparison: 0) == [])
        tablet.cursor = SyncCursor(epoch: tablet.cursor.epoch, sequence: 0)
        #expect(try await tablet.pull(comparison: 0) == [note(1), note(2)], "a comparison includes them")
    }

    @Test func disjointRecordsNeverRefuseEachOther() async throws {
        var (phone, tablet) = try await devices { remote() }
        for key in 0..<5 as Range<Int64> {
            #expect(try await phone.push(.insert(key, "p")) == [.accepted()])
            #expect(try await tablet.push(.insert(100 + key, "t")) == [.accepted()])
        }
        try await phone.pull()
        try await tablet.pull()
        #expect(phone.texts.count == 10 && phone.texts == tablet.texts)
    }

    @Test func recordsThatAnotherDeviceHasChangedAreConflicts() async throws {
        var (phone, tablet) = try await devices { remote() }
        try await phone.push(.insert(1, "a"), .insert(2, "b"), .insert(3, "c"), .insert(4, "d"))
        try await tablet.pull()
        try await tablet.push(.update(1, "A"), .delete(2), .delete(3), .insert(5, "e"), .insert(6, "f"))
        #expect(
            try await phone.push(
                .update(1, "x"), .update(2, "x"), .delete(3), .update(4, "x"), .insert(5, "x"), .insert(6, "f"))
                == [.conflict, .conflict, .accepted(), .accepted(), .conflict, .accepted()])
        try await phone.pull()
        try await tablet.pull()
        #expect(phone.texts == [1: "A", 4: "x", 5: "e", 6: "f"])
        #expect(tablet.texts == phone.texts)
        #expect(try await phone.push(.update(1, "x")) == [.accepted()], "after the pull")
    }

    /// The remote cannot know that only a line refers to a note.
    @Test func recordsThatMayReferToANewOneInConflictAreConflicts() async throws {
        var (phone, tablet) = try await devices { remote() }
        try await tablet.push(.insert(1, "t"))
        func line(_ key: Value, _ note: Value) -> Mutation {
            Mutation(RecordID("Line", key), .insert(RandomMessages.object(["id": key, "note": note])))
        }
        #expect(
            try await phone.push(.insert(1, "p"), line(7, 1), line(1, .null), line(2, 2))
                == [.conflict, .conflict, .accepted(), .accepted()])
        try await phone.pull()
        #expect(try await phone.push(line(7, 1)) == [.accepted()])
    }

    @Test func ownChangesAfterTheBaseAreNoConflicts() async throws {
        var (phone, _) = try await devices { remote() }
        try await phone.push(.insert(1, "a"))
        #expect(try await phone.push(.update(1, "b")) == [.accepted()])
        try await phone.remote.compact()
        #expect(try await phone.push(.update(1, "c")) == [.accepted()], "a compacted segment knows the writers")
    }

    @Test func whatCannotBeIsRefusedAndTheRestIsMade() async throws {
        var (phone, tablet) = try await devices { remote() }
        let outcomes = try await phone.push(.update(7, "x"), .insert(1, "a"), .insert(1, "b"), .delete(9))
        #expect(outcomes[1] == .accepted() && outcomes[3] == .accepted())
        guard case .refused("missing", _) = outcomes[0], case .refused("duplicate", _) = outcomes[2] else {
            Issue.record("\(outcomes)")
            return
        }
        try await tablet.pull()
        #expect(tablet.texts == [1: "a"])
    }

    @Test func aLostAnswerIsRepeated() async throws {
        var (phone, tablet) = try await devices { remote() }
        try await phone.push(.insert(1, "a"))
        try await tablet.pull()
        try await tablet.push(.update(1, "b"))
        let request = phone.request([.update(1, "x"), .insert(2, "y")])
        let answer = try await phone.remote.push(request)
        try await tablet.pull()
        try await tablet.push(.update(2, "z"))
        #expect(try await remote().push(request) == answer)
        #expect(try await phone.greet().lastPush == answer)
        try await phone.pull()
        #expect(phone.texts == [1: "b", 2: "z"])
    }

    @Test func otherNumbersNeedAHandshake() async throws {
        var (phone, _) = try await devices { remote() }
        try await phone.push(.insert(1, "a"))
        for (number, name) in [(1, "other"), (0, "phone-0"), (3, "phone-3"), (-1, ""), (.max, "")] as [(Int64, String)]
        {
            let request = PushRequest(
                device: "phone", name: PushName(number: number, name: name), base: phone.cursor,
                mutations: [.insert(2, "b")])
            let error = await #expect(throws: RemoteError.self) { try await phone.remote.push(request) }
            guard case .handshakeNeeded = error else {
                Issue.record("\(number)")
                continue
            }
        }
        for cursor in [SyncCursor(epoch: "other", sequence: 0), SyncCursor(epoch: phone.cursor.epoch, sequence: 2)] {
            await #expect(throws: RemoteError.self) {
                try await phone.remote.pull(PullRequest(device: "phone", cursor: cursor))
            }
            let request = PushRequest(
                device: "phone", name: PushName(number: 2, name: "2"), base: cursor, mutations: [])
            await #expect(throws: RemoteError.self) { try await phone.remote.push(request) }
        }
        let pull = PullRequest(device: "phone", cursor: SyncCursor(epoch: "e", sequence: 0))
        await #expect(throws: RemoteError.handshakeNeeded("there is no history yet")) {
            try await ObjectRemote(InMemoryObjects(), account: "a").pull(pull)
        }
    }

    @Test func pagesAreBoundedAndAChangedRecordMovesBehind() async throws {
        let limits = SyncLimits(pageRecords: 3, pushRecords: 10, bytes: 60)
        var (phone, tablet) = try await devices { remote(limits: limits) }
        for key in 0..<7 as Range<Int64> { try await phone.push(.insert(key, "text")) }
        try await phone.push(.insert(7, String(repeating: "long", count: 100)))
        let first = try await tablet.remote.pull(PullRequest(device: "tablet", cursor: tablet.cursor))
        #expect(first.entries.map(\.id) == [note(0), note(1)] && first.hasMore && first.remaining == 6)
        tablet.cursor = first.cursor
        try await phone.push(.update(2, "new"), .delete(3))
        #expect(try await tablet.pull() == [4, 5, 6, 7, 2, 3].map(note))
        tablet.cursor = SyncCursor(epoch: tablet.cursor.epoch, sequence: 0)
        #expect(try await tablet.pull(limit: 1, comparison: 0) == [0, 1, 4, 5, 6, 7, 2, 3].map(note))
    }

    @Test func aSegmentThatNoHeadNamesDoesNotCount() async throws {
        var (phone, tablet) = try await devices { remote() }
        _ = try await objects.write("segment-1-torn", Data("{\"version\":1,\"entr".utf8), ifTag: nil)
        try await phone.push(.insert(1, "a"))
        try await tablet.pull()
        #expect(tablet.texts == [1: "a"])
        #expect(try await objects.list(prefix: "segment-").contains("segment-1-torn"))
        try await phone.remote.compact()
        #expect(try await objects.list(prefix: "segment-") == [])
        #expect(try await objects.list(prefix: "snapshot-").count == 2, "a segment and an index")
    }

    @Test func aDeviceThatWasFasterIsComparedWith() async throws {
        var (phone, tablet) = try await devices { remote() }
        try await phone.push(.insert(1, "a"), .insert(2, "b"))
        try await tablet.pull()
        try await phone.pull()
        // The tablet pushes between the phone's segment and its head.
        let rival = Locked<HandDrivenDevice?>(tablet)
        let watched = objects.withWriteHook { name in
            guard name == "head", var tablet = rival.exchange(with: nil) else { return }
            try await tablet.push(.update(1, "tablet"))
        }
        let request = phone.request([.update(1, "phone"), .update(2, "phone")])
        #expect(try await remote(watched).push(request).outcomes == [.conflict, .accepted()])
        try await phone.pull()
        #expect(phone.texts == [1: "tablet", 2: "b"])
        var other = HandDrivenDevice("other", remote())
        try await other.greet()
        try await other.pull()
        #expect(other.texts == [1: "tablet", 2: "phone"])
    }

    @Test func concurrentDevicesLoseNothing() async throws {
        let objects = objects
        try await HandDrivenDevice.run(["a", "b", "c", "d"], pushes: 25) { _ in
            ObjectRemote(objects, account: "ann", maximumSegments: 5)
        }
        var last = HandDrivenDevice("last", remote())
        try await last.greet()
        try await last.pull()
        #expect(last.records.count == 4 * 25 + 1)
        #expect(last.records[note(0)]?["count"] == 100)
    }

    @Test func aHistoryThatWasRestoredFromACopyGetsAnotherEpoch() async throws {
        var (phone, tablet) = try await devices { remote() }
        try await phone.push(.insert(1, "a"))
        let copy = try #require(try await objects.read("head"))
        try await phone.push(.insert(2, "b"))
        try await tablet.pull()
        let head = try #require(try await objects.read("head"))
        _ = try await objects.write("head", copy.bytes, ifTag: head.tag)
        let old = tablet.cursor
        try await tablet.greet()
        #expect(tablet.cursor.epoch != old.epoch && tablet.cursor.sequence == 0)
        try await phone.greet()
        #expect(phone.cursor.epoch == tablet.cursor.epoch)
        #expect(try await phone.pull(comparison: 0) == [note(1)])
        #expect(try await phone.push(.insert(2, "b")) == [.accepted()])
    }

    @Test func aNewEpochMakesAllDevicesCompare() async throws {
        try await remote().beginEpoch()
        #expect(try await objects.list(prefix: "") == [])
        var (phone, tablet) = try await devices { remote() }
        try await phone.push(.insert(1, "a"))
        try await remote().beginEpoch()
        await #expect(throws: RemoteError.self) { try await tablet.pull() }
        try await tablet.greet()
        #expect(try await tablet.pull(comparison: 0) == [note(1)])
    }
}

extension HandDrivenDevice {
    /// Lets devices push at the same time: each a record of its own at a time, and all one counter.
    static func run(
        _ names: [String], pushes: Int64, _ remote: @escaping @Sendable (String) throws -> ObjectRemote
    ) async throws {
        // Two devices that both inserted the counter with the same value would have counted once.
        var first = HandDrivenDevice("first", try remote("first"))
        try await first.greet()
        try await first.push(Mutation(note(0), .insert(RandomMessages.object(["count": .integer(0)]))))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, name) in names.enumerated() {
                group.addTask {
                    var device = HandDrivenDevice(name, try remote(name))
                    try await device.greet()
                    for key in 0..<pushes {
                        try await device.push(.insert(Int64(index + 1) * 1_000_000 + key, name))
                        try await device.count()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Adds 1 to the counter that all devices share.
    mutating func count() async throws {
        for _ in 0..<10_000 {
            try await pull()
            var count: Int64 = 0
            if case .integer(let known)? = records[note(0)]?["count"] { count = known }
            let values = RandomMessages.object(["count": .integer(count + 1)])
            let outcomes = try await push(Mutation(note(0), .update(values)))
            if outcomes == [.accepted()] { return }
        }
    }
}
