import DifferentialSync
import DifferentialSyncTesting
import TestSupport
import Testing

/// Elements whose `==` is not that of whole values: with NaN in them, with fields that it ignores, and classes.
struct ElementKindTests {
    struct Measurement: Equatable, Identifiable, Sendable {
        let id: Int
        var value: Double
    }

    static let nan = Measurement(id: 1, value: .nan)
    static let version = SyncCycleTests.version

    @Test func aNaNThatNobodyEditedIsNoChange() throws {
        var remote = SimulatedRemote<Measurement, Int>(primaryKey: \.id)
        remote.reset(to: [Self.nan, Measurement(id: 2, value: 2)])
        var devices = try [0, 1].map { _ in try JournaledCollection<Measurement, Int>([]) }
        for round in 0..<3 {
            for index in [0, 1] {
                let outcome = try remote.synchronize(
                    &devices[index], pushID: "\(round) \(index)", policy: .unexpected)
                #expect(outcome.ending == .synced)
                #expect(outcome.counts.pushed.total == 0)
                #expect(outcome.counts.pulled.total == (round == 0 ? 2 : 0))
                #expect(devices[index].localDiff == nil)
            }
        }
        try devices[0].update(Measurement(id: 2, value: 3))
        #expect(try remote.synchronize(&devices[0], pushID: "edit", policy: .unexpected).counts.pushed.total == 1)
    }

    @Test func aJournaledNaNSettles() throws {
        var items = try JournaledCollection([Measurement(id: 1, value: 1)], version: Self.version)
        try items.update(Self.nan)
        #expect(items.localDiff?.counts.replaced == 1)
        try items.update(Self.nan)
        try items.acceptShadow(pushed: items.localDiff, at: items.shadowMark)
        #expect(items.localDiff == nil && !items.hasLocalChanges)
        try items.update(Measurement(id: 1, value: 2))
        try items.update(Self.nan)
        #expect(items.localDiff == nil, "the edit was undone")
        try items.merge(
            remoteChanges: Diff([.replace(old: Self.nan, new: Measurement(id: 1, value: 5))]), policy: .unexpected)
        #expect(items[1]?.value == 5)
    }

    @Test func aNaNOnBothSidesIsNoConflictAndCanBeRestored() throws {
        var items = try JournaledCollection([Measurement(id: 1, value: 1)], version: Self.version)
        try items.update(Self.nan)
        var cycle = SyncCycle<Measurement, Int>(pushID: "a", recognizesPushes: true, policy: .unexpected)
        _ = try cycle.begin(&items)
        _ = try cycle.pushed(.refused, &items)
        let outcome = try cycle.pulled(
            .changes(changed: [Self.nan, Self.nan], deleted: [], SyncCycleTests.next), &items
        ).outcome
        #expect(outcome?.isSynced == true)
        #expect(items.localDiff == nil)

        try items.update(Measurement(id: 1, value: 3))
        let again = try JournaledCollection(restoring: items.stored)
        #expect(again.localDiff?.counts.replaced == 1)
        #expect(again.shadow(for: 1)?.value.isNaN == true)
        let unchanged = try JournaledCollection(
            restoring: StoredCollection(client: [Self.nan, Self.nan], shadow: [Self.nan]))
        #expect(unchanged.localDiff == nil)
    }

