import DifferentialSync
import TestSupport
import Testing

struct ThreeWayMergeTests {
    let base = [Item(1), Item(2), Item(3), Item(4)]

    @Test func changesOfOneSideAreTakenWithoutAsking() throws {
        let local = [Item(1, 1), Item(2), Item(4), Item(5)]
        let remote = [Item(9), Item(1), Item(2, 1), Item(3)]
        let merged = try merge(base: base, local: local, remote: remote, primaryKey: \.id, policy: .unexpected)
        #expect(
            merged.elements == [Item(9), Item(1, 1), Item(2, 1), Item(5)], "the remote's order, then local additions")
        #expect(merged.open.isEmpty)
        #expect(merged.merge.resolved.isEmpty)
        #expect(
            Set(merged.merge.toLocal?.changes ?? []) == [
                .add(Item(9)), .replace(old: Item(2), new: Item(2, 1)), .delete(Item(4)),
            ])
        #expect(
            Set(merged.merge.toRemote?.changes ?? []) == [
                .add(Item(5)), .replace(old: Item(1), new: Item(1, 1)), .delete(Item(3)),
            ])
        #expect(merged.merge.toBase?.counts == ChangeCounts(added: 2, deleted: 2, replaced: 2))
    }

    @Test func theSameChangeOnBothSidesIsNoConflict() throws {
        let both = [Item(1, 1), Item(3), Item(4), Item(5)]
        let merged = try merge(base: base, local: both, remote: both.reversed(), primaryKey: \.id, policy: .unexpected)
        #expect(Set(merged.elements) == Set(both))
        #expect(merged.merge.toLocal == nil)
        #expect(merged.merge.toRemote == nil)
    }

    @Test func aDecisionHasTheVersionsOfBothSides() throws {
        let merged = try merge(
            base: base, local: [Item(1, 1), Item(2), Item(3), Item(4)], remote: [Item(1), Item(2), Item(3)],
            primaryKey: \.id, policy: .unexpected)
        let decisions = merged.merge.decisions
        #expect(decisions.map(\.local) == [Item(1, 1), Item(4)])
        #expect(decisions.map(\.remote) == [Item(1), nil])
        #expect(decisions.map(\.merged) == [Item(1, 1), nil])
    }

    @Test func aConflictCarriesAllThreeVersions() throws {
        let kinds: [(Conflict<Item>.Kind, [Item], [Item], [Item])] = [
            (.bothAdded, [], [Item(1, 1)], [Item(1, 2)]),
            (.bothEdited, [Item(1)], [Item(1, 1)], [Item(1, 2)]),
            (.editedHereDeletedThere, [Item(1)], [Item(1, 1)], []),
            (.deletedHereEditedThere, [Item(1)], [], [Item(1, 2)]),
        ]
        for (kind, base, local, remote) in kinds {
            let merged = try merge(base: base, local: local, remote: remote, primaryKey: \.id, policy: .leaveOpen)
            let conflict = try #require(merged.open.first)
            #expect(merged.open.count == 1)
            #expect(conflict.kind == kind)
            #expect(conflict == Conflict(base: base.first, local: local.first, remote: remote.first))
            #expect(merged.elements == base, "the base stands")
            #expect(merged.merge.toLocal == nil)
            #expect(merged.merge.toRemote == nil)
        }
    }

    @Test func withoutABaseNothingIsDeleted() throws {
        let merged = try merge(
            base: nil, local: [Item(1), Item(2, 1), Item(3)], remote: [Item(3), Item(2, 2), Item(4)], primaryKey: \.id,
            policy: .localWins)
        #expect(merged.elements == [Item(3), Item(2, 1), Item(4), Item(1)])
        #expect(merged.merge.resolved.map(\.conflict?.kind) == [.bothAdded])
    }

    @Test func everyResolutionIsCarriedOut() throws {
        let outcomes: [(Resolution<Item>, [Item])] = [
            (.local, [Item(1, 1)]), (.remote, [Item(1, 2)]), (.base, [Item(1, 0)]), (.delete, []),
            (.merged(Item(1, 7)), [Item(1, 7)]), (.open, [Item(1, 0)]),
        ]
        for (resolution, expected) in outcomes {
            let merged = try merge(
                base: [Item(1, 0)], local: [Item(1, 1)], remote: [Item(1, 2)], primaryKey: \.id,
                policy: ConflictPolicy { _ in resolution })
            #expect(merged.elements == expected)
            #expect(merged.merge.decisions.map(\.resolution) == [resolution])
        }
    }

    @Test func anAnswerWithAnotherKeyIsRefused() throws {
        let error = #expect(throws: KeyError.self) {
            try merge(
                base: [], local: [Item(1, 1)], remote: [Item(1, 2)], primaryKey: \.id,
                policy: ConflictPolicy { _ in .merged(Item(2)) })
        }
        #expect(error?.code == .changed)
        #expect(
            "\(try #require(error))"
                == "the new element for the key 1 in 'merged' has another key: keep the key, or delete and insert")
    }

    @Test func aClashInOneCollectionIsNamedByItsArgument() {
        let clash = [Item(1, 0), Item(1, 1)]
        for (base, local, remote, name) in [
            (clash, [], [], "base"), ([], clash, [], "local"), ([], [], clash, "remote"),
        ] as [([Item], [Item], [Item], String)] {
            let error = #expect(throws: KeyError.self) {
                try merge(base: base, local: local, remote: remote, primaryKey: \.id, policy: .localWins)
            }
            #expect(error?.collection == name)
            #expect(error?.positions == [0, 1])
        }
    }

    @Test func diffsAreMergedWithoutTheCollections() throws {
        // A diff by whole elements, in which an edit is an addition and a deletion, does as well.
        let local = diff(wins: [Item(1, 1), Item(2)], loses: [Item(1), Item(2)])
        let remote = try diff(wins: [Item(1, 1), Item(3)], loses: [Item(1), Item(2)], primaryKey: \.id)
        let merge = try ThreeWayMerge(local: local, remote: remote, primaryKey: \.id, policy: .unexpected)
        #expect(merge.toRemote == nil)
        #expect(Set(merge.toLocal?.changes ?? []) == [.delete(Item(2)), .add(Item(3))])
        #expect(
            try ThreeWayMerge<Item>(local: nil, remote: nil, primaryKey: \.id, policy: .unexpected).decisions.isEmpty)
    }

    @Test func aDiffWithTwoChangesOfOneKeyIsRefused() {
        let twice = Diff<Item>([.add(Item(1, 1)), .add(Item(1, 2))])
        let error = #expect(throws: KeyError.self) {
            try ThreeWayMerge(local: twice, remote: nil, primaryKey: \.id, policy: .localWins)
        }
        #expect("\(error!)" == "'local' has two changes for the key 1: make one of them")
    }

    @Test func recordsByTheNamesOfTheirKeysParts() throws {
        let base = [["c": "AD", "n": "1", "v": "x"]]
        let merged = try merge(
            base: base, local: [["c": "AD", "n": "1", "v": "y"]], remote: base + [["c": "AD", "n": "2", "v": "x"]],
            primaryKey: "c", "n", policy: .leaveOpen)
        #expect(merged.elements == [["c": "AD", "n": "1", "v": "y"], ["c": "AD", "n": "2", "v": "x"]])
        let error = #expect(throws: KeyError.self) {
            try merge(base: [["n": "1"]], local: [], remote: [], primaryKey: "c", "n", policy: .leaveOpen)
        }
        #expect(error?.collection == "base")
    }

    @Test func countsAndOpenDecisionsAreThoseOfTheDecisions() throws {
        let base = (1...4).map { Item($0) }
        let merge = try ThreeWayMerge(
            local: diff(wins: [Item(1, 1), Item(2, 1), Item(3, 1), Item(4)], loses: base, primaryKey: \.id),
            remote: diff(wins: [Item(1), Item(2, 2), Item(3, 2)], loses: base, primaryKey: \.id), primaryKey: \.id,
            policy: ConflictPolicy { $0.local?.id == 2 ? .local : .open })
        #expect(merge.decisions.map(\.isOpen) == [false, false, true, false])
        #expect(
            merge.counts
                == SyncCounts(
                    pulled: ChangeCounts(deleted: 1), pushed: ChangeCounts(replaced: 2), resolved: 1, open: 1))
    }
}

