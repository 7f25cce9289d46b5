import CoreDataModel
import Testing

struct FaultTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let body: String
        let faults: [String]
        var testDescription: String { faults.first ?? "sound" }

        init(_ body: String, _ faults: String...) {
            self.body = body
            self.faults = faults
        }
    }

    @Test(arguments: cases)
    func faultReportsItsPlaceCauseAndRemedy(example: Case) throws {
        let error = #expect(throws: ModelError.self) { try model(example.body) }
        #expect(error?.code == .model)
        #expect(error?.path == nil)
        #expect(error?.findings.map(\.description) == example.faults)
    }

    private static let key = #"<attribute name="id" attributeType="String"/>"#

    static let cases = [
        Case("<entity/>", "line 3, column 1: this entity has no name: give it one"),
        Case(
            "<entity name='A'><attribute/><relationship name=''/></entity>",
            "line 3, column 18: A: this attribute has no name: give it one",
            "line 3, column 30: A: this relationship has no name: give it one"),
        Case(
            "<entity name='A'/>\n  <entity name='A'/>",
            "line 4, column 3: A: the entity in line 3 has this name: rename one of them"),
        Case(
            "<entity name='A'>\(key)\n<relationship name='id' destinationEntity='A'/>\n<fetchedProperty name='id'/></entity>",
            "line 4, column 1: A.id: the property of the entity in line 3 has this name: rename one of them",
            "line 5, column 1: A.id: the property of the entity in line 3 has this name: rename one of them"),
        Case(
            "<entity name='A'><attribute name='x' attributeType='Integer 128'/></entity>",
            "line 3, column 38: A.x: 'Integer 128' is no type of an attribute: write one of Binary, Boolean, Composite, "
                + "Date, Decimal, Double, Float, Integer 16, Integer 32, Integer 64, String, Transformable, URI, UUID"),
        Case(
            "<entity name='A'><attribute name='x'/></entity>",
            "line 3, column 18: A.x: it has no type: write attributeType=\"String\", or another of Binary, Boolean, "
                + "Composite, Date, Decimal, Double, Float, Integer 16, Integer 32, Integer 64, String, Transformable, "
                + "URI, UUID"),
        Case(
            "<entity name='A' isAbstract='maybe'><attribute name='x' attributeType='String' optional='Yes'/></entity>",
            "line 3, column 18: A: 'isAbstract' is 'maybe': write YES or NO",
            "line 3, column 80: A.x: 'optional' is 'Yes': write YES or NO"),
        Case(
            "<entity name='A'><attribute name='x' attributeType='Integer 16' defaultValueString='1.5'/></entity>",
            "line 3, column 65: A.x: the default '1.5' is not of type integer: correct the default or the type"),
        Case(
            "<entity name='A'><attribute name='x' attributeType='Double' defaultValueString='nan'/>"
                + "<attribute name='y' attributeType='Double' defaultValueString='1e999'/></entity>",
            "line 3, column 61: A.x: the default 'nan' is not of type double: correct the default or the type",
            "line 3, column 130: A.y: the default '1e999' is not of type double: correct the default or the type"),
        Case(
            "<entity name='A'><attribute name='x' attributeType='Decimal' defaultValueString='12abc'/></entity>",
            "line 3, column 62: A.x: the default '12abc' is not of type decimal: correct the default or the type"),
        Case(
            "<entity name='A'><attribute name='x' attributeType='Boolean' defaultValueString='yes'/></entity>",
            "line 3, column 62: A.x: the default 'yes' is not of type bool: correct the default or the type"),
        Case(
            "<entity name='A'><attribute name='x' attributeType='Date' defaultDateTimeInterval='now'/></entity>",
            "line 3, column 59: A.x: the default 'now' is not of type date: correct the default or the type"),
        Case(
            "<entity name='A'><attribute name='x' attributeType='Date' defaultDateTimeInterval='1e300'/></entity>",
            "line 3, column 59: A.x: the default '1e300' is not of type date: correct the default or the type"),
        Case(
            "<entity name='A'><attribute name='x' attributeType='UUID' defaultValueString='1'/></entity>",
            "line 3, column 59: A.x: the default '1' is not of type uuid: correct the default or the type"),
        Case(
            "<entity name='A'><relationship name='x'/></entity>",
            "line 3, column 18: A.x: it leads nowhere: name an entity by destinationEntity"),
        Case(
            "<entity name='A'><relationship name='x' inverseName='y' inverseEntity='A'/></entity>",
            "line 3, column 18: A.x: it names no destination: write destinationEntity=\"A\""),
        Case(
            "<entity name='A'>\n  <relationship name='x' destinationEntity='B'/></entity>",
            "line 4, column 3: A.x: it leads to 'B', which is not in the schema: add that entity, or correct the "
                + "destination"),
        Case(
            "<entity name='A'><relationship name='x' destinationEntity='A' deletionRule='Delete'/></entity>",
            "line 3, column 63: A.x: 'Delete' is no deletion rule: write Nullify, Cascade, Deny or No Action"),
        Case(
            """
            <entity name='A'>
                <relationship name='x' destinationEntity='B' inverseName='y' inverseEntity='B'/>
            </entity>
            <entity name='B'>
                <relationship name='y' destinationEntity='A'/>
            </entity>
            """,
            "line 4, column 5: A.x: its inverse 'B.y' has none itself: name 'x' there"),
        Case(
            "<entity name='A'><relationship name='x' destinationEntity='A' inverseName='y' inverseEntity='A'/></entity>",
            "line 3, column 18: A.x: its inverse 'y' is not a relationship of 'A': add it there, or correct the inverse"
        ),
        Case(
            """
            <entity name='A'><relationship name='x' destinationEntity='B' inverseName='y' inverseEntity='A'/></entity>
            <entity name='B'><relationship name='y' destinationEntity='A' inverseName='x' inverseEntity='A'/></entity>
            """,
            "line 3, column 18: A.x: its inverse is of 'A', but it leads to 'B': let both be one entity"),
        Case(
            "<entity name='A' parentEntity='B'/>",
            "line 3, column 1: A: it inherits 'B', which is not in the schema: add that entity, or correct the parent"),
        Case(
            "<entity name='A' parentEntity='A'/>\n<entity name='B' parentEntity='C'/>\n<entity name='C' parentEntity='B'/>",
            "line 3, column 1: A: it inherits itself: take the parent away",
            "line 4, column 1: B: it inherits itself (B > C > B): take the parent away from one of these"),
        Case(
            "<entity name='A'><attribute name='sync.x' attributeType='String'/></entity>",
            "line 3, column 18: A.sync.x: names that begin with 'sync.' are the library's own: choose another"),
        Case(
            "<entity name='A'><attribute name='id' attributeType='Transformable'>"
                + "<userInfo><entry key='sync.isPrimaryKey' value='YES'/></userInfo></attribute></entity>",
            "line 3, column 18: A.id: a value of type json cannot be a primary key: choose another type"),
        Case(
            """
            <entity name='A'><attribute name='x' attributeType='Strin'/></entity>
            <entity name='B'>
                <relationship name='a' destinationEntity='C' toMany='Y'/>
            </entity>
            <entity name='D' parentEntity='E'/>
            """,
            "line 3, column 38: A.x: 'Strin' is no type of an attribute: write one of Binary, Boolean, Composite, Date, "
                + "Decimal, Double, Float, Integer 16, Integer 32, Integer 64, String, Transformable, URI, UUID",
            "line 5, column 50: B.a: 'toMany' is 'Y': write YES or NO",
            "line 7, column 1: D: it inherits 'E', which is not in the schema: add that entity, or correct the parent"),
    ]

    @Test func fileWithAnotherRootElementIsRefused() {
        #expect(
            CoreDataModelTests.faults("<plist version='1.0'/>".utf8) == [
                "line 1, column 1: the root element is 'plist', where a model has 'model': give the file 'contents' of a "
                    + "model"
            ])
    }

    @Test func errorDescriptionListsAllFaults() throws {
        let one = #expect(throws: ModelError.self) { try model("<entity/>") }
        #expect("\(one!)" == "line 3, column 1: this entity has no name: give it one")
        let two = #expect(throws: ModelError.self) { try model("<entity/>\n<entity/>") }
        #expect(
            "\(two!)" == """
                the model has 2 faults:
                  line 3, column 1: this entity has no name: give it one
                  line 4, column 1: this entity has no name: give it one
                """)
        let finding = try #require(one?.findings.first)
        #expect((finding.line, finding.column) == (3, 1))
        #expect(finding.subject == nil)
        #expect(finding.message == "this entity has no name: give it one")
    }
}
