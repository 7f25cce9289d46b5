import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import TestSupport
import Testing

/// Entities without a primary key, whose keys each store counts by itself.
struct ImplicitKeyTests {
    private let server: any PersistenceAdapter
    private let service: SyncService
    private let phone: Device
    private let laptop: Device

    init() throws {
        let schema = try Schema([
            Entity("Note") {
                Attribute("text", .string)
                Relationship("lines", toMany: "Line", inverse: "note", deleteRule: .cascade)
                Relationship("folder", to: "Folder", inverse: "notes")
            },
            Entity("Folder") {
                Attribute("id", .integer, isPrimaryKey: true)
                Attribute("name", .string)
                Relationship("notes", toMany: "Note", inverse: "folder")
            },
            Entity("Line") {
                Attribute("text", .string)
                Relationship("note", to: "Note", inverse: "lines", isOptional: false)
            },
        ])
        server = ServiceStores.make(schema)
        service = SyncService(
            server, account: "ada", limits: SyncLimits(pageRecords: 3), makeName: Planner.names("epoch"))
        (phone, laptop) = (
            try Device("phone", InMemoryAdapter(schema: schema)), try Device("laptop", InMemoryAdapter(schema: schema))
        )
    }

    /// Adds a note with lines, with the next keys of the device.
    private func add(_ texts: String..., to device: Device) async throws {
        try await device.store.write { transaction in
            for text in texts {
                var changes = ChangeSet()
                try changes.put(Record("Note", in: transaction.schema, ["text": .string(text)]))
                try transaction.apply(changes)
                let query = Query("Note", where: Field("text") == .string(text))
                let note = try #require(try transaction.records(query).first)
                changes = ChangeSet()
                for number in 1...2 {
                    try changes.put(
                        Record(
                            "Line", in: transaction.schema, ["text": .string("\(text) \(number)"), "note": note.key]))
                }
                try transaction.apply(changes)
            }
        }
    }

    /// The texts of the notes with those of their lines.
    private func notes(_ store: any PersistenceAdapter) async throws -> [[Value]] {
        try await store.read { transaction in
            try transaction.records(Query("Note", sort: [Query.SortKey("text")])).map { note in
                let lines = try transaction.relatedRecords(note.id, "lines").map { $0["text"] }
                return [note["text"]] + lines.sorted { "\($0)" < "\($1)" }
            }
        }
    }

    private func syncAll(_ policies: SyncPolicies = SyncPolicies()) async throws {
        for device in [phone, laptop, phone, laptop] {
            let outcome = try await device.sync(with: service, policies)
            #expect(outcome.failure == nil && outcome.conflicts.isEmpty && outcome.refused.isEmpty)
        }
    }

    private static let expected: [[Value]] = ["a", "b", "c", "d", "e"].map {
        [.string($0), .string("\($0) 1"), .string("\($0) 2")]
    }