/// Every triple of collections over three keys with two values, in every order: 79³, of which debug builds take those
/// in one order.
struct ThreeWayLawTests {
    static let alphabet: [Item] = (1...3).flatMap { [Item($0, 0), Item($0, 1)] }
    static let collections: [[Item]] = allSequences(of: alphabet, upTo: 3).filter { items in
        Set(items.map(\.id)).count == items.count && (isFullScale || isSorted(items))
    }

    static func isSorted(_ items: [Item]) -> Bool { items.map(\.id) == items.map(\.id).sorted() }

    static let policies: [(name: String, policy: ConflictPolicy<Item>)] = [
        ("local", .localWins), ("remote", .remoteWins), ("open", .leaveOpen),
        ("newest", .newest(by: \.value)), ("DS", .differentialSync { $0.value < $1.value }),
        ("mixed", ConflictPolicy { $0.kind == .bothEdited ? .delete : $0.kind == .bothAdded ? .open : .base }),
    ]

    @Test(arguments: policies.indices)
    func everySmallTriple(index: Int) throws {
        let (name, policy) = Self.policies[index]
        // The full product for the first policy; every base in one order for the others, or every third.
        var bases = index == 0 ? Self.collections : Self.collections.filter(Self.isSorted)
        if !isFullScale && index > 0 { bases = stride(from: index % 3, to: bases.count, by: 3).map { bases[$0] } }
        for base in bases {
            for local in Self.collections {
                for remote in Self.collections {
                    try Self.check(base: base, local: local, remote: remote, policy: policy, name: name)
                }
            }
        }
    }

