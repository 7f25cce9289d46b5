import DifferentialSync
import TestSupport
import Testing

/// A record that holds a NaN is not equal to itself, and yet is the same as itself.
struct NaNElementTests {
    enum Shape: Hashable {
        case none
        case circle(radius: Double)
        case path([Double])
    }

    struct Reading: Hashable, Identifiable {
        let id: Int
        var text = "x"
        var value = 0.0
        var maybe: Double?
        var list: [Double] = []
        var members: Set<Double> = []
        var named: [String: Double] = [:]
        var shape = Shape.none
        var nested: [Shape?] = []
    }

    /// Elements that are not equal to a copy of themselves, each by another field.
    ///
    /// Made anew at each call: collections that share a buffer are equal whatever they hold.
    static func readings() -> [Reading] {
        let nan = [Double.nan].randomElementOrFirst
        return [
            Reading(id: 0, value: nan), Reading(id: 1, maybe: nan), Reading(id: 2, list: [1, nan]),
            Reading(id: 3, members: [nan, 2]), Reading(id: 4, named: ["a": nan, "b": 1]),
            Reading(id: 5, shape: .circle(radius: nan)), Reading(id: 6, shape: .path([nan])),
            Reading(id: 7, nested: [nil, .path([nan]), .circle(radius: 1)]), Reading(id: 8, value: -nan, list: [nan]),
        ]
    }

    /// The readings, each with something else changed than the NaN.
    static func changed() -> [Reading] {
        var changed = readings()
        changed[0].text = "y"
        changed[1].maybe = nil
        changed[2].list[0] = 2
        changed[3].members.insert(3)
        changed[4].named["b"] = 2
        changed[5].shape = .path([.nan])
        changed[6].shape = .path([.nan, .nan])
        changed[7].nested[0] = Shape.none
        changed[8].value = 0
        return changed
    }

    @Test func unchangedRecordsAreNoDifference() throws {
        for (wins, loses) in [(Self.readings(), Self.readings()), (Self.readings().reversed(), Self.readings())] {
            #expect(try diff(wins: wins, loses: loses, primaryKey: \.id) == nil)
            #expect(uncheckedDiff(wins: wins, loses: loses, primaryKey: \.id) == nil)
            #expect(diff(wins: wins, loses: loses) == nil)
        }
        #expect(diff(wins: [Double.nan, 1, .nan], loses: [1, Double.nan]) == nil, "equal elements count once")
        #expect(try diff(wins: Self.readings() + Self.readings(), loses: Self.readings(), primaryKey: \.id) == nil)
    }

    /// A type whose raw value does not show all its parts, as types that an app keeps in its settings have.
    struct Setting: Equatable, Identifiable, RawRepresentable {
        let id: Int
        var value: Double
        var rawValue: String { "\(id)" }

        init(id: Int, value: Double) {
            self.id = id
            self.value = value
        }

        init?(rawValue: String) {
            guard let id = Int(rawValue) else { return nil }
            self.init(id: id, value: 0)
        }

        static func == (left: Setting, right: Setting) -> Bool { left.id == right.id && left.value == right.value }
    }

    @Test func aNaNBesideARawValueIsNoDifference() throws {
        let (wins, loses) = ([Setting(id: 1, value: .nan)], [Setting(id: 1, value: .nan)])
        #expect(try diff(wins: wins, loses: loses, primaryKey: \.id) == nil)
        #expect(try diff(wins: [Setting(id: 1, value: 1)], loses: loses, primaryKey: \.id)?.replace.count == 1)
        var device = try JournaledCollection(loses)
        try device.upsert(Setting(id: 1, value: 1))
        try device.upsert(Setting(id: 1, value: .nan))
        #expect(device.localDiff == nil)
    }

    /// Values that are compared more strictly than their parts.
    struct Exact: Equatable, Identifiable {
        let id: Int
        var value = 0.0
        var letter: Character = "\u{E9}"
        var samples: [Double] = []

        static func == (left: Exact, right: Exact) -> Bool {
            left.id == right.id && left.value.bitPattern == right.value.bitPattern && left.samples == right.samples
                && left.letter.unicodeScalars.elementsEqual(right.letter.unicodeScalars)
        }
    }

    /// Values around one that is compared more strictly.
    struct Box: Equatable, Identifiable {
        var exact: Exact
        var weight = 1.0
        var id: Int { exact.id }
    }