    @Test func differentRecordsWithTheSameKeyStayDifferent() async throws {
        try await add("a", "b", to: phone)
        try await add("c", "d", "e", to: laptop)
        try await syncAll()
        for store in [server, phone.store, laptop.store] { #expect(try await notes(store) == Self.expected) }
    }

    /// The lines come before the note, whose last change is later.
    @Test func linesThatArriveBeforeTheirNoteStayWithIt() async throws {
        try await add("c", "d", to: laptop)
        try await laptop.sync(with: service)
        try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "c"]) }
        try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "e"]) }
        try await laptop.sync(with: service)
        try await phone.edit { changes, schema in
            try changes.put(Record("Note", in: schema, ["text": "a"]))
        }
        try await syncAll()
        for store in [server, phone.store, laptop.store] {
            #expect(try await notes(store) == [["a"], ["d", "d 1", "d 2"], ["e", "c 1", "c 2"]])
        }
    }

    /// The note is on a page before the folder that it refers to, and after its lines.
    @Test func linesWaitForTheirNote() async throws {
        try await laptop.edit { changes, schema in
            try changes.put(Record("Folder", in: schema, ["id": 1, "name": "a"]))
        }
        try await add("c", to: laptop)
        try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), ["folder": 1]) }
        try await laptop.sync(with: service)
        for name in ["b", "c"] as [Value] {
            try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": name]) }
            try await laptop.sync(with: service)
            try await laptop.edit { changes, _ in changes.update(RecordID("Folder", 1), ["name": name]) }
            try await laptop.sync(with: service)
        }
        try await phone.edit { changes, schema in
            try changes.put(Record("Note", in: schema, ["text": "a"]))
        }
        let small = SyncService(
            server, account: "ada", limits: SyncLimits(pageRecords: 1), makeName: Planner.names("epoch"))
        #expect(try await phone.sync(with: small).isSynced)
        try await syncAll()
        for store in [server, phone.store, laptop.store] {
            #expect(try await notes(store) == [["a"], ["c", "c 1", "c 2"]])
        }
    }

    /// The lines arrive in a cycle that ends before the page with their note.
    @Test func linesDoNotGetANoteThatIsAddedWhileTheyWait() async throws {
        try await add("c", to: laptop)
        try await laptop.sync(with: service)
        try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "e"]) }
        try await laptop.sync(with: service)
        let small = SyncService(
            server, account: "ada", limits: SyncLimits(pageRecords: 1), makeName: Planner.names("epoch"))
        let lost = HookedPages(base: small, before: { if $0 > 2 { throw RemoteError.later() } })
        #expect(try await phone.sync(with: lost).failure == .later())
        #expect(try await phone.store.read { try $0.metadata("sync.awaited") } != nil)
        try await phone.edit { changes, schema in
            try changes.put(Record("Note", in: schema, ["text": "a"]))
        }
        #expect(try await notes(phone.store) == [["a"]])
        try await syncAll()
        for store in [server, phone.store, laptop.store] {
            #expect(try await notes(store) == [["a"], ["e", "c 1", "c 2"]])
        }
    }

    /// Each account counts its own notes.
    @Test func recordsOfAnotherAccountWithTheSameKeysStayDifferent() async throws {
        try await add("a", "b", to: phone)
        try await phone.sync(with: service)
        try await phone.edit { changes, _ in changes.delete(RecordID("Note", 1)) }
        try await add("c", to: phone)
        let schema = server.schema
        let others = ServiceStores.make(schema)
        let other = SyncService(others, account: "eve", makeName: Planner.names("epoch of eve"))
        try await add("d", "e", to: laptop)
        try await laptop.sync(with: other)
        let outcome = try await phone.store.synchronize(
            with: other, choose: { _ in .merge }, makeName: Planner.names("later phone"))
        #expect(outcome.isSynced && outcome.conflicts.isEmpty)
        try await laptop.sync(with: other)
        for store in [others, phone.store, laptop.store] {
            #expect(try await notes(store) == Self.expected.filter { ["b", "c", "d", "e"].contains($0[0]) })
        }
    }

    /// Both accounts have a note with the first key and the same tag.
    @Test func linksOfRecordsOfAnotherAccountStayDifferent() async throws {
        let schema = try Schema([
            Entity("Note") {
                Attribute("text", .string)
                Relationship("tags", toMany: "Tag", inverse: "notes")
            },
            Entity("Tag") {
                Attribute("name", .string, isPrimaryKey: true)
                Relationship("notes", toMany: "Note", inverse: "tags")
            },
        ])
        var devices: [Device] = []
        var services: [SyncService] = []
        for name in ["ada", "eve"] {
            let device = try Device(name, InMemoryAdapter(schema: schema))
            try await device.edit { changes, schema in
                try changes.put(Record("Tag", in: schema, ["name": "work"]))
                try changes.put(Record("Note", in: schema, ["text": .string(name)]))
            }
            try await device.edit { changes, _ in changes.link(RecordID("Note", 1), "tags", to: "work") }
            devices.append(device)
            services.append(
                SyncService(ServiceStores.make(schema), account: name, makeName: Planner.names("epoch of \(name)")))
        }
        for (device, service) in zip(devices, services) { #expect(try await device.sync(with: service).isSynced) }
        let outcome = try await devices[0].store.synchronize(
            with: services[1], choose: { _ in .merge }, makeName: Planner.names("later ada"))
        #expect(outcome.isSynced && outcome.conflicts.isEmpty)
        #expect(try await devices[1].sync(with: services[1]).isSynced)
        for device in devices {
            let notes = try await device.store.read { try $0.relatedRecords(RecordID("Tag", "work"), "notes") }
            #expect(Set(notes.map { $0["text"] }) == ["ada", "eve"])
        }
    }

    /// The phone has counted the same key as the laptop, whose note the service has lost.
    @Test(arguments: [true, false])
    func aRecordThatARestoredServiceHasLostIsNotReplacedByAnother(isEdited: Bool) async throws {
        for device in [phone, laptop] { try await device.sync(with: service) }
        let backup = ServiceStores.make(server.schema)
        try await add("a", to: laptop)
        try await laptop.sync(with: service)
        try await add("b", to: phone)
        let restored = SyncService(
            backup, account: "ada", limits: SyncLimits(pageRecords: 3), makeName: Planner.names("later epoch"))
        #expect(try await phone.sync(with: restored).isSynced)
        if isEdited { try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "c"]) } }
        let outcome = try await laptop.sync(with: restored)
        let conflict = try #require(outcome.conflicts.first { $0.id.entity == "Note" })
        #expect(conflict.isOpen && conflict.versions.local?["text"] == (isEdited ? "c" : "a"))
        #expect(conflict.versions.remote?["text"] == "b")
    }

    /// Both devices send the note again.
    ///
    /// The phone has edited it, and comes first.
    @Test func aRecordThatARestoredServiceHasLostIsNotDoubled() async throws {
        for device in [phone, laptop] { try await device.sync(with: service) }
        let backup = ServiceStores.make(server.schema)
        try await add("a", to: phone)
        for device in [phone, laptop] { try await device.sync(with: service) }
        let restored = SyncService(
            backup, account: "ada", limits: SyncLimits(pageRecords: 3), makeName: Planner.names("later epoch"))
        var remote = ScriptedRemote(restored)
        remote.answer = { _ in throw RemoteError.later() }
        #expect(try await laptop.sync(with: remote).failure == .later())
        try await phone.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "b"]) }
        #expect(try await phone.sync(with: restored).isSynced)
        let conflicts = try await laptop.sync(with: restored).conflicts
        #expect(conflicts.map(\.id) == [RecordID("Note", 1)] && conflicts.first?.versions.remote?["text"] == "b")
        #expect(try await notes(backup) == [["b", "a 1", "a 2"]])
        #expect(try await notes(laptop.store) == [["a", "a 1", "a 2"]])
    }

    /// The note was on a page of the comparison before, so both ends had it.
    @Test func aRecordThatChangesDuringAComparisonIsNoOtherRecord() async throws {
        try await add("a", "b", "c", to: phone)
        for device in [phone, laptop] { try await device.sync(with: service) }
        try await service.beginEpoch()
        let (phone, service) = (phone, service)
        let remote = HookedPages(
            base: service,
            before: { number in
                if number != 3 { return }
                try await phone.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "d"]) }
                try await phone.sync(with: service)
            })
        let outcome = try await laptop.sync(with: remote)
        #expect(outcome.isSynced && outcome.conflicts.isEmpty)
        for store in [server, phone.store, laptop.store] {
            #expect(try await notes(store).map { $0[0] } == ["b", "c", "d"])
        }
    }

    /// The laptop sends its note between the phone's handshake and push.
    @Test func linesOfANewRecordInConflictAreSentWithItsOtherKey() async throws {
        for device in [phone, laptop] { try await device.sync(with: service) }
        try await add("a", to: phone)
        try await laptop.edit { changes, schema in try changes.put(Record("Note", in: schema, ["text": "b"])) }
        let (laptop, service) = (laptop, service)
        let count = Locked(0)
        let remote = FaultyService(service: service) {
            if count.next() == 2 { try await laptop.sync(with: service) }
            return nil
        }
        let outcome = try await phone.sync(with: remote)
        #expect(outcome.isSynced && outcome.conflicts.isEmpty, "\(outcome)")
        try await laptop.sync(with: service)
        for store in [server, phone.store, laptop.store] {
            #expect(try await notes(store) == [["a", "a 1", "a 2"], ["b"]])
        }
    }

    /// The tablet has edited the note that had the key.
    @Test(arguments: [true, false])
    func aNewRecordDoesNotGetTheKeyOfADeletedOne(isAddedLater: Bool) async throws {
        let tablet = try Device("tablet", InMemoryAdapter(schema: server.schema))
        for device in [phone, laptop] { try await device.sync(with: service) }
        try await add("a", to: laptop)
        for device in [laptop, tablet] { try await device.sync(with: service) }
        try await laptop.edit { changes, _ in changes.delete(RecordID("Note", 1)) }
        try await laptop.sync(with: service)
        if isAddedLater { try await phone.sync(with: service) }
        try await add("b", to: phone)
        #expect(try await phone.sync(with: service).isSynced)
        try await tablet.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "c"]) }
        let outcome = try await tablet.sync(with: service)
        let conflict = try #require(outcome.conflicts.first { $0.id == RecordID("Note", 1) })
        #expect(conflict.isOpen && conflict.versions.local?["text"] == "c" && conflict.versions.remote == nil)
        #expect(try await notes(server) == [["b", "b 1", "b 2"]])
        #expect(try await notes(tablet.store).contains(["b", "b 1", "b 2"]))
    }

    private static let scopes = [SyncScope("all"), SyncScope("short", where: ["Note": Field("text") == "d"])]

    /// The phone's scope lacks the notes whose keys it counts again.
    ///
    /// It learns of them only if they were made later.
    @Test(arguments: [true, false])
    func aNewRecordWithTheKeyOfOneOutsideTheScopeIsSentWithAnother(isMadeLater: Bool) async throws {
        let service = SyncService(
            server, account: "ada", scopes: Self.scopes, makeName: Planner.names("epoch"))
        if isMadeLater { try await phone.sync(with: service, scope: "short") }
        try await laptop.edit { changes, schema in
            for text in ["a", "b", "c"] as [Value] { try changes.put(Record("Note", in: schema, ["text": text])) }
        }
        #expect(try await laptop.sync(with: service, scope: "all").isSynced)
        if !isMadeLater { try await phone.sync(with: service, scope: "short") }
        try await add("d", to: phone)
        let outcome = try await phone.sync(with: service, scope: "short")
        #expect(outcome.refused.isEmpty && outcome.pending.isEmpty && outcome.left.isEmpty, "\(outcome)")
        #expect(outcome.isSynced)
        #expect(try await laptop.sync(with: service, scope: "all").isSynced)
        for store in [server, laptop.store] {
            #expect(try await notes(store) == [["a"], ["b"], ["c"], ["d", "d 1", "d 2"]])
        }
        #expect(try await notes(phone.store) == [["d", "d 1", "d 2"]])
    }

    @Test func aNewRecordThatTheServiceDoesNotAuthorizeIsRefused() async throws {
        let review = Review { change, _ in change.new?.entity == "Note" ? .unauthorized : .accept }
        let service = SyncService(
            server, account: "ada", scopes: Self.scopes, review: review, makeName: Planner.names("epoch"))
        try await add("d", to: phone)
        for _ in 1...2 {
            let outcome = try await phone.sync(with: service, scope: "all")
            #expect(outcome.refused.map(\.code) == ["unauthorized"] && outcome.pushedCount == 0)
        }
        #expect(try await notes(phone.store) == [["d", "d 1", "d 2"]])
    }

    @Test func recordsThatAreAddedBetweenCyclesStayDifferent() async throws {
        for (index, text) in ["a", "b", "c", "d", "e"].enumerated() {
            try await add(text, to: index.isMultiple(of: 2) ? phone : laptop)
            if index == 1 { try await phone.sync(with: service) }
            if index == 3 { try await laptop.sync(with: service) }
        }
        try await syncAll(SyncPolicies(.remoteWins))
        for store in [server, phone.store, laptop.store] { #expect(try await notes(store) == Self.expected) }
    }

    /// The task comes before its list, because its reference need not lead to a record.
    @Test func aTaskThatArrivesBeforeItsListStaysWithIt() async throws {
        let schema = try Schema {
            Entity("Task") {
                Attribute("text", .string)
                Relationship("list", to: "List", inverse: "tasks")
            }
            Entity("List") {
                Attribute("name", .string)
                Relationship("tasks", toMany: "Task", inverse: "list", deleteRule: .noAction)
            }
        }
        let server = ServiceStores.make(schema)
        let service = SyncService(
            server, account: "ada", limits: SyncLimits(pageRecords: 1), makeName: Planner.names("epoch"))
        let phone = try Device("phone", InMemoryAdapter(schema: schema))
        var changes = ChangeSet()
        try changes.put(Record("List", in: schema, ["name": "work"]))
        try changes.put(Record("Task", in: schema, ["text": "call", "list": 1]))
        try await server.commit(changes)
        try await phone.edit { changes, schema in
            try changes.put(Record("List", in: schema, ["name": "mine"]))
        }
        #expect(try await phone.sync(with: service).isSynced)
        for store in [server, phone.store] {
            let task = try #require(try await store.read { try $0.records(Query("Task")) }.first)
            let list = try await store.read { try $0.record(RecordID("List", task["list"])) }
            #expect(list?["name"] == "work")
        }
    }
}
