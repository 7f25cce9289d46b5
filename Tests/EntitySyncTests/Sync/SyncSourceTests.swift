import EntitySync
import SyncPersistence
import Testing

/// Attributes whose values are constants, or come from the record around an object.
struct SyncSourceTests {
    static func orders() throws -> Schema {
        try Schema {
            Entity("Order") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("number", .string)
                Relationship("items", toMany: "Item", inverse: "order", deleteRule: .cascade)
            }
            Entity("Item") {
                Attribute(
                    "orderID", .integer, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "order.id"])
                Attribute("line", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("order", to: "Order", inverse: "items")
                Relationship("notes", toMany: "Note", inverse: "item")
            }
            Entity("Note") {
                Attribute("order", .integer, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "item.orderID"])
                Attribute("line", .integer, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "item.line"])
                Attribute("no", .integer, isPrimaryKey: true)
                Attribute("text", .string)
                Relationship("item", to: "Item", inverse: "notes")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func keyPartsComeFromTheParentAtEveryLevel(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.orders())
        let json = """
            [{"id": 1, "number": "A", "items": [{"line": 1, "text": "a", "notes": [{"no": 1, "text": "x"}]}, {"line": 2}]},
             {"items": [{"line": 1, "text": "b", "notes": [{"no": 1}]}], "id": 2}]
            """
        let result = try await store.sync(json, into: "Order")
        #expect(result.reports.isEmpty)
        #expect(try await store.keys("Item") == [[1, 1], [1, 2], [2, 1]])
        #expect(try await store.keys("Note") == [[1, 1, 1], [2, 1, 1]])
        #expect(try await store.related("Order", 1, "items") == [[1, 1], [1, 2]])
        #expect(try await store.sync(json, into: "Order").isUnchanged)
        let changed = try await store.sync(
            #"[{"id": 1, "number": "B", "items": [{"line": 2, "text": "c"}]}, {"id": 2}]"#, into: "Order")
        #expect(changed.reports.isEmpty)
        #expect(Set(changed["Item"].deleted.map(\.key)) == [[1, 1]])
        #expect(changed["Item"].updated.map(\.id.key) == [[1, 2]])
        #expect(try await store.keys("Item") == [[1, 2], [2, 1]])
    }

    @Test(arguments: StoreKind.allCases)
    func parentOfTheCallGivesKeyParts(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.orders())
        try await store.sync(
            #"[{"id": 1, "number": "A"}, {"id": 2, "items": [{"line": 1}]}]"#, into: "Order")
        let items = #"[{"line": 1, "text": "a"}, {"line": "2"}]"#
        let parent = RecordID("Order", 1)
        #expect(try await store.sync(items, into: "Item", parent: parent).reports.isEmpty)
        #expect(try await store.keys("Item") == [[1, 1], [1, 2], [2, 1]])
        #expect(try await store.sync(items, into: "Item", parent: parent).isUnchanged)
        let fewer = try await store.sync(#"[{"line": 2}]"#, into: "Item", parent: parent)
        #expect(fewer["Item"].deleted.map(\.key) == [[1, 1]])
        #expect(try await store.keys("Item") == [[1, 2], [2, 1]])
    }

    @Test(arguments: StoreKind.allCases)
    func objectThatNamesItsParentNeedsNoPlace(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.orders())
        try await store.sync(#"[{"id": 7}]"#, into: "Order")
        let result = try await store.sync(#"[{"order_id": 7, "line": 1}, {"line": 2}]"#, into: "Item")
        #expect(
            result.reports.map(\.description) == [
                "[1]: expected a value of the primary key, 'orderID', 'line' of 'Item', found none"
            ])
        #expect(try await store.related("Order", 7, "items") == [[7, 1]])
    }

    @Test(arguments: StoreKind.allCases)
    func theParentCountsBeforeWhatAnObjectSaysOfIt(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.orders())
        let json = """
            [{"id": 1, "number": "A", "items": [{"orderID": 8, "line": 1, "notes": [{"order": 9, "no": 1}]},
             {"orderID": null, "line": 3}, {"orderID": true, "line": 2}]}, {"id": 8}]
            """
        for isFirst in [true, false] {
            let result = try await store.sync(json, into: "Order")
            #expect(result.isUnchanged != isFirst)
            #expect(
                result.reports.map(\.description) == [
                    "[0].items[2].orderID: expected an integer of 64 bits, found true",
                    "[0].items[0].orderID (Item [1, 1].order): expected the object in which this one stands, with the "
                        + "key 1, found the number 8",
                    "[0].items[0].notes[0].order: expected the value that follows from the object's place, the "
                        + "number 1, found the number 9",
                ])
            #expect(try await store.keys("Item") == [[1, 1], [1, 3]])
            #expect(try await store.members("Order", 1, "items") == [[1, 1], [1, 3]])
            #expect(try await store.keys("Note") == [[1, 1, 1]])
            #expect(try await store.related("Item", [1, 1], "notes") == [[1, 1, 1]])
        }
        // The parent of the call counts as well.
        let result = try await store.sync(
            #"[{"order_id": 8, "line": 4, "text": "a"}]"#, into: "Item", parent: RecordID("Order", 1))
        #expect(result.reports.map(\.kind) == [.contradiction])
        #expect(try await store.keys("Item") == [[1, 4]])
        #expect(try await store.related("Order", 1, "items") == [[1, 4]])
    }

