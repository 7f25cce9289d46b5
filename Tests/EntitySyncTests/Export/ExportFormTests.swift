import EntitySync
import Foundation
import SyncPersistence
import Testing

struct ExportFormTests {
    static let schema = try! Schema {
        Entity("Member", userInfo: ["sync.discriminator": "kind", "sync.discriminatorValue": "member"]) {
            Attribute("remoteID", .integer, isPrimaryKey: true)
            Attribute("firstName", .string)
            Attribute("last_name", .string)
            Attribute("memberType", .string)
            Attribute("secret", .string, isExportable: false)
            Attribute("price", .decimal)
            Attribute("since", .date)
            Attribute("photo", .bytes)
            Attribute("tags", .json)
            Attribute("score", .double, remoteKey: "stats.score")
            Attribute("code", .string, transformer: "shout")
            Relationship("company", to: "Company", inverse: "members", remoteKey: "stats.employer")
            Relationship("homeSite", to: "Site", inverse: "members")
            Relationship("friends", toMany: "Member", isOrdered: true)
            Relationship("hidden", to: "Company", isExportable: false)
        }
        Entity("Chair", parent: "Member", userInfo: ["sync.discriminatorValue": "chair"]) {
            Attribute("chairDescription", .string)
        }
        Entity("Company") {
            Attribute("id", .uuid, isPrimaryKey: true)
            Attribute("homepage", .url)
            Relationship("members", toMany: "Member", inverse: "company", remoteKey: "people")
        }
        Entity("Site") {
            Attribute("country", .string, isPrimaryKey: true)
            Attribute("number", .integer, isPrimaryKey: true)
            Relationship("members", toMany: "Member", inverse: "homeSite")
        }
    }

    static let company = UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")!

    static func fill(_ changes: inout ChangeSet) {
        changes.put(
            "Company", in: schema,
            ["id": .uuid(company), "homepage": .url(URL(string: "https://example.org/")!)])
        changes.put("Site", in: schema, ["country": "FI", "number": 1])
        changes.put(
            "Member", in: schema,
            [
                "remoteID": 1, "firstName": "Ada", "last_name": "L", "memberType": "gold", "secret": "s",
                "price": .decimal(Decimal(string: "1234567890123456789.25")!),
                "since": .date(Date(timeIntervalSinceReferenceDate: 0.25)), "photo": .bytes(Data([1, 2, 3])),
                "tags": ["a": [1, nil]], "score": 1.5, "code": "abc", "company": .uuid(company), "homeSite": ["FI", 1],
                "hidden": .uuid(company),
            ])
        changes.put("Chair", in: schema, ["remoteID": 2, "chairDescription": "tall"])
        changes.setLinks(RecordID("Member", 1), "friends", to: [2, 1])
    }

    private func withStore(_ body: (any PersistenceAdapter) async throws -> Void) async throws {
        try await withStores(of: Self.schema, { Self.fill(&$0) }, body)
    }

