import DifferentialSync
import TestSupport
import Testing

/// What a diff is, by example.
struct DiffingTests {
    let old = [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs")]
    let new = [Note(id: 1, text: "oat milk"), Note(id: 3, text: "tea")]

    // MARK: Whole elements

    @Test func nothingDiffersIsNil() {
        #expect(diff(wins: [Int](), loses: []) == nil)
        #expect(diff(wins: [1, 2], loses: [2, 1]) == nil)
        #expect(diff(wins: [1, 1, 2], loses: [1, 2, 2]) == nil, "equal elements count once")
    }

    @Test func additionsAndDeletionsKeepTheirOrder() {
        let changes = diff(wins: ["d", "b", "a", "e"], loses: ["x", "a", "b", "c"])
        #expect(changes?.add == ["d", "e"])
        #expect(changes?.delete == ["x", "c"])
        #expect(changes?.replace == [])
    }

    @Test func equalElementsCountOnce() {
        let changes = diff(wins: [1, 4, 4, 1], loses: [3, 1, 3])
        #expect(changes?.add == [4])
        #expect(changes?.delete == [3])
    }

    @Test func withoutAKeyIdentifiableElementsAreComparedWhole() {
        let changes = diff(wins: new, loses: old)
        #expect(changes?.add == new)
        #expect(changes?.delete == old)
        #expect(changes?.replace == [])
    }

    @Test func anyCollectionsWillDo() {
        #expect(diff(wins: Set([1, 2]), loses: 1...3)?.delete == [3])
        #expect(diff(wins: [1, 2, 3][1...], loses: [2, 3, 4].lazy.map { $0 - 1 })?.delete == [1])
        #expect(diff(wins: "abc", loses: "abd" as Substring)?.add == ["c"])
        #expect(diff(wins: ["a": 1].keys, loses: EmptyCollection())?.add == ["a"])
    }

    // MARK: Keys

    @Test func replacementsKeepTheOldValueAmongTheDeleted() throws {
        let changes = try #require(try diff(wins: new, loses: old, primaryKey: \.id))
        #expect(changes.add == [new[1]])
        #expect(changes.replace == [new[0]])
        #expect(changes.delete == old)
        #expect(changes.deletions == [old[1]])
        #expect(changes.replacements.map(\.old) == [old[0]])
        #expect(changes.replacements.map(\.new) == [new[0]])
        #expect(changes.counts == ChangeCounts(added: 1, deleted: 1, replaced: 1))
        #expect(changes.counts.total == 3)
        #expect(!changes.isEmpty)
    }

    @Test func theOrdersAreThoseOfTheTwoCollections() throws {
        let loses = [Item(1), Item(2), Item(3), Item(4), Item(5)]
        let wins = [Item(9), Item(5, 1), Item(3), Item(2, 1), Item(8)]
        let changes = try #require(try diff(wins: wins, loses: loses, primaryKey: \.id))
        #expect(changes.add == [Item(9), Item(8)])
        #expect(changes.replace == [Item(5, 1), Item(2, 1)])
        #expect(changes.delete == [Item(1), Item(2), Item(4), Item(5)])
        #expect(changes.replacements.map(\.old) == [Item(5), Item(2)])
        #expect(
            changes.changes == [
                .delete(Item(1)), .delete(Item(4)), .add(Item(9)), .replace(old: Item(5), new: Item(5, 1)),
                .replace(old: Item(2), new: Item(2, 1)), .add(Item(8)),
            ])
    }

    @Test func keyedNilMeansNothingToDo() throws {
        #expect(try diff(wins: old, loses: old.reversed(), primaryKey: \.id) == nil)
        #expect(try diff(wins: [Note](), loses: [], primaryKey: \.id) == nil)
    }

    @Test func oneSideEmpty() throws {
        #expect(try diff(wins: old, loses: [], primaryKey: \.id)?.add == old)
        #expect(try diff(wins: [], loses: old, primaryKey: \.id)?.delete == old)
    }

    @Test func elementsNeedNotBeHashable() throws {
        struct Reading: Equatable {
            let sensor: String
            let values: [Double]
        }
        let changes = try diff(
            wins: [Reading(sensor: "a", values: [2])], loses: [Reading(sensor: "a", values: [1])], primaryKey: \.sensor)
        #expect(changes?.replace == [Reading(sensor: "a", values: [2])])
        let unchecked = uncheckedDiff(
            wins: [Reading(sensor: "a", values: [2])], loses: [Reading(sensor: "b", values: [2])],
            primaryKey: \.sensor)
        #expect(unchecked?.counts == ChangeCounts(added: 1, deleted: 1))
    }

    @Test func keysOfSeveralParts() throws {
        struct Place: Equatable {
            let country: String
            let code: Int
            var name: String
        }
        let old = [Place(country: "AD", code: 1, name: "a"), Place(country: "AE", code: 1, name: "b")]
        var new = old
        new[1].name = "B"
        let changes = try diff(wins: new, loses: old, primaryKey: { CompositeKey($0.country, $0.code) })
        #expect(changes?.replace == [new[1]])
        #expect(CompositeKey("AD", 1) != CompositeKey("AD", 2))
        #expect("\(CompositeKey("AD", 1, true))" == "AD/1/true")
    }

