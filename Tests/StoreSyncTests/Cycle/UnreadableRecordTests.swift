import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// Records of the remote that a device's schema does not allow.
@Suite struct UnreadableRecordTests {
    private let laptop: Device
    private let server: InMemoryAdapter
    private let service: SyncService

    init() throws {
        laptop = try Device("laptop", InMemoryAdapter(schema: Self.schema()))
        server = InMemoryAdapter(schema: try Self.schema())
        service = SyncService(server, account: "ada", makeName: Planner.names("epoch"))
    }

    /// A schema of lists with notes.
    ///
    /// - Parameters:
    ///   - isStrict: Whether each note needs a title.
    ///   - stars: The default of a mandatory attribute of notes; nil if they do not have it.
    private static func schema(isStrict: Bool = false, stars: Value? = nil) throws -> Schema {
        try Schema([
            Entity("List") {
                Attribute("id", .integer, isPrimaryKey: true)
                Relationship("notes", toMany: "Note", inverse: "list", deleteRule: .cascade)
            },
            Entity("Note") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("title", .string, isOptional: !isStrict, default: isStrict ? "" : .null)
                Attribute("text", .string)
                Attribute("color", .string)
                if let stars { Attribute("stars", .integer, isOptional: false, default: stars) }
                Relationship("list", to: "List", inverse: "notes")
            },
        ])
    }

    /// Returns a device that needs a title of each note, and that has a note and two lists.
    private func strictPhone() async throws -> Device {
        let phone = try Device("phone", InMemoryAdapter(schema: Self.schema(isStrict: true)))
        try await laptop.edit { changes, schema in
            for id in [1, 2] as [Value] { try changes.put(Record("List", in: schema, ["id": id])) }
            try changes.put(Record("Note", in: schema, ["id": 1, "title": "milk", "text": "one", "list": 1]))
        }
        try await laptop.sync(with: service)
        #expect(try await phone.sync(with: service).isSynced)
        return phone
    }

    /// The laptop takes the title of the note away, and changes its text.
    private func takeTitleAway(_ values: [String: Value] = ["title": .null, "text": "two"]) async throws {
        try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), values) }
        try await laptop.sync(with: service)
    }

    /// Returns the device after an update of its app, which no longer needs titles.
    private func updated(_ phone: Device) async throws -> Device {
        try await Device("phone later", InMemoryAdapter.copy(of: phone.store, schema: Self.schema()))
    }

    private func note(_ key: Value = 1) async throws -> Record? {
        try await server.read { try $0.record(RecordID("Note", key)) }
    }

    @Test(arguments: ["text", "color"])
    func anEditOfAnUnreadableRecordWaitsAndOverwritesNothing(name: String) async throws {
        let phone = try await strictPhone()
        try await takeTitleAway()
        try await phone.edit { changes, _ in changes.update(RecordID("Note", 1), [name: "mine"]) }
        for _ in 1...2 {
            let outcome = try await phone.sync(with: service)
            #expect(outcome.unreadable.map(\.id) == [RecordID("Note", 1)])
            #expect(outcome.pending == [RecordID("Note", 1)] && outcome.failure == nil)
        }
        #expect(try await note()?["text"] == "two")
        #expect(try await phone.value("Note", 1, name) == "mine")
        let state = try await phone.store.syncState
        #expect(state.pendingCounts == [:] && !state.isSettled)
        #expect(try await phone.store.syncState(of: RecordID("Note", 1)) == .pending)
    }

    @Test func otherChangesAreSentMeanwhile() async throws {
        let phone = try await strictPhone()
        try await takeTitleAway()
        try await phone.edit { changes, schema in
            changes.update(RecordID("Note", 1), ["color": "mine"])
            try changes.put(Record("Note", in: schema, ["id": 2, "title": "eggs"]))
        }
        try await phone.sync(with: service)
        #expect(try await note(2)?["title"] == "eggs")
        #expect(try await note()?["color"] == .null)
    }

    @Test func aDeletionOfAnUnreadableRecordWaits() async throws {
        let phone = try await strictPhone()
        try await takeTitleAway()
        try await phone.sync(with: service)
        try await phone.edit { changes, _ in changes.delete(RecordID("List", 1)) }
        let outcome = try await phone.sync(with: service)
        #expect(outcome.pending.contains(RecordID("Note", 1)))
        #expect(try await note()?["text"] == "two")
    }

    @Test func aListThatAnUnreadableRecordNeedsIsNotDeleted() async throws {
        let phone = try await strictPhone()
        try await takeTitleAway(["title": .null, "list": 2])
        try await phone.sync(with: service)
        try await phone.edit { changes, _ in changes.delete(RecordID("List", 2)) }
        #expect(try await phone.sync(with: service).pending == [RecordID("List", 2)])
        #expect(try await note()?["list"] == 2)
    }

    @Test func anUpdatedAppReadsWhatItCouldNotReadAndMergesItsEdits() async throws {
        let phone = try await strictPhone()
        try await takeTitleAway()
        try await phone.edit { changes, _ in changes.update(RecordID("Note", 1), ["color": "mine"]) }
        try await phone.sync(with: service)
        let later = try await updated(phone)
        let outcome = try await later.sync(with: service)
        #expect(outcome.isSynced && outcome.conflicts.isEmpty, "\(outcome)")
        for name in ["text": "two", "color": "mine", "title": .null] as [String: Value] {
            #expect(try await later.value("Note", 1, name.key) == name.value)
            #expect(try await note()?[name.key] == name.value)
        }
    }

    @Test func anUpdatedAppReadsRecordsWithoutAnAttributeThatHasADefaultNow() async throws {
        let phone = try Device("phone", InMemoryAdapter(schema: Self.schema(stars: .null)))
        try await laptop.edit { changes, schema in
            try changes.put(Record("Note", in: schema, ["id": 1, "title": "milk"]))
        }
        try await laptop.sync(with: service)
        #expect(try await phone.sync(with: service).unreadable.map(\.id) == [RecordID("Note", 1)])
        let later = try await Device(
            "phone later", InMemoryAdapter.copy(of: phone.store, schema: Self.schema(stars: 3)))
        #expect(try await later.sync(with: service).unreadable.isEmpty)
        #expect(try await later.value("Note", 1, "title") == "milk")
        #expect(try await later.value("Note", 1, "stars") == 3)
    }

    @Test func aRecordOfAnEntityThatTheAppHasDroppedIsListedNoLonger() async throws {
        let phone = try await strictPhone()
        try await takeTitleAway()
        #expect(try await phone.sync(with: service).unreadable.count == 1)
        let lists = try Schema([Entity("List") { Attribute("id", .integer, isPrimaryKey: true) }])
        let smaller = try await Device(
            "phone with lists",
            InMemoryAdapter.copy(
                of: phone.store, schema: lists, migration: [.drop("List", "notes"), .dropEntity("Note")]))
        let outcome = try await smaller.sync(with: service)
        #expect(outcome.unreadable.isEmpty && outcome.failure == nil)
        // With the entity the record comes again.
        let later = try await updated(smaller)
        #expect(try await later.sync(with: service).isSynced)
        #expect(try await later.value("Note", 1, "text") == "two")
    }

    @Test func aRecordThatWasListedWithoutItsValuesIsPulledAgain() async throws {
        let phone = try await strictPhone()
        try await takeTitleAway()
        try await phone.edit { changes, _ in changes.update(RecordID("Note", 1), ["color": "mine"]) }
        try await phone.sync(with: service)
        // As earlier versions of the library have stored it.
        try await phone.store.write { transaction in
            for row in try transaction.records(Query("sync.metadata")) {
                guard case .string(let name) = row["name"], name.contains("unreadable") else { continue }
                try transaction.setLibraryMetadata("a note needs a title", for: name)
            }
        }
        #expect(try await phone.store.syncState.unreadable.map(\.reason) == ["a note needs a title"])
        let outcome = try await phone.sync(with: service)
        #expect(outcome.unreadable.count == 1 && outcome.unreadable[0].reason != "a note needs a title")
        #expect(try await updated(phone).sync(with: service).isSynced)
        #expect(try await note()?["color"] == "mine")
        #expect(try await note()?["text"] == "two")
    }

    @Test func anUpdatedAppFindsTheConflictWithItsEdit() async throws {
        let phone = try await strictPhone()
        try await takeTitleAway()
        try await phone.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "mine"]) }
        try await phone.sync(with: service)
        let outcome = try await updated(phone).sync(with: service)
        #expect(outcome.conflicts.map(\.fields) == [["text"]] && outcome.unreadable.isEmpty)
        #expect(try await note()?["text"] == "two")
    }

    /// Returns a service that amends each note, and gives some keys.
    private func amending(_ values: [String: Value], key: Value? = nil) -> SyncService {
        let review = Review { change, _ in
            change.new?.entity == "Note" ? .amend(values, key: change.old == nil ? key : nil) : .accept
        }
        return SyncService(server, account: "ada", review: review, makeName: Planner.names("epoch"))
    }

    @Test func anAmendmentThatTheSchemaDoesNotAllowIsListed() async throws {
        let phone = try await strictPhone()
        try await phone.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "mine"]) }
        let outcome = try await phone.sync(with: amending(["title": .null]))
        #expect(outcome.unreadable.map(\.id) == [RecordID("Note", 1)] && !outcome.isSynced)
        let later = try await updated(phone)
        #expect(try await later.sync(with: service).isSynced)
        #expect(try await later.value("Note", 1, "title") == .null)
    }

    @Test func aLaterVersionThatCanBeReadEndsTheWait() async throws {
        let phone = try await strictPhone()
        try await takeTitleAway()
        try await phone.edit { changes, _ in changes.update(RecordID("Note", 1), ["color": "mine"]) }
        try await phone.sync(with: service)
        try await takeTitleAway(["title": "oat milk"])
        let outcome = try await phone.sync(with: service)
        #expect(outcome.isSynced, "\(outcome)")
        #expect(try await note()?["color"] == "mine")
        #expect(try await phone.value("Note", 1, "text") == "two")
    }
}
