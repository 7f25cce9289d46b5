import Foundation
import SyncPersistence
import Testing

/// What an older version of an app knows of a note.
private struct PlainNote: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var text: String
    var color: String?
    var lines: [Line] = []
    var place: Place?
    var counts: [String: Int] = [:]
    var length: Int128?

    struct Line: Codable, Equatable, Sendable {
        var id: Int?
        var text: String
    }

    struct Place: Codable, Equatable, Sendable {
        var x: Int
        var y: Int?
    }
}

struct KeptMembersTests {
    @Test func membersThatTheTypeDoesNotKnowAreKept() throws {
        try expect(
            #"{"counts":{},"lines":[],"id":1,"text":"a","starred":true,"due":{"day":0.10,"at":[1,null]},"#
                + #""big":18446744073709551615}"#,
            edited: { $0.text = "b" },
            #"{"big":18446744073709551615,"counts":{},"due":{"at":[1,null],"day":0.1},"id":1,"lines":[],"starred":true,"#
                + #""text":"b"}"#)
    }

    @Test func membersThatTheTypeKnowsCanBeTakenAway() throws {
        try expect(
            #"{"color":"red","counts":{"a":1,"b":2},"id":1,"length":7,"lines":[],"place":{"x":1,"y":2,"z":3},"text":"a"}"#,
            edited: {
                $0.color = nil
                $0.counts["a"] = nil
                $0.length = nil
                $0.place?.y = nil
            }, #"{"counts":{"b":2},"id":1,"lines":[],"place":{"x":1,"z":3},"text":"a"}"#)
    }

    @Test func objectsInArraysKeepTheirMembersById() throws {
        try expect(
            #"{"counts":{},"id":1,"lines":[{"id":1,"text":"a","bold":true},{"id":2,"text":"b","bold":false}],"text":"a"}"#,
            edited: { $0.lines = [PlainNote.Line(id: 3, text: "c"), $0.lines[1], $0.lines[0]] },
            #"{"counts":{},"id":1,"lines":[{"id":3,"text":"c"},{"bold":false,"id":2,"text":"b"},"#
                + #"{"bold":true,"id":1,"text":"a"}],"text":"a"}"#)
    }

    @Test func objectsInArraysKeepTheirMembersByPosition() throws {
        let stored = #"{"counts":{},"id":1,"lines":[{"text":"a","bold":true},{"text":"b","bold":false}],"text":"a"}"#
        try expect(
            stored, edited: { $0.lines[1].text = "c" },
            #"{"counts":{},"id":1,"lines":[{"bold":true,"text":"a"},{"bold":false,"text":"c"}],"text":"a"}"#)
        try expect(
            stored, edited: { $0.lines.removeFirst() },
            #"{"counts":{},"id":1,"lines":[{"bold":false,"text":"b"}],"text":"a"}"#)
    }

    @Test func anUnchangedElementLeavesItsRecordAsItIs() throws {
        let stored = #"{ "text" : "a", "counts": {}, "lines": [], "id": 1, "starred" : 1.0 }"#
        try expect(stored, edited: { _ in }, stored)
    }

    @Test func membersOfAnotherCaseOfAnEnumAreNotKept() throws {
        enum Form: Codable, Equatable { case circle(radius: Int), square(side: Int) }
        struct Drawing: Codable, Identifiable, Equatable { var id: Int; var form: Form }
        let coding = RecordCoding<Drawing, Int>.json(entity: "Drawing")
        let shape = try shape("Drawing")
        let old = try coding.record(of: Drawing(id: 1, form: .circle(radius: 2)), shape: shape)
        let new = try coding.record(of: Drawing(id: 1, form: .square(side: 3)), over: old, shape: shape)
        #expect(new["content"] == #"{"form":{"square":{"side":3}},"id":1}"#)
    }

    @Test func theOrderOfASetIsNoChange() throws {
        let coding = RecordCoding<Tags, String>.json(entity: "Tags")
        let shape = try shape("Tags")
        let names = (0..<40).map { "tag \($0)" }
        let old = try coding.record(of: Tags(id: "a", names: Set(names)), shape: shape)
        for _ in 0..<5 {
            let same = Tags(id: "a", names: Set(names.reversed()))
            #expect(try coding.record(of: same, over: old, shape: shape) == old)
        }
        #expect(try coding.record(of: Tags(id: "a", names: Set(names.dropLast())), over: old, shape: shape) != old)
    }

    @Test func theOrderOfAnArrayIsAChange() throws {
        struct List: Codable, Identifiable { var id: Int; var names: [String]; var tags: Set<Int> = [] }
        let coding = RecordCoding<List, Int>.json(entity: "List")
        let shape = try shape("List")
        let old = try coding.record(of: List(id: 1, names: ["a", "b"]), shape: shape)
        #expect(try coding.record(of: List(id: 1, names: ["b", "a"]), over: old, shape: shape) != old)
    }

    private func expect(
        _ stored: String, edited edit: (inout PlainNote) -> Void, _ expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let coding = RecordCoding<PlainNote, Int>.json(entity: "Note")
        let shape = try shape("Note")
        let old = Record(shape, ["id": 1, "content": .string(stored)])
        var note = try coding.element(of: old)
        edit(&note)
        let new = try coding.record(of: note, over: old, shape: shape)
        #expect(new["content"] == .string(expected), sourceLocation: sourceLocation)
    }

    private func shape(_ name: String) throws -> Shape {
        let schema = try Schema([
            Entity(
                name,
                attributes: [
                    Attribute("id", name == "Tags" ? .string : .integer, isPrimaryKey: true),
                    Attribute("content", .string, isOptional: false),
                ])
        ])
        return schema[name]!
    }
}
