import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about which key of a remote reaches which attribute, and what the primary key is.
@Suite(.enabled(if: SharedFiles.arePresent, "the folder of conformance cases is not there; set DIFFSYNC_SHARED"))
struct CatalogueNameTests {
    @Test("H01: the same name, and id", arguments: StoreKind.allCases)
    func h01(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Model")
        let result = try await store.sync(["name": "Facebook", "id": 1], into: "Company")
        #expect(try await store.record("Company", 1)["name"] == "Facebook")
        #expect(result.unknownKeys.isEmpty)
    }

    @Test("H03: remote keys, and a key that is not known", arguments: StoreKind.allCases)
    func h03(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Model")
        let result = try await store.sync(
            ["id": 1, "age_of_person": 20, "driver_identifier_str": "123", "not_found_key": 1], into: "User")
        let user = try await store.record("User", 1)
        #expect(user["age"] == 20)
        #expect(user["driverIdentifier"] == "123")
        #expect(result.unknownKeys == ["User": ["not_found_key"]])
    }

    @Test("H04: dotted keys as they are", arguments: StoreKind.allCases)
    func h04(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Model", keyed: ["KeyPath"])
        let json: Value = [
            "id": 1, "snake_parent.value_one": "a", "snake_parent.depth_one.depth_two": "b",
            "camelParent.valueOne": "c", "camelParent.depthOne.depthTwo": "d",
        ]
        let (record, result) = try await store.insertOrUpdate(json, into: "KeyPath")
        #expect(record?["snakeCaseDepthOne"] == "a")
        #expect(record?["snakeCaseDepthTwo"] == "b")
        #expect(record?["camelCaseDepthOne"] == "c")
        #expect(record?["camelCaseDepthTwo"] == "d")
        #expect(result.unknownKeys.isEmpty)
    }

    @Test("H05: remote keys of either vocabulary", arguments: StoreKind.allCases)
    func h05(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Model", keyed: ["Compatibility"])
        let (record, _) = try await store.insertOrUpdate(
            ["id": 1, "customCurrent": "a", "customOld": "b"], into: "Compatibility")
        #expect(record?["current"] == "a")
        #expect(record?["old"] == "b")
    }

    @Test("H06: attributes without a remote key", arguments: StoreKind.allCases)
    func h06(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "Model")
        let (record, _) = try await store.insertOrUpdate(["name": "Facebook", "id": 1], into: "Company")
        #expect(record?["name"] == "Facebook")
        #expect(record?["remoteID"] == 1)
    }

    @Test("H08: attributes with a remote key")
    func h08() async throws {
        let store = try await CatalogueStore(.inMemory, model: "Model")
        let user = try #require(store.adapter.schema.entities.first { $0.name == "User" })
        let remoteKeys = user.attributes.reduce(into: [:]) { $0[$1.name] = $1.remoteKey }
        #expect(remoteKeys["age"] == "age_of_person")
        #expect(remoteKeys["driverIdentifier"] == "driver_identifier_str")
    }

    @Test("K01: the attribute that is the primary key, and its type")
    func k01() async throws {
        let schema = try await CatalogueStore(.inMemory, model: "PrimaryKey").adapter.schema
        func key(_ entity: String) -> [String] {
            schema.entities.first { $0.name == entity }?.attributes.filter(\.isPrimaryKey)
                .map { "\($0.name): \($0.type.rawValue)" } ?? []
        }
        #expect(key("User") == ["remoteID: integer"])
        #expect(key("SimpleID") == ["id: string"])
        #expect(key("Note") == ["uniqueID: integer"])
        #expect(key("Tag") == ["randomId: string"])
        #expect(key("NoID") == [])
        #expect(key("AlternativeID") == ["alternativeID: string"])
    }

    @Test("K02: objects are told apart by the primary key", arguments: StoreKind.allCases)
    func k02(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind, model: "PrimaryKey")
        let keys: [(entity: String, remote: String, local: String, value: Value)] = [
            ("User", "id", "remoteID", 1), ("SimpleID", "id", "id", "1"), ("Note", "unique_id", "uniqueID", 1),
            ("Tag", "id", "randomId", "1"), ("AlternativeID", "alternative_id", "alternativeID", "1"),
            ("Compatibility", "greeting", "custom", "1"),
        ]
        for (entity, remote, local, value) in keys {
            let object = Value.object(ValueObject([ValueObject.Member(name: remote, value: value)]))
            let result = try await store.sync(object, into: entity)
            #expect(result[entity].inserted == [RecordID(entity, value)], "\(entity)")
            #expect(try await store.record(entity, value)[local] == value)
        }
        let error = await #expect(throws: SyncError.self) { try await store.adapter.sync("[]", into: "NoID") }
        #expect(error?.code == .noPrimaryKey)
        #expect(
            error?.message == "'NoID' has no primary key to tell objects apart by: flag an attribute of it as that")
    }
}
