import DifferentialSync
import Foundation
import Testing

struct DiffingExamples {
    let old = [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs")]
    let new = [Note(id: 1, text: "oat milk"), Note(id: 3, text: "tea")]

    @Test func wholeElements() {
        let values = results {
            let changes = diff(wins: ["a", "b", "d"], loses: ["c", "b", "a"])
            changes?.add  // ["d"]
            changes?.delete  // ["c"]
            diff(wins: [1, 2], loses: [2, 1])  // nil
        }
        #expect(values[0] as? [String] == ["d"])
        #expect(values[1] as? [String] == ["c"])
        #expect("\(values[2])" == "nil")
    }

    @Test func keys() throws {
        let values = try results {
            let old = [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs")]
            let new = [Note(id: 1, text: "oat milk"), Note(id: 3, text: "tea")]
            let changes = try diff(wins: new, loses: old, primaryKey: \.id)!
            changes.add  // note 3
            changes.replace  // the new note 1
            changes.delete  // the old notes 1 and 2
            changes.deletions  // note 2: deleted, not replaced
            changes.replacements  // the old note 1 with the new one
        }
        #expect(values[0] as? [Note] == [new[1]])
        #expect(values[1] as? [Note] == [new[0]])
        #expect(values[2] as? [Note] == old)
        #expect(values[3] as? [Note] == [old[1]])
        let replacements = values[4] as? [Diff<Note>.Replacement]
        #expect(replacements?.map(\.old) == [old[0]])
        #expect(replacements?.map(\.new) == [new[0]])
    }

    @Test func changesAsAList() throws {
        let changes = try #require(try diff(wins: new, loses: old, primaryKey: \.id))
        var lines: [String] = []
        for change in changes.changes {
            switch change {
            case .add(let note): lines.append("+ \(note.text)")
            case .delete(let note): lines.append("- \(note.text)")
            case .replace(let old, let new): lines.append("\(old.text) → \(new.text)")
            }
        }
        #expect(lines == ["- eggs", "milk → oat milk", "+ tea"])
    }

    @Test func keysOfSeveralParts() throws {
        let here = [Place(country: "AD", code: 2), Place(country: "AD", code: 3)]
        let there = [Place(country: "AD", code: 2)]
        let rows = [["country": "AD", "code": "2"], ["country": "AD", "code": "3"]]
        let stored = [["country": "AD", "code": "2"]]
        let byParts = try diff(wins: here, loses: there, primaryKey: { CompositeKey($0.country, $0.code) })
        let byName = try diff(wins: rows, loses: stored, primaryKey: "country", "code")
        #expect(byParts?.add == [here[1]])
        #expect(byName?.add == [rows[1]])
        #expect(diff(wins: ["\u{E9}"], loses: ["e\u{301}"]) == nil, "one key, be it one scalar or two")
    }

    @Test func duplicates() throws {
        var message = ""
        let twice = [Note(id: 7, text: "milk"), Note(id: 7, text: "eggs")]
        let last = try diff(wins: twice, loses: [], primaryKey: \.id, duplicates: .keepLast)  // note 7, "eggs"
        do {
            _ = try diff(wins: twice, loses: [], primaryKey: \.id)
        } catch {
            message = "\(error)"  // two different elements of 'wins' have the key 7, at 0 and 1: …
        }
        #expect(last?.add == [twice[1]])
        #expect(
            message.hasPrefix("two different elements of 'wins' have the key 7, at 0 and 1: make the keys unique, "))
    }

    @Test func algebra() throws {
        let a = [Note(id: 1, text: "1")]
        let b = [Note(id: 1, text: "2")]
        let c = [Note(id: 1, text: "3"), Note(id: 2, text: "")]
        let first = try #require(try diff(wins: b, loses: a, primaryKey: \.id))
        let second = try #require(try diff(wins: c, loses: b, primaryKey: \.id))
        let back = first.inverted()  // from b to a
        let both = try first.composed(with: second, primaryKey: \.id)  // from a to c
        let exact = try first.applied(exactlyTo: a, primaryKey: \.id)  // b, or a MismatchError
        #expect(back == (try diff(wins: a, loses: b, primaryKey: \.id)))
        #expect(both?.changes == (try diff(wins: c, loses: a, primaryKey: \.id))?.changes)
        #expect(exact == b)
        #expect(throws: MismatchError.self) { try first.applied(exactlyTo: c, primaryKey: \.id) }
        #expect(try first.composed(with: back, primaryKey: \.id) == nil)
    }

    @Test func collectionDifferences() {
        let old = ["a", "b", "c"]
        let new = ["c", "a", "d"]
        let changes = Diff(new.difference(from: old))!
        let difference = changes.collectionDifference(from: old)
        #expect(changes.add == ["d"])
        #expect(changes.delete == ["b"])
        #expect(old.applying(difference) == ["a", "c", "d"])
    }

    // MARK: What is shown as text

    struct Text: Equatable, Codable {
        let id: Int
        let text: String
    }

    let oldTexts = [Text(id: 1, text: "milk"), Text(id: 2, text: "eggs")]
    let newTexts = [Text(id: 1, text: "oat milk"), Text(id: 3, text: "tea")]
    let page = Document.guides.first { $0.name == "Diffing" }

    @Test func theDescription() throws {
        let changes = try diff(wins: newTexts, loses: oldTexts, primaryKey: \.id)
        let page = try #require(page)
        let lines = try #require(changes).description.split(separator: "\n").map(String.init)
        let start = try #require(page.lines.firstIndex(of: lines[0]))
        #expect(Array(page.lines[start..<start + lines.count]) == lines)
    }

    @Test func theCodedForm() throws {
        let changes = try #require(try diff(wins: newTexts, loses: oldTexts, primaryKey: \.id))
        let lines = try #require(page).lines
        let start = try #require(lines.firstIndex(of: "```json"))
        let end = try #require(lines[start...].firstIndex(of: "```"))
        let json = lines[start + 1..<end].joined(separator: "\n")
        #expect(try JSONDecoder().decode(Diff<Text>.self, from: Data(json.utf8)) == changes)
        let shown = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary
        #expect(try JSONSerialization.jsonObject(with: JSONEncoder().encode(changes)) as? NSDictionary == shown)
    }
}
