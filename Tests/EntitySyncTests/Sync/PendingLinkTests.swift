import EntitySync
import SQLitePersistence
import SyncPersistence
import TestSupport
import Testing

/// Links to records that are not there wait for them from payload to payload, if that is asked for.
struct PendingLinkTests {
    static let waiting = {
        var options = SyncOptions()
        options.keepsPendingLinks = true
        return options
    }()

    /// What says that a user leads to a record with a key, which a payload of the entity brings.
    static let forms: [(member: String, relationship: String, entity: String)] = [
        (#""company_id": 9"#, "company", "Company"), (#""manager": 9"#, "boss", "Boss"),
        (#""desk_id": 9"#, "desk", "Desk"), (#""notes_ids": [9]"#, "notes", "Note"),
        (#""tags": [9]"#, "tags", "Tag"), (#""badges_ids": [9]"#, "badges", "Badge"),
    ]

    /// Updates users, with links that wait.
    @discardableResult
    func update(_ store: SyncStore, _ user: String) async throws -> SyncResult {
        try await store.sync("[\(user)]", into: "User", operations: .page, options: Self.waiting)
    }

    /// Brings a record with the key 9.
    @discardableResult
    func bring(
        _ store: SyncStore, _ entity: String, _ options: SyncOptions = SyncOptions()
    ) async throws -> SyncResult {
        try await store.sync(#"[{"id": 9}]"#, into: entity, operations: .page, options: options)
    }

    @Test(arguments: StoreKind.allCases, [1, 7])
    func pendingLinksOfNewAndExistingRecordsAreConnected(kind: StoreKind, user: Int) async throws {
        for (member, relationship, entity) in Self.forms {
            let store = try await SyncStore.office(kind)
            let key = Value.integer(Int64(user))
            let early = try await update(store, "{\"id\": \(user), \(member)}")
            #expect(early.pendingLinkCount == 1, "\(member)")
            #expect(early.reports.isEmpty, "\(member)")
            #expect(try await store.related("User", key, relationship).contains(9) == false, "\(member)")
            // What waits is counted with the payload that says so, each time.
            #expect(try await update(store, "{\"id\": \(user), \(member)}").pendingLinkCount == 1, "\(member)")
            #expect(try await store.sync(#"[{"id": 8}]"#, into: entity, operations: .page).pendingLinkCount == 0)
            // Who brings the record need not ask for links to wait.
            let late = try await bring(store, entity)
            #expect(late.linkedCount >= 1, "\(member)")
            #expect(try await store.related("User", key, relationship) == [9], "\(member)")
            #expect(try await bring(store, entity).isUnchanged, "\(member)")
            #expect(try await update(store, "{\"id\": \(user), \(member)}").isUnchanged, "\(member)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func linksArePendingOnlyOnRequest(kind: StoreKind) async throws {
        for (member, relationship, entity) in Self.forms {
            let store = try await SyncStore.office(kind)
            let result = try await store.sync("[{\"id\": 7, \(member)}]", into: "User", operations: .page)
            #expect(result.pendingLinkCount == 0, "\(member)")
            #expect(result.reports.map(\.kind) == [.unknownReference], "\(member)")
            try await bring(store, entity, Self.waiting)
            #expect(try await store.related("User", 7, relationship) == [], "\(member)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func membersThatArriveOneByOneAreConnected(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        #expect(try await update(store, #"{"id": 1, "tags_ids": [8, 2, 9]}"#).pendingLinkCount == 2)
        #expect(try await store.members("User", 1, "tags") == [2])
        try await store.sync(#"[{"id": 9}]"#, into: "Tag", operations: .page)
        #expect(try await store.members("User", 1, "tags") == [2, 9])
        try await store.sync(#"[{"id": 8, "users_ids": [1, 2]}]"#, into: "Tag", operations: .page)
        #expect(try await store.members("User", 1, "tags") == [2, 8, 9])
    }

    @Test(arguments: StoreKind.allCases)
    func severalRecordsWaitForOneThatArrivesNested(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let early = try await update(store, #"{"id": 1, "company_id": 9}, {"id": 2, "company_id": 9, "tags_ids": [9]}"#)
        #expect(early.pendingLinkCount == 3)
        try await update(store, #"{"id": 5, "company": {"id": 9, "text": "late"}}"#)
        #expect(try await store.members("Company", 9, "users") == [1, 2, 5])
        #expect(try await store.members("User", 2, "tags") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func connectedLinksLeaveNothingPending(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        func isWaiting() async throws -> Bool {
            try await store.adapter.write { transaction in
                var isWaiting = false
                for family in ["sync.pendingOwners", "sync.pendingLinks"] {
                    try transaction.payloadRows.forEach(of: family) { _, _ in
                        isWaiting = true
                        return false
                    }
                }
                return isWaiting
            }.result
        }
        try await update(store, #"{"id": 1, "company_id": 9, "tags_ids": [8, 2, 9]}, {"id": 2, "company_id": 9}"#)
        // A link is kept once, however often it is said.
        try await update(store, #"{"id": 1, "company_id": 9, "tags_ids": [8, 2, 9]}, {"id": 2, "company_id": 9}"#)
        #expect(try await isWaiting())
        try await bring(store, "Company")
        #expect(try await store.members("Company", 9, "users") == [1, 2])
        try await bring(store, "Tag")
        #expect(try await isWaiting())
        try await store.sync(#"[{"id": 8}]"#, into: "Tag", operations: .page)
        #expect(try await store.members("User", 1, "tags") == [2, 8, 9])
        #expect(try await !isWaiting())
        // What was said anew, and an owner that is gone, leave nothing either.
        try await update(store, #"{"id": 1, "company_id": 11}, {"id": 2, "company_id": 11}"#)
        #expect(try await isWaiting())
        try await update(store, #"{"id": 1, "company_id": 9}"#)
        #expect(try await isWaiting())
        try await store.sync(#"[{"id": 1}]"#, into: "User")
        #expect(try await !isWaiting())
    }

    @Test(arguments: StoreKind.allCases)
    func theLastOfTwoObjectsInAPayloadDecidesWhatIsPending(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        let first = #"{"id": 1, "company_id": 8, "tags_ids": [8]}"#
        let last = #"{"id": 2, "tags": [{"id": 4, "users": [{"id": 1, "company_id": 9, "tags_ids": [4, 9]}]}]}"#
        #expect(try await update(store, "\(first), \(last)").pendingLinkCount == 2)
        for entity in ["Company", "Tag"] {
            try await store.sync(#"[{"id": 8}, {"id": 9}]"#, into: entity, operations: .page)
        }
        #expect(try await store.value("User", 1, "company") == 9)
        #expect(try await store.members("User", 1, "tags") == [4, 9])
    }

    @Test(arguments: StoreKind.allCases)
    func payloadThatMustNotChangeALinkKeepsItPending(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await update(store, #"{"id": 1, "company_id": 9}"#)
        try await store.sync(#"[{"id": 1, "company_id": 9}]"#, into: "User", operations: [.update])
        try await bring(store, "Company")
        #expect(try await store.value("User", 1, "company") == 9)
    }

    @Test(arguments: StoreKind.allCases)
    func aListKeepsItsOrderWhicheverRecordArrivesFirst(kind: StoreKind) async throws {
        let arrivals = [[[1, 2, 3]], [[3, 2, 1]], [[3], [2], [1]], [[2], [1, 3]], [[1], [3], [2]]]
        for relationship in SyncOrderTests.relationships {
            for payloads in arrivals {
                let store = try await SyncStore(kind, SyncOrderTests.schema())
                let entity = relationship == "items" ? "Item" : relationship == "tags" ? "Tag" : "Badge"
                try await store.sync(#"[{"id": 4}]"#, into: entity, operations: .page)
                let list = "[{\"id\": 1, \"\(relationship)_ids\": [1, 2, 4, 3]}]"
                try await store.sync(list, into: "List", options: Self.waiting)
                for keys in payloads {
                    let objects = keys.map { "{\"id\": \($0)}" }.joined(separator: ",")
                    try await store.sync("[\(objects)]", into: entity, operations: .page)
                }
                let end = try await store.related("List", 1, relationship)
                #expect(end == [1, 2, 4, 3], "\(relationship), \(payloads)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theOwnerOfAPendingLinkMayBeDeletedAndInsertedAgain(kind: StoreKind) async throws {
        for (member, relationship, entity) in Self.forms {
            let store = try await SyncStore.office(kind)
            try await update(store, "{\"id\": 7, \(member)}")
            try await store.adapter.delete("User", 7)
            try await bring(store, entity)
            #expect(try await store.record("User", 7) == nil, "\(member)")

            let other = try await SyncStore.office(kind)
            try await update(other, "{\"id\": 7, \(member)}")
            try await other.sync("[]", into: "User")
            // It says nothing of the relationship, and what the one before said is gone with it.
            try await update(other, #"{"id": 7}"#)
            try await bring(other, entity)
            #expect(try await other.related("User", 7, relationship) == [], "\(member)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aLocalLinkMadeSinceIsKept(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await update(store, #"{"id": 1, "company_id": 9}"#)
        var changes = ChangeSet()
        changes.update(RecordID("User", 1), ["company": 3])
        try await store.adapter.commit(changes)
        let late = try await bring(store, "Company")
        #expect(late.clashes.map(\.properties) == [["company"]])
        #expect(try await store.value("User", 1, "company") == 3)
        let entry = try await store.adapter.read { try $0.journalEntry(RecordID("User", 1)) }
        #expect(entry?.base?["company"] == 9)
    }

    @Test(arguments: StoreKind.allCases)
    func onlyRecordsOfTheDestinationAreConnected(kind: StoreKind) async throws {
        let schema = try ProofSchema.pets.schema
        for member in [#""cats_ids": [9]"#, #""pets_ids": [9]"#] {
            let store = try await SyncStore(kind, schema)
            let early = try await store.sync("[{\"id\": 1, \(member)}]", into: "Owner", options: Self.waiting)
            #expect(early.pendingLinkCount == 1)
            try await store.sync(#"[{"id": 9, "type": "Dog"}]"#, into: "Animal")
            let isDogWanted = member.contains("pets")
            #expect(try await store.related("Owner", 1, "cats") == [])
            #expect(try await store.related("Owner", 1, "pets") == (isDogWanted ? [9] : []))
            // It becomes one.
            try await store.sync(#"[{"id": 9, "type": "Cat"}]"#, into: "Animal")
            #expect(try await store.related("Owner", 1, "cats") == (isDogWanted ? [] : [9]))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aLinkThatOperationsForbidIsNotPending(kind: StoreKind) async throws {
        for (member, relationship, entity) in Self.forms {
            let store = try await SyncStore.office(kind)
            let result = try await store.sync(
                "[{\"id\": 7, \(member)}]", into: "User", operations: [.insert, .update], options: Self.waiting)
            #expect(result.pendingLinkCount == 0, "\(member)")
            try await bring(store, entity)
            #expect(try await store.related("User", 7, relationship) == [], "\(member)")
        }
    }

    @Test func aRecordThatCannotBeStoredYetIsPending() async throws {
        let store = try await SyncStore(.inMemory, ProofSchema.office.schema)
        let early = try await store.sync(#"[{"id": 1, "comments_ids": [9]}]"#, into: "Note", options: Self.waiting)
        #expect(early.pendingLinkCount == 1)
        let lacking = try await store.sync(#"[{"id": 9}]"#, into: "Comment")
        #expect(lacking.reports.map(\.kind) == [.missingValue])
        try await store.sync(#"[{"id": 9, "note_id": 1}]"#, into: "Comment")
        #expect(try await store.members("Note", 1, "comments") == [9])
    }

    @Test func aRecordWithoutItsMandatoryLinkIsReported() async throws {
        let store = try await SyncStore(.inMemory, ProofSchema.office.schema)
        let result = try await store.sync(#"[{"id": 1, "note_id": 9}]"#, into: "Comment", options: Self.waiting)
        #expect(result.pendingLinkCount == 0)
        #expect(result.reports.map(\.kind).contains(.missingValue))
        try await store.sync(#"[{"id": 9}]"#, into: "Note")
        #expect(try await store.keys("Comment") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func aFailedSyncKeepsPendingLinksAsTheyWere(kind: StoreKind) async throws {
        let store = try await SyncStore.office(kind)
        try await update(store, #"{"id": 1, "company_id": 9}"#)
        var strict = Self.waiting
        strict.isStrict = true
        await #expect(throws: SyncError.self) {
            try await store.sync(
                #"[{"id": 1, "company_id": 2}, {"text": "no key"}]"#, into: "User", operations: .page, options: strict)
        }
        try await bring(store, "Company")
        #expect(try await store.value("User", 1, "company") == 9)
    }

    @Test func pendingLinksOfManyObjectsSurviveReopening() async throws {
        let folder = TemporaryFolder()
        let schema = try Schema.office()
        let objects = (0..<40).map { "{\"id\": \($0), \"company_id\": \($0), \"badges_ids\": [\($0), \($0 + 1)]}" }
        let json = "[\(objects.joined(separator: ","))]"
        for round in 0..<2 {
            let store = try await SQLiteAdapter.open(at: folder.file(), schema: schema)
            let result = try await store.sync(json, into: "User", options: Self.waiting)
            #expect(result.pendingLinkCount == 120)
            #expect(result.isUnchanged == (round == 1))
            await store.close()
        }
        let store = try await SQLiteAdapter.open(at: folder.file(), schema: schema)
        let keys = (0...40).map { "{\"id\": \($0)}" }.joined(separator: ",")
        try await store.sync("[\(keys)]", into: "Company")
        try await store.sync("[\(keys)]", into: "Badge")
        for key in 0..<40 {
            let user = RecordID("User", .integer(Int64(key)))
            #expect(try await store.fetch("User", user.key)?["company"] == user.key)
            let badges = try await store.read { try $0.related(user, "badges") }
            #expect(Set(badges) == [user.key, .integer(Int64(key + 1))])
        }
        #expect(try await store.sync(json, into: "User", options: Self.waiting).isUnchanged)
        await store.close()
    }
}
