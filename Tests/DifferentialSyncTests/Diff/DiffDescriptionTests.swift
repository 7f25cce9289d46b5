import DifferentialSync
import TestSupport
import Testing

struct DiffDescriptionTests {
    struct Contact: Equatable {
        let id: Int
        var name: String
        var phone: String?
        var city: String
    }

    @Test func oneLineForEachChange() throws {
        let old = [Contact(id: 1, name: "Ann", phone: nil, city: "Oslo"), Contact(id: 2, name: "Ben", city: "Rome")]
        let new = [Contact(id: 1, name: "Anna", phone: "12", city: "Oslo"), Contact(id: 3, name: "Cy", city: "Bonn")]
        let changes = try #require(try diff(wins: new, loses: old, primaryKey: \.id))
        #expect(
            "\(changes)" == """
                1 added, 1 deleted, 1 replaced
                + {id: 3, name: "Cy", phone: nil, city: "Bonn"}
                - {id: 2, name: "Ben", phone: nil, city: "Rome"}
                ~ {id: 1, city: "Oslo", name: "Ann" → "Anna", phone: nil → "12"}
                """)
    }

    @Test func dictionaryLikeRecordsShowTheirFieldsByName() throws {
        let old = [["code": "AD", "name": "Andorra", "zone": "EU", "size": "S"]]
        let new = [["code": "AD", "name": "Andorra!", "zone": "EU", "note": "x"]]
        let changes = try #require(try diff(wins: new, loses: old, primaryKey: "code"))
        #expect(
            "\(changes)" == """
                1 replaced
                ~ {code: "AD", zone: "EU", name: "Andorra" → "Andorra!", size: "S" → none, note: none → "x"}
                """)
    }

    @Test func plainValuesShowAsTheyAre() {
        #expect("\(diff(wins: ["b"], loses: ["a"])!)" == "1 added, 1 deleted\n+ \"b\"\n- \"a\"")
        #expect("\(diff(wins: [Item(1, 1)], loses: [])!)" == "1 added\n+ 1b", "a type's own description stands")
        #expect("\(Diff<Int>([.replace(old: 1, new: 2)])!)" == "1 replaced\n~ 1 → 2")
    }

    @Test func longValuesAndLongListsAreShortened() {
        let long = String(repeating: "x", count: 500)
        let changes = diff(wins: [long] + (1...30).map { "\($0)" }, loses: [])!
        let lines = changes.description.split(separator: "\n")
        #expect(lines.count == 22)
        #expect(lines[0] == "31 added")
        #expect(lines[1].count == 100)
        #expect(lines[1].hasSuffix("x…"))
        #expect(lines[21] == "+ … 11 more")
        #expect(
            changes.description(lines: 1, width: 20) == "31 added\n+ \"" + String(repeating: "x", count: 16)
                + "…\n+ … 30 more")
    }

    @Test func ofALongRecordTheChangedFieldIsSeen() throws {
        let long = String(repeating: "y", count: 300)
        var old: [String: String] = [:]
        for number in 1...20 { old["field\(number)"] = long }
        old["id"] = "7"
        var new = old
        new["field9"] = "short"
        let changes = try #require(try diff(wins: [new], loses: [old], primaryKey: "id"))
        let line = try #require(changes.description.split(separator: "\n").last)
        #expect(line.count <= 100)
        #expect(line.contains("field9"), "\(line)")
    }

    @Test func withoutPairsTheNewValueStandsAlone() throws {
        let foreign = try decoded(Diff<Int>.self, #"{"_replace": [5], "_delete": [4]}"#)
        #expect("\(foreign)" == "1 replaced\n- 4\n~ 5")
    }

    @Test func lineBreaksStayInTheLine() {
        #expect("\(diff(wins: ["a\nb"], loses: [])!)" == "1 added\n+ \"a\\nb\"")
    }

    @Test func controlCharactersAreShownAsEscapes() throws {
        struct Raw: Hashable, CustomStringConvertible { let description: String }
        #expect(
            "\(diff(wins: [Raw(description: "a\u{1B}[31m\u{9B}b")], loses: [])!)" == "1 added\n+ a\\u{1B}[31m\\u{9B}b")
        let record = ["\u{1B}[2J": "\u{9B}x"]
        #expect("\(diff(wins: [record], loses: [])!)" == "1 added\n+ {\\u{1B}[2J: \"\\u{9B}x\"}")
        let error = try #require(throws: KeyError.self) {
            try diff(
                wins: [("k\u{7}", 1), ("k\u{7}", 2)].map { Pair(name: $0, value: $1) }, loses: [], primaryKey: \.name)
        }
        #expect("\(error)".hasPrefix("two different elements of 'wins' have the key k\\u{7}, at 0 and 1"))
    }

    struct Pair: Hashable {
        let name: String
        let value: Int
    }

    @Test(arguments: [Int.min, -1, 0, 1, .max])
    func anyLengthWillDo(length: Int) {
        let changes = diff(wins: [["name": "new", "id": "1"]], loses: [["name": "old", "id": "1"]])!
        #expect(changes.description(lines: length, width: 100).hasPrefix("1 added, 1 deleted"))
        #expect(changes.description(lines: 20, width: length).hasPrefix("1 added, 1 deleted\n+ {"))
        let replaced = Diff([.replace(old: "old", new: "new")])!
        #expect(replaced.description(lines: 20, width: length) == "1 replaced\n~ \"old\" → \"new\"")
    }

    @Test func countsReadAsText() {
        #expect("\(ChangeCounts())" == "no changes")
        #expect("\(ChangeCounts(added: 2, deleted: 1, replaced: 3))" == "2 added, 1 deleted, 3 replaced")
    }

    // MARK: Keys

    static let long = String(repeating: "y", count: 300)

    @Test func theKeyStandsFirstAndInFull() throws {
        struct Page: Equatable, Identifiable {
            var title: String
            var text: String
            let id: String
        }
        let key = "a-key-of-more-than-forty-characters-which-is-not-cut-off"
        let old = Page(title: Self.long, text: "a", id: key)
        let new = Page(title: "b" + Self.long, text: Self.long, id: key)
        for changes in [[Change.replace(old: old, new: new)], [.add(old)], [.delete(new)]] {
            let line = try #require(Diff(changes)?.description.split(separator: "\n").last)
            #expect(line.dropFirst(2).hasPrefix(#"{id: "\#(key)", title: "#), "\(line)")
            #expect(line.count <= 101)
        }
    }

    @Test func theKeyOfADictionaryIsItsIDOrTheGivenOne() throws {
        let old = ["a": Self.long, "code": "AD", "id": "7", "zone": Self.long]
        let new = ["a": "b" + Self.long, "code": "AD", "id": "7", "zone": "z" + Self.long]
        let changes = try #require(Diff([.replace(old: old, new: new)]))
        #expect(changes.description.contains(#"~ {id: "7", a: "yyy"#))
        let byCode = changes.description(lines: 1, width: 100) { $0["code"] }
        #expect(byCode.contains(#"~ {code: "AD", a: "yyy"#))
        let byParts = changes.description(lines: 1, width: 100) { RecordKey($0["code"] ?? "", $0["id"] ?? "") }
        #expect(byParts.contains(#"~ {code: "AD", id: "7", a: "yyy"#))
        let computed = changes.description(lines: 1, width: 100) { "key of \($0["code"] ?? "")" }
        #expect(computed.contains(#"~ {key: "key of AD", a: "yyy"#))
    }

    @Test func aChangeReadsAsALineOfADiff() {
        #expect("\(Change.add(["id": "1", "a": "x"]))" == #"+ {id: "1", a: "x"}"#)
        #expect("\(Change.delete(Item(1, 1)))" == "- 1b")
        let change = Change.replace(old: ["a": "x", "id": "1"], new: ["a": "y", "id": "1"])
        #expect("\(change)" == #"~ {id: "1", a: "x" → "y"}"#)
    }
}