    @Test func strictEqualityIsNotOverruled() throws {
        let nan = [Double.nan].randomElementOrFirst
        let old = Exact(id: 1)
        for new in [Exact(id: 1, value: -0.0), Exact(id: 1, letter: "e\u{301}")] {
            #expect(try diff(wins: [new], loses: [old], primaryKey: \.id)?.replace == [new])
            var device = try JournaledCollection([old])
            try device.update(new)
            #expect(device.localDiff?.replace == [new])
            // Another part may be NaN.
            for weight in [1, nan] {
                let (wins, loses) = ([Box(exact: new, weight: weight)], [Box(exact: old, weight: weight)])
                #expect(try diff(wins: wins, loses: loses, primaryKey: \.id)?.replace.count == 1)
            }
        }
        for value in [0.0, nan] {
            let (wins, loses) = (
                [Exact(id: 1, value: value, samples: [nan])], [Exact(id: 1, value: value, samples: [nan])]
            )
            #expect(try diff(wins: wins, loses: loses, primaryKey: \.id) == nil)
        }
    }

    /// Values that compare an array without looking at the identity of its buffer.
    struct Elementwise: Equatable, Identifiable {
        let id: Int
        var text: String
        var samples: [Double]

        static func == (left: Elementwise, right: Elementwise) -> Bool {
            left.id == right.id && left.text == right.text && left.samples.elementsEqual(right.samples)
        }
    }

    @Test func aNaNInASharedBufferIsNoDifference() throws {
        let samples = [1, [Double.nan].randomElementOrFirst]
        let (old, new) = (
            Elementwise(id: 1, text: String(repeating: "x", count: 40), samples: samples),
            Elementwise(id: 1, text: String(repeating: "x", count: 40), samples: samples)
        )
        #expect(try diff(wins: [new], loses: [old], primaryKey: \.id) == nil)
        let edited = Elementwise(id: 1, text: "y", samples: samples)
        #expect(try diff(wins: [edited], loses: [old], primaryKey: \.id)?.replace.count == 1)
    }

    @Test func changedValueBesideANaNIsAReplacement() throws {
        for wins in [Self.changed(), Self.changed().reversed()] {
            let changes = try #require(try diff(wins: wins, loses: Self.readings(), primaryKey: \.id))
            #expect(changes.counts == ChangeCounts(replaced: wins.count))
        }
    }

    @Test func aDiffIsAppliedExactlyToRecordsWithNaN() throws {
        let changes = try #require(try diff(wins: Self.changed(), loses: Self.readings(), primaryKey: \.id))
        let applied = try changes.applied(exactlyTo: Self.readings(), primaryKey: \.id)
        #expect(try diff(wins: applied, loses: Self.changed(), primaryKey: \.id) == nil)
        #expect(throws: MismatchError.self) { try changes.applied(exactlyTo: Self.changed(), primaryKey: \.id) }

        let whole = try #require(diff(wins: [Double.nan, 2], loses: [Double.nan, 1]))
        #expect(whole.counts == ChangeCounts(added: 1, deleted: 1))
        #expect(diff(wins: try whole.applied(exactlyTo: [.nan, 1]), loses: [.nan, 2]) == nil)
        let removal = try #require(diff(wins: [1], loses: [Double.nan, 1]))
        #expect(try removal.applied(exactlyTo: [Double.nan, 1]) == [1])
        #expect(merge(into: [Double.nan, 1], applying: removal) == [1])
    }

    @Test func deletionsOfRecordsWithNaNAreMerged() throws {
        let changes = try diff(wins: [], loses: Self.readings(), primaryKey: \.id)
        #expect(merge(into: Self.readings(), applying: changes, primaryKey: \.id) { _, _ in true }.isEmpty)
        let edited = merge(into: Self.changed(), applying: changes, primaryKey: \.id) { _, _ in true }
        #expect(edited.count == Self.changed().count, "an edit wins over a deletion")
        let same = Diff(Self.readings().map { Change.add($0) })
        _ = merge(into: Self.readings(), applying: same, primaryKey: \.id) { _, _ in
            Issue.record("records that are the same were asked about")
            return true
        }
    }

    @Test func aSecondDiffTakesBackTheFirst() throws {
        let first = try #require(try diff(wins: Self.changed(), loses: Self.readings(), primaryKey: \.id))
        let back = try #require(try diff(wins: Self.readings(), loses: Self.changed(), primaryKey: \.id))
        #expect(try first.composed(with: back, primaryKey: \.id) == nil)
        let there = try #require(diff(wins: [Double.nan, 1], loses: [1]))
        #expect(try there.composed(with: there.inverted()) == nil)
    }

