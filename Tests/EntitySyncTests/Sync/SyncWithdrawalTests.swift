import DifferentialSync
import EntitySync
import SyncPersistence
import TestSupport
import Testing

/// Deletions of the remote that conflict with local changes.
@Suite(.needsStores) struct SyncWithdrawalTests {
    func entry(_ store: SyncStore, _ entity: String, _ key: Value) async throws -> JournalEntry? {
        try await store.adapter.read { try $0.journalEntry(RecordID(entity, key)) }
    }

    func options(_ policy: ConflictPolicy<Record>) -> SyncOptions {
        var options = SyncOptions()
        options.conflictPolicy = policy
        return options
    }

    /// Regions in a chain, each with the next as its child.
    private static func chain(_ kind: StoreKind, _ rule: DeleteRule) async throws -> SyncStore {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("Region") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("parent", to: "Region", inverse: "children")
                    Relationship("children", toMany: "Region", inverse: "parent", deleteRule: rule)
                }
            })
        try await store.sync(
            #"[{"id": 1, "children": [{"id": 2, "children": [{"id": 3, "children": [{"id": 4}]}]}]}]"#, into: "Region")
        return store
    }

    @Test(arguments: StoreKind.allCases, [DeleteRule.cascade, .deny, .nullify])
    func nodesThatAnEditKeepsAreListedEachTime(kind: StoreKind, rule: DeleteRule) async throws {
        let store = try await Self.chain(kind, rule)
        try await store.update("Region", 4, ["text": "mine"], origin: .local)
        let kept: [RecordID] = rule == .nullify ? [] : [RecordID("Region", 2), RecordID("Region", 3)]
        for isFirst in [true, false] {
            let result = try await store.sync(#"[{"id": 1, "children": []}, {"id": 5}]"#, into: "Region")
            #expect(result.clashes.map(\.id) == (isFirst ? [RecordID("Region", 4)] : []))
            #expect(result.heldBack == kept)
            #expect(try await store.keys("Region") == [1] + kept.map(\.key) + [4, 5])
        }
        for isFirst in [true, false] {
            let options = options(.leaveOpen)
            try await store.update("Region", 1, ["text": isFirst ? "a" : "b"], origin: .local)
            let result = try await store.sync(#"[{"id": 1, "text": "c"}]"#, into: "Region", options: options)
            #expect(result.clashes.map(\.id) == [RecordID("Region", 1)])
            #expect(result.heldBack.filter { $0.key == 1 }.count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases, [DeleteRule.cascade, .deny, .nullify])
    func aPayloadThatSaysNothingOfANodesChildrenClashesWithNoEditBelowIt(kind: StoreKind, rule: DeleteRule) async throws
    {
        let store = try await Self.chain(kind, rule)
        try await store.update("Region", 4, ["text": "mine"], origin: .local)
        for _ in 0..<2 {
            let result = try await store.sync(#"[{"id": 1}, {"id": 5}]"#, into: "Region")
            #expect(result.clashes.isEmpty && result.heldBack.isEmpty)
            // Records without an edit are kept as well.
            #expect(try await store.keys("Region") == [1, 2, 3, 4, 5])
        }
        #expect(try await entry(store, "Region", 4)?.base?["text"] == .null)
        #expect(try await store.adapter.uploads(of: "Region").map(\.kind) == [.edit])
    }

    @Test(arguments: StoreKind.allCases)
    func thePolicyIsAskedAboutAnEditThatKeepsAParent(kind: StoreKind) async throws {
        for (policy, rest) in [(ConflictPolicy<Record>.remoteWins, [1, 5] as [Value]), (.localWins, [1, 2, 3, 4, 5])] {
            let store = try await Self.chain(kind, .cascade)
            try await store.update("Region", 4, ["text": "mine"], origin: .local)
            let json = #"[{"id": 1, "children": []}, {"id": 5}]"#
            let result = try await store.sync(json, into: "Region", options: options(policy))
            let clash = try #require(result.clashes.first)
            #expect(result.clashes.count == 1 && clash.id == RecordID("Region", 4) && clash.properties == [])
            #expect(clash.base?["text"] == .null && clash.local?["text"] == "mine" && clash.remote == nil)
            #expect(try await store.keys("Region") == rest)
            #expect(result.heldBack.map(\.key) == (rest.count == 2 ? [] : [2, 3]))
            let again = try await store.sync(json, into: "Region", options: options(policy))
            #expect(again.isUnchanged && again.clashes.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func ownerThatADependentKeepsHasItsValuesWhenTheRemoteHasItAgain(kind: StoreKind, isNested: Bool) async throws {
        let store = try await Self.users(kind)
        try await store.sync(
            #"[{"id": 1, "notes": [{"id": 1, "text": "x", "comments": [{"id": 1}]}, {"id": 2}]}]"#, into: "User")
        try await store.update("Comment", 1, ["text": "mine"], origin: .local)
        try await store.sync(#"[{"id": 1, "notes": [{"id": 2}]}]"#, into: "User")
        #expect(try await store.keys("Note") == [1, 2])
        if isNested {
            try await store.sync(#"[{"id": 1, "notes": [{"id": 1}, {"id": 2}]}]"#, into: "User")
        } else {
            try await store.sync(#"[{"id": 1}]"#, into: "Note", operations: [.insert, .update])
        }
        #expect(try await store.value("Note", 1, "text") == "x")
        #expect(try await store.value("Note", 1, "user") == 1)
        #expect(try await entry(store, "Note", 1) == nil)
        try await store.sync(#"[{"id": 1, "text": "y"}]"#, into: "Note", operations: [.insert, .update])
        #expect(try await store.value("Note", 1, "text") == "y")
    }

    @Test(arguments: StoreKind.allCases)
    func deletionOfOneRecordEndsAsThatOfAPayload(kind: StoreKind) async throws {
        let store = try await Self.users(kind)
        try await store.update("Note", 1, ["text": "mine"], origin: .local)
        let result = try await store.adapter.delete("Note", 1)
        #expect(result.clashes.map(\.id) == [RecordID("Note", 1)])
        #expect(try await store.adapter.uploads(of: "Note").map(\.kind) == [.insertion])
        #expect(try await store.adapter.delete("Note", 1).isUnchanged)
        try await store.adapter.delete("Note", 2, origin: .local)
        try await store.adapter.delete("Note", 2)
        #expect(try await entry(store, "Note", 2) == nil)
        try await store.adapter.delete("Note", 9)
    }
}

/// Users with notes, which have comments.
extension SyncWithdrawalTests {
    private static func users(_ kind: StoreKind, _ rule: DeleteRule = .cascade) async throws -> SyncStore {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("User", userInfo: ["sync.deletedPath": "gone"]) {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Relationship("notes", toMany: "Note", inverse: "user", deleteRule: rule)
                }
                Entity("Note") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("user", to: "User", inverse: "notes")
                    Relationship("comments", toMany: "Comment", inverse: "note", deleteRule: .cascade)
                }
                Entity("Comment") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    Relationship("note", to: "Note", inverse: "comments")
                }
            })
        try await store.sync(
            #"[{"id": 1, "notes": [{"id": 1, "comments": [{"id": 1}, {"id": 2}]}, {"id": 2}]}, {"id": 2}]"#,
            into: "User")
        return store
    }

    @Test(arguments: StoreKind.allCases, [#"[{"id": 2}]"#, #"[{"id": 1, "gone": true}, {"id": 2}]"#])
    func anEditedGrandchildMayBeDeletedWithItsOwners(kind: StoreKind, json: String) async throws {
        for origin in [ConflictPolicy<Record>.remoteWins, .leaveOpen, .localWins] {
            let store = try await Self.users(kind)
            try await store.update("Comment", 1, ["text": "mine"], origin: .local)
            let first = try await store.sync(json, into: "User", options: options(origin))
            #expect(first.clashes.map(\.id) == [RecordID("Comment", 1)])
            #expect(first.clashes.first?.conflict.kind == .editedHereDeletedThere)
            let second = try await store.sync(json, into: "User", options: options(origin))
            if try await store.keys("User") == [2] {
                #expect(try await store.keys("Note") == [])
                #expect(try await store.keys("Comment") == [])
                #expect(first.heldBack.isEmpty && second.isUnchanged && second.clashes.isEmpty)
                for entity in ["User", "Note", "Comment"] {
                    #expect(try await store.adapter.read { try $0.journal(of: entity) } == [])
                }
                continue
            }
            #expect(try await store.keys("Note") == [1, 2])
            #expect(try await store.keys("Comment") == [1, 2])
            let isOpen = !second.clashes.isEmpty
            for result in [first, second] {
                let open = isOpen ? [RecordID("Comment", 1)] : []
                #expect(Set(result.heldBack) == Set([RecordID("User", 1)] + open))
                #expect(result.heldBack.count == 1 + open.count)
            }
            // The next call decides otherwise.
            let last = try await store.sync(json, into: "User", options: options(.remoteWins))
            if isOpen {
                #expect(last.clashes.count == 1)
                #expect(try await store.contents() == [["User", "2"]])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anEditedRecordThatMovesElsewhereInThePayloadKeepsNoOwner(kind: StoreKind) async throws {
        let store = try await Self.users(kind)
        try await store.update("Note", 1, ["text": "mine"], origin: .local)
        let json = #"[{"id": 2, "notes": [{"id": 1}]}]"#
        let result = try await store.sync(json, into: "User")
        #expect(result.clashes.isEmpty && result.heldBack.isEmpty)
        #expect(try await store.keys("User") == [2])
        #expect(try await store.value("Note", 1, "text") == "mine")
        #expect(try await store.members("User", 2, "notes") == [1])
        #expect(try await store.keys("Note") == [1])
        #expect(try await store.sync(json, into: "User").isUnchanged)
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordThatIsNewHereKeepsItsOwnerWithoutAClash(kind: StoreKind) async throws {
        let store = try await Self.users(kind)
        try await store.put("Note", [["id": -1, "user": 1]])
        for _ in 0..<2 {
            let result = try await store.sync(#"[{"id": 2}]"#, into: "User", options: options(.remoteWins))
            #expect(result.clashes.isEmpty && result.heldBack == [RecordID("User", 1)])
            #expect(try await store.keys("Note") == [-1, 1, 2])
        }
        try await store.adapter.delete("Note", -1, origin: .local)
        try await store.sync(#"[{"id": 2}]"#, into: "User")
        #expect(try await store.keys("User") == [2])
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func anEditedChildThatLeavesItsListIsListedOnceEachTime(kind: StoreKind, usesMemory: Bool) async throws {
        var open = options(.leaveOpen)
        open.usesPayloadMemory = usesMemory
        let others = (100..<140).map { ", {\"id\": \($0)}" }.joined()
        let payloads = [
            "[{\"id\": 1, \"notes\": [{\"id\": 2}]}\(others)]", "[{\"id\": 1, \"notes\": null}\(others)]",
        ]
        for json in payloads {
            let store = try await Self.users(kind)
            try await store.update("Note", 1, ["text": "mine"], origin: .local)
            for _ in 0..<3 {
                let result = try await store.sync(json, into: "User", options: open)
                #expect(result.clashes.map(\.id) == [RecordID("Note", 1)])
                #expect(result.heldBack == [RecordID("Note", 1)])
                #expect(try await store.value("Note", 1, "user") == 1)
            }
            // A list that omits it lists nothing.
            let other = try await store.sync(#"[{"id": 2, "notes": []}]"#, into: "User", operations: .page)
            #expect(other.clashes.isEmpty && other.heldBack.isEmpty)
            // It is listed again, and then no longer: the last object counts.
            let back = #"[{"id": 1, "notes": [{"id": 1}, {"id": 2}]}]"#
            #expect(try await store.sync(back, into: "User", operations: .page, options: open).clashes.isEmpty)
            #expect(try await entry(store, "Note", 1)?.isUnresolved == false)
            open.conflictPolicy = .remoteWins
            #expect(try await store.sync(json, into: "User", options: open).clashes.count == 1)
            #expect(try await store.record("Note", 1) == nil)
            open.conflictPolicy = .leaveOpen
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anEditedChildThatAListOfItsParentLeavesOutIsListedEachTime(kind: StoreKind) async throws {
        let store = try await Self.users(kind)
        try await store.update("Note", 1, ["text": "mine"], origin: .local)
        for _ in 0..<3 {
            let result = try await store.sync(
                #"[{"id": 2}]"#, into: "Note", parent: RecordID("User", 1), options: options(.leaveOpen))
            #expect(result.clashes.map(\.id) == [RecordID("Note", 1)])
            #expect(result.heldBack == [RecordID("Note", 1)])
        }
    }
}

/// Parts of a record.
extension SyncWithdrawalTests {
    private static func shops(_ kind: StoreKind, inverse: String?) async throws -> SyncStore {
        let store = try await SyncStore(kind, SyncPartListTests.shops(inverse: inverse))
        try await store.sync(#"[{"id": 1, "hours": [{"day": "mo"}, {"day": "tu"}]}]"#, into: "Shop")
        return store
    }

    @Test(arguments: StoreKind.allCases, ["shop", nil])
    func anEditedPartThatLeavesItsListIsListedOnceEachTime(kind: StoreKind, inverse: String?) async throws {
        let store = try await Self.shops(kind, inverse: inverse)
        let keys = try await store.related("Shop", 1, "hours")
        try await store.update("Hours", keys[0], ["opens": "9"], origin: .local)
        for json in [#"[{"id": 1, "hours": [{"day": "tu"}]}]"#, #"[{"id": 1, "hours": []}]"#] {
            for _ in 0..<3 {
                let result = try await store.sync(json, into: "Shop", options: options(.leaveOpen))
                #expect(result.clashes.map(\.id.key) == [keys[0]])
                #expect(result.heldBack.map(\.key) == [keys[0]])
                // It still belongs to the shop.
                #expect(try await store.related("Shop", 1, "hours").contains(keys[0]))
            }
        }
        let last = try await store.sync(
            #"[{"id": 1, "hours": []}]"#, into: "Shop", options: options(.remoteWins))
        #expect(last.clashes.count == 1 && last.heldBack.isEmpty)
        #expect(try await store.contents() == [["Shop", "1"]])
        for entity in store.adapter.schema.shapes.map(\.name) + ["sync.links.Shop.hours"]
        where entity != "sync.links.Shop.hours" || inverse == nil {
            #expect(try await store.adapter.read { try $0.journal(of: entity) } == [], "\(entity)")
        }
    }

    @Test(arguments: StoreKind.allCases, ["shop", nil])
    func anEditedPartThatStaysIsDeletedWithItsOwner(kind: StoreKind, inverse: String?) async throws {
        let store = try await Self.shops(kind, inverse: inverse)
        let keys = try await store.related("Shop", 1, "hours")
        try await store.update("Hours", keys[0], ["opens": "9"], origin: .local)
        let json = #"[{"id": 1, "hours": [{"day": "tu"}]}]"#
        #expect(try await store.sync(json, into: "Shop").clashes.count == 1)
        let again = try await store.sync(json, into: "Shop")
        #expect(again.isUnchanged && again.clashes.isEmpty && again.heldBack.isEmpty)
        #expect(Set(try await store.related("Shop", 1, "hours")) == Set(keys))
        #expect(try await entry(store, "Hours", keys[0])?.base == nil)
        if inverse == nil {
            #expect(try await store.adapter.uploads(of: "Shop", with: ["hours"]).map(\.id.key) == [1])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anEditedPartOfAToOneIsListedOnceEachTime(kind: StoreKind) async throws {
        let schema = try Schema {
            Entity("User") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("address", to: "Address")
            }
            Entity("Address") {
                Attribute("street", .string)
                Attribute("city", .string)
            }
        }
        let store = try await SyncStore(kind, schema)
        try await store.sync(#"[{"id": 1, "address": {"street": "a", "city": "b"}}]"#, into: "User")
        let key = try await store.value("User", 1, "address")
        try await store.update("Address", key, ["street": "mine"], origin: .local)
        let json = #"[{"id": 1, "address": null}]"#
        for _ in 0..<3 {
            let result = try await store.sync(json, into: "User", options: options(.leaveOpen))
            #expect(result.clashes.map(\.id.key) == [key])
            #expect(result.heldBack.map(\.key) == [key])
            #expect(try await store.value("User", 1, "address") == key)
        }
        try await store.sync(json, into: "User", options: options(.remoteWins))
        #expect(try await store.contents() == [["User", "1", "null"]])
        for entity in ["User", "Address"] {
            #expect(try await store.adapter.read { try $0.journal(of: entity) } == [])
        }
    }
}
