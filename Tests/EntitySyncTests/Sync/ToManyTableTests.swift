import EntitySync
import SyncPersistence
import Testing

/// A row of the table of values of a relationship.
struct FormRow: Sendable, CustomTestStringConvertible {
    /// The member of the object; none if empty.
    let json: String
    /// The keys that the first user's relationship leads to afterwards.
    let members: [Value]
    /// The keys that are stored afterwards.
    let stored: [Value]
    /// The kinds and paths of the reports.
    let reports: [String]

    init(_ json: String, _ members: [Value], stored: [Value] = [1, 2, 3, 4], _ reports: String...) {
        self.json = json
        self.members = members
        self.stored = stored
        self.reports = reports
    }

    var testDescription: String { json.isEmpty ? "absent" : json }

    /// Syncs the first user with the member, strictly and then not, and then again.
    func check(_ relationship: String, _ entity: String, _ kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let before = try await store.contents()
        let user = "[{\"id\": 1\(json.isEmpty ? "" : ", ")\(json)}]"
        var strict = SyncOptions()
        strict.isStrict = true
        if !reports.isEmpty {
            let error = await #expect(throws: SyncError.self) {
                try await store.sync(user, into: "User", operations: Self.operations, options: strict)
            }
            #expect(error?.code == .strict)
            #expect(error?.report.map(Self.line) == reports[0])
            #expect(try await store.contents() == before, "a strict sync has stored something")
        }
        let result = try await store.sync(user, into: "User", operations: Self.operations)
        #expect(result.reports.map(Self.line) == reports)
        #expect(try await store.members("User", 1, relationship) == members)
        #expect(try await store.keys(entity) == stored)
        if stored == [1, 2, 3, 4], members == [1, 2] { #expect(result.isUnchanged) }
        let again = try await store.sync(user, into: "User", operations: Self.operations)
        #expect(again.isUnchanged, "the same again changes \(again.changes)")
    }

    /// All but the deletion of the other user.
    static let operations: SyncOperations = .all.subtracting(.delete)

    private static func line(_ report: SyncReport) -> String { "\(report.kind.rawValue) \(report.path)" }
}

/// The values of a to-many relationship.
@Suite(.needsStores) struct ToManyTableTests {
    /// Rows that are the same for each relationship of many records to one, but for the name of objects and of keys.
    static func owning(_ name: String, _ ids: String) -> [FormRow] {
        [
            FormRow("", [1, 2]),
            FormRow("\(name): [{\"id\": 2}, {\"id\": 5}]", [2, 5], stored: [2, 3, 4, 5]),
            FormRow("\(name): [{\"id\": 3}, {\"id\": \"4\"}]", [3, 4], stored: [3, 4]),
            FormRow("\(name): []", [], stored: [3, 4]),
            FormRow("\(name): null", [], stored: [3, 4]),
            FormRow("\(ids): [2, 3, 4]", [2, 3, 4]),
            FormRow("\(ids): [\"2\", \"3\"]", [2, 3]),
        ]
    }