    static func check(
        base: [Item], local: [Item], remote: [Item], policy: ConflictPolicy<Item>, name: String
    ) throws {
        let cycle = try synchronize(client: local, shadow: base, remote: remote, policy: policy)
        let pushed = merge(into: remote, applying: cycle.push, primaryKey: \.id) { _, _ in true }
        for key in 1...3 {
            let state = { (items: [Item]) in items.first { $0.id == key } }
            let expected = try NaiveModel.cycle(
                base: state(base), local: state(local), remote: state(remote), resolve: policy.resolve)
            let isAsExpected =
                state(cycle.client) == expected.client && state(pushed) == expected.remote
                && state(cycle.shadow) == expected.shadow
            if !isAsExpected {
                try #require(Bool(false), "\(name): \(base), \(local), \(remote), key \(key): \(cycle)")
            }
        }
        let isSynced = !cycle.open.isEmpty || (cycle.client == pushed && cycle.shadow == pushed)
        let keepsOrder = cycle.push != nil || !cycle.open.isEmpty || cycle.client == remote
        let merged = try merge(base: base, local: local, remote: remote, primaryKey: \.id, policy: policy)
        let isConsistent = merged.elements == cycle.shadow && cycle.open == merged.open
        if !isSynced || !keepsOrder || !isConsistent {
            try #require(Bool(false), "\(name): \(base), \(local), \(remote): \(cycle)")
        }
    }
}

extension ConflictPolicy {
    /// For merges in which nothing may be asked.
    static var unexpected: ConflictPolicy {
        ConflictPolicy { conflict in
            Issue.record("asked about \(conflict)")
            return .open
        }
    }
}