    @Test func aConflictAboutANaNIsResolved() throws {
        var items = try JournaledCollection([Self.nan])
        try items.update(Measurement(id: 1, value: 1))
        try items.merge(
            remoteChanges: Diff([.replace(old: Self.nan, new: Measurement(id: 1, value: 2))]), policy: .leaveOpen)
        try items.resolve(1, with: .base, of: try #require(items.conflict(for: 1)))
        #expect(items.outgoingDiff?.counts.replaced == 1)
        #expect(items[1]?.value.isNaN == true)
    }

    @Test func aKeyThatIsNotEqualToItselfIsAnErrorAndNeverATrap() throws {
        struct Odd: Equatable {
            var key: Double
            var value = 0
        }
        let nan = Odd(key: .nan)
        let initial = #expect(throws: KeyError.self) {
            try JournaledCollection([Odd(key: 1), nan], primaryKey: \.key)
        }
        #expect(initial?.code == .notEqualToItself)
        #expect(
            initial?.description
                == "the element at 1 of 'elements' has the key nan, which is not equal to itself: give it another key")
        var items = try JournaledCollection([Odd(key: 1)], version: Self.version, primaryKey: \.key)
        let before = items.stored
        #expect(throws: KeyError.self) { try items.insert(nan) }
        #expect(throws: KeyError.self) { try items.upsert(nan) }
        #expect(throws: KeyError.self) { try items.update(nan) }
        #expect(throws: KeyError.self) { try items.edit(1) { $0.key = .nan } }
        #expect(throws: KeyError.self) { try items.edit(.nan) { $0.value = 1 } }
        #expect(items.remove(.nan) == nil)
        #expect(throws: KeyError.self) { try items.merge(remoteChanges: Diff([.add(nan)]), policy: .unexpected) }
        #expect(throws: KeyError.self) { try items.acceptShadow(pushed: Diff([.add(nan)]), at: items.shadowMark) }
        var cycle = SyncCycle<Odd, Double>(pushID: "a", policy: .unexpected)
        _ = try cycle.begin(&items)
        for pull in [
            Pull<Odd, Double>.everything([nan], SyncCycleTests.next),
            .changes(changed: [nan], deleted: [], SyncCycleTests.next),
            .changes(changed: [], deleted: [.nan], SyncCycleTests.next),
        ] {
            let error = #expect(throws: KeyError.self) { try cycle.pulled(pull, &items) }
            #expect(error?.code == .notEqualToItself)
        }
        #expect(items.stored == before)
        for stored in [
            StoredCollection(client: [nan]), StoredCollection(client: [], shadow: [nan]),
            StoredCollection(client: [], unresolved: [Conflict(base: nil, local: nil, remote: nan)]),
        ] {
            #expect(throws: KeyError.self) { try JournaledCollection(restoring: stored, primaryKey: \.key) }
        }
    }

    /// Equal by everything but the text.
    struct Tagged: Equatable, Identifiable {
        let id: Int
        var value: Int
        var text: String

        static func == (left: Tagged, right: Tagged) -> Bool { left.id == right.id && left.value == right.value }
    }

    @Test func aFieldThatEqualityIgnoresIsStoredByEveryEdit() throws {
        var items = try JournaledCollection([Tagged(id: 1, value: 0, text: "a")])
        #expect(try items.update(Tagged(id: 1, value: 0, text: "b")).text == "a")
        #expect(items[1]?.text == "b")
        try items.edit(1) { $0.text = "c" }
        #expect(items[1]?.text == "c")
        try items.upsert(Tagged(id: 1, value: 0, text: "d"))
        #expect(items[1]?.text == "d")
        #expect(items.localDiff == nil, "whether it is a change is up to ==")
        try items.edit(1) { $0.value = 1 }
        try items.edit(1) { $0.text = "e" }
        try items.acceptShadow(pushed: items.localDiff, at: items.shadowMark)
        try items.edit(1) { $0.text = "f" }
        #expect(items[1]?.text == "f")
        // A remote state that is equal leaves the local one.
        try items.merge(
            remoteChanges: Diff([
                .replace(old: Tagged(id: 1, value: 1, text: ""), new: Tagged(id: 1, value: 1, text: "x"))
            ]),
            policy: .unexpected)
        #expect(items[1]?.text == "f")
    }

    final class Shared: Hashable, Sendable {
        let id: Int
        init(_ id: Int) { self.id = id }
        static func == (left: Shared, right: Shared) -> Bool { left.id == right.id }
        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    @Test func aClassIsRefusedWhereTheCompilerCannotSeeIt() async {
        await #expect(processExitsWith: .failure) { try ElementKindTests.collect([Shared(1)]) }
    }

    @Test func aClassIsRefusedByTheCycleOverArrays() async {
        await #expect(processExitsWith: .failure) {
            let shared = [Shared(1)]
            _ = try synchronize(
                client: shared, shadow: shared, remote: shared, primaryKey: { $0.hashValue }, policy: .leaveOpen)
        }
    }

    static func collect<Element: Hashable & SendableMetatype>(_ elements: [Element]) throws {
        _ = try JournaledCollection(elements, primaryKey: { $0.hashValue })
    }

    @Test func aClassThatTheCompilerSeesIsRefusedByEachInitializer() async {
        await #expect(processExitsWith: .failure) { try ElementKindTests.collectClasses(ByKey()) }
        await #expect(processExitsWith: .failure) { try ElementKindTests.collectClasses(Restored()) }
        await #expect(processExitsWith: .failure) { try ElementKindTests.collectClasses(Identified()) }
        await #expect(processExitsWith: .failure) { try ElementKindTests.collectClasses(RestoredAndIdentified()) }
    }

    private static func collectClasses(_ attempt: some ClassCollection) throws { try attempt.make() }

    /// A collection of classes, which is made without the compiler's warning.
    private protocol ClassCollection {
        func make() throws
    }

    private struct ByKey: ClassCollection {
        @available(*, deprecated)
        func make() throws { _ = try JournaledCollection([Shared(1)], primaryKey: { $0.id }) }
    }

    private struct Restored: ClassCollection {
        @available(*, deprecated)
        func make() throws {
            _ = try JournaledCollection(restoring: StoredCollection(client: [Shared(1)]), primaryKey: { $0.id })
        }
    }

    private struct Identified: ClassCollection {
        @available(*, deprecated)
        func make() throws { _ = try JournaledCollection([IdentifiedShared(1)]) }
    }

    private struct RestoredAndIdentified: ClassCollection {
        @available(*, deprecated)
        func make() throws {
            _ = try JournaledCollection(restoring: StoredCollection(client: [IdentifiedShared(1)]))
        }
    }

    private final class IdentifiedShared: Equatable, Identifiable, Sendable {
        let id: Int
        init(_ id: Int) { self.id = id }
        static func == (left: IdentifiedShared, right: IdentifiedShared) -> Bool { left.id == right.id }
    }
}
