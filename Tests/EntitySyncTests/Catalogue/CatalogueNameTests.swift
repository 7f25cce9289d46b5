import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Cases of the catalogue about remote keys and primary keys; the comments name the cases.
@Suite(.needsStores) struct CatalogueNameTests {
    // H01, H06
    @Test(arguments: StoreKind.allCases)
    func equalNamesAndIDReachTheirAttributes(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let result = try await store.sync(["name": "Box office", "id": 15], into: "Office")
        #expect(try await store.record("Office", 15)["name"] == "Box office")
        #expect(try await store.record("Office", 15)["remoteID"] == 15)
        #expect(result.unknownKeys.isEmpty)
    }

    // H03
    @Test(arguments: StoreKind.allCases)
    func remoteKeysAreReadAndUnknownKeysListed(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let result = try await store.sync(
            ["id": 15, "age_in_years": 33, "driver_number_text": "77", "shoe_size": 41], into: "Person")
        let person = try await store.record("Person", 15)
        #expect(person["years"] == 33)
        #expect(person["driverNumber"] == "77")
        #expect(result.unknownKeys == ["Person": ["shoe_size"]])
    }

    // H04
    @Test(arguments: StoreKind.allCases)
    func dottedKeysAreReadAsOneName(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let json: Value = [
            "id": 15, "lower_case.value_one": "p", "lower_case.level_one.level_two": "q", "mixedCase.valueOne": "r",
            "mixedCase.levelOne.levelTwo": "s",
        ]
        let synced = try await store.insertOrUpdate(json, into: "Reading")
        let (record, result) = (synced.record, synced.result)
        #expect(record?["snakeOne"] == "p")
        #expect(record?["snakeTwo"] == "q")
        #expect(record?["camelOne"] == "r")
        #expect(record?["camelTwo"] == "s")
        #expect(result.unknownKeys.isEmpty)
    }

    // H05
    @Test(arguments: StoreKind.allCases)
    func singleObjectsAreReadByRemoteKeysOfBothVocabularies(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let record = try await store.insertOrUpdate(
            ["id": 5, "value_now": "bright", "value_before": "dim"], into: "Setting"
        ).record
        #expect(record?["present"] == "bright")
        #expect(record?["former"] == "dim")
    }

    // H08
    @Test func theModelNamesRemoteKeys() throws {
        let person = try #require(CatalogueStore.festival().entities.first { $0.name == "Person" })
        let remoteKeys = person.attributes.reduce(into: [:]) { $0[$1.name] = $1.remoteKey }
        #expect(remoteKeys["years"] == "age_in_years")
        #expect(remoteKeys["driverNumber"] == "driver_number_text")
    }

    // K01
    @Test func theModelNamesOrImpliesThePrimaryKey() throws {
        let schema = try CatalogueStore.festival()
        func key(_ entity: String) -> [String] {
            schema.entities.first { $0.name == entity }?.attributes.filter(\.isPrimaryKey)
                .map { "\($0.name): \($0.type.rawValue)" } ?? []
        }
        #expect(key("ImpliedKey") == ["remoteID: integer"])
        #expect(key("PlainKey") == ["id: string"])
        #expect(key("FlaggedKey") == ["uniqueNumber: integer"])
        #expect(key("RenamedKey") == ["randomCode: string"])
        #expect(key("WithoutKey") == [])
        #expect(key("OtherKey") == ["otherCode: string"])
    }

    // K02
    @Test(arguments: StoreKind.allCases)
    func objectsAreIdentifiedByThePrimaryKey(kind: StoreKind) async throws {
        let store = try await CatalogueStore(kind)
        let keys: [(entity: String, remote: String, local: String, value: Value)] = [
            ("ImpliedKey", "id", "remoteID", 4), ("PlainKey", "id", "id", "4"),
            ("FlaggedKey", "unique_number", "uniqueNumber", 4), ("RenamedKey", "id", "randomCode", "4"),
            ("OtherKey", "other_code", "otherCode", "4"), ("OlderKey", "hello", "custom", "4"),
        ]
        for (entity, remote, local, value) in keys {
            let object = Value.object(ValueObject([ValueObject.Member(name: remote, value: value)]))
            let result = try await store.sync(object, into: entity)
            #expect(result[entity].inserted == [RecordID(entity, value)], "\(entity)")
            #expect(try await store.record(entity, value)[local] == value)
        }
        let error = await #expect(throws: SyncError.self) { try await store.adapter.sync("[]", into: "WithoutKey") }
        #expect(error?.code == .noPrimaryKey)
        #expect(
            error?.message
                == "'WithoutKey' has no primary key to tell objects apart by: flag an attribute of it as that")
    }
}
