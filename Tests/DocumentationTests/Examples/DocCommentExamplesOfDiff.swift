import DifferentialSync
import Testing

/// The examples in the comments of `Sources/DifferentialSync/Diff`.
struct DocCommentExamplesOfDiff {
    let old = [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs")]
    let new = [Note(id: 1, text: "oat milk"), Note(id: 3, text: "tea")]

    @Test func diffType() {
        let values = results {
            let old = ["apple", "pear"]
            let new = ["apple", "plum"]
            let changes = diff(wins: new, loses: old)  // + "plum"  - "pear"
            merge(into: old, applying: changes)  // ["apple", "plum"]
        }
        #expect(values[0] as? [String] == ["apple", "plum"])
    }

    @Test func byWholeElements() {
        let values = results {
            let changes = diff(wins: ["a", "b", "d"], loses: ["a", "b", "c"])
            // changes?.add == ["d"], changes?.delete == ["c"]
            diff(wins: [1, 2], loses: [2, 1])  // nil
            changes
        }
        #expect("\(values[0])" == "nil")
        let changes = values[1] as? Diff<String>
        #expect(changes?.add == ["d"])
        #expect(changes?.delete == ["c"])
    }

    @Test func byKey() throws {
        struct Note: Equatable { let id: Int; var text: String }
        let old = [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs")]
        let new = [Note(id: 1, text: "oat milk"), Note(id: 3, text: "tea")]

        let changes = try diff(wins: new, loses: old, primaryKey: \.id)
        // add: note 3, replace: note 1, delete: the old notes 1 and 2
        #expect(changes?.add == [new[1]])
        #expect(changes?.replace == [new[0]])
        #expect(changes?.delete == old)
    }

    @Test func unchecked() {
        let (rows, shadowRows) = (new, old)
        let changes = uncheckedDiff(wins: rows, loses: shadowRows, primaryKey: \.id)  // a unique index checks the key
        #expect(changes?.counts == ChangeCounts(added: 1, deleted: 1, replaced: 1))
    }

    @Test func byIdentifier() throws {
        let old = [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs")]
        let new = [Note(id: 1, text: "oat milk"), Note(id: 3, text: "tea")]
        do {
            let changes = try identifiedDiff(wins: new, loses: old)  // add: note 3, replace: note 1
            #expect(changes?.counts == ChangeCounts(added: 1, deleted: 1, replaced: 1))
        }
        let changes = uncheckedDiff(wins: new, loses: old)
        #expect(changes?.counts == ChangeCounts(added: 1, deleted: 1, replaced: 1))
    }

    @Test func records() throws {
        let old = [["code": "AD-02", "name": "Canillo"]]
        let new = [["code": "AD-02", "name": "Canillo"], ["code": "AD-03", "name": "Encamp"]]
        let changes = try diff(wins: new, loses: old, primaryKey: "code")  // add: AD-03
        #expect(changes?.add == [new[1]])
        #expect(changes?.counts.total == 1)
    }

    @Test func describedByKey() throws {
        let old = [["name": "Andora", "code": "AD"]]
        let changes = try #require(try diff(wins: [["name": "Andorra", "code": "AD"]], loses: old, primaryKey: "code"))
        let text = changes.description(lines: 20, width: 100) { $0["code"] }  // ~ {code: "AD", …}
        #expect(text == "1 replaced\n" + #"~ {code: "AD", name: "Andora" → "Andorra"}"#)
    }

    @Test func ofChanges() {
        let changes = Diff([.add("plum"), .replace(old: "pear", new: "Pear")])
        #expect(changes?.counts == ChangeCounts(added: 1, replaced: 1))
    }

    @Test func keysOfSeveralParts() throws {
        let old = [Place(country: "AD", code: 2)]
        let new = [Place(country: "AD", code: 2, name: "Canillo")]
        let changes = try diff(wins: new, loses: old, primaryKey: { CompositeKey($0.country, $0.code) })
        #expect(changes?.replace == new)
    }

    @Test func inversion() {
        let (old, new) = (["apple", "pear"], ["apple", "plum"])
        let values = results {
            let changes = diff(wins: new, loses: old)!
            merge(into: new, applying: changes.inverted())  // the elements of old
        }
        #expect(values[0] as? [String] == old)
    }

    @Test func composition() throws {
        let last = [Note(id: 3, text: "green tea")]
        let first = try #require(try diff(wins: new, loses: old, primaryKey: \.id))
        let second = try #require(try diff(wins: last, loses: new, primaryKey: \.id))
        let edits = try first.composed(with: second, primaryKey: \.id)
        #expect(edits?.add == last)
        #expect(edits?.deletions.sorted { $0.id < $1.id } == old)
    }

    @Test func exactApplication() throws {
        let shadow = old
        let changes = try #require(try diff(wins: new, loses: old, primaryKey: \.id))
        let next = try changes.applied(exactlyTo: shadow, primaryKey: \.id)
        #expect(next == new)
    }

    @Test func fromACollectionDifference() {
        let (old, new) = ([1, 2], [2, 3])
        let changes = Diff(new.difference(from: old))
        #expect(changes == diff(wins: new, loses: old))
    }

    @Test func toACollectionDifference() throws {
        struct Row: Hashable {
            let id: Int
            var text = ""
        }
        let rows = [Row(id: 1), Row(id: 2)]
        let after = [Row(id: 1), Row(id: 2, text: "b"), Row(id: 3)]
        let changes = try #require(try diff(wins: after, loses: rows, primaryKey: \.id))
        let values = results {
            let difference = changes.collectionDifference(from: rows)
            rows.applying(difference)  // rows after the changes, with the offsets that a table view needs
        }
        #expect(values[0] as? [Row] == after)
    }
}
