import EntitySync
import Foundation
import SyncPersistence
import Testing

/// Dates as servers send them, in attributes.
struct SyncDateTests {
    static func schema(format: String? = nil) throws -> Schema {
        try Schema {
            Entity("Album") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("released", .date, userInfo: format.map { ["sync.dateFormat": $0] } ?? [:])
                Attribute("added", .date, isOptional: false, default: .date(Date(timeIntervalSince1970: 0)))
            }
        }
    }

    private static func date(_ text: String) throws -> Value { .date(try Date(text, strategy: .iso8601)) }

    @Test(arguments: StoreKind.allCases)
    func yearAloneIsTheFirstDayOfTheYear(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        #expect(try await store.sync(#"[{"id": 1, "released": "1983"}]"#, into: "Album").reports.isEmpty)
        #expect(try await store.value("Album", 1, "released") == Self.date("1983-01-01T00:00:00Z"))
    }

    @Test(arguments: StoreKind.allCases, [nil, "rfc2822"])
    func blankTextIsNullInAnOptionalDateAndReportedInAMandatoryOne(kind: StoreKind, format: String?) async throws {
        let store = try await SyncStore(kind, Self.schema(format: format))
        try await store.sync(#"[{"id": 1, "released": "1983-02-03"}]"#, into: "Album")
        let result = try await store.sync(#"[{"id": 1, "released": " ", "added": ""}]"#, into: "Album")
        #expect(result.reports.map(\.path) == ["[0].added"])
        #expect(result.reports.map(\.kind) == [.unconvertible])
        #expect(try await store.value("Album", 1, "released") == .null)
        #expect(try await store.value("Album", 1, "added") == Self.date("1970-01-01T00:00:00Z"))
    }

    @Test(arguments: StoreKind.allCases)
    func attributeCanNameAFormat(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema(format: "dd.MM.yyyy"))
        let result = try await store.sync(
            #"[{"id": 1, "released": "09.11.1989"}, {"id": 2, "released": "1989-11-10"}, {"id": 3, "released": "x"}]"#,
            into: "Album")
        #expect(try await store.value("Album", 1, "released") == Self.date("1989-11-09T00:00:00Z"))
        #expect(try await store.value("Album", 2, "released") == Self.date("1989-11-10T00:00:00Z"))
        #expect(
            result.reports.map(\.description) == [
                "[2].released (Album 3.released): expected a date as text of the format 'dd.MM.yyyy', or a number of "
                    + "seconds, milliseconds or microseconds since 1970, found the text \"x\""
            ])
        let exported = try await store.adapter.export("Album")
        #expect(try await store.adapter.sync(exported, into: "Album").isUnchanged)
    }

    @Test
    func invalidFormatIsFoundBeforeASync() async throws {
        let schema = try Self.schema(format: "qq")
        #expect(schema.syncProblems.map(\.code) == [.invalidDateFormat])
        let store = try await SyncStore(.inMemory, schema)
        let error = await #expect(throws: SyncError.self) { try await store.sync("[]", into: "Album") }
        #expect(
            error?.message == "the format 'qq' of 'Album.released' is no format of dates: write 'rfc2822' or a pattern "
                + "such as 'dd.MM.yyyy HH:mm'")
    }
}
