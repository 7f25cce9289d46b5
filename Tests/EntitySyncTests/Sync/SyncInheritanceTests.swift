import EntitySync
import SyncPersistence
import Testing

/// Objects of entities that inherit others.
@Suite(.needsStores) struct SyncInheritanceTests {
    static func schema(isAbstract: Bool = false) throws -> Schema {
        try Schema {
            Entity("Owner") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("pets", toMany: "Animal", inverse: "owner")
                Relationship("favourite", to: "Animal")
            }
            Entity("Animal", isAbstract: isAbstract, userInfo: ["sync.discriminator": "type"]) {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("owner", to: "Owner", inverse: "pets")
            }
            Entity("Cat", parent: "Animal") { Attribute("lives", .integer) }
            Entity("Dog", parent: "Animal", userInfo: ["sync.discriminatorValue": "hound"]) {
                Attribute("tricks", .integer)
            }
            Entity("Puppy", parent: "Dog") { Attribute("weeks", .integer) }
        }
    }

    private func entity(_ store: SyncStore, _ key: Value) async throws -> String? {
        try await store.record("Animal", key)?.entity
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func discriminatorChoosesTheEntityOfAnObject(kind: StoreKind, isAbstract: Bool) async throws {
        let store = try await SyncStore(kind, Self.schema(isAbstract: isAbstract))
        let json = """
            [{"id": 1, "type": "Cat", "lives": 9}, {"id": 2, "type": "hound", "tricks": 3},
             {"id": 3, "type": "Puppy", "weeks": 4, "tricks": 1}]
            """
        let result = try await store.sync(json, into: "Animal")
        #expect(result.reports.isEmpty)
        #expect(try await [1, 2, 3].asyncMap { try await entity(store, $0) } == ["Cat", "Dog", "Puppy"])
        #expect(try await store.value("Cat", 1, "lives") == 9)
        #expect(try await store.value("Dog", 2, "tricks") == 3)
        #expect(try await store.value("Puppy", 3, "weeks") == 4)
        #expect(try await store.sync(json, into: "Animal").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func recordWithinAnObjectOfAnUnknownEntityIsKept(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"id": 1}, {"id": 2}]"#, into: "Owner")
        let unicorn = #"{"id": 9, "type": "Unicorn", "owner": {"id": 1, "pets": [{"id": 7}]}}"#
        let json = #"{"owners": [], "animals": [\#(unicorn)]}"#
        let roots = [SyncRoot("Owner", at: "owners"), SyncRoot("Animal", at: "animals")]
        let result = try await store.adapter.sync(json, roots: roots)
        #expect(result.reports.map(\.kind) == [.wrongEntity])
        #expect(try await store.keys("Owner") == [1])
        #expect(try await store.keys("Animal") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func recordThatMovesToAListOfUnknownEntitiesIsKept(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"id": 1}, {"id": 2, "pets": [{"id": 7, "type": "hound"}]}]"#, into: "Owner")
        let json = #"[{"id": 1, "pets": [{"id": 7, "type": "Unicorn"}]}, {"id": 2, "pets": []}]"#
        #expect(try await store.sync(json, into: "Owner").reports.map(\.kind) == [.wrongEntity])
        #expect(try await store.keys("Animal") == [7])
        #expect(try await store.members("Owner", 2, "pets") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func discriminatorChoosesTheEntityOfANestedObject(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        let json = """
            [{"id": 1, "pets": [{"id": 1, "type": "Cat"}, {"id": 2, "type": "Puppy"}, {"id": 3}],
              "favourite": {"id": 4, "type": "hound", "tricks": 7}}]
            """
        try await store.sync(json, into: "Owner")
        #expect(
            try await [1, 2, 3, 4].asyncMap { try await entity(store, $0) } == ["Cat", "Puppy", "Animal", "Dog"])
        #expect(try await store.members("Owner", 1, "pets") == [1, 2, 3])
        #expect(try await store.value("Owner", 1, "favourite") == 4)
        #expect(try await store.sync(json, into: "Owner").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func objectWithoutADiscriminatorKeepsTheEntityOfItsRecord(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"id": 1, "type": "Cat", "lives": 9}]"#, into: "Animal")
        try await store.sync(#"[{"id": 1, "name": "Tom", "lives": 8}]"#, into: "Animal")
        #expect(try await entity(store, 1) == "Cat")
        #expect(try await store.value("Cat", 1, "lives") == 8)
        #expect(try await store.value("Cat", 1, "name") == "Tom")
    }

    @Test(arguments: StoreKind.allCases)
    func recordThatChangesItsEntityKeepsCommonValues(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(
            #"[{"id": 1, "pets": [{"id": 1, "type": "hound", "name": "Rex", "tricks": 3}]}]"#, into: "Owner")
        try await store.sync(#"[{"id": 1, "type": "Puppy", "weeks": 5}]"#, into: "Animal")
        #expect(try await entity(store, 1) == "Puppy")
        #expect(try await store.value("Puppy", 1, "tricks") == 3)
        #expect(try await store.value("Puppy", 1, "name") == "Rex")
        #expect(try await store.value("Puppy", 1, "owner") == 1)
        #expect(try await store.keys("Animal") == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func unknownDiscriminatorIsReportedAndItsRecordKept(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema(isAbstract: true))
        let result = try await store.sync(
            #"[{"id": 1, "type": "Robot"}, {"id": 2}, {"id": 3, "type": "Cat"}]"#, into: "Animal")
        #expect(result.reports.map(\.kind) == [.wrongEntity, .wrongEntity])
        #expect(
            result.reports.map(\.description) == [
                "[0].type: expected what stands for 'Animal' or an entity that inherits it, found the text \"Robot\"",
                "[1]: expected an object that says of which entity it is, as 'Animal' is abstract, "
                    + "found one that does not",
            ])
        #expect(try await store.keys("Animal") == [3])
    }

    @Test(
        arguments: StoreKind.allCases,
        ["Cat", "bogus", "hound", "Puppy"])
    func onlyADiscriminatorOfThePlaceChangesTheEntityOfARecord(kind: StoreKind, type: String) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(#"[{"id": 1, "type": "Cat", "lives": 9, "name": "Tom"}]"#, into: "Animal")
        let isDog = type == "hound" || type == "Puppy"
        let result = try await store.sync(
            #"[{"id": 1, "type": "\#(type)"}]"#, into: "Dog", operations: [.insert, .update])
        #expect(result.reports.allSatisfy { $0.kind == .wrongEntity } && result.reports.isEmpty == isDog)
        #expect(try await entity(store, 1) == (isDog ? type == "hound" ? "Dog" : "Puppy" : "Cat"))
        #expect(try await store.value("Animal", 1, "name") == "Tom")
        if !isDog { #expect(try await store.value("Cat", 1, "lives") == 9) }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsOfASubentityConcernItsRecordsAlone(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema())
        try await store.sync(
            #"[{"id": 1, "type": "Cat"}, {"id": 2, "type": "hound"}, {"id": 3, "type": "Puppy"}]"#, into: "Animal")
        let result = try await store.sync(#"[{"id": 4}, {"id": 1}]"#, into: "Dog")
        #expect(try await store.keys("Animal") == [1, 4])
        #expect(try await entity(store, 4) == "Dog")
        #expect(try await entity(store, 1) == "Cat")
        #expect(
            result.reports.map(\.description)
                == ["[1]: expected a key that no record of another entity has, found that of 'Cat 1'"])
    }
}

extension SyncInheritanceTests {
    @Test(arguments: StoreKind.allCases)
    func recordThatChangesItsEntityLosesTheOtherLinks(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("Animal", userInfo: ["sync.discriminator": "type"]) { Attribute("id", .integer, isPrimaryKey: true) }
            Entity("Cat", parent: "Animal") { Attribute("lives", .integer) }
            Entity("Dog", parent: "Animal") { Relationship("puppies", toMany: "Animal") }
        }
        let store = try await SyncStore(kind, schema)
        try await store.sync(#"[{"id": 1, "type": "Dog", "puppies": [{"id": 2}]}, {"id": 2}]"#, into: "Animal")
        let result = try await store.sync(#"[{"id": 1, "type": "Cat"}, {"id": 2}]"#, into: "Animal")
        #expect(result.reports.isEmpty)
        #expect(result.unlinkedCount == 1)
        #expect(try await store.record("Animal", 1)?.entity == "Cat")
    }
}

extension SyncInheritanceTests {
    @Test(arguments: StoreKind.allCases, [false, true])
    func unknownDiscriminatorLeavesTheRecordAsItIs(kind: StoreKind, isAbstract: Bool) async throws {
        let store = try await SyncStore(kind, Self.schema(isAbstract: isAbstract))
        try await store.sync(
            #"[{"id": 1, "pets": [{"id": 1, "type": "Cat", "lives": 9, "name": "Tom"}], "favourite_id": 1}]"#,
            into: "Owner")
        let before = try await store.contents()
        let result = try await store.sync(#"[{"id": 1, "type": "lion", "name": "Leo"}]"#, into: "Animal")
        #expect(result.reports.map(\.path) == ["[0].type"])
        #expect(result.reports.map(\.kind) == [.wrongEntity])
        #expect(try await store.contents() == before)
        let nested = try await store.sync(
            #"[{"id": 1, "pets": [{"id": 1, "type": "lion"}], "favourite": {"id": 1, "type": "lion", "name": "x"}}]"#,
            into: "Owner")
        #expect(nested.reports.map(\.path) == ["[0].pets[0].type", "[0].favourite.type"])
        #expect(try await store.contents() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func fallbackEntityTakesObjectsWithAnUnknownDiscriminator(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.schema(isAbstract: true))
        try await store.sync(#"[{"id": 1, "type": "Cat", "lives": 9}]"#, into: "Animal")
        var options = SyncOptions()
        options.fallbackEntities["Animal"] = "Dog"
        let result = try await store.sync(
            #"[{"id": 1, "type": "lion", "name": "Leo"}, {"id": 2, "type": "wolf", "tricks": 1}]"#, into: "Animal",
            options: options)
        #expect(result.reports.isEmpty)
        #expect(try await store.record("Animal", 1)?.entity == "Cat")
        #expect(try await store.value("Cat", 1, "lives") == 9)
        #expect(try await store.value("Cat", 1, "name") == "Leo")
        #expect(try await store.record("Animal", 2)?.entity == "Dog")
        options.fallbackEntities["Animal"] = "Wolf"
        let error = await #expect(throws: SyncError.self) {
            try await store.sync(#"[{"id": 3, "type": "wolf"}]"#, into: "Animal", options: options)
        }
        #expect(error?.code == .unknownEntity)
        options.fallbackEntities["Animal"] = "Owner"
        let other = await #expect(throws: SyncError.self) {
            try await store.sync("[]", into: "Owner", options: options)
        }
        #expect(other?.code == .invalidChoice)
        #expect(
            other?.message == "the options name 'Owner' as the fallback for 'Animal': name 'Animal' or an entity that "
                + "inherits it, and that is not abstract")
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func listOfObjectsWithUnknownDiscriminatorsDeletesAndSeparatesNothing(
        kind: StoreKind, isAbstract: Bool
    ) async throws {
        let store = try await SyncStore(kind, Self.schema(isAbstract: isAbstract))
        let pets = #"[{"id": 1, "type": "Cat", "lives": 9}, {"id": 2, "type": "hound"}]"#
        try await store.sync("[{\"id\": 1, \"pets\": \(pets)}]", into: "Owner")
        let before = try await store.contents()
        let strange = #"[{"id": 8, "type": "lion"}, {"id": 1, "type": "lion"}]"#
        let result = try await store.sync(strange, into: "Animal")
        #expect(result.reports.map(\.path) == ["[0].type", "[1].type"])
        #expect(try await store.contents() == before)
        let nested = try await store.sync("[{\"id\": 1, \"pets\": \(strange)}]", into: "Owner")
        #expect(nested.reports.map(\.path) == ["[0].pets[0].type", "[0].pets[1].type"])
        #expect(try await store.contents() == before)
        // A usable object makes the list complete; the record of the other object is kept.
        try await store.sync(#"[{"id": 1, "type": "lion"}, {"id": 3, "type": "Cat"}]"#, into: "Animal")
        #expect(try await store.keys("Animal") == [1, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func recordKeepsItsEntityWhileItsMembersMustHaveAnOwner(kind: StoreKind) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Node", userInfo: ["sync.discriminator": "type"]) {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("name", .string)
                }
                Entity("File", parent: "Node") {
                    Relationship("lines", toMany: "Line", inverse: "file", deleteRule: .cascade)
                }
                Entity("Folder", parent: "Node")
                Entity("Line") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("file", to: "File", inverse: "lines", isOptional: false)
                }
            })
        try await store.sync(
            #"[{"id": 1, "type": "File", "lines": [{"id": 7}]}, {"id": 2, "type": "File"}]"#, into: "Node")
        let json = #"[{"id": 1, "type": "Folder", "name": "a"}, {"id": 2, "type": "Folder", "name": "b"}]"#
        let result = try await store.sync(json, into: "Node")
        #expect(
            result.reports.map(\.description) == [
                "[0] (File 1): expected an entity with 'lines', as its members there must have an owner, found 'Folder', "
                    + "so the record is not changed"
            ])
        #expect(try await store.record("Node", 1)?.entity == "File")
        #expect(try await store.record("Node", 2)?.entity == "Folder")
        #expect(try await store.value("Line", 7, "file") == 1)
        try await store.sync(#"[{"id": 1, "type": "File", "lines": []}]"#, into: "Node", operations: .all)
        #expect(try await store.sync(json, into: "Node").reports.isEmpty)
        #expect(try await store.record("Node", 1)?.entity == "Folder")
    }
}