    @Test func aCollectionDifferenceInsertsAndRemovesNaN() throws {
        let changes = try #require(diff(wins: [1, Double.nan], loses: [1, 2]))
        let result = try #require([1.0, 2].applying(changes.collectionDifference(from: [1, 2])))
        #expect(diff(wins: result, loses: [1, .nan]) == nil)
        let back = try #require([1, Double.nan].applying(changes.inverted().collectionDifference(from: [1, .nan])))
        #expect(back == [1, 2])
    }

    @Test func aCycleOverUnchangedRecordsHasNothingToDo() throws {
        let cycle = try synchronize(
            client: Self.readings(), shadow: Self.readings(), remote: Self.readings(), policy: .unexpected)
        #expect(cycle.push == nil)
        #expect(cycle.merge.decisions.isEmpty)
        let same = try synchronize(
            client: Self.changed(), shadow: Self.readings(), remote: Self.changed(), policy: .unexpected)
        #expect(same.push == nil, "the same change on both sides")
    }

    @Test func oneSidedChangesBesideANaNAreTaken() throws {
        for (local, remote) in [(Self.changed(), Self.readings()), (Self.readings(), Self.changed())] {
            let merged = try merge(
                base: Self.readings(), local: local, remote: remote, primaryKey: \.id, policy: .unexpected)
            #expect(try diff(wins: merged.elements, loses: Self.changed(), primaryKey: \.id) == nil)
            let cycle = try synchronize(client: local, shadow: Self.readings(), remote: remote, policy: .unexpected)
            let pushed = try cycle.push?.applied(exactlyTo: remote, primaryKey: \.id) ?? remote
            let again = try synchronize(client: cycle.client, shadow: cycle.shadow, remote: pushed, policy: .unexpected)
            #expect(again.merge.decisions.isEmpty)
        }
    }

    @Test func aFieldThatIsNaNOnBothSidesIsNoClash() throws {
        let fields: [MergeField<Reading>] = [MergeField("text", \.text), MergeField("value", \.value)]
        var (local, remote) = (Self.readings()[0], Self.readings()[0])
        local.text = "local"
        remote.list = [.nan]
        let merged = try merge(
            base: [Self.readings()[0]], local: [local], remote: [remote], primaryKey: \.id,
            policy: .mergingFields(fields, otherwise: .unexpected))
        #expect(merged.elements.first?.text == "local")
        #expect(merged.elements.first?.list.count == 1)
        let records = try merge(
            base: [["id": 1, "a": Double.nan, "b": 0]], local: [["id": 1, "a": .nan, "b": 1]],
            remote: [["id": 1, "a": .nan, "c": 1]], primaryKey: "id",
            policy: .mergingFields(otherwise: .keepEdits(otherwise: .localWins)))
        #expect(records.elements.first?["b"] == 1)
    }
}

extension [Double] {
    /// The first element, out of the optimizer's sight.
    fileprivate var randomElementOrFirst: Double { reduce(0, +) }
}

/// A key that is not equal to itself is an error wherever keys are checked.
struct NaNKeyTests {
    struct Reading: Equatable {
        let at: Double
        var value = 0
    }

    static let nan = [Reading(at: 1), Reading(at: .nan), Reading(at: 2)]
    static let sound = [Reading(at: 1), Reading(at: 2)]

    private func expectRefused(
        in collection: String, at positions: [Int]? = nil, _ body: () throws -> Void,
        location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: KeyError.self, sourceLocation: location) { try body() }
        #expect(error?.code == .notEqualToItself, sourceLocation: location)
        #expect(error?.collection == collection, sourceLocation: location)
        if let positions { #expect(error?.positions == positions, sourceLocation: location) }
    }

