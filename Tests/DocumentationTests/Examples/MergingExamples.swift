import DifferentialSync
import Testing

extension ConflictPolicy where Element == Note {
    /// The longer text wins; of two that are equally long, the one that comes later in the alphabet; of two that are
    /// equal, the one that was modified last.
    static let longest = ConflictPolicy.keepEdits(
        otherwise: ConflictPolicy { conflict in
            guard let local = conflict.local, let remote = conflict.remote else { return .open }
            func rank(_ note: Note) -> (Int, String, Int) { (note.text.count, note.text, note.modified) }
            return rank(local) > rank(remote) ? .local : .remote
        })
}

struct Post: Equatable, Identifiable {
    struct Comment: Equatable {
        let written: Int
        let text: String
    }

    let id: Int
    var title = ""
    var tags: Set<String> = []
    var likes = 0
    var comments: [Comment] = []
}

extension Post {
    static let fields: [MergeField<Post>] = [
        MergeField("title", \.title),
        .set("tags", \.tags),
        .counter("likes", \.likes),
        .log("comments", \.comments) { $0.written },
    ]
}

struct MergingExamples {
    @Test func byWholeElements() {
        let changes = diff(wins: ["a", "b", "d"], loses: ["a", "b", "c"])
        let merged = merge(into: ["a", "b", "c", "e"], applying: changes)  // ["a", "b", "e", "d"]
        #expect(merged == ["a", "b", "e", "d"])
    }

    @Test func byKey() throws {
        let base = [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs")]
        let mine = [Note(id: 1, text: "oat milk", modified: 1), Note(id: 2, text: "six eggs", modified: 3)]
        let news = [Note(id: 1, text: "no milk", modified: 2), Note(id: 2, text: "no eggs", modified: 2)]
        let theirs = try diff(wins: news, loses: base, primaryKey: \.id)
        let merged = merge(into: mine, applying: theirs, primaryKey: \.id) { old, new in
            new.modified > old.modified
        }
        #expect(merged == [news[0], mine[1]])
    }

    @Test func withABase() throws {
        let values = try results {
            let base = [Note(id: 1, text: "milk"), Note(id: 2, text: "eggs"), Note(id: 3, text: "tea")]
            let mine = [Note(id: 1, text: "oat milk"), Note(id: 2, text: "eggs"), Note(id: 3, text: "tea")]
            let theirs = [Note(id: 1, text: "milk"), Note(id: 3, text: "green tea")]
            let merged = try merge(base: base, local: mine, remote: theirs, primaryKey: \.id, policy: .leaveOpen)
            merged.elements  // note 1, "oat milk", and note 3, "green tea"
            merged.open  // none: every record was changed on one side only
        }
        #expect(values[0] as? [Note] == [Note(id: 1, text: "oat milk"), Note(id: 3, text: "green tea")])
        #expect(values[1] as? [Conflict<Note>] == [])
    }

    @Test func byFields() throws {
        let values = try results {
            let merged = try merge(
                base: [Contact(id: 1, name: "Ann", phone: "1")], local: [Contact(id: 1, name: "Anna", phone: "1")],
                remote: [Contact(id: 1, name: "Ann", phone: "2")], primaryKey: \.id,
                policy: .mergingFields(Contact.fields, otherwise: .leaveOpen))
            merged.elements  // Anna, 2
        }
        #expect(values[0] as? [Contact] == [Contact(id: 1, name: "Anna", phone: "2")])
    }

    @Test func byKindsOfFields() throws {
        let base = Post(id: 1, tags: ["a"], likes: 1)
        let local = Post(id: 1, tags: ["a", "b"], likes: 2, comments: [Post.Comment(written: 2, text: "here")])
        let remote = Post(id: 1, tags: [], likes: 3, comments: [Post.Comment(written: 1, text: "there")])
        let merged = try merge(
            base: [base], local: [local], remote: [remote], primaryKey: \.id,
            policy: .mergingFields(Post.fields, otherwise: .leaveOpen))
        #expect(
            merged.elements
                == [Post(id: 1, tags: ["b"], likes: 4, comments: remote.comments + local.comments)])
    }

    @Test func aPolicyFromBothSides() throws {
        let mine = Note(id: 1, text: "oat milk")
        let theirs = Note(id: 1, text: "milk")
        let local = try ConflictPolicy.longest.resolve(Conflict(base: nil, local: mine, remote: theirs))
        let remote = try ConflictPolicy.longest.resolve(Conflict(base: nil, local: theirs, remote: mine))
        // .local and .remote: both mean "oat milk"
        #expect(local == .local)
        #expect(remote == .remote)
    }

    @Test func aPolicyBreaksTiesOfEqualTextsAlikeOnBothSides() throws {
        let older = Note(id: 1, text: "milk", modified: 1)
        let newer = Note(id: 1, text: "milk", modified: 2)
        #expect(try ConflictPolicy.longest.resolve(Conflict(base: nil, local: newer, remote: older)) == .local)
        #expect(try ConflictPolicy.longest.resolve(Conflict(base: nil, local: older, remote: newer)) == .remote)
    }

    @Test func equalIncrementsOfACounterCountOnce() throws {
        let liked = Post(id: 1, likes: 2)
        let merged = try merge(
            base: [Post(id: 1, likes: 1)], local: [liked], remote: [Post(id: 1, title: "Tea", likes: 2)],
            primaryKey: \.id, policy: .mergingFields(Post.fields, otherwise: .leaveOpen))
        #expect(merged.elements == [Post(id: 1, title: "Tea", likes: 2)])
    }
}
