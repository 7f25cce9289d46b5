import EntitySync
import Foundation
import SQLitePersistence
import Testing

/// The examples of *Syncing JSON*, and of the first page of `EntitySync`.
struct SyncingJSONExamples {
    static func schema() throws -> Schema {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("firstName", .string)
                Attribute("birthDate", .date)
                Attribute("city", .string, remoteKey: "address.city")
                Attribute("balance", .decimal, transformer: "money")
                Relationship("company", to: "Company", inverse: "users")
                Relationship("notes", toMany: "Note", inverse: "user", deleteRule: .cascade)
            }
            Entity("Company") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("users", toMany: "User", inverse: "company")
            }
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("user", to: "User", inverse: "notes")
            }
        }
        return schema
    }

    private let file = TemporaryFile()
    private var path: String { file.path }

    private func ids(_ value: Any) -> [String] {
        (value as? [RecordID])?.map(\.description) ?? ["\(value)"]
    }

    private func store() throws -> InMemoryAdapter { InMemoryAdapter(schema: try Self.schema()) }

    @Test func theFirstPage() async throws {
        let schema = try Self.schema()
        let values = try await awaitedResults {
            let store = try await SQLiteAdapter.open(at: path, schema: schema)
            let json = #"[{"id": 7, "first_name": "Ada", "notes": [{"id": 1, "text": "milk"}]}]"#
            let result = try await store.sync(json, into: "User")
            result["User"].inserted  // User 7
            try await store.sync(json, into: "User").isUnchanged  // true: nothing was written
            let exported = try await store.exportJSON("User")
            String(decoding: exported, as: UTF8.self)
            await store.close()
        }
        #expect(ids(values[0]) == ["User 7"])
        #expect(values[1] as? Bool == true)
        #expect((values[2] as? String)?.contains(#""notes":[{"id":1,"text":"milk"}]"#) == true)
    }

    @Test func aPayload() async throws {
        let store = try store()
        let values = try await awaitedResults {
            let ada = #"{"id": 7, "first_name": "Ada", "address": {"city": "London"}, "company": {"id": 1}}"#
            let result = try await store.sync("[\(ada)]", into: "User")
            result["User"].inserted  // User 7
            result["Company"].inserted  // Company 1
            result.linkedCount  // 1
        }
        #expect(values.prefix(2).map(ids) == [["User 7"], ["Company 1"]])
        #expect(values[2] as? Int == 1)
        #expect(try await store.fetch("User", 7)?["city"] == "London")
    }

    @Test func keysOfSeveralParts() async throws {
        let values = try await awaitedResults {
            let house = try Schema {
                Entity("Room") {
                    Attribute("house", .string, isPrimaryKey: true)
                    Attribute("number", .integer, isPrimaryKey: true)
                    Relationship("desks", toMany: "Desk", inverse: "room")
                }
                Entity("Desk") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("room", to: "Room", inverse: "desks")
                }
            }
            let rooms = InMemoryAdapter(schema: house)
            try await rooms.sync(#"[{"house": "A", "number": 1}, {"house": "A", "number": 2}]"#, into: "Room")
            try await rooms.sync(#"[{"id": 1, "room_id": ["A", 2]}]"#, into: "Desk")
            try await rooms.fetch("Desk", 1)?["room"]  // ["A", 2]
        }
        #expect(values.last as? Value == ["A", 2])
    }

    @Test func transformers() async throws {
        let store = try store()
        var options = SyncOptions()
        options.transformers["money"] = AttributeTransformer { remote in
            guard case .string(let text) = remote else { return nil }
            return .string(String(text.prefix { $0 != " " }))  // "12.50 EUR"
        }
        try await store.sync(#"[{"id": 7, "balance": "12.50 EUR"}]"#, into: "User", options: options)
        #expect(try await store.fetch("User", 7)?["balance"] == .decimal(Decimal(string: "12.5")!))
    }

    @Test func pureTransformers() async throws {
        let store = try store()
        var options = SyncOptions()
        options.transformers["money"] = AttributeTransformer(pureVersion: 1) { remote in
            guard case .string(let text) = remote else { return nil }
            return .string(String(text.prefix { $0 != " " }))
        }
        try await store.sync(#"[{"id": 7, "balance": "12.50 EUR"}]"#, into: "User", options: options)
        #expect(try await store.fetch("User", 7)?["balance"] == .decimal(Decimal(string: "12.5")!))
    }

    @Test func objectsOfJSONSerialization() async throws {
        let store = try store()
        let data = Data(#"[{"id": 7, "first_name": "Ada"}]"#.utf8)
        let objects = try JSONSerialization.jsonObject(with: data)
        try await store.sync(jsonObject: objects, into: "User")
        #expect(try await store.fetch("User", 7)?["firstName"] == "Ada")
    }

    @Test func relationships() async throws {
        let store = try store()
        let values = try await awaitedResults {
            let one = #"[{"id": 7, "notes": [{"id": 1, "text": "milk"}, {"id": 2, "text": "bread"}]}]"#
            try await store.sync(one, into: "User")
            let other = #"[{"id": 7, "notes": [{"id": 2, "text": "rye bread"}], "company_id": 5}]"#
            let result = try await store.sync(other, into: "User")
            result["Note"].deleted  // Note 1
            result["Note"].updated.first?.properties  // "text"
            result.reports.first?.path  // [0].company_id: there is no company 5
        }
        #expect(ids(values[1]) == ["Note 1"])
        #expect(values[2] as? [String] == ["text"])
        #expect(values[3] as? String == "[0].company_id")
    }

    @Test func linksThatWait() async throws {
        let store = try store()
        let values = try await awaitedResults {
            var options = SyncOptions()
            options.keepsPendingLinks = true
            let early = try await store.sync(#"[{"id": 12, "company_id": 5}]"#, into: "User", options: options)
            early.pendingLinkCount  // 1
            try await store.sync(#"[{"id": 5, "name": "Late"}]"#, into: "Company", options: options)
            try await store.fetch("User", 12)?["company"]  // 5
        }
        #expect(values[1] as? Int == 1)
        #expect(values.last as? Value == 5)
    }

    @Test func discriminators() async throws {
        let values = try await awaitedResults {
            let animals = try Schema {
                Entity("Animal", userInfo: ["sync.discriminator": "kind"]) {
                    Attribute("id", .integer, isPrimaryKey: true)
                }
                Entity("Cat", parent: "Animal") { Attribute("lives", .integer) }
                Entity("Dog", parent: "Animal", userInfo: ["sync.discriminatorValue": "hound"]) {
                    Attribute("tricks", .integer)
                }
            }
            let zoo = InMemoryAdapter(schema: animals)
            let pets = #"[{"id": 1, "kind": "Cat", "lives": 9}, {"id": 2, "kind": "hound", "tricks": 3}]"#
            try await zoo.sync(pets, into: "Animal")
            try await zoo.fetch("Dog", 2)?["tricks"]  // 3
        }
        #expect(values.last as? Value == 3)
    }

    @Test func scopesAndEdits() async throws {
        let store = try store()
        try await store.sync(#"[{"id": 7, "notes": [{"id": 1}, {"id": 2}]}, {"id": 9}]"#, into: "User")
        let page = #"[{"id": 8, "first_name": "Grace"}]"#
        try await store.sync(page, into: "User", operations: .all.subtracting(.delete))  // a page: no user is deleted
        #expect(try await store.read { try $0.count(Query("User")) } == 3)
        try await store.sync(page, into: "User", filter: Field("id") >= 8)  // deletes no user before 8
        try await store.sync(#"[{"id": 3, "text": "tea"}]"#, into: "Note", parent: RecordID("User", 8))
        #expect(try await store.read { try $0.records(Query("User")).map(\.key) } == [7, 8])
        #expect(try await store.read { try $0.related(RecordID("User", 8), "notes") } == [3])
        #expect(try await store.read { try $0.count(Query("Note")) } == 3)

        let values = try await awaitedResults {
            var edit = ChangeSet()
            edit.update(RecordID("User", 8), ["firstName": "Amazing Grace"])
            try await store.commit(edit)
            let result = try await store.sync(page, into: "User", operations: .update)
            result.clashes.isEmpty  // true: the payload equals the base
            let other = #"[{"id": 8, "first_name": "G. Hopper", "birth_date": "1906-12-09"}]"#
            let renamed = try await store.sync(other, into: "User", operations: .update)
            renamed.clashes.first?.properties  // ["firstName"]
            try await store.fetch("User", 8)?["firstName"]  // "Amazing Grace"
            try await store.fetch("User", 8)?["birthDate"]  // the date: it was not edited locally
        }
        #expect(values[2] as? Bool == true)
        #expect(values[3] as? [String] == ["firstName"])
        #expect(values[4] as? Value == "Amazing Grace")
        #expect((values[5] as? Value)?.isNull == false)
    }

    /// What an app sends its edits to.
    private struct Server {
        func send(_ upload: Upload) async throws -> Value { ["id": upload.id.key] }
    }

    @Test func sendingEdits() async throws {
        let store = try store()
        let server = Server()
        let page = #"[{"id": 8, "first_name": "Grace"}]"#
        try await store.sync(page, into: "User")
        var edit = ChangeSet()
        edit.update(RecordID("User", 8), ["firstName": "Amazing Grace"])
        try await store.commit(edit)
        for upload in try await store.uploads(of: "User") {
            let answer = try await server.send(upload)
            try await store.accept(upload, answer: answer)
        }
        #expect(try await store.uploads(of: "User").isEmpty)

        let values = try await awaitedResults {
            let user = try Record("User", in: store.schema, ["id": -1, "firstName": "Barbara"])
            let note = try Record("Note", in: store.schema, ["id": -1, "text": "chalk", "user": -1])
            var offline = ChangeSet()
            offline.put(user)
            offline.put(note)
            try await store.commit(offline)
            let upload = try await store.uploads(of: "User")[0]
            upload.kind  // insertion
            try await store.accept(upload, answer: ["id": 70])
            try await store.fetch("Note", -1)?["user"]  // 70
            try await store.uploads(of: "Note").count  // 1: the note is still to be sent
        }
        for upload in try await store.uploads(of: "Note") {  // the note names user 70
            try await store.accept(upload, answer: await server.send(upload))
        }
        #expect(try await store.uploads(of: "Note").isEmpty)
        #expect(values.contains { $0 as? Upload.Kind == .insertion })
        #expect(values.contains { $0 as? Value == 70 })
        #expect(values.last as? Int == 1)
    }

    @Test func reports() async throws {
        let store = try store()
        var printed: [String] = []
        func print(_ value: some Any) { printed.append("\(value)") }
        let json = #"[{"id": 9, "first_name": "Alan", "birth_date": "1912-06-31"}, {"first_name": "Nobody"}]"#
        let result = try await store.sync(json, into: "User", operations: .all.subtracting(.delete))
        for report in result.reports { print(report) }
        #expect(printed.count == 2)
        #expect(printed.first?.hasPrefix("[0].birth_date (User 9.birthDate): expected a date") == true)
        #expect(try await store.fetch("User", 9)?["firstName"] == "Alan")
    }

    @Test func strictSyncs() async throws {
        let store = try store()
        var printed: [String] = []
        func print(_ value: some Any) { printed.append("\(value)") }
        let json = #"[{"id": 9, "first_name": "Alan", "birth_date": "1912-06-31"}]"#
        var options = SyncOptions()
        options.isStrict = true
        do {
            try await store.sync(json, into: "User", operations: .all.subtracting(.delete), options: options)
        } catch let error as SyncError where error.code == .strict {
            print(error.report?.path ?? "")
        }
        #expect(printed == ["[0].birth_date"])
        #expect(try await store.read { try $0.count(Query("User")) } == 0)
    }

    @Test func payloadsOfAnySize() async throws {
        let store = try store()
        let file = path
        try Data(#"[{"id": 7}]"#.utf8).write(to: URL(fileURLWithPath: file))
        let bytes = AsyncStream { continuation in
            for byte in "[]".utf8 { continuation.yield(byte) }
            continuation.finish()
        }
        var options = SyncOptions()
        options.progress = { print($0.phase, $0.completed, $0.total) }
        try await store.sync(contentsOfFile: file, into: "User", options: options)
        try await store.sync(stream: bytes, into: "User")
        #expect(try await store.read { try $0.count(Query("User")) } == 0)
    }

    @Test func singleObjects() async throws {
        let store = try store()
        let values = try await awaitedResults {
            let user = try await store.insertOrUpdate(["id": 10, "firstName": "Edsger"], into: "User").record
            user?["firstName"]  // "Edsger"
            try await store.update("User", 10, with: ["firstName": "E. W."])
            try await store.fetch("User", "10")?["firstName"]  // "E. W."
            try await store.delete("User", 10)
        }
        #expect(values[0] as? Value == "Edsger")
        #expect(values[2] as? Value == "E. W.")
        #expect(try await store.fetch("User", 10) == nil)
    }

    @Test func valuesOfYourOwn() async throws {
        let store = try store()
        struct Person: Codable {
            var id: Int
            var firstName: String
        }
        let people = [Person(id: 11, firstName: "Barbara")]
        try await store.sync(encoding: people, into: "User", operations: .all.subtracting(.delete))
        #expect(try await store.fetch("User", 11)?["firstName"] == "Barbara")
    }
}
