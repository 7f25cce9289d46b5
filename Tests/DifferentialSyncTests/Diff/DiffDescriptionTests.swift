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

    @Test func countsReadAsText() {
        #expect("\(ChangeCounts())" == "no changes")
        #expect("\(ChangeCounts(added: 2, deleted: 1, replaced: 3))" == "2 added, 1 deleted, 3 replaced")
    }
}
