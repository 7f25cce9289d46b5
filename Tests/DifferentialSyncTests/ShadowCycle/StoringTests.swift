import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// What has to be stored with a collection, and what becomes of it without.
struct StoringTests {
    /// A phone with an open conflict about item 1, and the remote it has synced with.
    static func world() throws -> (SimulatedRemote<Item, Int>, JournaledCollection<Item, Int>) {
        var remote = SimulatedRemote<Item, Int>(primaryKey: \.id)
        remote.reset(to: [Item(1), Item(2)])
        var phone = try JournaledCollection<Item, Int>(client: [], shadow: [], version: nil)
        try remote.synchronize(&phone, pushID: "1", policy: .unexpected)
        var tablet = phone
        try tablet.update(Item(1, 7))
        try remote.synchronize(&tablet, pushID: "2", policy: .unexpected)
        try phone.update(Item(1, 5))
        try remote.synchronize(&phone, pushID: "3", policy: .leaveOpen)
        return (remote, phone)
    }

    @Test func whatIsUnsettledSurvivesStoring() throws {
        var (remote, phone) = try Self.world()
        let unsettled = phone.unsettled
        #expect(unsettled == [Conflict(base: Item(1), local: Item(1, 5), remote: Item(1, 7))])

        var again = try JournaledCollection(client: Array(phone), shadow: phone.shadow, version: phone.version)
        let known = try diff(
            wins: unsettled.compactMap(\.remote), loses: unsettled.compactMap(\.base), primaryKey: \.id)
        try again.takeIn(known, policy: .leaveOpen)
        #expect(again.unsettled == unsettled)
        #expect(again.localDiff == phone.localDiff)

        try remote.synchronize(&again, pushID: "4", policy: .leaveOpen)
        #expect(remote.elements.contains(Item(1, 7)), "the conflict is still open")
        try remote.synchronize(&again, pushID: "5", policy: .remoteWins)
        #expect(again[1] == Item(1, 7))
        #expect(again.unsettled.isEmpty)
    }

    @Test func withoutItTheLocalVersionIsPushedUnasked() throws {
        let (remote, phone) = try Self.world()
        let again = try JournaledCollection(client: Array(phone), shadow: phone.shadow, version: phone.version)
        var cycle = SyncCycle<Item, Int>(pushID: "4", policy: .unexpected)
        let step = try cycle.begin(again)
        guard case .push(let push) = step else { return #expect(Bool(false), "\(step)") }
        #expect(push.expected == remote.version, "the remote would take it")
        #expect(push.changes == Diff([.replace(old: Item(1), new: Item(1, 5))]), "on an old value that it has not")
    }
}
