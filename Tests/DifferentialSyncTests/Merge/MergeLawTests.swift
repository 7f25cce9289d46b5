import DifferentialSync
import TestSupport
import Testing

/// Laws of merge and cycle that compare several merges with each other, over every small case.
struct MergeLawTests {
    static let alphabet = [Item(1, 0), Item(1, 1), Item(1, 2), Item(2, 0), Item(2, 1)]

    /// Every collection over two keys, one of them with as many values as a conflict has versions; in debug builds
    /// those in one order.
    static let collections: [[Item]] = allSequences(of: alphabet, upTo: 2).filter { items in
        let keys = items.map(\.id)
        return Set(keys).count == keys.count && (isFullScale || keys != [2, 1])
    }

    /// Policies with those that answer the same where local and remote are exchanged.
    static let exchanged: [(ConflictPolicy<Item>, ConflictPolicy<Item>)] = [
        (.localWins, .remoteWins), (.remoteWins, .localWins), (.leaveOpen, .leaveOpen),
        (.newest(by: \.value), .newest(by: \.value)),
        (.keepEdits(otherwise: .localWins), .keepEdits(otherwise: .remoteWins)),
        (ConflictPolicy { _ in .base }, ConflictPolicy { _ in .base }),
        (ConflictPolicy { _ in .delete }, ConflictPolicy { _ in .delete }),
    ]

    private func forEachTriple(_ body: ([Item], [Item], [Item]) throws -> Void) rethrows {
        for base in Self.collections {
            for local in Self.collections {
                for remote in Self.collections { try body(base, local, remote) }
            }
        }
    }

    @Test func aKeyedMergeIsIdempotent() throws {
        try forEachTriple { wins, loses, target in
            for changes in [try diff(wins: wins, loses: loses, primaryKey: \.id), diff(wins: wins, loses: loses)] {
                let once = merge(into: target, applying: changes, primaryKey: \.id) { _, _ in true }
                let twice = merge(into: once, applying: changes, primaryKey: \.id) { _, _ in true }
                if once != twice { Issue.record("\(wins) against \(loses), into \(target): \(once), \(twice)") }
            }
        }
    }

    @Test func exchangedSidesComeToTheSame() throws {
        for (policy, exchanged) in Self.exchanged {
            try forEachTriple { base, local, remote in
                let one = try merge(base: base, local: local, remote: remote, primaryKey: \.id, policy: policy)
                let other = try merge(base: base, local: remote, remote: local, primaryKey: \.id, policy: exchanged)
                if Set(one.elements) != Set(other.elements) {
                    Issue.record("\(base), \(local), \(remote): \(one.elements), \(other.elements)")
                }
            }
        }
    }

    @Test func bothSidesAndTheBaseMeet() throws {
        for (policy, _) in Self.exchanged {
            try forEachTriple { base, local, remote in
                let merged = try merge(base: base, local: local, remote: remote, primaryKey: \.id, policy: policy)
                let (changes, open) = (merged.merge, merged.open)
                let here = try changes.toLocal?.applied(exactlyTo: local, primaryKey: \.id) ?? local
                let there = try changes.toRemote?.applied(exactlyTo: remote, primaryKey: \.id) ?? remote
                let between = try changes.toBase?.applied(exactlyTo: base, primaryKey: \.id) ?? base
                let meet = Set(here) == Set(merged.elements) && Set(there) == Set(merged.elements)
                if Set(between) != Set(merged.elements) || (open.isEmpty && !meet) {
                    Issue.record("\(base), \(local), \(remote): \(here), \(there), \(between), \(merged.elements)")
                }
            }
        }
    }

    @Test func withoutABaseNoKeyIsLost() throws {
        for (policy, _) in Self.exchanged.prefix(5) {
            for local in Self.collections {
                for remote in Self.collections {
                    let keys = Set((local + remote).map(\.id))
                    let merged = try merge(base: nil, local: local, remote: remote, primaryKey: \.id, policy: policy)
                    #expect(Set((merged.elements.map(\.id)) + merged.open.compactMap(\.local?.id)) == keys)
                    let cycle = try synchronize(client: local, shadow: nil, remote: remote, policy: policy)
                    #expect(Set(cycle.client.map(\.id)) == keys)
                    #expect(cycle.push?.deletions ?? [] == [])
                }
            }
        }
    }

    @Test func aSecondCycleHasNothingToDo() throws {
        for (policy, _) in Self.exchanged {
            try forEachTriple { shadow, client, remote in
                let first = try synchronize(client: client, shadow: shadow, remote: remote, policy: policy)
                let pushed = merge(into: remote, applying: first.push, primaryKey: \.id) { _, _ in true }
                let second = try synchronize(
                    client: first.client, shadow: first.shadow, remote: pushed, policy: .leaveOpen)
                let isTheSame = Set(second.client) == Set(first.client) && Set(second.open) == Set(first.open)
                let isAtRest = second.push == nil && isTheSame
                if !isAtRest { Issue.record("\(shadow), \(client), \(remote): \(first), \(second)") }
            }
        }
    }
}