    @Test func recordsByTheNameOfTheirKey() throws {
        let old = [["code": "AD-02", "name": "Canillo"], ["code": "AD-03", "name": "Encamp"]]
        let new = [["code": "AD-02", "name": "Canillo!"], ["code": "AD-04", "name": "La Massana"]]
        let changes = try #require(try diff(wins: new, loses: old, primaryKey: "code"))
        #expect(changes.replace == [new[0]])
        #expect(changes.add == [new[1]])
        #expect(changes.deletions == [old[1]])
    }

    @Test func recordsByTheNamesOfTheirKeysParts() throws {
        let old = [["country": 1, "code": 1, "size": 5], ["country": 1, "code": 2, "size": 5]]
        let new = [["country": 1, "code": 1, "size": 6], ["country": 2, "code": 2, "size": 5]]
        let changes = try #require(try diff(wins: new, loses: old, primaryKey: "country", "code"))
        #expect(changes.counts == ChangeCounts(added: 1, deleted: 1, replaced: 1))
        #expect("\(RecordKey(1, 2))" == "1/2")
        #expect(RecordKey("a").parts == ["a"])
    }

    @Test func stringsAreKeysByCanonicalEquivalence() throws {
        // é in one and in two scalars; the Kelvin sign, which is not ASCII, and the letter K, which is.
        struct Word: Equatable {
            let key: String
            let value: Int
        }
        let pairs = [("caf\u{E9}", "cafe\u{301}"), ("\u{212A}", "K"), ("\u{37E}", ";")]
        for (first, second) in pairs {
            #expect(first == second)
            let filler = (0..<50).map { Word(key: "\($0)", value: 0) }
            let loses = [Word(key: first, value: 1)] + filler
            let wins = filler.reversed() + [Word(key: second, value: 2)]
            let changes = try diff(wins: wins, loses: loses, primaryKey: \.key)
            #expect(changes?.counts == ChangeCounts(replaced: 1))
            let turned = try diff(wins: loses, loses: wins, primaryKey: \.key)
            #expect(turned?.counts == ChangeCounts(replaced: 1))
            let unchecked = uncheckedDiff(wins: wins, loses: loses, primaryKey: \.key)
            #expect(unchecked?.counts == ChangeCounts(replaced: 1))
        }
    }
}

/// Two different elements with one key.
struct DuplicateKeyTests {
    static let clashing = [Item(1, 0), Item(2, 0), Item(3, 0), Item(2, 1)]
    static let clean = [Item(1, 0), Item(2, 0), Item(3, 0)]

