import CoreDataModel
import Foundation
import SyncPersistence
import Testing

struct AttributeTests {
    /// The one attribute of an entity with a key.
    private func attribute(_ words: String, in body: String = "") throws -> Attribute {
        let document = try model(
            """
            <entity name="A">
                <attribute name="key" attributeType="UUID"><userInfo><entry key="sync.isPrimaryKey" value="YES"/></userInfo></attribute>
                <attribute name="x" \(words)>\(body)</attribute>
            </entity>
            """)
        #expect(document.notices == [])
        return try #require(document.schema.entities[0].attributes.last)
    }

    @Test(arguments: [
        ("Integer 16", AttributeType.integer), ("Integer 32", .integer), ("Integer 64", .integer),
        ("Float", .double), ("Double", .double), ("Decimal", .decimal), ("Boolean", .bool), ("String", .string),
        ("Date", .date), ("Binary", .bytes), ("UUID", .uuid), ("URI", .url), ("Transformable", .json),
    ])
    func attributeTypeIsRead(name: String, type: AttributeType) throws {
        let userInfo = name == "Transformable" ? ["sync.isTransformable": "YES"] : [:]
        #expect(
            try attribute(#"optional="YES" attributeType="\#(name)""#) == Attribute("x", type, userInfo: userInfo))
    }

    @Test(arguments: ["", #"optional="NO""#])
    func attributeIsMandatoryUnlessMarkedOptional(words: String) throws {
        #expect(try attribute(words + #" attributeType="String""#) == Attribute("x", .string, isOptional: false))
    }

    @Test(arguments: [
        (#"attributeType="Integer 16" defaultValueString="702377""#, Value.integer(702_377)),
        (#"attributeType="Integer 64" defaultValueString="-9223372036854775808""#, .integer(.min)),
        (#"attributeType="Double" defaultValueString="0.0""#, .double(0)),
        (#"attributeType="Float" defaultValueString="-1.5e3""#, .double(-1500)),
        (#"attributeType="Decimal" defaultValueString="12.2""#, .decimal(Decimal(string: "12.2")!)),
        (#"attributeType="Boolean" defaultValueString="NO""#, .bool(false)),
        (#"attributeType="Boolean" defaultValueString="YES""#, .bool(true)),
        (#"attributeType="String" defaultValueString="a &amp; b""#, .string("a & b")),
        (#"attributeType="String" defaultValueString="""#, .string("")),
        (
            #"attributeType="Date" defaultDateTimeInterval="-725882400""#,
            .date(Date(timeIntervalSinceReferenceDate: -725_882_400))
        ),
        (
            #"attributeType="UUID" defaultValueString="E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#,
            .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!)
        ),
        (
            #"attributeType="URI" defaultValueString="https://example.org/a""#,
            .url(URL(string: "https://example.org/a")!)
        ),
        (#"attributeType="Integer 32""#, .null),
    ])
    func defaultValueIsRead(words: String, value: Value) throws {
        #expect(try attribute(words).defaultValue == value)
    }

    @Test(
        arguments: [
            ("Integer 16", "0.0", Value.integer(0)), ("Integer 32", "NO", .integer(0)),
            ("Integer 64", "YES", .integer(1)),
            ("Integer 64", "-3.00", .integer(-3)), ("Integer 16", "1e3", .integer(1000)), ("Double", "NO", .double(0)),
            ("Decimal", "YES", .decimal(1)), ("Boolean", "0.0", .bool(false)), ("Boolean", "1.0", .bool(true)),
            (
                "Decimal", "0.1234567890123456789012345678901234567890123456789",
                .decimal(Decimal(string: "0.123456789012345678901234567890123456789")!)
            ),
        ])
    func defaultOfAnotherTypeIsReadAsWhatItMeansWithANotice(type: String, text: String, value: Value) throws {
        let document = try model(
            "<entity name='A'><attribute name='id' attributeType='UUID'/>"
                + "<attribute name='x' attributeType='\(type)' defaultValueString='\(text)'/></entity>")
        #expect(document.schema.entities[0].attributes.last?.defaultValue == value)
        #expect(document.notices.count == 1)
        #expect(document.notices[0].subject == "A.x")
        #expect(document.notices[0].message.hasPrefix("the default '\(text)' is read as \(value): "))
    }

    @Test func syncSettingsInUserInfoAreReadAndOtherEntriesKept() throws {
        let attribute = try attribute(
            #"optional="YES" attributeType="String" indexed="YES" elementID="old""#,
            in: """
                <userInfo>
                    <entry key="sync.remoteKey" value="custom.name"/>
                    <entry key="sync.nonExportable" value="value"/>
                    <entry key="sync.valueTransformer" value="Trim"/>
                    <entry key="color" value="blue"/>
                </userInfo>
                """)
        #expect(
            attribute
                == Attribute(
                    "x", .string, isIndexed: true, remoteKey: "custom.name", isExportable: false, transformer: "Trim",
                    userInfo: ["color": "blue"], renamedFrom: "old"))
    }

    @Test func wordsThatASyncReadsAreKeptWithoutANotice() throws {
        let words = [
            "sync.constant": "a", "sync.dateFormat": "rfc2822", "sync.isElement": "YES", "sync.isMapKey": "YES",
            "sync.parentAttribute": "order.id",
        ]
        let entries = words.map { "<entry key=\"\($0.key)\" value=\"\($0.value)\"/>" }.joined()
        let attribute = try attribute(#"attributeType="String""#, in: "<userInfo>\(entries)</userInfo>")
        #expect(attribute.userInfo == words)
    }

    @Test func olderUserInfoKeysAreReadAndNewerOnesTakePrecedence() throws {
        let older = try attribute(
            #"attributeType="String""#,
            in: """
                <userInfo>
                    <entry key="hyper.remoteKey" value="a"/>
                    <entry key="hyper.nonExportable" value=""/>
                    <entry key="hyper.valueTransformer" value="T"/>
                </userInfo>
                """)
        #expect(
            older == Attribute("x", .string, isOptional: false, remoteKey: "a", isExportable: false, transformer: "T"))
        let both = try attribute(
            #"attributeType="String""#,
            in: #"<userInfo><entry key="hyper.remoteKey" value="a"/><entry key="sync.remoteKey" value="b"/></userInfo>"#
        )
        #expect(both == Attribute("x", .string, isOptional: false, remoteKey: "b"))
    }

    @Test func onlyTransformableAttributesHaveATransformer() throws {
        let name = #"valueTransformerName="DateTransformer""#
        #expect(try attribute(#"attributeType="Transformable" \#(name)"#).transformer == "DateTransformer")
        #expect(try attribute(#"attributeType="Transformable""#).transformer == nil)
        #expect(try attribute(#"attributeType="String" \#(name)"#).transformer == nil)
        #expect(
            try attribute(
                #"attributeType="Transformable" \#(name)"#,
                in: #"<userInfo><entry key="sync.valueTransformer" value="T"/></userInfo>"#
            ).transformer == "T")
    }

    @Test func attributesThatAreNotStoredAreOmittedAndListed() throws {
        let document = try model(
            """
            <entity name="A">
                <attribute name="id" attributeType="Integer 64"/>
                <attribute name="shown" transient="YES"/>
                <attribute name="owner" derived="YES" derivationExpression="legal.name" attributeType="String"/>
                <attribute name="place" attributeType="Composite" compositeName="Place" optional="YES"/>
                <attribute name="plain" transient="NO" derived="NO" attributeType="String" optional="YES"/>
            </entity>
            """)
        #expect(document.schema.entities[0].attributes.map(\.name) == ["id", "place", "plain"])
        #expect(document.schema.entities[0].attributes[1] == Attribute("place", .json))
        #expect(
            document.notes == [
                "line 5, column 5: A.shown: it is transient, and left out: what is not stored is for the app to keep",
                "line 6, column 5: A.owner: it is derived from 'legal.name', and left out: compute it from what is read",
                "line 7, column 5: A.place: a composite attribute is kept as a JSON value of any form",
            ])
    }
}
