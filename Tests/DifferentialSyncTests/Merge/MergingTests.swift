import DifferentialSync
import TestSupport
import Testing

/// What a merge does, by example; the laws are in `DiffLawTests`.
struct MergingTests {
    struct Refused: Error {}

    struct Pair: Equatable {
        let key: String
        let value: Int

        init(_ key: String, _ value: Int) {
            self.key = key
            self.value = value
        }
    }

    let mine = [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs"), Note(id: 3, text: "tea")]

    @Test func nilChangesNothing() throws {
        #expect(merge(into: [1, 2], applying: nil) == [1, 2])
        #expect(merge(into: mine, applying: nil, primaryKey: \.id) { _, _ in false } == mine)
        var copy = mine
        merge(into: &copy, applying: nil)
        merge(into: &copy, applying: nil, primaryKey: \.id) { _, _ in true }
        #expect(copy == mine)
    }

    // MARK: Whole elements

    @Test func whatIsThereAlreadyIsNotAppended() {
        let changes = diff(wins: ["a", "b"], loses: ["c"])
        #expect(merge(into: ["b", "c", "d"], applying: changes) == ["b", "d", "a"])
    }

    @Test func survivingDuplicatesStayAndDeletedOnesAllGo() {
        let changes = diff(wins: ["x"], loses: ["c"])
        #expect(merge(into: ["a", "c", "a", "c"], applying: changes) == ["a", "a", "x"])
    }

    @Test func aKeyedDiffAppliesWithoutAKey() throws {
        let changes = try diff(wins: [Item(1, 1), Item(3)], loses: [Item(1, 0), Item(2)], primaryKey: \.id)
        #expect(merge(into: [Item(1, 0), Item(2), Item(4)], applying: changes) == [Item(4), Item(3), Item(1, 1)])
    }

    // MARK: Keys

    @Test func aReplacementStaysInItsPlace() throws {
        let changes = try diff(wins: [Note(id: 2, text: "six eggs")], loses: [mine[1]], primaryKey: \.id)
        let merged = merge(into: mine, applying: changes, primaryKey: \.id) { _, _ in true }
        #expect(merged == [mine[0], Note(id: 2, text: "six eggs"), mine[2]])
    }

    @Test func keysThatAreEqualInOtherBytesMeetWhereverTheyDiffer() {
        for text in ["a-prefix-K-a-suffix", "Kelvin-and-more", "more-and-K", "K"] {
            let kelvin = String(text.map { $0 == "K" ? "\u{212A}" : $0 })
            let keys = (0..<500).map { "another-\($0)-of-the-keys" }
            for (there, incoming) in [(text, kelvin), (kelvin, text)] {
                let elements = keys.map { Pair($0, 0) } + [Pair(there, 0)]
                let changes = Diff([.replace(old: Pair(incoming, 0), new: Pair(incoming, 1))])
                let merged = merge(into: elements, applying: changes, primaryKey: \.key) { _, _ in true }
                #expect(merged == keys.map { Pair($0, 0) } + [Pair(incoming, 1)], "\(text)")
            }
        }
    }

    @Test func theOldOneStaysWhereTheAnswerIsNo() throws {
        let changes = try diff(wins: [Note(id: 2, text: "six eggs")], loses: [mine[1]], primaryKey: \.id)
        #expect(merge(into: mine, applying: changes, primaryKey: \.id) { _, _ in false } == mine)
    }

    @Test func aDeletionWinsOverAnEdit() throws {
        let changes = try diff(wins: [Note(id: 2, text: "six eggs")], loses: [mine[1]], primaryKey: \.id)
        let merged = merge(into: [mine[0]], applying: changes, primaryKey: \.id) { _, _ in true }
        #expect(merged == [mine[0]], "the record was deleted on this side")
    }

    @Test func anEditWinsOverADeletion() throws {
        let changes = try diff(wins: [], loses: [mine[1]], primaryKey: \.id)
        let edited = [Note(id: 2, text: "six eggs")]
        #expect(merge(into: edited, applying: changes, primaryKey: \.id) { _, _ in true } == edited)
        #expect(merge(into: [mine[1]], applying: changes, primaryKey: \.id) { _, _ in true } == [])
    }

    @Test func callbackGetsOnlyDifferingPairsInTheOrderOfTheTarget() throws {
        let changes = try diff(
            wins: [Item(3, 1), Item(2, 1), Item(1, 1), Item(9)], loses: [Item(1), Item(2), Item(3)], primaryKey: \.id)
        var asked: [String] = []
        _ = merge(into: [Item(1), Item(2, 1), Item(3), Item(4)], applying: changes, primaryKey: \.id) {
            asked.append("\($0) \($1)")
            return true
        }
        #expect(asked == ["1a 1b", "3a 3b"])
    }

    @Test func callbackThatThrowsEndsTheMergeAndNothingChanges() throws {
        let changes = try diff(wins: [Item(1, 1), Item(2, 1)], loses: [Item(1), Item(2)], primaryKey: \.id)
        var target = [Item(1), Item(2), Item(3)]
        var questions = 0
        #expect(throws: Refused.self) {
            try merge(into: &target, applying: changes, primaryKey: \.id) { _, _ in
                questions += 1
                if questions == 2 { throw Refused() }
                return true
            }
        }
        #expect(target == [Item(1), Item(2), Item(3)])
        do throws(Refused) {
            _ = try merge(into: target, applying: changes, primaryKey: \.id) { (_, _) throws(Refused) in throw Refused()
            }
        } catch {
            #expect(questions == 2)
        }
    }

