import DifferentialSyncTesting
import EntitySync
import SQLitePersistence
import Testing

/// The examples of README, but for those of stores: they stand in `DurableCyclesExamples`.
struct ReadmeExamples {
    private let file = TemporaryFile()
    private var path: String { file.path }

    @Test func twoArrays() throws {
        let values = try results {
            let old = [Note(id: 1, text: "milk"), Note(id: 2, text: "bread")]
            let new = [Note(id: 1, text: "oat milk"), Note(id: 3, text: "tea")]

            let changes = try diff(wins: new, loses: old, primaryKey: \.id)
            changes?.add  // tea
            changes?.delete  // milk and bread: also the old value of what is replaced
            changes?.replace  // oat milk

            let merged = merge(into: old, applying: changes, primaryKey: \.id) { old, new in true }  // oat milk, tea
            merged
        }
        let texts = values.compactMap { ($0 as? [Note])?.map(\.text) }
        #expect(texts == [["tea"], ["milk", "bread"], ["oat milk"], ["oat milk", "tea"]])
    }

    @Test func anAppThatWorksOffline() throws {
        let downloaded = [Note(id: 7, text: "milk"), Note(id: 9, text: "eggs")]
        let version = RemoteVersion(epoch: "e", commit: "c")
        let values = try results {
            var notes = try JournaledCollection(downloaded, version: version)  // its shadow is what it starts with
            try notes.edit(7) { $0.text = "oat milk" }
            notes.remove(9)
            notes.localDiff  // what has changed since the shadow, at the cost of what has changed
        }
        #expect((values.last as? Diff<Note>)?.counts == ChangeCounts(deleted: 1, replaced: 1))
    }

    /// The README's download, edit and sync succeed without a conflict.
    @Test func theWholeWay() async throws {
        let server = Server([Note(id: 7, text: "milk"), Note(id: 9, text: "eggs")])
        var notes = try JournaledCollection(try await server.notes(), version: await server.version)
        try notes.edit(7) { $0.text = "oat milk" }
        notes.remove(9)
        await server.lose([.answerLost])
        try await ShadowCycleExamples().sync(&notes, with: server, pushID: "1")
        #expect(notes.pendingPush != nil)
        try await ShadowCycleExamples().sync(&notes, with: server, pushID: "2")
        #expect(try await server.notes() == [Note(id: 7, text: "oat milk")])
        #expect(notes.localDiff == nil)
    }

    @Test func conflicts() throws {
        let base = [Contact(id: 1, name: "Ann", phone: "1"), Contact(id: 2, name: "Bob", phone: "2")]
        let mine = [Contact(id: 1, name: "Anna", phone: "1"), Contact(id: 2, name: "Bob", phone: "22")]
        let theirs = [Contact(id: 1, name: "Anne", phone: "11")]
        let values = try results {
            let policy = ConflictPolicy<Contact>.mergingFields(
                [MergeField("name", \.name), MergeField("phone", \.phone)],
                otherwise: ConflictPolicy { conflict in
                    conflict.kind == .bothEdited ? .local : .open  // against a deletion: the user will say
                })

            let result = try merge(base: base, local: mine, remote: theirs, primaryKey: \.id, policy: policy)
            result.elements  // the base stands for what is left open, so that it comes up again
            result.open  // each with base, local and remote
        }
        #expect(values[0] as? [Contact] == [Contact(id: 1, name: "Anna", phone: "11"), base[1]])
        #expect(values[1] as? [Conflict<Contact>] == [Conflict(base: base[1], local: mine[1], remote: nil)])
    }

    @Test func aServerThatAnswersWithJSON() async throws {
        let values = try await awaitedResults {
            let schema = try Schema {
                Entity("User") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("firstName", .string)
                    Relationship("notes", toMany: "Note", inverse: "user", deleteRule: .cascade)
                }
                Entity("Note") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("user", to: "User", inverse: "notes")
                }
            }
            let store = try await SQLiteAdapter.open(at: path, schema: schema)
            let json = #"[{"id": 7, "first_name": "Ada", "notes": [{"id": 1, "text": "milk"}]}]"#
            let result = try await store.sync(json, into: "User")
            result["User"].inserted  // User 7; likewise updated, deleted, and the reports of what could not be used
            result.reports.isEmpty
            try await store.exportJSON("User")
            await store.close()
        }
        #expect(values[0] as? [RecordID] == [RecordID("User", 7)])
        #expect(values[1] as? Bool == true)
        let exported = #"[{"id":7,"first_name":"Ada","notes":[{"id":1,"text":"milk"}]}]"#
        #expect((values[2] as? [UInt8]).map { String(decoding: $0, as: UTF8.self) } == exported)
    }

    @Test func aServerOrAScript() throws {
        var printed = ""
        func print(_ value: some Any) { printed += "\(value)" }

        let records: [[String: String]] = [["code": "AT", "name": "Austria"], ["code": "BE", "name": "Belgium"]]
        let shadow: [[String: String]] = [["code": "AT", "name": "Österreich"]]

        let result = try synchronize(
            client: records, shadow: shadow, remote: shadow, primaryKey: "code", policy: .localWins)
        print(result.push!)
        // 1 added, 1 replaced
        // + {code: "BE", name: "Belgium"}
        // ~ {code: "AT", name: "Österreich" → "Austria"}
        let lines = [
            "1 added, 1 replaced", #"+ {code: "BE", name: "Belgium"}"#,
            #"~ {code: "AT", name: "Österreich" → "Austria"}"#,
        ]
        #expect(printed == lines.joined(separator: "\n"))
    }

    @Test func yourOwnPolicy() throws {
        let policy = ConflictPolicy<Contact>.mergingFields(Contact.fields, otherwise: .localWins)
        var phone = try JournaledCollection([Contact(id: 1, name: "Ann", phone: "1")])
        var tablet = try JournaledCollection([Contact(id: 2, name: "Bob", phone: "2")])
        var remote = SimulatedRemote<Contact, Int>(primaryKey: \.id)
        try remote.synchronize(&phone, pushID: "1", policy: policy)
        try remote.synchronize(&tablet, pushID: "2", policy: policy, deliver: { .answerLost })
        try remote.synchronize(&tablet, pushID: "3", policy: policy)
        #expect(try diff(wins: tablet, loses: remote.elements, primaryKey: \.id) == nil)
    }
}
