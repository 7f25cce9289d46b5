import EntitySync
import SyncPersistence
import Testing

/// Objects without a key that one record names.
@Suite(.needsStores) struct SyncKeylessTests {
    static func schema(_ type: AttributeType?) throws -> Schema {
        try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("home", to: "Place", inverse: "dwellers")
                Relationship("work", to: "Place")
                Relationship("trips", toMany: "Place")
            }
            Entity(
                "Place",
                attributes: [Attribute("name", .string)]
                    + (type.map { [Attribute("id", $0, isPrimaryKey: true)] } ?? []),
                relationships: [Relationship("dwellers", toMany: "User", inverse: "home")])
        }
    }

    static let types: [AttributeType?] = [.integer, .string, nil]

    private func name(_ store: SyncStore, _ user: Value, _ relationship: String) async throws -> Value {
        try await store.value("Place", store.value("User", user, relationship), "name")
    }

    @Test(arguments: StoreKind.allCases, types)
    func eachParentHasItsOwnKeylessRecordThatIsReused(kind: StoreKind, type: AttributeType?) async throws {
        let store = try await SyncStore(kind, Self.schema(type))
        let json = """
            [{"id": 1, "home": {"name": "a"}, "work": {"name": "b"}}, {"id": 2, "home": {"name": "c"}},
             {"id": 3, "work": {"name": "d"}}]
            """
        #expect(try await store.sync(json, into: "User").reports.isEmpty)
        #expect(try await store.keys("Place").count == 4)
        let places: [(Value, String, Value)] = [(1, "home", "a"), (1, "work", "b"), (2, "home", "c"), (3, "work", "d")]
        for (user, relationship, expected) in places {
            #expect(try await name(store, user, relationship) == expected)
        }
        #expect(try await store.sync(json, into: "User").isUnchanged)
        try await store.sync(#"[{"id": 2, "home": {"name": "new"}}]"#, into: "User", operations: FormRow.operations)
        #expect(try await name(store, 2, "home") == "new")
        #expect(try await store.keys("Place").count == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func generatedKeysDifferFromThoseOfTheRemote(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema(.integer))
        try await store.sync(
            #"[{"id": 1, "home": {"id": 1}, "work": {"name": "b"}}, {"id": 2, "home": {"id": -5}, "work": {"name": "c"}}]"#,
            into: "User")
        let keys = try await store.keys("Place")
        #expect(keys.suffix(2) == [-5, 1])
        #expect(keys.count == 4)
        let texts = try await SyncStore(kind, Self.schema(.string))
        try await texts.sync(#"[{"id": 1, "home": {"name": "a"}}]"#, into: "User")
        #expect(try await texts.keys("Place").count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func keysOfOtherTypesCannotBeGeneratedAndAreReported(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema(.uuid))
        let result = try await store.sync(#"[{"id": 1, "home": {"name": "a"}}]"#, into: "User")
        #expect(
            result.reports.map(\.description)
                == ["[0].home: expected a value of the primary key, 'id' of 'Place', found none"])
        #expect(try await store.keys("Place") == [])
        #expect(try await store.keys("User") == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func objectsInAListOfAKeyedEntityNeedKeys(kind: StoreKind) async throws {
        let json = #"[{"id": 1, "trips": [{"name": "a"}]}]"#
        let keyed = try await SyncStore(kind, Self.schema(.integer)).sync(json, into: "User")
        #expect(
            keyed.reports.map(\.description)
                == ["[0].trips[0]: expected a value of the primary key, 'id' of 'Place', found none"])
    }
}
