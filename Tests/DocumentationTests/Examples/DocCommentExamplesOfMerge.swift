import DifferentialSync
import Testing

/// The examples in the comments of `Sources/DifferentialSync/Merge`.
struct DocCommentExamplesOfMerge {
    let old = [Note(id: 1, text: "milk", modified: 1), Note(id: 2, text: "eggs", modified: 1)]
    let mine = [Note(id: 1, text: "oat milk", modified: 2), Note(id: 2, text: "eggs", modified: 1)]
    let theirs = [Note(id: 1, text: "no milk", modified: 3), Note(id: 3, text: "tea", modified: 3)]

    let bothEdited = Conflict(
        base: Note(id: 1, text: "milk", modified: 1), local: Note(id: 1, text: "oat milk", modified: 2),
        remote: Note(id: 1, text: "no milk", modified: 3))

    @Test func kindsOfFields() {
        struct Page { var visits: [Int] }
        let tags = MergeField<Post>.set("tags", \.tags)
        let likes = MergeField<Post>.counter("likes", \.likes)
        let visits = MergeField<Page>.log("visits", \.visits)
        let comments = MergeField<Post>.log("comments", \.comments) { $0.written }
        #expect([tags, likes, comments].map(\.name) == ["tags", "likes", "comments"])
        #expect(visits.name == "visits")
    }

    @Test func byWholeElements() {
        let values = results {
            let changes = diff(wins: ["a", "b", "d"], loses: ["a", "b", "c"])
            merge(into: ["a", "b", "c", "e"], applying: changes)  // ["a", "b", "e", "d"]
        }
        #expect(values[0] as? [String] == ["a", "b", "e", "d"])
    }

    @Test func byKey() throws {
        var theirs: Diff<Note>? {
            get throws { try diff(wins: self.theirs, loses: old, primaryKey: \.id) }
        }
        let merged = try merge(into: mine, applying: theirs, primaryKey: \.id) { old, new in
            new.modified > old.modified
        }
        #expect(merged == self.theirs)
    }

    @Test func byIdentifier() throws {
        let theirs = try identifiedDiff(wins: self.theirs, loses: old)
        var mine = mine
        do {
            let merged = merge(into: mine, applying: theirs) { old, new in new.modified > old.modified }
            #expect(merged == self.theirs)
        }
        merge(into: &mine, applying: theirs) { old, new in true }
        #expect(mine == self.theirs)
    }

    @Test func withABaseByIdentifier() throws {
        let merged = try merge(base: old, local: mine, remote: theirs, policy: .localWins)
        #expect(merged.elements == [mine[0], theirs[1]])
    }

    @Test func byTheNameOfAKey() throws {
        let mine = [["code": "AD-02", "name": "Canilo"]]
        let theirs = try diff(wins: [["code": "AD-02", "name": "Canillo"]], loses: mine, primaryKey: "code")
        let merged = try merge(into: mine, applying: theirs, primaryKey: "code") { old, new in true }
        #expect(merged == [["code": "AD-02", "name": "Canillo"]])
    }

    @Test func withABase() throws {
        let merged = try merge(base: old, local: mine, remote: theirs, primaryKey: \.id, policy: .localWins)
        #expect(merged.elements == [mine[0], theirs[1]])
    }

    @Test func threeWayMerge() throws {
        let base = old
        let values = try results {
            let merge = try ThreeWayMerge(
                local: diff(wins: mine, loses: base, primaryKey: \.id),
                remote: diff(wins: theirs, loses: base, primaryKey: \.id),
                primaryKey: \.id, policy: .newest(by: \.modified))
            merge.toLocal  // the changes that the local side lacks
            merge.toRemote  // the changes that the remote lacks
            merge.open  // the unresolved conflicts
        }
        let toLocal = values[0] as? Diff<Note>
        #expect(toLocal?.counts == ChangeCounts(added: 1, deleted: 1, replaced: 1))
        #expect("\(values[1])" == "nil")
        #expect(values[2] as? [Conflict<Note>] == [])
    }

    @Test func fieldsAndThenTheNewest() throws {
        let policy = ConflictPolicy<Note>.mergingFields(Note.fields, otherwise: .newest(by: \.modified))
        #expect(try policy.resolve(bothEdited) == .merged(theirs[0]))
    }

    @Test func aPolicyOfOnesOwn() throws {
        let policy = ConflictPolicy<Note> { conflict in
            conflict.kind == .bothEdited ? .open : .remote
        }
        #expect(try policy.resolve(bothEdited) == .open)
        #expect(try policy.resolve(Conflict(base: nil, local: mine[0], remote: theirs[0])) == .remote)
    }

    @Test func theNewest() throws {
        let policy = ConflictPolicy<Note>.newest(by: \.modified)
        #expect(try policy.resolve(bothEdited) == .remote)
    }

    @Test func mergingFields() throws {
        let policy = ConflictPolicy<Contact>.mergingFields(Contact.fields, otherwise: .leaveOpen)
        let ann = Contact(id: 1, name: "Ann", phone: "1")
        let anna = Contact(id: 1, name: "Anna", phone: "1")
        let annTwo = Contact(id: 1, name: "Ann", phone: "2")
        #expect(
            try policy.resolve(Conflict(base: ann, local: anna, remote: annTwo))
                == .merged(Contact(id: 1, name: "Anna", phone: "2")))
    }

    @Test func clashingFields() {
        let base = Contact(id: 1, name: "Ann", phone: "1")
        let conflict = Conflict(
            base: base, local: Contact(id: 1, name: "Anna", phone: "2"),
            remote: Contact(id: 1, name: "Ann", phone: "3"))
        let values = results {
            conflict.clashingFields(of: Contact.fields)  // ["phone"]
        }
        #expect(values[0] as? [String] == ["phone"])
    }
}
