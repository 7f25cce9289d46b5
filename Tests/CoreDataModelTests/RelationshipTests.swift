import CoreDataModel
import SyncPersistence
import Testing

struct RelationshipTests {
    private let key = #"<attribute name="id" attributeType="Integer 64"/>"#

    @Test func relationshipsAreToOneOrToManyInBothDirections() throws {
        let document = try model(
            """
            <entity name="User">
                \(key)
                <relationship name="notes" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Note" inverseName="user" inverseEntity="Note" syncable="YES">
                    <userInfo>
                        <entry key="sync.remoteKey" value="data.notes"/>
                        <entry key="sync.nonExportable" value="true"/>
                        <entry key="color" value="blue"/>
                    </userInfo>
                </relationship>
                <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="User" inverseName="friends" inverseEntity="User"/>
            </entity>
            <entity name="Note">
                \(key)
                <relationship name="user" maxCount="1" deletionRule="Deny" destinationEntity="User" inverseName="notes" inverseEntity="User"/>
                <relationship name="next" optional="YES" maxCount="1" deletionRule="No Action" destinationEntity="Note" elementID="following"/>
            </entity>
            """)
        #expect(document.notices == [])
        let expected = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship(
                    "notes", toMany: "Note", isOrdered: true, inverse: "user", deleteRule: .cascade,
                    remoteKey: "data.notes", isExportable: false, userInfo: ["color": "blue"])
                Relationship("friends", toMany: "User", inverse: "friends")
            }
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("user", to: "User", inverse: "notes", deleteRule: .deny, isOptional: false)
                Relationship("next", to: "Note", deleteRule: .noAction, renamedFrom: "following")
            }
        }
        #expect(document.schema == expected)
    }

    @Test func toManyRelationshipCanBeMandatory() throws {
        let document = try model(
            #"<entity name="A">\#(key)<relationship name="all" toMany="YES" destinationEntity="A"/></entity>"#)
        let relationship = document.schema.entities[0].relationships[0]
        #expect(relationship.isToMany && !relationship.isOptional)
        #expect(relationship.deleteRule == .nullify)
    }

    @Test func inverseIsFoundAtAnEntityThatTheDestinationInherits() throws {
        let document = try model(
            """
            <entity name="Car">
                \(key)
                <relationship name="passengers" optional="YES" toMany="YES" destinationEntity="Passenger" inverseName="car" inverseEntity="Passenger"/>
            </entity>
            <entity name="Racecar" parentEntity="Car"/>
            <entity name="Passenger">
                \(key)
                <relationship name="car" optional="YES" maxCount="1" destinationEntity="Car" inverseName="passengers" inverseEntity="Car"/>
                <relationship name="racecar" optional="YES" maxCount="1" destinationEntity="Racecar"/>
            </entity>
            """)
        #expect(document.notices == [])
        #expect(document.schema["Racecar"]?.relationship(named: "passengers") != nil)
    }

    @Test func transientRelationshipsAreOmittedAndTheirInversesHaveNone() throws {
        let document = try model(
            """
            <entity name="Base">
                \(key)
                <relationship name="shown" transient="YES" maxCount="1" destinationEntity="View" inverseName="item" inverseEntity="View"/>
            </entity>
            <entity name="Item" parentEntity="Base"/>
            <entity name="View">
                \(key)
                <relationship name="item" optional="YES" maxCount="1" destinationEntity="Item" inverseName="shown" inverseEntity="Base"/>
            </entity>
            """)
        #expect(document.schema.entities[0].relationships == [])
        #expect(document.schema.entities[2].relationships == [Relationship("item", to: "Item")])
        #expect(
            document.notes == [
                "line 5, column 5: Base.shown: it is transient, and left out: what is not stored is for the app to keep",
                "line 10, column 5: View.item: its inverse 'Base.shown' is transient: it is left without one",
            ])
    }

    @Test func meaninglessBoundsAndOrdersAreIgnored() throws {
        let document = try model(
            """
            <entity name="A">
                \(key)
                <relationship name="x" optional="YES" toMany="YES" minCount="2" maxCount="5" destinationEntity="A"/>
                <relationship name="y" optional="YES" ordered="YES" minCount="1" maxCount="1" destinationEntity="A"/>
                <relationship name="z" optional="YES" maxCount="1" destinationEntity="A">
                    <userInfo><entry key="sync.isPrimaryKey" value="YES"/></userInfo>
                </relationship>
            </entity>
            """)
        #expect(
            document.notes == [
                "line 5, column 56: A.x: 'minCount' is passed over: how many records there are is not checked",
                "line 5, column 69: A.x: 'maxCount' is passed over: how many records there are is not checked",
                "line 6, column 5: A.y: 'ordered' is passed over: it leads to one record",
                "line 7, column 5: A.z: 'sync.isPrimaryKey' is no word for a relationship and means nothing: check how "
                    + "it is spelt",
            ])
    }

    @Test func wordsThatASyncReadsAreKept() throws {
        let document = try model(
            """
            <entity name="A">
                \(key)
                <relationship name="x" optional="YES" toMany="YES" destinationEntity="A">
                    <userInfo>
                        <entry key="sync.unlisted" value="separate"/>
                        <entry key="sync.morePath" value="hasMore"/>
                    </userInfo>
                </relationship>
            </entity>
            """)
        #expect(document.notes.isEmpty)
        let relationship = document.schema["A"]?.relationship(named: "x")
        #expect(relationship?.definition.userInfo == ["sync.unlisted": "separate", "sync.morePath": "hasMore"])
    }
}
