import CoreDataModel
import Foundation
import SyncPersistence
import Testing

struct EntityTests {
    @Test func modelEqualsTheSchemaWrittenInCode() throws {
        let document = try model(
            """
            <!-- written by hand -->
            <entity name="Author" representedClassName="Author" syncable="YES" codeGenerationType="class" elementID="Writer">
                <attribute name="id" attributeType="Integer 64" usesScalarValueType="YES" syncable="YES"/>
                <attribute name="name" optional="NO" attributeType="String" defaultValueString=""/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Book" inverseName="author" inverseEntity="Book" syncable="YES"/>
                <userInfo><entry key="key" value="value"/><entry key="color" value="red"/></userInfo>
            </entity>
            <entity name="Book" syncable="YES">
                <attribute name="code" attributeType="String"><userInfo><entry key="sync.isPrimaryKey" value="YES"/></userInfo></attribute>
                <attribute name="year" optional="YES" attributeType="Integer 16" usesScalarValueType="NO"/>
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
                <fetchIndex name="byYear">
                    <fetchIndexElement property="year" type="Binary" order="ascending"/>
                </fetchIndex>
            </entity>
            <elements>
                <element name="Author" positionX="0" positionY="0" width="128" height="60"/>
            </elements>
            """)
        let schema = try Schema {
            Entity("Author", userInfo: ["color": "red"], renamedFrom: "Writer") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string, isOptional: false, default: "")
                Relationship("books", toMany: "Book", inverse: "author", deleteRule: .cascade)
            }
            Entity("Book") {
                Attribute("code", .string, isPrimaryKey: true)
                Attribute("year", .integer, isIndexed: true)
                Relationship("author", to: "Author", inverse: "books")
            }
        }
        #expect(document.schema == schema)
        #expect(document.notices == [])
        #expect(document.path == nil)
    }

    @Test func xmlDeclarationAndEntitiesMayBeMissing() throws {
        #expect(try ModelDocument(xml: "<model/>".utf8).schema.entities == [])
        #expect(try ModelDocument(xml: "<model><entity name='A'/></model>".utf8).schema.entities == [Entity("A")])
    }

    @Test func ignoredSettingsAreListedExceptEditorSettings() throws {
        let document = try ModelDocument(
            xml: """
                <model usedWithCloudKit="YES" usedWithSwiftData="NO" newThing="1">
                <entity name="A" versionHashModifier="2">
                <attribute name="id" attributeType="UUID" minValueString="1" allowsExternalBinaryDataStorage="YES" allowsCloudEncryption="NO"/>
                <attribute name="x" attributeType="Binary" optional="YES" defaultValueString="00" spotlightIndexingEnabled="YES" preserveAfterDeletion="YES"/>
                <attribute name="d" attributeType="Date" optional="YES" defaultValueString="today" maxDateTimeInterval="1"/>
                <fetchedProperty name="recent"><fetchRequest name="f" entity="A" predicateString="TRUE"/></fetchedProperty>
                <fetchIndex name="pair"><fetchIndexElement property="id" type="Binary"/><fetchIndexElement property="x" type="Binary"/></fetchIndex>
                <fetchIndex name="place"><fetchIndexElement property="x" type="RTree"/><odd/></fetchIndex>
                <userInfo><entry key="a" value="1"/><entry key="a" value="2"/><entry value="3"/><other/></userInfo>
                <compoundIndexes/>
                </entity>
                <fetchRequest name="all" entity="A" predicateString="TRUE"/>
                <configuration name="Local"><memberEntity name="A"/></configuration>
                <entity name="B"><attribute name="id" attributeType="String"><userInfo><entry key="sync.remotekey" value="x"/><entry key="sync.remoteKey" value=""/></userInfo><odd/></attribute></entity>
                </model>
                """.utf8)
        #expect(
            document.notes == [
                "line 1, column 8: 'usedWithCloudKit' is passed over: synchronization with CloudKit is none of this "
                    + "library's",
                "line 1, column 54: 'newThing' is not known here, and passed over",
                "line 2, column 18: A: 'versionHashModifier' is passed over: a store compares schemas, and needs no hash of "
                    + "them",
                "line 3, column 43: A.id: 'minValueString' is passed over: values are not checked against it: check them "
                    + "where they are made",
                "line 3, column 62: A.id: 'allowsExternalBinaryDataStorage' is passed over: bytes are kept in the record "
                    + "itself",
                "line 4, column 59: A.x: 'defaultValueString' is passed over: an attribute of type bytes has no default in "
                    + "a model",
                "line 4, column 83: A.x: 'spotlightIndexingEnabled' is passed over: records are not indexed for Spotlight",
                "line 4, column 114: A.x: 'preserveAfterDeletion' is passed over: of deleted records, the key alone is "
                    + "kept",
                "line 5, column 57: A.d: 'defaultValueString' is passed over: the default of an attribute of type date is "
                    + "'defaultDateTimeInterval'",
                "line 5, column 84: A.d: 'maxDateTimeInterval' is passed over: values are not checked against it: check "
                    + "them where they are made",
                "line 6, column 1: A: the element 'fetchedProperty' 'recent' is passed over: queries are not kept in a "
                    + "schema: write a Query in code",
                "line 7, column 73: A: the index 'pair' is not made of 'x': an index is of one attribute of the entity's "
                    + "own",
                "line 8, column 26: A: the index 'place' is not made of 'x': an index is of one attribute of the entity's "
                    + "own",
                "line 8, column 72: A: the element 'odd' is not known here, and passed over",
                "line 9, column 37: A: 'a' occurs twice: the last one counts",
                "line 9, column 63: A: an entry without a key is passed over",
                "line 9, column 81: A: the element 'other' is not known here, and passed over",
                "line 10, column 1: A: the element 'compoundIndexes' is not known here, and passed over",
                "line 12, column 1: the element 'fetchRequest' 'all' is passed over: queries are not kept in a schema: "
                    + "write a Query in code",
                "line 13, column 1: the element 'configuration' 'Local' is passed over: all entities are in one store",
                "line 14, column 18: B.id: an empty 'sync.remoteKey' is passed over: name a key, or take it away",
                "line 14, column 18: B.id: 'sync.remotekey' is no word for an attribute and means nothing: check how it is "
                    + "spelt",
                "line 14, column 160: B.id: the element 'odd' is not known here, and passed over",
            ])
        #expect(document.schema.entities[0].userInfo == ["a": "2"])
        #expect(document.schema.entities[0].attributes[0].isIndexed)
        #expect(document.schema.entities[1].attributes[0].userInfo == ["sync.remotekey": "x"])
    }

    @Test func renamingIdentifiersAlreadyInUseAreIgnored() throws {
        let document = try model(
            """
            <entity name="A" elementID="B">
                <attribute name="id" attributeType="String" elementID="id"/>
                <attribute name="x" attributeType="String" elementID="id"/>
                <attribute name="y" attributeType="String" elementID="old"/>
                <relationship name="z" optional="YES" maxCount="1" destinationEntity="A" elementID="old"/>
            </entity>
            <entity name="B" elementID="C"><attribute name="id" attributeType="String"/></entity>
            """)
        #expect(document.schema.entities.map(\.renamedFrom) == [nil, "C"])
        #expect(document.schema.entities[0].attributes.map(\.renamedFrom) == ["id", nil, "old"])
        #expect(
            document.notes == [
                "line 3, column 1: A: the renaming identifier 'B' is passed over: something else has that name",
                "line 5, column 5: A.x: the renaming identifier 'id' is passed over: something else has that name",
                "line 7, column 5: A.z: the renaming identifier 'old' is passed over: something else has that name",
            ])
    }
}
