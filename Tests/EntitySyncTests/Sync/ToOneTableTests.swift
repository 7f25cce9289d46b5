import EntitySync
import SyncPersistence
import Testing

/// The values of a to-one relationship.
@Suite(.needsStores) struct ToOneTableTests {
    static let company: [FormRow] = [
        FormRow("", [1]), FormRow(#""company_id": 2"#, [2]), FormRow(#""company_id": "2""#, [2]),
        FormRow(#""companyId": 2"#, [2]), FormRow(#""company_id": 99"#, [1], "unknownReference [0].company_id"),
        FormRow(#""company_id": "x""#, [1], "unconvertible [0].company_id"),
        FormRow(#""company_id": null"#, []), FormRow(#""company": {"id": 2}"#, [2]),
        FormRow(#""company": {"id": 5}"#, [5], stored: [1, 2, 3, 4, 5]), FormRow(#""company": null"#, []),
        FormRow(#""company": {"text": "the same"}"#, [1], "noKey [0].company"),
        FormRow(#""company": {"id": "x"}"#, [1], "unconvertible [0].company.id"),
        FormRow(#""company": 2"#, [1], "wrongShape [0].company"),
        FormRow(#""company": "2""#, [1], "wrongShape [0].company"),
        FormRow(#""company": [2]"#, [1], "wrongShape [0].company"),
        FormRow(#""company": [{"id": 2}]"#, [1], "wrongShape [0].company"),
        FormRow(#""company_id": [2]"#, [1], "wrongShape [0].company_id"),
        FormRow(#""company_id": {"id": 2}"#, [1], "wrongShape [0].company_id"),
        FormRow(#""company_id": 2, "company": {"id": 2}"#, [2]),
        FormRow(#""company_id": 3, "company": {"id": 2}"#, [2], "contradiction [0].company_id"),
        FormRow(#""company": {"id": 2}, "company_id": 3"#, [2], "contradiction [0].company_id"),
        FormRow(#""company": null, "company_id": null"#, []),
    ]

    static let boss: [FormRow] = [
        FormRow("", [1]), FormRow(#""manager": 2"#, [2]), FormRow(#""manager": "2""#, [2]),
        FormRow(#""manager": 99"#, [1], "unknownReference [0].manager"), FormRow(#""manager": null"#, []),
        FormRow(#""manager": {"id": 2}"#, [2]), FormRow(#""manager": {"id": 5}"#, [5], stored: [1, 2, 3, 4, 5]),
        FormRow(#""manager": [2]"#, [1], "wrongShape [0].manager"),
        FormRow(#""manager": "x""#, [1], "unconvertible [0].manager"),
        FormRow(#""boss": {"id": 2}"#, [2]), FormRow(#""boss_id": 2"#, [2]),
    ]

    /// The second user has 4, and loses it to the first.
    static let desk: [FormRow] = [
        FormRow("", [1]), FormRow(#""desk_id": 2"#, [2]), FormRow(#""desk_id": 4"#, [4]),
        FormRow(#""desk_id": null"#, []), FormRow(#""desk": {"id": 4}"#, [4]), FormRow(#""desk": null"#, []),
        FormRow(#""desk": {"id": 5}"#, [5], stored: [1, 2, 3, 4, 5]),
        FormRow(#""desk_id": 99"#, [1], "unknownReference [0].desk_id"),
        FormRow(#""desk": 2"#, [1], "wrongShape [0].desk"),
    ]

    @Test(arguments: StoreKind.ofTables, company)
    func everyFormOfASharedTargetChangesTheRecordsAsListed(kind: StoreKind, row: FormRow) async throws {
        try await row.check("company", "Company", kind)
    }

    @Test(arguments: StoreKind.ofTables, boss)
    func everyFormOfASharedTargetUnderARemoteKeyChangesTheRecordsAsListed(kind: StoreKind, row: FormRow) async throws {
        try await row.check("boss", "Boss", kind)
    }

    @Test(arguments: StoreKind.ofTables, desk)
    func everyFormOfAnExclusiveTargetChangesTheRecordsAsListed(kind: StoreKind, row: FormRow) async throws {
        try await row.check("desk", "Desk", kind)
    }

    @Test(arguments: StoreKind.allCases)
    func everyFormFromTheInverseSideChangesTheRecordsAsListed(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.sync(#"[{"id": 4, "user_id": 1}]"#, into: "Desk", operations: FormRow.operations)
        #expect(try await store.related("User", 1, "desk") == [4])
        #expect(try await store.related("Desk", 1, "user") == [])
        #expect(try await store.related("User", 2, "desk") == [])
        try await store.sync(#"[{"id": 4, "user": null}]"#, into: "Desk", operations: FormRow.operations)
        #expect(try await store.related("User", 1, "desk") == [])
    }
}