    @Test func removalsCloseTheGapsInPlace() throws {
        let numbers = Array(0..<1_000).map { Item($0) }
        let kept = numbers.filter { $0.id % 3 != 1 }.map { Item($0.id, $0.id % 3 == 2 ? 1 : 0) } + [Item(5_000)]
        let changes = try diff(wins: kept, loses: numbers, primaryKey: \.id)
        var inPlace = numbers
        merge(into: &inPlace, applying: changes, primaryKey: \.id) { _, _ in true }
        #expect(inPlace == kept)
        #expect(merge(into: numbers, applying: changes, primaryKey: \.id) { _, _ in true } == kept)
    }

    // MARK: Collections and diffs that have a key twice

    @Test func everyElementWithTheKeyIsAskedAbout() throws {
        let changes = Diff<Item>([.add(Item(1, 9))])
        var asked: [Item] = []
        let merged = merge(into: [Item(1, 0), Item(2), Item(1, 1)], applying: changes, primaryKey: \.id) { old, _ in
            asked.append(old)
            return true
        }
        #expect(asked == [Item(1, 0), Item(1, 1)])
        #expect(merged == [Item(1, 9), Item(2)], "the incoming element counts once")
        let refused = merge(into: [Item(1, 0), Item(1, 1)], applying: changes, primaryKey: \.id) { old, _ in
            old.value == 1
        }
        #expect(refused == [Item(1, 0), Item(1, 9)])
    }

    @Test func elementsThatComeInWithOneKeyMeetEachOther() throws {
        let changes = Diff<Item>([.add(Item(1, 1)), .add(Item(1, 2)), .add(Item(1, 3))])
        var asked: [String] = []
        let merged = merge(into: [Item(2)], applying: changes, primaryKey: \.id) {
            asked.append("\($0) \($1)")
            return $1.value == 2
        }
        #expect(merged == [Item(2), Item(1, 2)])
        #expect(asked == ["1b 1c", "1c 1d"], "none is dropped in silence")
        let met = merge(into: [Item(1, 0)], applying: changes, primaryKey: \.id) { _, _ in true }
        #expect(met == [Item(1, 3)])
    }

    // MARK: Records

    @Test func recordsByTheNameOfTheirKey() throws {
        let old = [["code": "a", "n": "1"], ["code": "b", "n": "1"]]
        let new = [["code": "a", "n": "2"], ["code": "c", "n": "1"]]
        let changes = try diff(wins: new, loses: old, primaryKey: "code")
        #expect(try merge(into: old, applying: changes, primaryKey: "code") { _, _ in true } == new)
        var target = old
        try merge(into: &target, applying: changes, primaryKey: "code") { _, _ in false }
        #expect(target == [old[0], new[1]])
    }

    @Test func aRecordWithoutItsKeyIsAnErrorAndNothingChanges() throws {
        let changes = try diff(wins: [["code": "a"]], loses: [], primaryKey: "code")
        var target = [["code": "b"], ["name": "x"]]
        let error = #expect(throws: KeyError.self) {
            try merge(into: &target, applying: changes, primaryKey: "code") { _, _ in true }
        }
        #expect(error?.collection == "into")
        #expect(error?.positions == [1])
        #expect(target == [["code": "b"], ["name": "x"]])
        let foreign = diff(wins: [["name": "x"]], loses: [])
        let second = #expect(throws: KeyError.self) {
            try merge(into: [["code": "b"]], applying: foreign, primaryKey: "code") { _, _ in true }
        }
        #expect(second?.collection == "add")
    }

    @Test func keysThatAreNotASCIIAreFoundInTheMiddleOfAScan() throws {
        struct Word: Equatable {
            let key: String
            let value: Int
        }
        let changes = Diff<Word>([.replace(old: Word(key: "K", value: 0), new: Word(key: "K", value: 1))])
        let target = (0..<20).map { Word(key: "\($0)", value: 0) } + [Word(key: "\u{212A}", value: 0)]
        let merged = merge(into: target, applying: changes, primaryKey: \.key) { _, _ in true }
        #expect(merged.last?.value == 1)
    }
}
