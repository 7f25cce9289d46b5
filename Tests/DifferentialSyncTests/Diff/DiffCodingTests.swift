import DifferentialSync
import Foundation
import TestSupport
import Testing

func decoded<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
}

struct DiffCodingTests {
    let changes = Diff<Item>([
        .delete(Item(2)), .replace(old: Item(1, 0), new: Item(1, 1)), .add(Item(3)),
    ])!

    @Test func theCodedFormIsTheDocumentedOne() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(changes), as: UTF8.self)
        #expect(
            json == """
                {"add":[{"id":3,"value":0}],"delete":[{"id":2,"value":0},{"id":1,"value":0}],"pairs":[[1,0]],\
                "replace":[{"id":1,"value":1}]}
                """)
    }

    @Test func decodingTakesEncodingBack() throws {
        let copy = try JSONDecoder().decode(Diff<Item>.self, from: JSONEncoder().encode(changes))
        #expect(copy == changes)
        #expect(copy.hashValue == changes.hashValue)
        #expect(copy.replacements.map(\.old) == [Item(1, 0)])
    }

    @Test func aDiffOfDSIsRead() throws {
        let foreign = try decoded(
            Diff<[String: String]>.self,
            """
            {"_add": [{"name": "C"}], "_delete": [{"name": "A", "url": "1"}, {"name": "B"}],
             "_replace": [{"name": "A", "url": "2"}]}
            """)
        #expect(foreign.add == [["name": "C"]])
        #expect(foreign.counts == ChangeCounts(added: 1, deleted: 1, replaced: 1))
        #expect(foreign.replacements.isEmpty, "it does not say which one is replaced")
        let merged = try merge(into: [["name": "A", "url": "1"]], applying: foreign, primaryKey: "name") { _, _ in true
        }
        #expect(merged == [["name": "A", "url": "2"], ["name": "C"]])

        let paired = try foreign.paired { $0["name"] }
        #expect(paired.replacements.map(\.old) == [["name": "A", "url": "1"]])
        #expect(paired.deletions == [["name": "B"]])
        #expect(try paired.paired { $0["name"] } == paired)
        let copy = try JSONDecoder().decode(Diff<[String: String]>.self, from: JSONEncoder().encode(foreign))
        #expect(copy == foreign)
    }

    @Test func pairingNeedsOneOldValueForEachReplacement() throws {
        let orphan = try decoded(
            Diff<Item>.self, #"{"_replace": [{"id": 1, "value": 0}], "_delete": [{"id": 2, "value": 0}]}"#)
        let error = #expect(throws: KeyError.self) { try orphan.paired(primaryKey: \.id) }
        #expect(error?.code == .unknown)
        let twins = try decoded(
            Diff<Item>.self,
            """
            {"_replace": [{"id": 1, "value": 0}], "_delete": [{"id": 1, "value": 1}, {"id": 1, "value": 2}]}
            """)
        #expect(throws: KeyError.self) { try twins.paired(primaryKey: \.id) }

        let twice = try decoded(
            Diff<Item>.self,
            #"{"_delete": [{"id": 1, "value": 0}, {"id": 2, "value": 0}], "#
                + #""_replace": [{"id": 1, "value": 1}, {"id": 1, "value": 2}]}"#)
        let clash = #expect(throws: KeyError.self) { try twice.paired(primaryKey: \.id) }
        #expect(clash?.collection == "replace")

        let apart = try decoded(
            Diff<Item>.self,
            #"{"_delete": [{"id": 1, "value": 0}, {"id": 1, "value": 1}, {"id": 2, "value": 0}], "#
                + #""_replace": [{"id": 2, "value": 1}]}"#)
        #expect(try apart.paired(primaryKey: \.id).replacements.map(\.old) == [Item(2)])
    }

    @Test func absentListsAreEmpty() throws {
        let changes = try decoded(Diff<Int>.self, #"{"add": [1]}"#)
        #expect(changes == diff(wins: [1], loses: []))
        let empty = try decoded(Diff<Int>.self, #"{"_add": [], "_delete": [], "_replace": []}"#)
        #expect(empty.isEmpty)
        #expect(merge(into: [1], applying: empty) == [1])
    }

    @Test(arguments: [
        #"{}"#,
        #"{"added": [1]}"#,
        #"{"delete": [1], "replace": [2], "pairs": [[1, 0]]}"#,
        #"{"delete": [1], "replace": [2], "pairs": [[0, 1]]}"#,
        #"{"delete": [1], "replace": [2], "pairs": [[-1, 0]]}"#,
        #"{"delete": [1], "replace": [2], "pairs": [[0]]}"#,
        #"{"delete": [1], "replace": [2], "pairs": []}"#,
        #"{"delete": [1, 2], "replace": [3, 4], "pairs": [[0, 0], [0, 1]]}"#,
        #"{"delete": [1, 2], "replace": [3, 4], "pairs": [[0, 1], [1, 0]]}"#,
        #"{"add": "everything"}"#,
        #"{"replace": [1]}"#,
        #"{"_replace": [1, 2], "_delete": [3]}"#,
        #"{"add": [0], "delete": [1], "replace": [2], "pairs": [[0, 2]]}"#,
        #"{"add": [1], "_delete": [2]}"#,
        #"{"_delete": [2], "_replace": [3], "pairs": [[0, 0]]}"#,
    ])
    func whatDoesNotFitIsRefused(json: String) {
        #expect(throws: DecodingError.self) { try decoded(Diff<Int>.self, json) }
    }

    @Test func theErrorSaysWhatADiffLooksLike() {
        let error = #expect(throws: DecodingError.self) { try decoded(Diff<Int>.self, "{}") }
        guard case .dataCorrupted(let context) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(
            context.debugDescription == "a diff has lists named add, delete and replace (or _add, _delete and _replace)"
        )
    }

    @Test(arguments: [
        (
            #"{"_replace": [1, 2], "_delete": [3]}"#,
            "a diff deletes the old value of each element of '_replace', but it replaces 2 and deletes 1"
        ),
        (
            #"{"delete": [1], "replace": [2], "pairs": []}"#,
            "a diff has a pair for each element of 'replace', but there are 0 for 1"
        ),
        (
            #"{"delete": [1], "replace": [2], "pairs": [[1, 0]]}"#,
            "pairs[0] names the element 1 of 'delete', which has 1"
        ),
        (
            #"{"delete": [1, 2], "replace": [3, 4], "pairs": [[0, 0], [0, 1]]}"#,
            "pairs[1] and pairs[0] both name the element 0 of 'delete'"
        ),
        (
            #"{"delete": [1], "replace": [2], "pairs": [[0, 1]]}"#,
            "pairs[0] has the rank 1, which does not fit: ranks ascend, and before an element of 'replace' stand those "
                + "before it and at most the 0 of 'add'"
        ),
        (
            #"{"add": [1], "_delete": [2]}"#,
            "'add' stands beside _add, _delete or _replace: use one form of names"
        ),
    ])
    func theErrorSaysWhatContradictsItselfAndWhere(json: String, message: String) throws {
        let error = try #require(throws: DecodingError.self) { try decoded(Diff<Int>.self, json) }
        guard case .dataCorrupted(let context) = error else { throw error }
        #expect(context.debugDescription == message)
    }

    @Test(arguments: [
        #"{"delete": [{"id": 1, "value": 0}, {"id": 2, "value": 0}], "#
            + #""replace": [{"id": 1, "value": 1}, {"id": 1, "value": 2}], "pairs": [[0, 0], [1, 1]]}"#,
        #"{"delete": [{"id": 1, "value": 0}, {"id": 2, "value": 0}], "#
            + #""replace": [{"id": 1, "value": 1}, {"id": 1, "value": 2}]}"#,
        #"{"add": [{"id": 3, "value": 0}], "delete": [{"id": 1, "value": 0}], "#
            + #""replace": [{"id": 3, "value": 1}], "pairs": [[0, 1]]}"#,
        #"{"add": [{"id": 3, "value": 0}, {"id": 3, "value": 1}]}"#,
        #"{"delete": [{"id": 1, "value": 0}, {"id": 1, "value": 0}]}"#,
        #"{"delete": [{"id": 1, "value": 0}], "replace": [{"id": 2, "value": 1}], "pairs": [[0, 0]]}"#,
    ])
    func twoChangesOfOneKeyAreNotAppliedExactly(json: String) throws {
        let changes = try decoded(Diff<Item>.self, json)
        var items = [Item(1), Item(2)]
        let error = #expect(throws: MismatchError.self) { try changes.apply(exactlyTo: &items, primaryKey: \.id) }
        #expect(error?.mismatches.count == 1)
        #expect(items == [Item(1), Item(2)])
    }

    @Test func diffsWithEqualListsAreEqualHoweverTheyWereMade() throws {
        let own = try #require(try diff(wins: [Item(1, 1), Item(3)], loses: [Item(1)], primaryKey: \.id))
        let foreign = try decoded(
            Diff<Item>.self,
            #"{"_add": [{"id": 3, "value": 0}], "_delete": [{"id": 1, "value": 0}], "_replace": [{"id": 1, "value": 1}]}"#
        )
        let turned = try #require(Diff([.add(Item(3)), .replace(old: Item(1), new: Item(1, 1))]))
        #expect(own == foreign)
        #expect(own == turned)
        #expect(Set([own, foreign, turned]).count == 1)
        #expect(own != own.inverted())
    }
}
