import DifferentialSync
import SyncPersistence
import Testing

/// Records read as an entity with its attributes, the key first.
struct RecordDescriptionTests {
    static let member = {
        let schema = try? Schema {
            Entity("Member") {
                Attribute("club", .string, isPrimaryKey: true)
                Attribute("name", .string)
                Attribute("number", .integer, isPrimaryKey: true)
            }
        }
        return schema?["Member"]
    }()

    private func member(_ club: String, _ number: Int64, _ name: String) throws -> Record {
        Record(try #require(Self.member), ["club": .string(club), "number": .integer(number), "name": .string(name)])
    }

    @Test func aRecordShowsItsEntityAndItsValuesByName() throws {
        let record = try member("chess", 7, "Ada")
        #expect("\(record)" == #"Member {club: "chess", number: 7, name: "Ada"}"#)
        #expect(Mirror(reflecting: record).children.map(\.label) == ["club", "number", "name"])
    }

    @Test func aDiffOfRecordsReadsAsOneOfDictionaries() throws {
        let old = [try member("chess", 7, "Ada"), try member("go", 1, "Ben")]
        let new = [try member("chess", 7, "Ada L."), try member("go", 2, "Cy")]
        let changes = try #require(try diff(wins: new, loses: old, primaryKey: \.key))
        #expect(
            "\(changes)" == """
                1 added, 1 deleted, 1 replaced
                + Member {club: "go", number: 2, name: "Cy"}
                - Member {club: "go", number: 1, name: "Ben"}
                ~ Member {club: "chess", number: 7, name: "Ada" → "Ada L."}
                """)
        let given = changes.description(lines: 1, width: 100, primaryKey: \.key)
        #expect(given == changes.description)
    }

    @Test func theKeyIsNeverCut() throws {
        let club = String(repeating: "club", count: 50)
        let change = Change.replace(old: try member(club, 7, "Ada"), new: try member(club, 7, "Ada L."))
        #expect("\(change)".hasPrefix(#"~ Member {club: "\#(club)", number: 7, name: "#))
    }
}