    @Test func diffsRefuseIt() {
        expectRefused(in: "wins", at: [1]) { _ = try diff(wins: Self.nan, loses: Self.sound, primaryKey: \.at) }
        expectRefused(in: "loses", at: [1]) { _ = try diff(wins: Self.sound, loses: Self.nan, primaryKey: \.at) }
        expectRefused(in: "wins", at: [1]) { _ = try diff(wins: Self.nan, loses: Self.nan, primaryKey: \.at) }
        expectRefused(in: "wins", at: [0]) { _ = try diff(wins: [Reading(at: .nan)], loses: [], primaryKey: \.at) }
        for policy in [DuplicatePolicy.refuse, .keepFirst, .keepLast] {
            expectRefused(in: "wins") {
                _ = try diff(wins: Self.nan + Self.nan, loses: [], primaryKey: \.at, duplicates: policy)
            }
        }
        expectRefused(in: "wins") {
            _ = try diff(wins: Self.nan, loses: [], primaryKey: { CompositeKey("a", $0.at) })
        }
        expectRefused(in: "wins") {
            _ = try Diff(Self.nan.difference(from: []), primaryKey: \.at)
        }
    }

    @Test func theErrorSaysWhatToDo() throws {
        let error = try #require(throws: KeyError.self) { try diff(wins: Self.nan, loses: [], primaryKey: \.at) }
        #expect(
            "\(error)"
                == "the element at 1 of 'wins' has the key nan, which is not equal to itself: give it another key")
    }

    @Test func dictionaryRecordsAreCheckedInEveryPartOfTheirKey() {
        let nan = [["a": 1.0, "b": 1.0], ["a": 1, "b": .nan]]
        let sound = [["a": 1.0, "b": 1.0]]
        expectRefused(in: "wins", at: [1]) { _ = try diff(wins: nan, loses: sound, primaryKey: "a", "b") }
        expectRefused(in: "loses", at: [1]) { _ = try diff(wins: sound, loses: nan, primaryKey: "b") }
        expectRefused(in: "into", at: [1]) {
            _ = try merge(into: nan, applying: Diff([.add(["a": 2, "b": 2])]), primaryKey: "a", "b") { _, _ in true }
        }
        expectRefused(in: "add", at: [0]) {
            _ = try merge(into: sound, applying: Diff([.add(["a": 2, "b": .nan])]), primaryKey: "a", "b") { _, _ in true
            }
        }
        expectRefused(in: "remote", at: [1]) {
            _ = try merge(base: nil, local: sound, remote: nan, primaryKey: "b", policy: .localWins)
        }
        expectRefused(in: "client", at: [1]) {
            _ = try synchronize(client: nan, shadow: nil, remote: sound, primaryKey: "a", "b", policy: .localWins)
        }
        #expect(RecordKey(Double.nan) != RecordKey(Double.nan))
        let key = RecordKey(1, Double.nan)
        #expect(key != key, "though its parts are one array")
    }

    @Test func mergesWithABaseAndCyclesRefuseIt() throws {
        expectRefused(in: "local", at: [1]) {
            _ = try merge(base: nil, local: Self.nan, remote: [], primaryKey: \.at, policy: .localWins)
        }
        expectRefused(in: "shadow", at: [1]) {
            _ = try synchronize(
                client: Self.sound, shadow: Self.nan, remote: Self.sound, primaryKey: \.at, policy: .localWins)
        }
        let additions = Diff(Self.nan.map { Change.add($0) })
        expectRefused(in: "local") {
            _ = try ThreeWayMerge(local: additions, remote: nil, primaryKey: \.at, policy: .localWins)
        }
        expectRefused(in: "next") {
            _ = try Diff([.add(Self.sound[0])])?.composed(with: #require(additions), primaryKey: \.at)
        }
        let cycle = try synchronize(
            client: Self.sound, shadow: nil, remote: [], primaryKey: \.at, policy: .localWins)
        expectRefused(in: "client", at: [1]) { _ = try cycle.accepted(by: Self.nan, shadow: [], primaryKey: \.at) }
    }

    @Test func formsThatDoNotCheckKeysTakeThemForOne() throws {
        let edited = [Reading(at: 1), Reading(at: .nan, value: 1)]
        let changes = try #require(uncheckedDiff(wins: edited, loses: Self.nan, primaryKey: \.at))
        #expect(changes.counts == ChangeCounts(deleted: 1, replaced: 1))
        let merged = merge(into: Self.nan, applying: changes, primaryKey: \.at) { _, _ in true }
        #expect(merged.map(\.value) == [0, 1])
        #expect(try changes.applied(exactlyTo: Self.nan, primaryKey: \.at).map(\.value) == [0, 1])
        var inPlace = Self.nan
        merge(into: &inPlace, applying: changes, primaryKey: \.at) { _, _ in true }
        #expect(inPlace.map(\.value) == [0, 1])
    }
}