    @Test(arguments: StoreKind.allCases)
    func keysThatAreListedUnderAParentHaveItsPart(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.orders())
        try await store.sync(
            #"[{"id": 1, "items": [{"line": 1}, {"line": 2}, {"line": 3}]}, {"id": 2, "items": [{"line": 1}]}]"#,
            into: "Order")
        for member in [#""items": [1, 2]"#, #""items_ids": [1, "2"]"#, #""items": [[1, 1], 2]"#] {
            let result = try await store.sync("[{\"id\": 1, \(member)}, {\"id\": 2}]", into: "Order")
            #expect(result.reports.isEmpty, "\(member)")
            #expect(try await store.members("Order", 1, "items") == [[1, 1], [1, 2]], "\(member)")
            #expect(try await store.members("Order", 2, "items") == [[2, 1]])
            #expect(try await store.keys("Item") == [[1, 1], [1, 2], [1, 3], [2, 1]])
        }
        // They may arrive later in the payload, or in another payload.
        var options = SyncOptions()
        options.keepsPendingLinks = true
        try await store.sync(#"[{"id": 3, "items": [5]}]"#, into: "Order", operations: .page, options: options)
        try await store.sync(#"[{"order_id": 3, "line": 5}]"#, into: "Item", operations: .page, options: options)
        #expect(try await store.members("Order", 3, "items") == [[3, 5]])
        let wrong = try await store.sync(#"[{"id": 1, "items": ["x"]}]"#, into: "Order", operations: .page)
        #expect(wrong.reports.map(\.path) == ["[0].items[0]"])
        #expect(try await store.members("Order", 1, "items") == [[1, 1], [1, 2]])
    }

    @Test(arguments: StoreKind.allCases)
    func anotherObjectAroundItIsNotTheParent(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.orders())
        // The order is nested in the item, and the note belongs to the item alone.
        let result = try await store.sync(
            #"[{"orderID": 3, "line": 1, "order": {"id": 3, "items": [{"line": 1}, {"line": 2}]}}]"#, into: "Item")
        #expect(result.reports.isEmpty)
        #expect(try await store.keys("Item") == [[3, 1], [3, 2]])
    }

    @Test(arguments: StoreKind.allCases)
    func newKeyOfAParentIsTakenOverBelow(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.orders())
        let items = #"[{"line": 1, "text": "a", "notes": [{"no": 1, "text": "x"}]}, {"line": 2}]"#
        try await store.sync("[{\"id\": 1, \"items\": \(items)}, {\"id\": 3}]", into: "Order")
        try await store.sync(#"[{"order_id": 5, "line": 2, "order": null}]"#, into: "Item", operations: [.insert])
        try await store.adapter.update("Order", 1, with: ["id": 5])
        // One record takes the former key of another.
        #expect(try await store.keys("Item") == [[1, 2], [5, 1], [5, 2]])
        #expect(try await store.keys("Note") == [[5, 1, 1]])
        #expect(try await store.value("Item", [5, 1], "text") == "a")
        #expect(try await store.related("Item", [5, 1], "notes") == [[5, 1, 1]])
        #expect(try await store.members("Order", 5, "items") == [[1, 2], [5, 1]])
        let result = try await store.sync("[{\"id\": 5, \"items\": \(items)}, {\"id\": 3}]", into: "Order")
        #expect(result["Item"].inserted.isEmpty)
        #expect(try await store.keys("Item") == [[5, 1], [5, 2]])
    }

    @Test(arguments: StoreKind.allCases)
    func attributeWithAConstantLeavesManyObjectsToBeSkipped(kind: StoreKind) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("User") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("kind", .string, userInfo: ["sync.constant": "person"])
                    Attribute("name", .string)
                }
            })
        func json(_ name: String) -> String {
            "[" + (0..<60).map { "{\"id\": \($0), \"name\": \"\(name)\"}" }.joined(separator: ",") + "]"
        }
        try await store.sync(json("a"), into: "User")
        #expect(try await store.value("User", 59, "kind") == "person")
        #expect(try await store.sync(json("a"), into: "User").isUnchanged)
        #expect(try await store.sync(json("b"), into: "User")["User"].updated.count == 60)
    }

    static func repositories() throws -> Schema {
        try Schema {
            Entity("Repository") {
                Attribute("source", .string, isPrimaryKey: true)
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("kind", .string, userInfo: ["sync.constant": "code"])
                Attribute("name", .string)
                Relationship("fork", to: "Repository")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func constantOfTheCallIsAPartOfTheKeyAndLimitsWhatIsDeleted(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.repositories())
        func options(_ source: Value) -> SyncOptions {
            var options = SyncOptions()
            options.constants["Repository"] = ["source": source]
            return options
        }
        let json = #"[{"id": 1, "name": "a"}, {"id": 2, "fork_id": 1}]"#
        for source in ["one", "two"] as [Value] {
            let result = try await store.sync(json, into: "Repository", options: options(source))
            #expect(result.reports.isEmpty)
            #expect(try await store.sync(json, into: "Repository", options: options(source)).isUnchanged)
        }
        #expect(try await store.keys("Repository") == [["one", 1], ["one", 2], ["two", 1], ["two", 2]])
        #expect(try await store.related("Repository", ["two", 2], "fork") == [["two", 1]])
        #expect(try await store.value("Repository", ["two", 2], "kind") == "code")
        let fewer = try await store.sync(#"[{"id": 2}]"#, into: "Repository", options: options("two"))
        #expect(fewer["Repository"].deleted.map(\.key) == [["two", 1]])
        let none = try await store.sync("[]", into: "Repository", options: options("two"))
        #expect(none["Repository"].deleted.map(\.key) == [["two", 2]])
        let record = try await store.adapter.insertOrUpdate(
            ["id": 5], into: "Repository", options: options("two")
        ).record
        #expect(record?.key == ["two", 5])
    }

    @Test(arguments: StoreKind.allCases)
    func constantCountsBeforeWhatObjectsSayAndThatIsReported(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.repositories())
        let result = try await store.sync(
            #"[{"source": "x", "id": 1, "kind": "book"}, {"source": "x", "id": 2, "kind": "code"}]"#,
            into: "Repository")
        #expect(result.reports.map(\.kind) == [.contradiction])
        #expect(result.reports.first?.path == "[0].kind")
        #expect(try await store.value("Repository", ["x", 1], "kind") == "code")
    }

    @Test(arguments: StoreKind.allCases)
    func manyObjectsWithAConstantInTheKeyAreSkippedAndFoundAgain(kind: StoreKind) async throws {
        let store = try await SyncStore(kind, Self.repositories())
        var options = SyncOptions()
        options.constants["Repository"] = ["source": "one"]
        func json(_ name: String) -> String {
            "[" + (0..<60).map { "{\"id\": \($0), \"name\": \"\(name)\"}" }.joined(separator: ",") + "]"
        }
        try await store.sync(json("a"), into: "Repository", options: options)
        #expect(try await store.sync(json("a"), into: "Repository", options: options).isUnchanged)
        #expect(
            try await store.sync(json("b"), into: "Repository", options: options)["Repository"].updated.count == 60)
        // Another constant makes another record, although the bytes are the same.
        options.constants["Repository"] = ["source": "two"]
        #expect(
            try await store.sync(json("b"), into: "Repository", options: options)["Repository"].inserted.count == 60)
        #expect(try await store.keys("Repository").count == 120)
    }

    @Test func constantsForWhatTheSchemaDoesNotHaveAreErrors() async throws {
        let store = try await SyncStore(.inMemory, Self.repositories())
        for (entity, name, value) in [
            ("Repository", "colour", "x"), ("Nothing", "source", "x"), ("Repository", "id", "x"),
            ("Repository", "id", .null),
        ] as [(String, String, Value)] {
            var options = SyncOptions()
            options.constants[entity] = [name: value]
            let error = await #expect(throws: SyncError.self) {
                try await store.sync("[]", into: "Repository", options: options)
            }
            #expect(error?.code == (entity == "Nothing" ? .unknownEntity : .invalidSource))
        }
    }

    @Test func sourcesOfNoUseAreProblemsOfTheSchema() throws {
        let schema = try Schema {
            Entity("A") {
                Attribute("id", .integer, isPrimaryKey: true, userInfo: ["sync.constant": "x"])
                Attribute("one", .string, userInfo: ["sync.isMapKey": "YES"])
                Attribute("two", .string, userInfo: ["sync.isMapKey": "true"])
                Attribute("up", .integer, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "parent.nothing"])
                Attribute("all", .integer, isPrimaryKey: true, userInfo: ["sync.parentAttribute": "parent"])
                Attribute("other", .integer, userInfo: ["sync.parentAttribute": "parent.id"])
                Attribute("text", .string, userInfo: ["sync.isElement": "YES"])
                Attribute("key", .string, isPrimaryKey: true)
                Attribute(
                    "both", .integer, isPrimaryKey: true, transformer: "t",
                    userInfo: ["sync.parentAttribute": "parent.id", "sync.constant": "1"])
                Relationship("parent", to: "A")
            }
        }
        #expect(schema.syncProblems.allSatisfy { $0.code == .invalidSource })
        #expect(
            schema.syncProblems.map(\.message) == [
                "'A.one' and 'A.two' both have 'sync.isMapKey': keep it for one of them",
                "'A.text' has 'sync.isElement', and a value alone says nothing of 'A.all', a part of the key: flag the key",
                "the 'sync.constant' of 'A.id' is the text \"x\": expected an integer of 64 bits",
                "the 'sync.parentAttribute' of 'A.up' is \"parent.nothing\", which leads nowhere: write a relationship of "
                    + "'A', a dot and an attribute of its destination, such as 'order.id'",
                "the 'sync.parentAttribute' of 'A.all' is \"parent\", which leads nowhere: write a relationship of 'A', a "
                    + "dot and an attribute of its destination, such as 'order.id'",
                "'A.other' has 'sync.parentAttribute', which is for parts of the key: make it one, or read the parent's "
                    + "attribute where it is needed",
                "'A.both' has 'sync.constant' and 'sync.parentAttribute': keep one of them",
                "'A.both' has a transformer, which a constant and a value of the parent do not pass through: take one of "
                    + "both away",
            ])
    }
}
