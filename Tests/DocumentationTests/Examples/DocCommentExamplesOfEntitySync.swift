import EntitySync
import Foundation
import Testing

/// The examples in the comments of `Sources/EntitySync`.
struct DocCommentExamplesOfEntitySync {
    private func store() throws -> InMemoryAdapter {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Attribute("age", .integer)
                Attribute("salary", .decimal, transformer: "money")
            }
        }
        return InMemoryAdapter(schema: schema)
    }

    private let prices = AttributeTransformer { remote in
        guard case .string(let text) = remote, let number = text.split(separator: " ").first else { return nil }
        return .string(String(number))
    }

    @Test func bytes() async throws {
        let store = try store()
        let data = Data(#"[{"id": 7, "name": "Ada"}, {"id": 8, "name": "Grace"}]"#.utf8)
        var printed = ""
        func print(_ values: Any...) { printed = values.map { "\($0)" }.joined(separator: " ") }
        let result = try await store.sync(data, into: "User")
        print(result["User"].inserted.count, "new users")
        #expect(printed == "2 new users")
    }

    @Test func textAndValues() async throws {
        let store = try store()
        try await store.sync(#"[{"id": 7, "name": "Ada"}]"#, into: "User")
        let before = try await store.export("User")
        try await store.sync([["id": 7, "name": "Ada"]], into: "User")
        #expect(try await store.export("User") == before)
    }

    @Test func objectsOfJSONSerialization() async throws {
        let store = try store()
        let data = Data(#"[{"id": 7, "name": "Ada"}]"#.utf8)
        let users = try JSONSerialization.jsonObject(with: data)
        try await store.sync(jsonObject: users, into: "User")
        #expect(try await store.fetch("User", 7)?["name"] == "Ada")
        let dictionary: [String: Any] = ["id": 8, "name": "Grace"]
        let user = try await store.insertOrUpdate(jsonObject: dictionary, into: "User").record
        #expect(user?["name"] == "Grace")
    }

    @Test func valuesOfJSONSerialization() throws {
        let data = Data(#"[{"id": 7, "isNew": true}]"#.utf8)
        let object = try JSONSerialization.jsonObject(with: data)
        let users = try Value(jsonObject: object)
        #expect(users == [["id": 7, "isNew": true]])
    }

    @Test func mappedValues() async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("hobbies", .bytes)
            }
        }
        let store = InMemoryAdapter(schema: schema)
        let values = try await awaitedResults {
            try await store.sync(#"[{"id": 7, "hobbies": ["chess", "go"]}]"#, into: "User")
            let user = try await store.fetch("User", 7)
            user?.mappedValue("hobbies")  // ["chess", "go"]
        }
        #expect(values.last as? Value == ["chess", "go"])
        let user = try #require(try await store.fetch("User", 7))
        let hobbies = try user.decode([String].self, from: "hobbies")
        #expect(hobbies == ["chess", "go"])
    }

    @Test func streamsAndFiles() async throws {
        let store = try store()
        let file = TemporaryFile()
        let path = file.path
        let json = #"[{"id": 7, "name": "Ada"}]"#
        try Data(json.utf8).write(to: URL(fileURLWithPath: path))
        try await store.sync(contentsOfFile: path, into: "User")
        #expect(try await store.fetch("User", 7)?["name"] == "Ada")
        let bytes = AsyncStream { continuation in
            for byte in #"[{"id": 7, "name": "Grace"}]"#.utf8 { continuation.yield(byte) }
            continuation.finish()
        }
        try await store.sync(stream: bytes, into: "User")
        #expect(try await store.fetch("User", 7)?["name"] == "Grace")
        struct Person: Encodable {
            let id: Int
            let name: String
        }
        let people = [Person(id: 7, name: "Barbara")]
        try await store.sync(encoding: people, into: "User")
        #expect(try await store.fetch("User", 7)?["name"] == "Barbara")
    }

    @Test func pages() async throws {
        let store = try store()
        try await store.sync(#"[{"id": 7}]"#, into: "User")
        let page = #"[{"id": 8}]"#
        try await store.sync(page, into: "User", operations: .all.subtracting(.delete))
        #expect(try await store.read { try $0.count(Query("User")) } == 2)
    }

    @Test func options() async throws {
        let store = try store()
        let data = Data(#"[{"id": 7, "salary": "12.50 EUR"}]"#.utf8)
        var options = SyncOptions()
        options.isStrict = true
        options.transformers["money"] = prices
        try await store.sync(data, into: "User", options: options)
        #expect(try await store.fetch("User", 7)?["salary"] == .decimal(Decimal(string: "12.5")!))
    }

    @Test func constants() async throws {
        let store = InMemoryAdapter(
            schema: try Schema {
                Entity("Repository") {
                    Attribute("source", .string, isPrimaryKey: true)
                    Attribute("id", .integer, isPrimaryKey: true)
                }
            })
        var options = SyncOptions()
        options.constants["Repository"] = ["source": "github"]
        try await store.sync(#"[{"id": 1}]"#, into: "Repository", options: options)
        #expect(try await store.fetch("Repository", ["github", 1]) != nil)
    }

    /// What an app sends its edits to.
    private struct API {
        func send(_ upload: Upload) async throws -> Value { ["id": upload.id.key] }
    }

    @Test func clashesAndUploads() async throws {
        let store = try store()
        let api = API()
        try await store.sync(#"[{"id": 7, "name": "Ada"}]"#, into: "User")
        var edit = ChangeSet()
        edit.update(RecordID("User", 7), ["name": "Countess", "age": 36])
        try await store.commit(edit)
        var options = SyncOptions()
        options.conflictPolicy = .remoteWins
        var lines: [String] = []
        func print(_ values: Any...) { lines.append(values.map { "\($0)" }.joined(separator: " ")) }
        let result = try await store.sync(#"[{"id": 7, "name": "Ada Lovelace"}]"#, into: "User", options: options)
        for clash in result.clashes {
            for name in clash.properties {
                print(clash.id, name, clash.local?[name] ?? .null, clash.remote?[name] ?? .null)
            }
        }
        #expect(lines.count == 1 && lines[0].hasPrefix("User 7 name"))
        for upload in try await store.uploads(of: "User") {
            let answer = try await api.send(upload)
            try await store.accept(upload, answer: answer)
        }
        #expect(try await store.uploads(of: "User").isEmpty)
    }

    @Test func theMethodOfAnUpload() async throws {
        let schema = try Schema { Entity("User") { Attribute("id", .integer, isPrimaryKey: true) } }
        let store = InMemoryAdapter(schema: schema)
        var edit = ChangeSet()
        try edit.put(Record("User", in: store.schema, ["id": 1]))
        try await store.commit(edit)
        let upload = try #require(try await store.uploads(of: "User").first)
        let method =
            switch upload.kind {
            case .insertion: "POST"
            case .edit: "PATCH"
            case .deletion: "DELETE"
            }
        #expect(method == "POST")
    }

    @Test func theChangesOfAnUpload() async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("company", to: "Company")
            }
            Entity("Company") { Attribute("id", .integer, isPrimaryKey: true) }
        }
        let store = InMemoryAdapter(schema: schema)
        try await store.sync(#"[{"id": 7, "name": "Ada", "company": {"id": 1}}]"#, into: "User")
        var edit = ChangeSet()
        edit.update(RecordID("User", 7), ["company": nil])
        try await store.commit(edit)
        let upload = try #require(try await store.uploads(of: "User").first)
        var options = ExportOptions(relationships: .ids)
        options.properties[upload.id.entity] = Set(upload.changedNames)
        options.writesNullTargets = true  // so that a removed link reaches the server
        let changes = try await store.export(upload.id, options: options)
        #expect(changes == ["company_id": nil])
    }

    @Test func uploadsWithLinks() async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("updatedAt", .date)
                Relationship("tags", toMany: "Tag")
            }
            Entity("Tag") { Attribute("id", .integer, isPrimaryKey: true) }
        }
        let store = InMemoryAdapter(schema: schema)
        var edit = ChangeSet()
        try edit.put(Record("User", in: schema, ["id": -1]))
        try edit.put(Record("Tag", in: schema, ["id": 1]))
        edit.link(RecordID("User", -1), "tags", to: 1)
        try await store.commit(edit)
        let uploads = try await store.uploads(of: "User", with: ["tags"])
        let upload = try #require(uploads.first)
        try await store.accept(upload, answer: ["id": 7, "updated_at": "2026-05-01T12:00:00Z"])
        #expect(try await store.uploads(of: "User", with: ["tags"]).isEmpty)
        #expect(try await store.read { try $0.related(RecordID("User", 7), "tags") } == [1])
    }

    @Test func fallbackEntities() async throws {
        let schema = try Schema {
            Entity("Media", isAbstract: true, userInfo: ["sync.discriminator": "media_type"]) {
                Attribute("id", .integer, isPrimaryKey: true)
            }
            Entity("OtherMedia", parent: "Media")
        }
        let store = InMemoryAdapter(schema: schema)
        var options = SyncOptions()
        options.fallbackEntities["Media"] = "OtherMedia"
        try await store.sync(#"[{"id": 1, "media_type": "collection"}]"#, into: "Media", options: options)
        #expect(try await store.fetch("Media", 1)?.entity == "OtherMedia")
    }

    @Test func results() async throws {
        let store = try store()
        let data = Data(#"[{"id": 7, "name": "Ada"}]"#.utf8)
        let values = try await awaitedResults {
            let result = try await store.sync(data, into: "User")
            result["User"].inserted  // the ids of new users
            result.reports  // what could not be used, and why
        }
        #expect(values[0] as? [RecordID] == [RecordID("User", 7)])
        #expect((values[1] as? [SyncReport])?.isEmpty == true)
    }

    @Test func reports() async throws {
        let store = try store()
        let values = try await awaitedResults {
            let result = try await store.sync(#"[{"id": 7, "age": "old"}]"#, into: "User")
            result.reports.first?.path  // "[0].age"
            result.reports.first?.kind  // .unconvertible
        }
        #expect(values[0] as? String == "[0].age")
        #expect(values[1] as? SyncReport.Kind == .unconvertible)
    }

    @Test func errors() async throws {
        let store = try store()
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }
        let json = #"[{"id": 7, "age": "old"}]"#
        var options = SyncOptions()
        options.isStrict = true
        do {
            try await store.sync(json, into: "User", options: options)
        } catch let error as SyncError where error.code == .strict {
            print(error.report?.path ?? "")
        }
        #expect(printed == ["[0].age"])
    }

    @Test func schemas() throws {
        let schema = try store().schema
        #expect(schema.syncProblems.isEmpty)
    }

    @Test func progress() async throws {
        let store = try store()
        var options = SyncOptions()
        options.progress = { print("\($0.phase): \(Int($0.fraction * 100)) %") }
        try await store.sync("[]", into: "User", options: options)
    }

    @Test func singleObjects() async throws {
        let store = try store()
        let user = try await store.insertOrUpdate(["id": 7, "name": "Ada"], into: "User").record
        #expect(user?["name"] == "Ada")
        try await store.update("User", 7, with: ["name": "Ada Lovelace"])
        do {
            let user = try await store.fetch("User", "7")  // the user with the integer key 7
            #expect(user?["name"] == "Ada Lovelace")
        }
        try await store.delete("User", 7)  // the remote has deleted it
        try await store.delete("User", 7, origin: .local)  // the user deletes it
        #expect(try await store.fetch("User", 7) == nil)
    }

    @Test func transformers() throws {
        let prices = AttributeTransformer { remote in
            // "12.50 EUR"
            guard case .string(let text) = remote, let number = text.split(separator: " ").first else { return nil }
            return .string(String(number))
        } toRemote: { price in
            guard case .decimal(let number) = price else { return nil }
            return .string("\(number) EUR")
        }
        #expect(try prices.fromRemote("12.50 EUR") == "12.50")
        #expect(try prices.fromRemote(5) == nil)
        #expect(try prices.toRemote?(.decimal(Decimal(string: "12.5")!)) == "12.5 EUR")
        #expect(AttributeTransformer { $0 }.toRemote == nil)
    }
}
