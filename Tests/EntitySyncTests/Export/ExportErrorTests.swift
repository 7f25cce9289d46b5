import EntitySync
import Foundation
import SyncPersistence
import Testing

struct ExportErrorTests {
    /// Returns the error of the export of an entity.
    private func fault(
        _ schema: Schema, _ entity: String, options: ExportOptions = ExportOptions(),
        _ fill: (inout ChangeSet) -> Void = { _ in }
    ) async throws -> [String] {
        var faults: [String] = []
        try await withStores(of: schema, fill) { store in
            do {
                _ = try await store.exportJSON(entity, options: options)
                faults.append("none")
            } catch let error as PersistenceError {
                faults.append("\(error.code): \(error)")
            }
        }
        return faults
    }

    private func clash(_ one: Attribute, _ other: Attribute) async throws -> String {
        let schema = try Schema([Entity("A", attributes: [Attribute("id", .integer, isPrimaryKey: true), one, other])])
        let faults = try await fault(schema, "A") { $0.put("A", in: schema, ["id": 1]) }
        #expect(Set(faults).count == 1)
        return faults[0]
    }

    @Test func keysThatExcludeEachOtherAreNamed() async throws {
        let end = ": give one of them another remote key, or leave it out by the export options"
        #expect(
            try await clash(Attribute("x", .json, remoteKey: "a"), Attribute("y", .string, remoteKey: "a.b"))
                == "keyClash: 'A' cannot be exported: of 'x' and 'y', the keys 'a' and 'a.b' exclude each other\(end)")
        #expect(
            try await clash(Attribute("x", .json, remoteKey: "a.b.c"), Attribute("y", .string, remoteKey: "a.b"))
                == "keyClash: 'A' cannot be exported: of 'x' and 'y', the keys 'a.b.c' and 'a.b' exclude each other\(end)"
        )
        #expect(
            try await clash(Attribute("firstName", .string), Attribute("x", .string, remoteKey: "first_name"))
                == "keyClash: 'A' cannot be exported: of 'firstName' and 'x', both have the key 'first_name'\(end)")
        // Dots at the ends, or side by side, are part of a key.
        #expect(
            try await clash(Attribute("x", .json, remoteKey: "a"), Attribute("y", .string, remoteKey: "a."))
                == "none")
    }

    @Test func wordsThatOtherPropertiesHaveAreLeftToThem() async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("remoteID", .integer)
                Attribute("userType", .string)
                Attribute("type", .string)
                Attribute("userSigned", .string)
                Attribute("userDescription", .string)
            }
            Entity("Admin", parent: "User") {
                Attribute("adminSigned", .string)
                Attribute("mine", .string, remoteKey: "description")
            }
        }
        try await withStores(
            of: schema,
            {
                $0.put("User", in: schema, ["id": 1])
                $0.put("Admin", in: schema, ["id": 2])
            }
        ) { store in
            let users = try await store.export("User")
            #expect(
                users.elements.map(\.names) == [
                    ["id", "remote_id", "user_type", "type", "signed", "description"],
                    [
                        "id", "remote_id", "user_type", "type", "user_signed", "user_description", "signed",
                        "description",
                    ],
                ])
        }
    }

    @Test func valuesWithoutAFormAreNamed() async throws {
        let schema = try Schema {
            Entity("A") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("number", .double)
                Attribute("date", .date)
            }
        }
        let infinite = try await fault(schema, "A") {
            $0.put("A", in: schema, ["id": 7, "number": .double(.infinity)])
        }
        #expect(
            infinite[0]
                == "notRepresentable: A 7.number: it cannot be exported: the value is infinite, which JSON has no "
                + "number for: put null or text in its place")
        try await withStores(of: schema, { $0.put("A", in: schema, ["id": 7, "number": .double(.infinity)]) }) {
            store in
            let error = await #expect(throws: PersistenceError.self) { try await store.export("A") }
            #expect(error?.code == .notRepresentable)
        }
        let date = Date(timeIntervalSinceReferenceDate: 1e15)
        let late = try await fault(schema, "A") { $0.put("A", in: schema, ["id": 7, "date": .date(date)]) }
        #expect(late[0].hasPrefix("notRepresentable: A 7.date: it cannot be exported: the value is a date outside"))
        try await withStores(of: schema, { $0.put("A", in: schema, ["id": 7, "date": .date(date)]) }) { store in
            await #expect(throws: PersistenceError.self) { try await store.export("A") }
        }
    }

    @Test func namesInTheOptionsAreChecked() async throws {
        let schema = ExportFormTests.schema
        var options = ExportOptions()
        options.properties = ["Nobody": ["id"]]
        #expect(
            try await fault(schema, "Member", options: options)[0]
                == "unknownName: the export options name 'Nobody', which is no entity: correct it")
        options.properties = ["Member": ["remoteID", "nmae"]]
        #expect(
            try await fault(schema, "Member", options: options)[0]
                == "unknownName: nmae: the export options name 'nmae', which 'Member' does not have: correct it")
        options.properties = ["Member": ["chairDescription"]]
        #expect(try await fault(schema, "Member", options: options) == ["none", "none"])
        #expect(try await fault(schema, "Members")[0].hasPrefix("unknownName: the schema has no entity 'Members'"))
    }
}
