import CoreDataModel
import SyncPersistence
import Testing

struct KeyTests {
    private func attribute(_ name: String, _ flag: String? = nil, word: String = "sync") -> String {
        let info = flag.map { #"<userInfo><entry key="\#(word).isPrimaryKey" value="\#($0)"/></userInfo>"# } ?? ""
        return #"<attribute name="\#(name)" optional="YES" attributeType="Integer 32">\#(info)</attribute>"#
    }

    private func constraints(_ names: [String]...) -> String {
        let list = names.map { names in
            "<uniquenessConstraint>" + names.map { #"<constraint value="\#($0)"/>"# }.joined()
                + "</uniquenessConstraint>"
        }
        return "<uniquenessConstraints>\n\(list.joined(separator: "\n"))\n</uniquenessConstraints>"
    }

    /// The key of an entity, and the notices.
    private func key(_ body: String...) throws -> (names: [String], notes: [String]) {
        let document = try model("<entity name=\"A\">\n\(body.joined(separator: "\n"))\n</entity>")
        let shape = try #require(document.schema["A"])
        #expect(shape.keySlots.allSatisfy { !shape.slots[$0].isOptional })
        return (shape.keySlots.map { shape.slots[$0].name }, document.notes)
    }

    @Test(arguments: ["YES", "true"])
    func flaggedAttributesAreTheKeyWhateverTheOtherNames(value: String) throws {
        let (names, notes) = try key(attribute("id"), attribute("code", value), attribute("part", value))
        #expect(names == ["code", "part"])
        #expect(notes == [])
    }

    @Test func olderKeyFlagAppliesUnlessTheNewerOneContradicts() throws {
        #expect(try key(attribute("id"), attribute("code", "true", word: "hyper")).names == ["code"])
        let both =
            #"<userInfo><entry key="sync.isPrimaryKey" value="NO"/><entry key="hyper.isPrimaryKey" value="YES"/></userInfo>"#
        let body = #"<attribute name="code" attributeType="String">\#(both)</attribute>"#
        #expect(try key(attribute("id"), body).names == ["id"])
    }

    @Test func otherFlagValuesDoNotMakeAKey() throws {
        let (names, notes) = try key(attribute("id"), attribute("code", "yes"))
        #expect(names == ["id"])
        #expect(
            notes == [
                "line 5, column 1: A.code: 'yes' does not make it the primary key: write YES for 'sync.isPrimaryKey'"
            ])
    }

    @Test func unflaggedKeyIsFoundByItsName() throws {
        #expect(try key(attribute("x"), attribute("id")).names == ["id"])
        #expect(try key(attribute("x"), attribute("remoteID")).names == ["remoteID"])
        let (names, notes) = try key(attribute("id"), attribute("remoteID"))
        #expect(names == ["remoteID"])
        #expect(
            notes == [
                "line 4, column 1: A.id: it is not the primary key, which is 'remoteID': flag it by 'sync.isPrimaryKey' "
                    + "if it should be"
            ])
    }

    @Test func uniquenessConstraintTakesPrecedenceOverTheName() throws {
        #expect(try key(attribute("a"), attribute("b"), constraints(["b", "a"])).names == ["a", "b"])
        let (names, notes) = try key(attribute("id"), attribute("code"), constraints(["code"]))
        #expect(names == ["code"])
        #expect(
            notes == [
                "line 4, column 1: A.id: it is not the primary key, which is 'code': flag it by 'sync.isPrimaryKey' if it "
                    + "should be"
            ])
        let (others, more) = try key(attribute("id"), attribute("code"), constraints(["code"], ["id"]))
        #expect(others == ["id"])
        #expect(
            more == ["line 7, column 1: A: that 'code' is unique is not checked: the primary key alone is"])
        let (flagged, rest) = try key(attribute("code", "YES"), attribute("b"), constraints(["b"], ["code"]))
        #expect(flagged == ["code"])
        #expect(rest == ["line 7, column 1: A: that 'b' is unique is not checked: the primary key alone is"])
        // A constraint that names what is no attribute of the entity's own cannot be the key.
        #expect(try key(attribute("id"), constraints(["gone"])).names == ["id"])
    }

    @Test func entityWithoutAKeyReceivesAnImplicitOne() throws {
        let (names, notes) = try key(
            attribute("x"), #"<attribute name="id" optional="YES" attributeType="Transformable"/>"#)
        #expect(names == [Schema.implicitKey])
        #expect(
            notes == [
                "line 3, column 1: A: it has no primary key, and the store counts its records: flag an attribute by "
                    + "'sync.isPrimaryKey' if they are to be found by it"
            ])
    }

    @Test func keyHasNoDefault() throws {
        let document = try model(
            #"<entity name="A"><attribute name="id" attributeType="Integer 32" defaultValueString="0"/></entity>"#)
        #expect(document.schema.entities[0].attributes == [Attribute("id", .integer, isPrimaryKey: true)])
        #expect(
            document.notes == [
                "line 3, column 18: A.id: the default 0 is passed over: each record has a key of its own"
            ])
    }

    @Test func keyBelongsToTheTopmostEntityWhereverItIsDefined() throws {
        let document = try model(
            """
            <entity name="Fast" parentEntity="Car">
                \(attribute("remoteID", "YES"))
                \(attribute("speed"))
            </entity>
            <entity name="Car" isAbstract="YES">
                \(attribute("remoteID"))
            </entity>
            """)
        #expect(document.notices == [])
        let key = Attribute("remoteID", .integer, isPrimaryKey: true)
        #expect(
            document.schema.entities == [
                Entity("Fast", parent: "Car", attributes: [key, Attribute("speed", .integer)]),
                Entity("Car", isAbstract: true, attributes: [key]),
            ])
    }

    @Test func keyOfASubentityBecomesAnIndexedAttributeThatKeepsItsFlag() throws {
        let code = Attribute("code", .integer, isIndexed: true, userInfo: ["sync.isPrimaryKey": "YES"])
        let id = Attribute("id", .integer, isIndexed: true, userInfo: ["sync.isPrimaryKey": "YES"])
        let unkeyed = try model(
            """
            <entity name="Base"/>
            <entity name="Named" parentEntity="Base">
                \(attribute("id"))
            </entity>
            <entity name="Flagged" parentEntity="Base">
                \(attribute("id")) \(attribute("code", "YES"))
            </entity>
            """)
        #expect(
            unkeyed.schema.entities.map(\.attributes) == [[], [id], [Attribute("id", .integer), code]])
        #expect(
            unkeyed.notes.dropFirst() == [
                "line 5, column 5: Named.id: it is kept as an attribute with an index: the primary key is that of 'Base', "
                    + "the topmost entity",
                "line 8, column 81: Flagged.code: it is kept as an attribute with an index: the primary key is that of "
                    + "'Base', the topmost entity",
            ])
        let keyed = try model(
            """
            <entity name="Base">\(attribute("remoteID"))</entity>
            <entity name="A" parentEntity="Base">\(attribute("id"))</entity>
            <entity name="B" parentEntity="Base">\(attribute("code", "YES"))</entity>
            """)
        #expect(keyed.schema.entities.map(\.attributes)[1...] == [[Attribute("id", .integer)], [code]])
        #expect(
            keyed.notes == [
                "line 5, column 38: B.code: it is kept as an attribute with an index: the primary key is that of 'Base', "
                    + "the topmost entity"
            ])
    }
}
