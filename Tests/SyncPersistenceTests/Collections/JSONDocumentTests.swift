import DifferentialSync
import Foundation
import SyncPersistence
import Testing

struct JSONDocumentTests {
    private struct Note: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
        var color: String?
        var at = Date(timeIntervalSinceReferenceDate: 0.1)
    }

    private func document(_ json: String) throws -> JSONDocument<Note> {
        try JSONDecoder().decode(JSONDocument<Note>.self, from: Data(json.utf8))
    }

    @Test func aDocumentIsCodedAsItsMembers() throws {
        let json =
            #"{"at":0.1,"big":18446744073709551615,"due":{"list":[1,null,-2.5,"x"],"price":0.1},"id":7,"starred":true,"#
            + #""text":"milk","tiny":1e-300}"#
        let note = try document(json)
        #expect(note.element == Note(id: 7, text: "milk"))
        #expect(note.id == 7)
        #expect(note.members["starred"] == true)
        #expect(note.members["due"] == ["list": [1, nil, .decimal(-2.5), "x"], "price": .decimal(Decimal(1) / 10)])
        let again = try JSONDecoder().decode(JSONDocument<Note>.self, from: JSONEncoder().encode(note))
        #expect(again == note)
        #expect(try JSONDocument(members: note.members) == note)
        #expect(
            try document(#"{"id":7,"at":0.10,"text":"milk","n":1.0}"#)
                == document(#"{"id":7,"at":1e-1,"n":1,"text":"milk"}"#))
    }

    @Test func anEditKeepsMembersThatTheTypeDoesNotKnow() throws {
        var note = try document(#"{"at":0,"color":"red","id":7,"starred":true,"text":"milk"}"#)
        try note.edit {
            $0.text = "bread"
            $0.color = nil
        }
        #expect(note.element.text == "bread")
        #expect(try note == document(#"{"at":0,"id":7,"starred":true,"text":"bread"}"#))
    }

    @Test func whatIsNoElementIsRefused() throws {
        for json in [#"{"id":7}"#, "[]", "7", #"{"text":"a"}"#] {
            #expect(throws: DecodingError.self) { try document(json) }
        }
        #expect(throws: DecodingError.self) { try JSONDocument<Note>(members: ValueObject()) }
    }

    @Test func theDocumentsOfACollectionAreItsElements() async throws {
        let notes = try await emptyStore().collection(of: Note.self, entity: "Note")
        try await notes.insert(Note(id: 1, text: "a"))
        var note = try #require(try await notes.documents.element(1))
        #expect(try note == JSONDocument(Note(id: 1, text: "a")))
        var members = note.members
        members["starred"] = true
        note = try JSONDocument(members: members)
        try await notes.documents.update(note)
        try await notes.edit(1) { $0.text = "b" }
        #expect(try await notes.documents.element(1)?.members["starred"] == true)
        #expect(try await notes.documents.localDiff?.add.map(\.element.text) == ["b"])
        // A document has all members, so one without a member takes it away.
        try await notes.documents.update(JSONDocument(Note(id: 1, text: "c")))
        #expect(try await notes.documents.element(1)?.members["starred"] == nil)
    }

    @Test func documentsAreMergedMemberByMember() throws {
        let base = #"{"at":0,"due":{"day":1,"hour":2},"id":7,"old":1,"text":"a"}"#
        func merged(
            _ local: String, _ remote: String, otherwise: ConflictPolicy<JSONDocument<Note>> = .leaveOpen
        ) throws -> Resolution<JSONDocument<Note>> {
            let policy = ConflictPolicy<JSONDocument<Note>>.mergingMembers(otherwise: otherwise)
            return try policy.resolve(
                Conflict(base: document(base), local: document(local), remote: document(remote)))
        }
        let local = #"{"at":0,"due":{"day":1,"hour":3},"id":7,"mine":true,"text":"b"}"#
        let remote = #"{"at":0,"due":{"day":4,"hour":2},"id":7,"old":1,"text":"a","theirs":[]}"#
        #expect(
            try merged(local, remote)
                == .merged(document(#"{"at":0,"due":{"day":4,"hour":3},"id":7,"mine":true,"text":"b","theirs":[]}"#)))

        let clashing = #"{"at":0,"due":{"day":5,"hour":9},"id":7,"old":1,"text":"c"}"#
        #expect(try merged(local, clashing) == .open)
        let expected = #"{"at":0,"due":{"day":5,"hour":9},"id":7,"mine":true,"text":"c"}"#
        #expect(try merged(local, clashing, otherwise: .remoteWins) == .merged(document(expected)))
        // What the policy merges counts for the clashing members alone.
        let policy = ConflictPolicy<JSONDocument<Note>> { conflict in
            var note = conflict.local!
            try note.edit { $0.text = "both" }
            return .merged(note)
        }
        #expect(
            try merged(local, clashing, otherwise: policy)
                == .merged(document(#"{"at":0,"due":{"day":5,"hour":3},"id":7,"mine":true,"text":"both"}"#)))
    }

    private struct Card: Codable, Identifiable, Equatable, Sendable {
        var id: Int
        var part: Part?
        var shape: Shape?
        var mark: Mark?

        struct Part: Codable, Equatable, Sendable {
            var front: Side?
            var back: Side?
        }

        struct Side: Codable, Equatable, Sendable { var text: String }

        enum Shape: Codable, Equatable, Sendable {
            case circle(radius: Int)
            case square(side: Int)
        }

        /// An enumeration that looks for its cases by itself.
        enum Mark: Codable, Equatable, Sendable {
            case front(Side)
            case back(Side)

            enum CodingKeys: String, CodingKey { case front, back }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                if let side = try container.decodeIfPresent(Side.self, forKey: .front) {
                    self = .front(side)
                } else {
                    self = .back(try container.decode(Side.self, forKey: .back))
                }
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                switch self {
                case .front(let side): try container.encode(side, forKey: .front)
                case .back(let side): try container.encode(side, forKey: .back)
                }
            }
        }
    }

    @Test func membersInPlaceOfNullAreMergedIfTheTypeReadsBoth() throws {
        func merged(_ local: Card, _ remote: Card) throws -> Resolution<JSONDocument<Card>> {
            let policy = ConflictPolicy<JSONDocument<Card>>.mergingMembers(otherwise: .leaveOpen)
            return try policy.resolve(
                Conflict(
                    base: JSONDocument(Card(id: 1)), local: JSONDocument(local), remote: JSONDocument(remote)))
        }
        let (front, back) = (Card.Side(text: "a"), Card.Side(text: "b"))
        let both = Card(id: 1, part: Card.Part(front: front, back: back))
        #expect(
            try merged(Card(id: 1, part: Card.Part(front: front)), Card(id: 1, part: Card.Part(back: back)))
                == .merged(JSONDocument(both)))
        #expect(try merged(Card(id: 1, shape: .circle(radius: 1)), Card(id: 1, shape: .square(side: 2))) == .open)
        #expect(try merged(Card(id: 1, mark: .front(front)), Card(id: 1, mark: .back(back))) == .open)
        #expect(try merged(Card(id: 1, mark: .back(back)), Card(id: 1, mark: .front(front))) == .open)
    }

    @Test func documentsAddedOnBothSidesAreMergedToo() throws {
        let policy = ConflictPolicy<JSONDocument<Note>>.mergingMembers(otherwise: .localWins)
        let answer = try policy.resolve(
            Conflict(
                base: nil, local: document(#"{"at":0,"id":7,"mine":1,"text":"a"}"#),
                remote: document(#"{"at":0,"id":7,"text":"b","theirs":2}"#)))
        #expect(try answer == .merged(document(#"{"at":0,"id":7,"mine":1,"text":"a","theirs":2}"#)))
        let deletion = Conflict(base: try document(#"{"at":0,"id":7,"text":"a"}"#), local: nil, remote: nil)
        #expect(try policy.resolve(deletion) == .local)
    }
}