    @Test func anErrorNamesTheKeyAndThePositions() throws {
        let error = #expect(throws: KeyError.self) {
            try diff(wins: Self.clashing, loses: Self.clean, primaryKey: \.id)
        }
        #expect(error?.code == .duplicate)
        #expect(error?.collection == "wins")
        #expect(error?.key as? Int == 2)
        #expect(error?.positions == [1, 3])
        #expect(
            "\(try #require(error))" == """
                two different elements of 'wins' have the key 2, at 1 and 3: make the keys unique, or choose which one \
                counts (duplicates: .keepFirst or .keepLast)
                """)
        let other = #expect(throws: KeyError.self) {
            try diff(wins: Self.clean, loses: Self.clashing, primaryKey: \.id)
        }
        #expect(other?.collection == "loses")
    }

    @Test func aTrailingClosureFindsThemToo() {
        let error = #expect(throws: KeyError.self) { try diff(wins: Self.clashing, loses: Self.clean) { $0.id } }
        #expect(error?.positions == [1, 3])
    }

    @Test func errorsCarryTheKeyAsAValue() throws {
        func error(_ wins: [Item]) throws -> KeyError {
            try #require(throws: KeyError.self) { try diff(wins: wins, loses: [], primaryKey: \.id) }
        }
        let first = try error([Item(2), Item(2, 1)])
        #expect(first.key as? Int == 2 && first.missingName == nil)
        #expect(try error([Item(2), Item(2, 7)]) == first)
        #expect(try error([Item(3), Item(3, 1)]) != first)
        #expect(try Set([first, error([Item(2), Item(2, 1)]), error([Item(3), Item(3, 1)])]).count == 2)

        let twice = try #require(Diff([.add(7), .add(7)]))
        let whole = try #require(throws: KeyError.self) { try twice.composed(with: #require(Diff([.add(8)]))) }
        #expect(whole.key as? Int == 7, "the element is the key")

        var items = try JournaledCollection([Item(1)])
        let conflict = Conflict(base: Item(1), local: Item(1, 1), remote: Item(1, 2))
        let unknown = try #require(throws: ConflictError.self) { try items.resolve(1, with: .local, of: conflict) }
        #expect(unknown.key as? Int == 1)
        #expect(throws: unknown) { try items.resolve(1, with: .remote, of: conflict) }
    }

    @Test func theErrorIsTyped() {
        do throws(KeyError) {
            _ = try diff(wins: Self.clashing, loses: [], primaryKey: \.id)
        } catch {
            #expect(error.positions == [1, 3])
        }
    }

    @Test(arguments: [
        ("among the aligned", [Item(1), Item(2), Item(1, 1), Item(3)], [Item(1), Item(2), Item(1, 1), Item(3)]),
        ("among the added", [Item(7), Item(7, 1)], []),
        ("among the deleted", [], [Item(7), Item(7, 1)]),
        ("one aligned, one added", [Item(1), Item(2), Item(1, 1)], [Item(1), Item(2)]),
        ("one replaced, one added", [Item(1, 2), Item(2), Item(1, 1)], [Item(1), Item(2)]),
        ("far apart", (0..<500).map { Item($0) } + [Item(0, 1)], (0..<500).map { Item($0) }),
    ])
    func theyAreFoundWhereverTheyAre(_ name: String, wins: [Item], loses: [Item]) {
        #expect(throws: KeyError.self) { try diff(wins: wins, loses: loses, primaryKey: \.id) }
    }

    @Test func thePolicySaysWhichOneCounts() throws {
        let first = try diff(wins: Self.clashing, loses: Self.clean, primaryKey: \.id, duplicates: .keepFirst)
        #expect(first == nil)
        let last = try diff(wins: Self.clashing, loses: Self.clean, primaryKey: \.id, duplicates: .keepLast)
        #expect(last?.replace == [Item(2, 1)])
        #expect(last?.delete == [Item(2, 0)])
        let loser = try diff(wins: Self.clean, loses: Self.clashing, primaryKey: \.id, duplicates: .keepLast)
        #expect(loser?.delete == [Item(2, 1)])
    }

    @Test func equalElementsAreNoClash() throws {
        let changes = try diff(wins: [Item(1), Item(1), Item(2)], loses: [Item(2), Item(2)], primaryKey: \.id)
        #expect(changes?.add == [Item(1)])
        #expect(changes?.delete == [])
        let three = try diff(wins: [Item(1, 1), Item(1, 1)], loses: [Item(1), Item(1), Item(1)], primaryKey: \.id)
        #expect(three?.replace == [Item(1, 1)])
        #expect(three?.delete == [Item(1)])
    }

    @Test func theUncheckedFormStaysWellFormed() throws {
        // What it says is of no meaning, but it says each thing once and can be coded, inverted and applied.
        let changes = try #require(uncheckedDiff(wins: Self.clashing, loses: [Item(2, 5)], primaryKey: \.id))
        #expect(changes.inverted().inverted() == changes)
        #expect(Set(changes.replacements.map(\.old)).count == changes.replacements.count)
    }

    @Test func aRecordWithoutItsKeyIsAnErrorWithItsPosition() throws {
        let records = [["code": "a"], ["name": "b"]]
        let error = #expect(throws: KeyError.self) { try diff(wins: records, loses: [], primaryKey: "code") }
        #expect(error?.code == .missing)
        #expect(error?.positions == [1])
        #expect(
            "\(try #require(error))"
                == "the record at 1 of 'wins' has no value for 'code', which is part of its key")
        let second = #expect(throws: KeyError.self) { try diff(wins: [], loses: records, primaryKey: "code") }
        #expect(second?.collection == "loses")
        let part = #expect(throws: KeyError.self) { try diff(wins: [], loses: records, primaryKey: "name", "code") }
        #expect(part?.missingName == "name")
        #expect(part?.key == nil)
        #expect(part?.positions == [0])
    }

    @Test func recordsWithOneKeyClashToo() throws {
        let records = [["code": "a", "n": "1"], ["code": "a", "n": "2"]]
        let error = #expect(throws: KeyError.self) { try diff(wins: records, loses: [], primaryKey: "code") }
        #expect(error?.key as? String == "a")
        #expect(try diff(wins: records, loses: [], primaryKey: "code", duplicates: .keepLast)?.add == [records[1]])
    }

    @Test func recordsMayHoldAnyHashableValues() throws {
        let old: [[String: AnyHashable]] = [["id": 1, "name": "Ada"], ["id": "b", "name": "Ben"]]
        let new: [[String: AnyHashable]] = [["id": 1, "name": "Eve"]]
        let changes = try diff(wins: new, loses: old, primaryKey: "id")
        #expect(changes?.deletions == [old[1]] && changes?.replacements.map(\.new) == [new[0]])
        #expect(try merge(into: old, applying: changes, primaryKey: "id") { _, _ in true } == new)
        let error = #expect(throws: KeyError.self) {
            try merge(base: nil, local: new + [["id": 1]], remote: old, primaryKey: "id", policy: .localWins)
        }
        #expect(error?.key as? String == "1" && error?.positions == [0, 1])
    }
}
