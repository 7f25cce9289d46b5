import EntitySync
import SyncPersistence
import Testing

/// The reports of values that cannot be used.
struct SyncReportTests {
    static func schema() throws -> Schema {
        try Schema {
            Entity("User", userInfo: ["sync.discriminator": "kind"]) {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("email", .string, isOptional: false, default: "none")
                Attribute("nick", .string, isOptional: false)
                Attribute("age", .integer)
                Attribute("zipCode", .integer, remoteKey: "home.address.zip")
                Relationship("notes", toMany: "Note", inverse: "author")
                Relationship("company", to: "Company", inverse: "users")
            }
            Entity("Admin", parent: "User")
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("createdAt", .date)
                Relationship("author", to: "User", inverse: "notes", isOptional: false)
            }
            Entity("Company") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("users", toMany: "User", inverse: "company")
            }
        }
    }

    /// A payload and its reports.
    struct Row: Sendable, CustomTestStringConvertible {
        let kind: SyncReport.Kind
        let json: String
        let text: String
        var testDescription: String { kind.rawValue }
    }

    static let rows: [Row] = [
        Row(kind: .noObject, json: "[7]", text: "[0]: expected an object, found the number 7"),
        Row(
            kind: .noKey, json: #"[{"id": 1, "notes": [{"id": 1}, {"created_at": null}]}]"#,
            text: "[0].notes[1]: expected a value of the primary key, 'id' of 'Note', found none"),
        Row(
            kind: .duplicateKey, json: #"[{"id": 1}, {"id": "1"}]"#,
            text: "[0] (User 1): expected each key once; the object at [1] counts, found an object with the same key"),
        Row(
            kind: .duplicateName, json: #"[{"id": 1, "age": 3, "AGE": 4}]"#,
            text: "[0].AGE (User 1): expected the value of 'age', which stands for the same attribute, "
                + "found the number 4"),
        Row(
            kind: .unconvertible, json: #"[{"id": 1, "notes": [{"id": 1, "created_at": "soon"}]}]"#,
            text: "[0].notes[0].created_at (Note 1.createdAt): expected a date, as text of ISO 8601 or in seconds, "
                + "milliseconds or microseconds since 1970, found the text \"soon\""),
        Row(
            kind: .missingValue, json: #"[{"id": 1, "nick": null}]"#,
            text: "[0].nick (User 1.nick): expected a value, as it is mandatory, found null"),
        Row(
            kind: .missingValue, json: #"[{"id": 9}]"#,
            text: "[0] (User 9.nick): expected a value of 'nick', which is mandatory, found none, so the record is not "
                + "stored"),
        Row(
            kind: .missingValue, json: #"[{"id": 1, "notes_ids": []}]"#,
            text: "[0].notes_ids (User 1.notes): expected the key 1, as 'Note 1' must have an owner, "
                + "found a list without it"),
        Row(
            kind: .wrongShape, json: #"[{"id": 1, "notes": {"id": 1}}]"#,
            text: "[0].notes (User 1.notes): expected an array of objects, or of keys, or null, found an object"),
        Row(
            kind: .wrongShape, json: #"[{"id": 1, "notes_ids": 3}]"#,
            text: "[0].notes_ids (User 1.notes): expected an array of keys, or null, found the number 3"),
        Row(
            kind: .wrongShape, json: #"[{"id": 1, "company": [1]}]"#,
            text: "[0].company (User 1.company): expected an object or null; a key stands under 'company_id', found an "
                + "array"),
        Row(
            kind: .wrongShape, json: #"[{"id": 1, "home": {"address": "x"}}]"#,
            text: "[0].home.address (User 1): expected an object with 'zip', found the text \"x\""),
        Row(
            kind: .unknownReference, json: #"[{"id": 1, "company_id": 77}]"#,
            text: "[0].company_id (User 1.company): expected the key of a record of 'Company', "
                + "found 77, which none has"),
        Row(
            kind: .contradiction, json: #"[{"id": 1, "company_id": 2, "company": {"id": 1}}]"#,
            text: "[0].company_id (User 1.company): expected the key of the object that stands here as well, 1, "
                + "found the number 2"),
        Row(
            kind: .contradiction, json: #"[{"id": 1, "notes": [{"id": 1, "author_id": 8}]}]"#,
            text:
                "[0].notes[0].author_id (Note 1.author): expected the object in which this one stands, with the key 1, "
                + "found the number 8"),
        Row(
            kind: .wrongEntity, json: #"[{"id": 1, "kind": "Robot"}]"#,
            text: "[0].kind: expected what stands for 'User' or an entity that inherits it, found the text \"Robot\""),
    ]

    @Test(arguments: StoreKind.allCases, rows)
    func eachKindHasItsWordingAndEndsAStrictSync(kind: StoreKind, row: Row) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.put("Company", [["id": 1], ["id": 2]], origin: .remote)
        try await store.put("User", [["id": 1, "nick": "Ada"]], origin: .remote)
        try await store.put("Note", [["id": 1, "author": 1]], origin: .remote)
        let before = try await store.contents()
        var strict = SyncOptions()
        strict.isStrict = true
        let error = await #expect(throws: SyncError.self) {
            try await store.sync(row.json, into: "User", options: strict)
        }
        #expect(error?.code == .strict)
        #expect(error?.message == "\(row.text). Nothing has been stored, as the sync is strict")
        #expect(error.map { "\($0)" } == error?.message)
        #expect(try await store.contents() == before)

        let result = try await store.sync(row.json, into: "User", operations: .all.subtracting(.delete))
        #expect(result.reports.map(\.description) == [row.text])
        #expect(result.reports.map(\.kind) == [row.kind])
        #expect(result.reportCount == 1)
    }

    @Test func eachKindHasARow() {
        #expect(Set(Self.rows.map(\.kind)) == Set(SyncReport.Kind.allCases))
    }

    @Test func reportsAreOrderedAndLimitedAndAllAreCounted() async throws {
        let store = try await SyncStore(.inMemory, .office())
        var options = SyncOptions()
        options.reportLimit = 2
        let result = try await store.sync("[1, 2, {\"id\": 3}, 4]", into: "User", options: options)
        #expect(result.reports.map(\.path) == ["[0]", "[1]"])
        #expect(result.reportCount == 3)
        #expect(try await store.keys("User") == [3])
    }

    @Test func aPayloadMayBeOneObject() async throws {
        let store = try await SyncStore(.inMemory, .office())
        #expect(try await store.sync(#"{"id": 1}"#, into: "User")["User"].inserted == [RecordID("User", 1)])
    }

    @Test func errorsOfASyncSayWhatToDo() async throws {
        let store = try await SyncStore(
            .inMemory,
            Schema {
                Entity("A") { Attribute("id", .integer, isPrimaryKey: true) }
                Entity("B") { Attribute("name", .string) }
                Entity("C") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("userId", .string)
                    Attribute("userID", .string)
                }
            })
        let cases: [(entity: String, parent: RecordID?, code: SyncError.Code, message: String)] = [
            ("D", nil, .unknownEntity, "the schema has no entity 'D': it has "),
            (
                "B", nil, .noPrimaryKey,
                "'B' has no primary key to tell objects apart by: flag an attribute of it as that"
            ),
            ("C", nil, .ambiguousNames, "'C.userId' and 'C.userID' are both reached by 'user_id': rename one of them"),
            ("A", RecordID("A", 1), .noParent, "there is no parent A 1: store it first"),
        ]
        for (entity, parent, code, message) in cases {
            let error = await #expect(throws: SyncError.self) {
                try await store.sync("[]", into: entity, parent: parent)
            }
            #expect(error?.code == code)
            #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        }
    }

    @Test func missingRecordThatIsListedTwiceIsReportedOnce() async throws {
        let store = try await SyncStore.office()
        let result = try await store.sync(
            #"[{"id": 1, "notes_ids": [1, 77, "77"]}]"#, into: "User", operations: .update)
        #expect(result.reports.map(\.path.description) == ["[0].notes_ids[1]"])
    }
}