    static let notes: [FormRow] =
        owning(#""notes""#, #""notes_ids""#) + [
            FormRow(#""notes_ids": []"#, []), FormRow(#""notes_ids": null"#, []),
            FormRow(#""notesIds": [2]"#, [2]), FormRow(#""notes": [1, 3]"#, [1, 3]),
            FormRow(#""notes_ids": [2, 99]"#, [2], "unknownReference [0].notes_ids[1]"),
            FormRow(#""notes_ids": [2, "x"]"#, [1, 2], "unconvertible [0].notes_ids[1]"),
            FormRow(#""notes_ids": 1"#, [1, 2], "wrongShape [0].notes_ids"),
            FormRow(#""notes_ids": {"id": 1}"#, [1, 2], "wrongShape [0].notes_ids"),
            FormRow(#""notes_ids": [{"id": 1}]"#, [1, 2], "wrongShape [0].notes_ids"),
            FormRow(#""notes_ids": [null]"#, [1, 2], "unconvertible [0].notes_ids[0]"),
            FormRow(#""notes": {"id": 1}"#, [1, 2], "wrongShape [0].notes"),
            FormRow(#""notes": 1"#, [1, 2], "wrongShape [0].notes"),
            FormRow(#""notes": "1""#, [1, 2], "wrongShape [0].notes"),
            FormRow(#""notes": true"#, [1, 2], "wrongShape [0].notes"),
            FormRow(#""notes": [3, {"id": 1}]"#, [1, 2], "noObject [0].notes[0]"),
            FormRow(#""notes": [null]"#, [1, 2], "noObject [0].notes[0]"),
            FormRow(#""notes": [[1]]"#, [1, 2], "wrongShape [0].notes"),
            FormRow(#""notes": [{"text": "no key"}, {"id": 1}]"#, [1], stored: [1, 3, 4], "noKey [0].notes[0]"),
            FormRow(#""notes": [{"id": null}, {"id": 1}]"#, [1], stored: [1, 3, 4], "noKey [0].notes[0]"),
            FormRow(#""notes": [{"id": "x"}, {"id": 1}]"#, [1, 2], "unconvertible [0].notes[0].id"),
            FormRow(
                #""notes": [{"id": 1, "text": "a"}, {"id": 1, "text": "b"}]"#, [1], stored: [1, 3, 4],
                "duplicateKey [0].notes[0]"),
            FormRow(#""notes": [{"id": 1}, {"id": 3}], "notes_ids": [1, 3]"#, [1, 3]),
            FormRow(#""notes": [3, 1], "notes_ids": [1, 3]"#, [1, 3]),
            FormRow(#""notes": [2], "notes_ids": [1, 3]"#, [1, 3], "contradiction [0].notes"),
            FormRow(#""notes": null, "notes_ids": [1, 3]"#, [1, 3]),
            FormRow(#""notes": [{"id": 3}], "notes_ids": [1, 3]"#, [1, 3], "contradiction [0].notes_ids[0]"),
            FormRow(#""notes_ids": [3, 1], "notes": [{"id": 3}]"#, [1, 3], "contradiction [0].notes_ids[1]"),
            FormRow(#""notes": [], "notes_ids": [2]"#, [2], "contradiction [0].notes_ids[0]"),
            FormRow(#""notes": [{"text": "no key"}, {"id": 1}], "notes_ids": [1, 3]"#, [1, 3], "noKey [0].notes[0]"),
            FormRow(#""notes": [{"id": 1}, {"id": 3}], "notes_ids": [3]"#, [3], "contradiction [0].notes[0]"),
            FormRow(
                #""notes": [{"id": 1}, {"id": "3x"}], "notes_ids": [1, 3]"#, [1, 3], "unconvertible [0].notes[1].id"),
            FormRow(#""notes": [{"id": 1}, 3], "notes_ids": [1, 3]"#, [1, 3], "noObject [0].notes[1]"),
            FormRow(#""notes": [{"id": "3x"}], "notes_ids": [1, 3]"#, [1, 3], "unconvertible [0].notes[0].id"),
            FormRow(#""notes": [{"id": "3x"}], "notes_ids": null"#, [1, 2], "unconvertible [0].notes[0].id"),
            FormRow(
                #""notes": [1, "3x"], "notes_ids": [1, 3]"#, [1, 3], "unconvertible [0].notes[1]",
                "contradiction [0].notes"),
        ]

    static let letters: [FormRow] =
        owning(#""post""#, #""post""#) + [
            FormRow(#""post": [1, 99]"#, [1], "unknownReference [0].post[1]"),
            FormRow(#""post": {"id": 1}"#, [1, 2], "wrongShape [0].post"),
            FormRow(#""post": 1"#, [1, 2], "wrongShape [0].post"),
            FormRow(#""post": [3, {"id": 1}]"#, [1, 2], "noObject [0].post[0]"),
            FormRow(#""post": [null]"#, [1, 2], "noObject [0].post[0]"),
            FormRow(#""letters": [{"id": 1}]"#, [1], stored: [1, 3, 4]),
            FormRow(#""letters_ids": [1]"#, [1]),
            FormRow(#""letters": [{"id": 4}], "post": [{"id": 1}, {"id": 2}]"#, [1, 2]),
        ]

    /// Rows that are the same for many-to-many relationships.
    static func shared(_ member: (String) -> String, ids: (String) -> String) -> [FormRow] {
        [
            FormRow("", [1, 2]),
            FormRow(member(#"[{"id": 2}, {"id": 5}]"#), [2, 5], stored: [1, 2, 3, 4, 5]),
            FormRow(member(#"[{"id": 3}, {"id": "4"}]"#), [3, 4]),
            FormRow(member("[]"), []), FormRow(member("null"), []), FormRow(ids("[2, 3, \"4\"]"), [2, 3, 4]),
            FormRow(ids("[]"), []), FormRow(ids("null"), []), FormRow(member("[1, 4]"), [1, 4]),
        ]
    }

    static let tags: [FormRow] =
        shared({ "\"tags\": \($0)" }, ids: { "\"tags_ids\": \($0)" }) + [
            FormRow(#""tags": 1"#, [1, 2], "wrongShape [0].tags"),
            FormRow(#""tags": [1, {"id": 2}]"#, [1, 2], "noObject [0].tags[0]"),
            FormRow(#""tags_ids": [3, 99]"#, [3], "unknownReference [0].tags_ids[1]"),
        ]

    static let groups: [FormRow] =
        shared({ "\"team\": {\"groups\": \($0)}" }, ids: { "\"team\": {\"groups\": \($0)}" }) + [
            FormRow(#""team": {}"#, [1, 2]), FormRow(#""team.groups": [3]"#, [3]),
            FormRow(#""groups": [{"id": 3}]"#, [3]),
            FormRow(#""team": {"groups": "x"}"#, [1, 2], "wrongShape [0].team.groups"),
            FormRow(#""team": 3"#, [1, 2], "wrongShape [0].team"),
            FormRow(#""team": [3]"#, [1, 2], "wrongShape [0].team"),
            FormRow(#""team": null"#, [1, 2]),
        ]

    static let badges: [FormRow] =
        shared({ "\"badges\": \($0)" }, ids: { "\"badges_ids\": \($0)" })

    @Test(arguments: StoreKind.ofTables, notes)
    func everyFormOfOwnedMembersChangesTheRecordsAsListed(kind: StoreKind, row: FormRow) async throws {
        try await row.check("notes", "Note", kind)
    }

    @Test(arguments: StoreKind.ofTables, letters)
    func everyFormOfOwnedMembersUnderARemoteKeyChangesTheRecordsAsListed(kind: StoreKind, row: FormRow) async throws {
        try await row.check("letters", "Letter", kind)
    }

    @Test(arguments: StoreKind.ofTables, tags)
    func everyFormOfSharedMembersChangesTheRecordsAsListed(kind: StoreKind, row: FormRow) async throws {
        try await row.check("tags", "Tag", kind)
    }

    @Test(arguments: StoreKind.ofTables, groups)
    func everyFormOfSharedMembersUnderADottedKeyChangesTheRecordsAsListed(kind: StoreKind, row: FormRow) async throws {
        try await row.check("groups", "Group", kind)
    }

    @Test(arguments: StoreKind.ofTables, badges)
    func everyFormOfMembersWithoutAnInverseChangesTheRecordsAsListed(kind: StoreKind, row: FormRow) async throws {
        try await row.check("badges", "Badge", kind)
    }
}