    static let member = #"""
        {"kind":"member","id":1,"first_name":"Ada","last_name":"L","type":"gold","price":1234567890123456789.25,
        "since":"2001-01-01T00:00:00.25Z","photo":"AQID","tags":{"a":[1,null]},"stats":{"score":1.5,
        "employer":{"id":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8","homepage":"https://example.org/",
        "people":[{"kind":"member","id":1}]}},"code":"abc","home_site":{"country":"FI","number":1,
        "members":[{"kind":"member","id":1}]},"friends":[{"kind":"chair","id":2,"first_name":null,"last_name":null,
        "member_type":null,"price":null,"since":null,"photo":null,"stats":{"score":null},"code":null,
        "description":"tall","friends":[]},{"kind":"member","id":1}]}
        """#.replacing("\n", with: "")

    @Test func valuesAndKeysAreWrittenInSnakeCase() async throws {
        try await withStore { store in
            let json = try await store.exportJSON(RecordID("Member", 1))
            #expect(
                json.map { String(decoding: $0, as: UTF8.self) }
                    == Self.member.replacing(#""member_type":null"#, with: #""type":null"#))
            #expect(try await store.exportJSON(RecordID("Member", 3)) == nil)
            let none = try await store.export(RecordID("Member", 3))
            #expect(none == nil)
        }
    }

    @Test func requestedRecordsAreCompleteAtTheirOwnPlace() async throws {
        try await withStore { store in
            let members = try await store.export(
                "Member", sort: [Query.SortKey("remoteID", isDescending: true)],
                options: ExportOptions(names: .camelCase))
            #expect(members.elements.map { $0["id"] } == [2, 1])
            #expect(members.elements[0].names.contains("friends"))
            // The other member was written completely before, so only its attributes are written here.
            let friend = members.elements[1]["friends"].elements[0]
            #expect(friend["description"] == "tall")
            #expect(!friend.names.contains("friends"))
            #expect(members.elements[1]["homeSite"]["members"] == [["kind": "member", "id": 1]])
            let some = try await store.export("Member", where: Field("firstName") == "Ada")
            #expect(some.elements.count == 1)
            let chairs = try await store.export("Chair")
            #expect(chairs.elements.map { $0["kind"] } == ["chair"])
        }
    }

    @Test func relationshipsCanBeWrittenAsIDs() async throws {
        try await withStore { store in
            let member = try await store.export(RecordID("Member", 1), options: ExportOptions(relationships: .ids))
            #expect(member?["stats"] == ["score": 1.5, "employer": "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"])
            #expect(member?["friends_ids"] == [2, 1])
            #expect(member?["home_site"] == ["country": "FI", "number": 1])
            let options = ExportOptions(relationships: .ids, names: .camelCase)
            let company = try await store.export(RecordID("Company", .uuid(Self.company)), options: options)
            #expect(company?["people"] == [1])
            let chair = try await store.export(RecordID("Member", 2), options: options)
            #expect(chair?["friendsIds"] == [])
            #expect(chair?.names.contains("homeSite") == false)
        }
    }

    @Test func missingTargetsAreWrittenAsNullOnRequest() async throws {
        try await withStore { store in
            var options = ExportOptions(relationships: .ids)
            options.writesNullTargets = true
            let chair = try await store.export(RecordID("Member", 2), options: options)
            #expect(chair?["stats"] == ["score": nil, "employer": nil])
            #expect(chair?.names.contains("home_site") == true)
            #expect(chair?["home_site"] == .null)
            #expect(chair?.names.contains("hidden") == false)
            options.properties["Member"] = ["company"]
            let json = try await store.exportJSON(RecordID("Member", 2), options: options)
            #expect(json.map { String(decoding: $0, as: UTF8.self) } == #"{"kind":"chair","stats":{"employer":null}}"#)
            options.relationships = .nested
            let nested = try await store.export(RecordID("Member", 2), options: options)
            #expect(nested == ["kind": "chair"])
        }
    }

    @Test func linkToAMissingRecordIsNotWrittenAsNull() async throws {
        let schema = try Schema {
            Entity("ToDo") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("list", to: "List", inverse: "todos")
            }
            Entity("List") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("todos", toMany: "ToDo", inverse: "list", deleteRule: .noAction)
            }
        }
        try await withStores(of: schema, { $0.put("ToDo", in: schema, ["id": 7, "list": 3]) }) { store in
            var options = ExportOptions(relationships: .array)
            options.writesNullTargets = true
            let todo = try await store.export(RecordID("ToDo", 7), options: options)
            #expect(todo == ["id": 7])
        }
    }

    @Test(arguments: [ExportOptions.RelationshipStyle.array, .ids])
    func nullTargetsRemoveTheLinksOfTheStoreThatReadsThem(style: ExportOptions.RelationshipStyle) async throws {
        try await withStore { store in
            var edit = ChangeSet()
            edit.update(RecordID("Member", 1), ["company": nil, "homeSite": nil])
            try await store.commit(edit)
            let copy = InMemoryAdapter(schema: Self.schema)
            var changes = ChangeSet(origin: .remote)
            Self.fill(&changes)
            try await copy.commit(changes)
            var options = ExportOptions(relationships: style)
            let kept = try await store.export("Member", options: options)
            try await copy.sync(kept, into: "Member")
            let before = try await copy.fetch("Member", 1)
            #expect(before?["company"] == .uuid(Self.company) && before?["homeSite"] == ["FI", 1])
            options.writesNullTargets = true
            let all = try await store.export("Member", options: options)
            try await copy.sync(all, into: "Member")
            let after = try await copy.fetch("Member", 1)
            #expect(after?["company"] == .null && after?["homeSite"] == .null)
        }
    }

    @Test func nestedStyleSuffixesKeysWithAttributes() async throws {
        try await withStore { store in
            let snake = try await store.export(RecordID("Member", 1), options: ExportOptions(relationships: .nested))
            #expect(snake?["stats"].names == ["score", "employer_attributes"])
            #expect(snake?["friends_attributes"].names == ["0", "1"])
            #expect(snake?["stats"]["employer_attributes"]["people_attributes"] == ["0": ["kind": "member", "id": 1]])
            let camel = ExportOptions(relationships: .nested, names: .camelCase)
            let member = try await store.export(RecordID("Member", 1), options: camel)
            #expect(member?.names.suffix(2) == ["homeSiteAttributes", "friendsAttributes"])
        }
    }

    @Test func onlyListedPropertiesAreWritten() async throws {
        try await withStore { store in
            var options = ExportOptions()
            options.properties = ["Member": ["firstName", "score", "company"], "Company": ["homepage"]]
            let member = try await store.export(RecordID("Member", 1), options: options)
            #expect(
                member
                    == .of(
                        #"""
                        {"kind": "member", "first_name": "Ada",
                        "stats": {"score": 1.5, "employer": {"homepage": "https://example.org/"}}}
                        """#))
            options.properties = ["Member": ["secret", "hidden"]]
            let none = try await store.export(RecordID("Member", 1), options: options)
            #expect(none == ["kind": "member"])
            options.includesNonExportable = true
            let secret = try await store.export(RecordID("Member", 1), options: options)
            #expect(secret?["secret"] == "s")
            #expect(secret?["hidden"]["homepage"] == "https://example.org/")
        }
    }

    @Test func depthOfNestedObjectsIsLimited() async throws {
        try await withStore { store in
            var options = ExportOptions()
            options.depthLimit = 1
            let member = try await store.export(RecordID("Member", 1), options: options)
            #expect(member?["stats"]["employer"].names == ["id", "homepage"])
            #expect(member?["friends"].elements.map(\.names.count) == [11, 2])
            options.depthLimit = 0
            let flat = try await store.export(RecordID("Member", 1), options: options)
            #expect(flat?.names.contains("friends") == false)
        }
    }

    @Test func optionsFormatDatesAndTransformValues() async throws {
        try await withStore { store in
            var options = ExportOptions(
                relationships: .none,
                dates: .custom { .integer(Int64(($0.timeIntervalSince1970 * 1_000).rounded())) })
            options.transformers["shout"] = AttributeTransformer(
                fromRemote: { $0 },
                toRemote: { if case .string(let text) = $0 { .string(text.uppercased()) } else { nil } })
            let members = try await store.export("Member", sort: [Query.SortKey("remoteID")], options: options)
            #expect(members.elements.map { $0["since"] } == [978_307_200_250, .null])
            #expect(members.elements.map { $0["code"] } == ["ABC", .null])
        }
    }

    struct Member: Decodable, Equatable {
        struct Company: Decodable, Equatable {
            var id: UUID
            var homepage: URL
        }

        struct Stats: Decodable, Equatable {
            var score: Double?
            var employer: Company?
        }

        var id: Int
        var firstName: String?
        var since: Date?
        var photo: Data?
        var price: Decimal?
        var tags: [String: [Int?]]?
        var stats: Stats
        var kind: String
    }

    @Test func exportDecodesAsTypesOfAnApp() async throws {
        try await withStore { store in
            let options = ExportOptions(names: .camelCase)
            let members = try await store.export("Member", as: Member.self, options: options)
            #expect(members.count == 2)
            #expect(
                members.first
                    == Member(
                        id: 1, firstName: "Ada", since: Date(timeIntervalSinceReferenceDate: 0.25),
                        photo: Data([1, 2, 3]), price: Decimal(string: "1234567890123456789.25"),
                        tags: ["a": [1, nil]],
                        stats: .init(
                            score: 1.5,
                            employer: .init(id: Self.company, homepage: URL(string: "https://example.org/")!)),
                        kind: "member"))
            let chair = try await store.export(RecordID("Member", 2), as: Member.self, options: options)
            #expect(chair?.kind == "chair")
            let none = try await store.export(RecordID("Member", 9), as: Member.self, options: options)
            #expect(none == nil)
            await #expect(throws: DecodingError.self) { try await store.export("Company", as: Member.self) }
        }
    }

    struct Texts: Decodable, Equatable {
        var id: String
        var homepage: String
    }

    @Test func keysAndURLsDecodeAsText() async throws {
        try await withStore { store in
            let texts = try await store.export("Company", as: Texts.self)
            #expect(texts == [Texts(id: Self.company.uuidString, homepage: "https://example.org/")])
        }
    }
}
