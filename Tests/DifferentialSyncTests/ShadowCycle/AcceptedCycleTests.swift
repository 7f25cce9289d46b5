import DifferentialSync
import TestSupport
import Testing

/// The end of a cycle over arrays, where the client has gone on editing.
struct AcceptedCycleTests {
    /// No item, or one with one of the values.
    static let states: [Item?] = [nil] + (0..<4).map { Item(1, $0) }

    @Test func anEditDuringTheCycleIsKept() throws {
        let shadow = [Item(1), Item(2), Item(3)]
        var client = [Item(1, 1), Item(2), Item(3)]
        let cycle = try synchronize(
            client: client, shadow: shadow, remote: [Item(1), Item(2), Item(3, 5), Item(9)], policy: .unexpected)
        // While the push is under way:
        client = [Item(1, 2), Item(3), Item(4)]
        let accepted = try cycle.accepted(by: client, shadow: shadow, primaryKey: \.id)
        #expect(accepted.client == [Item(1, 2), Item(3, 5), Item(9), Item(4)])
        #expect(accepted.shadow == cycle.shadow)
    }

    @Test func withoutEditsItIsTheResultOfTheCycle() throws {
        let cycle = try synchronize(
            client: [Item(1, 1), Item(3)], shadow: [Item(1), Item(2)], remote: [Item(2), Item(1), Item(4)],
            policy: .unexpected)
        let accepted = try cycle.accepted(by: [Item(3), Item(1, 1)], shadow: [Item(1), Item(2)])
        #expect(accepted.client == cycle.client)
        #expect(accepted.shadow == cycle.shadow)
    }

    @Test func aResultThatIsAcceptedTwiceOrTooLateIsRefused() throws {
        var (client, shadow): ([Item], [Item]?) = ([Item(1), Item(2, 1)], [Item(1), Item(2)])
        let cycle = try synchronize(
            client: client, shadow: shadow, remote: [Item(1), Item(2), Item(3)], policy: .unexpected)
        let accepted = try cycle.accepted(by: client, shadow: shadow)
        (client, shadow) = (accepted.client, accepted.shadow)
        // What was pulled is deleted at once: a second acceptance would bring it back.
        client.removeAll { $0.id == 3 }
        let error = #expect(throws: CycleError.self) { try cycle.accepted(by: client, shadow: shadow) }
        #expect(error?.code == .overtaken)
        #expect(
            error?.description == """
                the shadow is not the one with which this cycle began: the result was accepted already, or another cycle \
                has changed the shadow. Begin a new cycle
                """)
        let next = try synchronize(
            client: client, shadow: shadow, remote: [Item(1), Item(2, 1), Item(3)], policy: .unexpected)
        let acceptedNext = try next.accepted(by: client, shadow: shadow)
        (client, shadow) = (acceptedNext.client, acceptedNext.shadow)
        #expect(client == [Item(1), Item(2, 1)])
        #expect(throws: CycleError.self) { try cycle.accepted(by: client, shadow: shadow) }
    }

    @Test func aShadowWithNaNIsTheSame() throws {
        struct Reading: Equatable, Identifiable {
            var id: Int
            var value: Double
        }
        let shadow = [Reading(id: 1, value: .nan)]
        let client = shadow + [Reading(id: 2, value: 1)]
        let cycle = try synchronize(client: client, shadow: shadow, remote: shadow, policy: .localWins)
        let copy = shadow.map { $0 }
        #expect(try cycle.accepted(by: client, shadow: copy).client.count == 2)
    }

    /// Every record in base, client, remote and client during the push; then the next cycle.
    @Test(arguments: [true, false])
    func noEditOfEitherSideIsLost(leavesOpen: Bool) throws {
        for base in Self.states {
            for local in Self.states {
                for remote in Self.states {
                    for now in Self.states { try check(base, local, remote, now, leavesOpen: leavesOpen) }
                }
            }
        }
    }

    private func check(_ base: Item?, _ local: Item?, _ remote: Item?, _ now: Item?, leavesOpen: Bool) throws {
        func list(_ item: Item?) -> [Item] { item.map { [$0] } ?? [] }
        let policy: ConflictPolicy<Item> = leavesOpen ? .leaveOpen : .newest(by: \.value)
        let cycle = try synchronize(client: list(local), shadow: list(base), remote: list(remote), policy: policy)
        let pushed = try cycle.push?.applied(exactlyTo: list(remote), primaryKey: \.id) ?? list(remote)
        let accepted = try cycle.accepted(by: list(now), shadow: list(base))
        let name = "\(list(base)), \(list(local)), \(list(remote)), \(list(now))"
        if now == local {
            #expect(accepted.client == cycle.client && accepted.shadow == cycle.shadow, "\(name)")
            return
        }
        #expect(accepted.client == list(now), "an edit stays: \(name)")
        let next = try merge(
            base: accepted.shadow, local: accepted.client, remote: pushed, primaryKey: \.id, policy: .leaveOpen)
        if !cycle.open.isEmpty {
            #expect(next.open.isEmpty == (now == base || now == remote), "it stays open until it is undone: \(name)")
        } else if pushed == list(local) {
            #expect(next.open.isEmpty && next.elements == list(now), "the remote has what was pushed: \(name)")
        } else {
            #expect(next.open.isEmpty == (pushed == list(now)), "the remote's change meets the edit: \(name)")
        }
    }
}
