import DifferentialSync
import EntitySync
import SyncPersistence
import Testing

/// Local changes are merged with a payload value by value.
@Suite(.needsStores) struct SyncEditTests {
    private func entry(_ store: SyncStore, _ entity: String, _ key: Value) async throws -> JournalEntry? {
        try await store.adapter.read { try $0.journalEntry(RecordID(entity, key)) }
    }

    @Test(arguments: StoreKind.allCases)
    func valuesThatOnlyTheRemoteChangedAreTaken(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.update("User", 1, ["text": "mine"], origin: .local)
        let news = #"[{"id": 1, "text": "User 1", "company_id": 2, "manager": 3}]"#
        let result = try await store.sync(news, into: "User", operations: FormRow.operations)
        #expect(result.clashes.isEmpty && result.heldBack.isEmpty)
        #expect(result["User"].updated.map(\.properties) == [["company", "boss"]])
        let user = try await store.record("User", 1)
        #expect(user?["text"] == "mine" && user?["company"] == 2 && user?["boss"] == 3)
        let base = try await entry(store, "User", 1)?.base
        #expect(base?["text"] == "User 1" && base?["company"] == 2 && base?["boss"] == 3)
        #expect(try await store.sync(news, into: "User", operations: FormRow.operations).isUnchanged)
        // The server has accepted the edit.
        let accepted = #"[{"id": 1, "text": "mine", "manager": 4}]"#
        try await store.sync(accepted, into: "User", operations: FormRow.operations)
        #expect(try await entry(store, "User", 1) == nil)
        #expect(try await store.value("User", 1, "boss") == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func aPolicyOfTheCallResolvesClashes(kind: StoreKind) async throws {
        let merging = ConflictPolicy<Record> { conflict in
            guard var merged = conflict.local else { return .open }
            merged["text"] = "both"
            return .merged(merged)
        }
        let policies: [(ConflictPolicy<Record>, text: Value, base: Value?)] = [
            (.localWins, "mine", "theirs"), (.remoteWins, "theirs", nil), (merging, "both", "theirs"),
        ]
        for (policy, text, base) in policies {
            let store = try await SyncStore.office(kind)
            try await store.update("User", 1, ["text": "mine", "company": 3], origin: .local)
            var options = SyncOptions()
            options.conflictPolicy = policy
            let json = #"[{"id": 1, "text": "theirs", "manager": 2}]"#
            let result = try await store.sync(json, into: "User", operations: FormRow.operations, options: options)
            #expect(result.clashes.map(\.properties) == [["text"]])
            let user = try await store.record("User", 1)
            // Values without a conflict are merged under each policy.
            #expect(user?["text"] == text && user?["company"] == 3 && user?["boss"] == 2)
            #expect(try await entry(store, "User", 1)?.base?["text"] == base ?? "theirs")
            let again = try await store.sync(json, into: "User", operations: FormRow.operations, options: options)
            #expect(again.isUnchanged && again.clashes.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func aClashThatIsLeftOpenIsListedEachTime(kind: StoreKind, usesMemory: Bool) async throws {
        let store = try await SyncStore.office(kind)
        var options = SyncOptions()
        options.conflictPolicy = .leaveOpen
        options.usesPayloadMemory = usesMemory
        let others = (100..<140).map { ", {\"id\": \($0)}" }.joined()
        let json = #"[{"id": 1, "text": "theirs", "company_id": 2}\#(others)]"#
        try await store.update("User", 1, ["text": "mine"], origin: .local)
        for _ in 0..<3 {
            let result = try await store.sync(json, into: "User", operations: FormRow.operations, options: options)
            #expect(result.clashes.map(\.id) == [RecordID("User", 1)])
            #expect(result.heldBack == [RecordID("User", 1)])
            #expect(try await store.value("User", 1, "company") == 1)
        }
        options.conflictPolicy = .localWins
        let last = try await store.sync(json, into: "User", operations: FormRow.operations, options: options)
        #expect(last.clashes.count == 1 && last.heldBack.isEmpty)
        #expect(try await store.value("User", 1, "company") == 2)
        #expect(try await store.value("User", 1, "text") == "mine")
    }

    @Test(arguments: StoreKind.allCases)
    func aPolicyMayDeleteWhatWasEditedHereAndDeletedThere(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("Badge", [["id": 1, "text": "mine"]])
        try await store.adapter.delete("Badge", 2, origin: .local)
        var options = SyncOptions()
        options.conflictPolicy = .remoteWins
        let json = #"[{"id": 2, "text": "theirs"}, {"id": 3}, {"id": 4}]"#
        let result = try await store.sync(json, into: "Badge", options: options)
        #expect(Set(result.clashes.map(\.id.key)) == [1, 2])
        #expect(try await store.keys("Badge") == [2, 3, 4])
        #expect(try await store.value("Badge", 2, "text") == "theirs")
        #expect(try await store.adapter.read { try $0.journal(of: "Badge") } == [])
    }

    @Test(arguments: StoreKind.allCases)
    func aRecordThatBothSidesInsertedKeepsWhatOnlyOneOfThemSays(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("User", [["id": 9, "text": "new", "boss": 1]])
        // One side names a company and no boss.
        let json = #"[{"id": 9, "text": "new", "company_id": 2}]"#
        let result = try await store.sync(json, into: "User", operations: [.insert, .update, .insertRelationships])
        #expect(result.clashes.isEmpty)
        let user = try await store.record("User", 9)
        #expect(user?["text"] == "new" && user?["company"] == 2 && user?["boss"] == 1)
        let base = try await entry(store, "User", 9)?.base
        #expect(base?["text"] == "new" && base?["company"] == 2 && base?["boss"] == .null)
        let accepted = #"[{"id": 9, "manager": 1}]"#
        try await store.sync(accepted, into: "User", operations: FormRow.operations)
        #expect(try await entry(store, "User", 9) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func anUpdateReachesARecordThatTheRemoteDoesNotKnow(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("User", [["id": -1, "text": "new"]])
        let synced = try await store.adapter.update("User", -1, with: ["manager": 2])
        let (user, result) = (synced.record, synced.result)
        #expect(user?["text"] == "new" && user?["boss"] == 2 && result.clashes.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func valuesOfARecordThatBothSidesInsertedClash(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("User", [["id": 9, "text": "mine", "boss": 1]])
        let json = #"[{"id": 9, "text": "theirs", "manager": null}]"#
        let result = try await store.sync(json, into: "User", operations: [.insert, .update])
        #expect(result.clashes.map(\.properties) == [["text", "boss"]])
        #expect(result.clashes.first?.conflict.kind == .bothAdded)
        let user = try await store.record("User", 9)
        #expect(user?["text"] == "mine" && user?["boss"] == 1)
        #expect(try await store.sync(json, into: "User", operations: [.insert, .update]).clashes.isEmpty)
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func valueThatCannotBeStoredKeepsThatOfALocallyInsertedRecord(kind: StoreKind, remoteWins: Bool) async throws {
        let store = try await SyncStore.office(kind)
        try await store.put("User", [["id": 9, "text": "mine"]])
        var options = SyncOptions()
        if remoteWins { options.conflictPolicy = .remoteWins }
        let json = #"[{"id": 9, "text": {"a": 1}}]"#
        let result = try await store.sync(json, into: "User", operations: [.insert, .update], options: options)
        #expect(result.reports.map(\.kind) == [.unconvertible] && result.clashes.isEmpty)
        #expect(try await store.value("User", 9, "text") == "mine")
    }

    @Test(arguments: StoreKind.allCases)
    func nullUnderADottedKeyIsStatedForALocallyInsertedRecord(kind: StoreKind) async throws {
        let store = try await SyncStore(
            kind,
            Schema {
                Entity("User") {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("city", .string, remoteKey: "address.city")
                    Attribute("street", .string, remoteKey: "address.street")
                }
            })
        try await store.put("User", [["id": 9, "city": "mine", "street": "mine"]])
        var options = SyncOptions()
        options.conflictPolicy = .remoteWins
        let result = try await store.sync(#"[{"id": 9, "address": {"city": null}}]"#, into: "User", options: options)
        #expect(result.clashes.map(\.properties) == [["city"]])
        let user = try await store.record("User", 9)
        #expect(user?["city"] == .null && user?["street"] == "mine")
    }
}

extension SyncEditTests {
    @Test(arguments: StoreKind.allCases)
    func aDeletionThatBothSidesMadeIsNotPending(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        func pending(_ entity: String) async throws -> [Value] {
            try await store.adapter.read { try $0.journal(of: entity).map(\.id.key) }
        }
        for key: Value in [1, 2, 3] { try await store.adapter.delete("Badge", key, origin: .local) }
        // Tags that the payload omits, or that it has, stay deleted locally only.
        let some = #"[{"id": 4}]"#
        try await store.sync(some, into: "Badge", operations: [.insert, .update])
        #expect(try await pending("Badge") == [1, 2, 3])
        try await store.sync(some, into: "Badge", filter: Field("id") >= 3)
        #expect(try await pending("Badge") == [1, 2])
        let result = try await store.sync(#"[{"id": 2, "text": "Badge 2"}, {"id": 4}]"#, into: "Badge")
        #expect(result.isUnchanged && result.clashes.isEmpty)
        #expect(try await pending("Badge") == [2])
        #expect(try await store.keys("Badge") == [4])
        try await store.sync("[]", into: "Badge")
        #expect(try await pending("Badge") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func aChildThatBothSidesTookAwayIsNotPending(kind: StoreKind) async throws {
        let lists: [(json: String, parent: RecordID?, entity: String)] = [
            (#"[{"id": 1, "notes": [{"id": 2}]}]"#, nil, "User"), (#"[{"id": 1, "notes_ids": [2]}]"#, nil, "User"),
            (#"[{"id": 2}]"#, RecordID("User", 1), "Note"),
        ]
        for (json, parent, entity) in lists {
            for isMoved in [true, false] {
                let store = try await SyncStore.office(kind)
                if isMoved {
                    try await store.update("Note", 1, ["author": 2], origin: .local)
                } else {
                    try await store.adapter.delete("Note", 1, origin: .local)
                }
                let operations: SyncOperations = parent == nil ? FormRow.operations : .all
                let result = try await store.sync(json, into: entity, parent: parent, operations: operations)
                let entry = try await entry(store, "Note", 1)
                if !isMoved, !json.contains("ids") {
                    #expect(entry == nil, "\(json)")
                } else {
                    // It belongs to another owner locally and to none at the remote, or was deleted.
                    #expect(entry?.base?["author"] ?? .null == .null, "\(json)")
                    #expect(result.clashes.map(\.id) == [RecordID("Note", 1)])
                }
                #expect(try await store.members("User", 2, "notes") == (isMoved ? [1, 4] : [4]))
                let again = try await store.sync(json, into: entity, parent: parent, operations: operations)
                #expect(again.isUnchanged && again.clashes.isEmpty, "\(json)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases, ["tags", "badges"])
    func membersThatEitherSideAddedOrRemovedAreMerged(kind: StoreKind, name: String) async throws {
        let store = try await SyncStore.office(kind)
        let links = name == "tags" ? "sync.links.Tag.users" : "sync.links.User.badges"
        func pending() async throws -> Int { try await store.adapter.read { try $0.journal(of: links).count } }
        for form in 0..<2 {
            func payload(_ keys: [Int]) -> String {
                let objects = keys.map { "{\"id\": \($0)}" }.joined(separator: ",")
                return form == 0
                    ? "[{\"id\": 1, \"\(name)_ids\": \(keys)}]" : "[{\"id\": 1, \"\(name)\": [\(objects)]}]"
            }
            try await store.sync(payload([1, 2]), into: "User", operations: FormRow.operations)
            #expect(try await pending() == 0)
            var changes = ChangeSet()
            changes.unlink(RecordID("User", 1), name, from: 1)
            changes.link(RecordID("User", 1), name, to: 3)
            try await store.adapter.commit(changes)
            try await store.sync(payload([1, 4]), into: "User", operations: FormRow.operations)
            #expect(try await store.members("User", 1, name) == [3, 4])
            #expect(try await pending() == 2)
            // One of the two changes was accepted, then the other.
            try await store.sync(payload([4]), into: "User", operations: FormRow.operations)
            #expect(try await pending() == 1)
            let last = try await store.sync(payload([4, 3]), into: "User", operations: FormRow.operations)
            #expect(try await pending() == 0)
            #expect(last.clashes.isEmpty && last.heldBack.isEmpty)
            #expect(try await store.members("User", 1, name) == [3, 4])
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func membersInAnOrderAreMerged(kind: StoreKind, isShared: Bool) async throws {
        let schema = try Schema {
            Entity("List") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("tasks", toMany: "Task", isOrdered: true, inverse: isShared ? nil : "list")
            }
            Entity("Task") {
                Attribute("id", .integer, isPrimaryKey: true)
                if !isShared { Relationship("list", to: "List", inverse: "tasks") }
            }
        }
        let store = try await SyncStore(kind, schema)
        let list = RecordID("List", 1)
        try await store.sync(#"[{"id": 1, "tasks": [{"id": 1}, {"id": 2}, {"id": 3}]}]"#, into: "List")
        try await store.put("Task", [["id": 9]])
        var changes = ChangeSet()
        changes.link(list, "tasks", to: 9, at: 0)
        try await store.adapter.commit(changes)
        #expect(try await store.related("List", 1, "tasks") == [9, 1, 2, 3])
        // Local members stay in front, and deleted members are removed.
        let news = #"[{"id": 1, "tasks": [{"id": 1}, {"id": 3}, {"id": 4}]}]"#
        let result = try await store.sync(news, into: "List")
        #expect(result.clashes.isEmpty)
        #expect(try await store.related("List", 1, "tasks") == [9, 1, 3, 4])
        #expect(try await store.sync(news, into: "List").isUnchanged)
        try await store.sync(#"[{"id": 1, "tasks": [{"id": 9}, {"id": 1}, {"id": 3}, {"id": 4}]}]"#, into: "List")
        #expect(try await store.related("List", 1, "tasks") == [9, 1, 3, 4])
        for entity in ["Task"] + (isShared ? ["sync.links.List.tasks"] : []) {
            #expect(try await store.adapter.read { try $0.journal(of: entity) } == [], "\(entity)")
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func anEditAmongObjectsThatAreSkippedIsMerged(kind: StoreKind, usesMemory: Bool) async throws {
        let store = try await SyncStore(kind, .office())
        var options = SyncOptions()
        options.usesPayloadMemory = usesMemory
        func users(_ first: String) -> String {
            let others = (2..<60).map { ", {\"id\": \($0), \"text\": \"\($0)\", \"notes\": [{\"id\": \($0)}]}" }
                .joined()
            return "[\(first)\(others)]"
        }
        let before = users(#"{"id": 1, "text": "a", "company": {"id": 1}, "notes": [{"id": 1}]}"#)
        try await store.sync(before, into: "User", options: options)
        try await store.update("User", 1, ["text": "mine"], origin: .local)
        for _ in 0..<2 { #expect(try await store.sync(before, into: "User", options: options).isUnchanged) }
        let after = users(#"{"id": 1, "text": "b", "company": {"id": 2}, "notes": [{"id": 1}]}"#)
        let result = try await store.sync(after, into: "User", options: options)
        #expect(result.clashes.map(\.properties) == [["text"]])
        #expect(try await store.value("User", 1, "company") == 2)
        for _ in 0..<2 {
            let again = try await store.sync(after, into: "User", options: options)
            #expect(again.isUnchanged && again.clashes.isEmpty)
        }
        // The edit is undone, so the value of the remote counts.
        try await store.update("User", 1, ["text": "b"], origin: .local)
        #expect(try await entry(store, "User", 1) == nil)
        try await store.adapter.delete("Note", 7, origin: .local)
        for _ in 0..<2 { #expect(try await store.sync(after, into: "User", options: options).isUnchanged) }
        #expect(try await entry(store, "Note", 7)?.base != nil)
        try await store.sync(users(#"{"id": 1, "text": "c"}"#), into: "User", options: options)
        #expect(try await store.value("User", 1, "text") == "c")
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func recordThatWasHeldBackAndDeletedHereComesBackWithThePayload(kind: StoreKind, isToldAgain: Bool) async throws {
        let store = try await SyncStore(kind, .office())
        try await store.sync(#"[{"id": 1, "text": "a", "notes": [{"id": 1, "text": "x"}]}]"#, into: "User")
        try await store.update("Note", 1, ["text": "mine"], origin: .local)
        func tell(_ entity: String) async throws -> SyncResult {
            try await store.adapter.sync(#"{"gone": [1]}"#, roots: [.deletions(of: entity, at: "gone")])
        }
        // The note is inserted again with its author, so the author is kept.
        #expect(try await tell("Note").clashes.map(\.id) == [RecordID("Note", 1)])
        #expect(try await tell("User").heldBack == [RecordID("User", 1)])
        try await store.adapter.delete("User", 1, origin: .local)
        #expect(try await store.adapter.uploads(of: "User").isEmpty)
        if isToldAgain {
            #expect(try await tell("User").isUnchanged)
            #expect(try await store.adapter.read { try $0.journal(of: "User").isEmpty })
        }
        let result = try await store.sync(#"[{"id": 1, "text": "a"}]"#, into: "User")
        #expect(result.clashes.isEmpty && result["User"].inserted == [RecordID("User", 1)])
        #expect(try await store.value("User", 1, "text") == "a")
        #expect(try await store.adapter.read { try $0.journal(of: "User").isEmpty })
    }
}
