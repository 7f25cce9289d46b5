import EntitySync
import Foundation
import SyncPersistence
import TestSupport
import Testing

struct MappedValueTests {
    private func user(_ kind: StoreKind, _ json: String) async throws -> Record {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("hobbies", .bytes)
                Attribute("expenses", .json)
                Attribute("name", .string)
            }
        }
        let store = try await SyncStore(kind, schema)
        try await store.sync("[\(json)]", into: "User")
        return try #require(try await store.record("User", 7))
    }

    @Test(arguments: StoreKind.allCases)
    func anArrayInBytesReadsBack(kind: StoreKind) async throws {
        let user = try await user(kind, #"{"id": 7, "hobbies": ["chess", "go"], "expenses": {"cake": 1.5}}"#)
        #expect(user.mappedValue("hobbies") == ["chess", "go"])
        #expect(try user.decode([String].self, from: "hobbies") == ["chess", "go"])
        #expect(user.mappedValue("expenses") == ["cake": 1.5])
        #expect(try user.decode([String: Double].self, from: "expenses") == ["cake": 1.5])
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectInBytesDecodesAsAType(kind: StoreKind) async throws {
        struct Hobby: Decodable, Equatable {
            let name: String
            let since: Int?
        }
        let user = try await user(kind, #"{"id": 7, "hobbies": [{"name": "chess", "since": 1990}, {"name": "go"}]}"#)
        let hobbies = try user.decode([Hobby].self, from: "hobbies")
        #expect(hobbies == [Hobby(name: "chess", since: 1990), Hobby(name: "go", since: nil)])
        #expect(throws: DecodingError.self) { try user.decode([Int].self, from: "hobbies") }
    }

    @Test func otherBytesAreBase64AndOtherValuesAsTheyAre() async throws {
        let user = try await user(.inMemory, #"{"id": 7, "hobbies": "/9j/4A==", "name": "Ada"}"#)
        #expect(user["hobbies"] == .bytes(Data([0xFF, 0xD8, 0xFF, 0xE0])))
        #expect(user.mappedValue("hobbies") == "/9j/4A==")
        #expect(try user.decode(Data.self, from: "hobbies") == Data([0xFF, 0xD8, 0xFF, 0xE0]))
        #expect(user.mappedValue("name") == "Ada")
        #expect(user.mappedValue("expenses") == .null)
        #expect(user.mappedValue("nothing") == .null)
        #expect(try user.decode([String]?.self, from: "expenses") == nil)
    }
}
