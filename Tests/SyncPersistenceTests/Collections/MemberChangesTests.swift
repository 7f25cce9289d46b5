import DifferentialSync
import Foundation
import SyncPersistence
import Testing

struct MemberChangesTests {
    private struct Note: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
        var color: String?
        var place: Place?
        var counts: [String: Int] = [:]

        struct Place: Codable, Equatable, Sendable {
            var x: Int
            var y: Int?
        }
    }

    private let old = Note(id: 7, text: "a", color: "red", place: Note.Place(x: 1, y: 2), counts: ["b": 1, "c": 2])
    private let new = Note(id: 7, text: "b", place: Note.Place(x: 3), counts: ["c": 2])

    private func changes() throws -> MemberChanges<Int> {
        let added = Note(id: 8, text: "new")
        let diff = try #require(
            Diff([.delete(Note(id: 9, text: "gone")), .replace(old: old, new: new), .add(added)]))
        return try MemberChanges(diff)
    }

    @Test func onlyWhatHasChangedIsSent() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(changes()), as: UTF8.self)
        #expect(
            json == #"{"changed":[{"id":7,"removed":[["color"],["counts","b"],["place","y"]],"#
                + #""set":{"place":{"x":3},"text":"b"}}],"deleted":[9],"inserted":[{"counts":{},"id":8,"text":"new"}]}"#
        )
        #expect(try JSONDecoder().decode(MemberChanges<Int>.self, from: Data(json.utf8)) == changes())
    }

    @Test func replacementNamesSetAndRemovedMembers() throws {
        let replacement = try #require(try changes().changed.first)
        #expect(replacement.id == 7)
        #expect(try Value.object(replacement.set) == Value(json: #"{"place":{"x":3},"text":"b"}"#))
        #expect(replacement.removed == [["color"], ["counts", "b"], ["place", "y"]])
    }

    @Test func whatTheTypeDoesNotKnowIsKeptByAServerThatAppliesThem() throws {
        let stored = #"{"color":"red","counts":{"b":1,"c":2},"due":[1],"id":7,"place":{"x":1,"y":2,"z":9},"text":"a"}"#
        guard case .object(var document) = try Value(json: stored) else { return }
        try changes().changed[0].apply(to: &document)
        #expect(
            try Value.object(document)
                == Value(json: #"{"counts":{"c":2},"due":[1],"id":7,"place":{"x":3,"z":9},"text":"b"}"#))
    }

    @Test func aDiffWhoseReplacementsAreNotPairedIsTheSame() throws {
        let paired = try #require(Diff([.replace(old: old, new: new)]))
        let decoded = try JSONDecoder().decode(Diff<Note>.self, from: JSONEncoder().encode(paired))
        #expect(try MemberChanges(decoded) == MemberChanges(paired))
    }

    @Test func anArrayIsSentAsAWhole() throws {
        struct List: Codable, Identifiable, Equatable { var id: Int; var items: [String] }
        let diff = try #require(
            Diff([.replace(old: List(id: 1, items: ["a", "b"]), new: List(id: 1, items: ["b"]))]))
        let changed = try MemberChanges(diff).changed
        #expect(changed.map(\.set) == [ValueObject([ValueObject.Member(name: "items", value: ["b"])])])
    }
}
