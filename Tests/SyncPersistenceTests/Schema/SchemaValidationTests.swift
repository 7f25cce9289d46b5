import SyncPersistence
import TestSupport
import Testing

struct SchemaValidationTests {
    /// Definitions, and what is said of them.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let entities: [Entity]
        let faults: [String]

        init(_ description: String, _ faults: String..., entities: [Entity]) {
            testDescription = description
            self.entities = entities
            self.faults = faults
        }
    }

    @Test(arguments: entityCases + attributeCases + relationshipCases)
    func eachFaultIsReportedWithAdvice(_ sample: Case) {
        #expect(Self.faults(of: sample.entities) == sample.faults)
    }

    @Test(arguments: soundCases)
    func unusualButValidSchemasAreAccepted(_ sample: Case) {
        #expect(Self.faults(of: sample.entities) == [])
    }

    static func faults(of entities: [Entity]) -> [String] {
        do throws(SchemaError) {
            _ = try Schema(entities)
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }

    @Test func allFaultsAreReportedTogetherInDefinitionOrder() throws {
        let error = #expect(throws: SchemaError.self) {
            try Schema([
                Entity(
                    "User",
                    attributes: [Attribute("sync.x", .string), Attribute("age", .integer, default: "1")],
                    relationships: [Relationship("boss", to: "Bos")]),
                Entity("User"),
            ])
        }
        #expect(
            error?.description == """
                the schema has 4 faults:
                  User.sync.x: names that begin with 'sync.' are the library's own: choose another
                  User.age: its default value is not of type integer: correct the default or the type
                  User.boss: it leads to 'Bos', which is not in the schema: add that entity, or correct the destination
                  User: another entity has this name: rename one of them
                """)
        let one = #expect(throws: SchemaError.self) { try Schema([Entity("")]) }
        #expect(one?.description == "the schema has 1 fault:\n  : entity number 1 has no name: give it one")
    }

    @Test func faultNamesEntityAndProperty() {
        let error = #expect(throws: SchemaError.self) {
            try Schema([Entity("A", parent: "B", attributes: [Attribute("", .string)])])
        }
        #expect(error?.faults.map(\.entity) == ["A", "A"])
        #expect(error?.faults.map(\.property) == [nil, ""])
    }

    @Test func chainsAndCyclesOfAnyLengthAreValidated() {
        let count = isFullScale ? 100_000 : 20_000
        func chain(last: String) -> [Entity] {
            (0..<count).map { number in
                Entity(
                    "E\(number)", parent: number + 1 < count ? "E\(number + 1)" : last,
                    attributes: [Attribute("a\(number)", .string), Attribute("id", .integer)])
            }
        }
        let unknown = "it inherits 'unknown', which is not in the schema: add that entity, or correct the parent"
        #expect(Self.faults(of: chain(last: "unknown")) == ["E\(count - 1): \(unknown)"])
        #expect(
            Self.faults(of: chain(last: "E0")) == [
                "E0: it inherits itself (E0 > E1 > E2 > E3 > E4 > E5 > E6 > E7 > … > E0): take the parent away from one "
                    + "of these"
            ])
        // A long way to a short circle.
        #expect(
            Self.faults(of: chain(last: "E\(count - 1)")) == [
                "E\(count - 1): it inherits itself: take the parent away"
            ])
        var broad = (0..<count).map { Entity("E\($0)", parent: "root", attributes: [Attribute("a", .bool)]) }
        broad.append(Entity("root", relationships: [Relationship("all", toMany: "root", inverse: "all")]))
        broad.append(Entity("stray", parent: "unknown"))
        #expect(Self.faults(of: broad) == ["stray: \(unknown)"])
    }
}
