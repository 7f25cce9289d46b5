import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import Testing

/// Records whose keys each store counts by itself, and that the remote has or had.
struct CountedRecordTests {
    private let server: InMemoryAdapter
    private let service: SyncService
    private let phone: Device
    private let laptop: Device

    private static func schema(
        _ note: String = "Note", from old: String? = nil, hasColors: Bool = false
    ) throws -> Schema {
        try Schema([
            Entity(note, renamedFrom: old) {
                Attribute("text", .string)
                Attribute("isDone", .bool, isOptional: false, default: false)
                if hasColors { Attribute("color", .string) }
                Relationship("lines", toMany: "Line", inverse: "note", deleteRule: .cascade)
            },
            Entity("Line") {
                Attribute("text", .string)
                Relationship("note", to: note, inverse: "lines")
            },
        ])
    }

    init() throws {
        server = InMemoryAdapter(schema: try Self.schema())
        service = SyncService(server, account: "ada", makeName: Planner.names("epoch"))
        (phone, laptop) = (
            try Device("phone", InMemoryAdapter(schema: Self.schema())),
            try Device("laptop", InMemoryAdapter(schema: Self.schema()))
        )
    }

    /// Adds notes with the next keys of the device.
    private func add(_ texts: String..., to device: Device) async throws {
        for text in texts {
            try await device.edit { changes, schema in
                try changes.put(Record("Note", in: schema, ["text": .string(text)]))
            }
        }
    }

    private func edit(_ key: Value, _ text: Value, on device: Device) async throws {
        try await device.edit { changes, _ in changes.update(RecordID("Note", key), ["text": text]) }
    }

    private func texts(_ store: any PersistenceAdapter) async throws -> [Value] {
        try await store.read { try $0.records(Query("Note", sort: [Query.SortKey("text")])).map { $0["text"] } }
    }

    /// The names of the metadata that lists records with counted keys.
    private func listed(_ store: any PersistenceAdapter) async throws -> [String] {
        try await store.read { transaction in
            try transaction.records(Query("sync.metadata")).compactMap { row in
                guard case .string(let name) = row["name"] else { return nil }
                return name.hasPrefix("sync.store.counted.") ? name : nil
            }
        }
    }

    /// The service lowers its limit, so that the push with the deleted note is given up.
    @Test func aDeletionOfANewRecordThatWasNeverSentDeletesNoOther() async throws {
        try await add("a", "b", "c", to: phone)
        var remote = ScriptedRemote(service)
        remote.answer = { _ in throw RemoteError.later() }
        try await phone.sync(with: remote)
        try await phone.edit { changes, _ in changes.delete(RecordID("Note", 1)) }
        try await add("d", to: laptop)
        try await laptop.sync(with: service)
        let small = SyncService(
            server, account: "ada", limits: SyncLimits(pushRecords: 1), makeName: Planner.names("epoch"))
        for _ in 1...2 {
            let outcome = try await phone.sync(with: small, SyncPolicies(.localWins))
            #expect(outcome.isSynced && outcome.conflicts.isEmpty)
        }
        #expect(try await texts(server) == ["b", "c", "d"])
        #expect(try await texts(phone.store) == ["b", "c", "d"])
    }

    /// Two devices send a note again that a restored service has lost.
    @Test func aRecordThatIsSentAgainStaysListedUntilItIsAccepted() async throws {
        for device in [phone, laptop] { #expect(try await device.sync(with: service).isSynced) }
        let backup = try await InMemoryAdapter.copy(of: server)
        try await add("a", to: phone)
        for device in [phone, laptop] { #expect(try await device.sync(with: service).isSynced) }
        let restored = SyncService(backup, account: "ada", makeName: Planner.names("later epoch"))
        try await restored.beginEpoch()
        var remote = ScriptedRemote(restored)
        remote.answer = { _ in throw RemoteError.later() }
        #expect(try await laptop.sync(with: remote).failure == .later())
        try await edit(1, "b", on: phone)
        #expect(try await phone.sync(with: restored).isSynced)
        #expect(try await listed(phone.store).isEmpty)
        #expect(try await listed(laptop.store).count == 1)
        // The app is updated, and so is the service.
        let schema = try Self.schema("Memo", from: "Note")
        let updated = try await InMemoryAdapter.copy(of: laptop.store, schema: schema)
        let grown = SyncService(
            try await InMemoryAdapter.copy(of: backup, schema: schema), account: "ada",
            makeName: Planner.names("last epoch"))
        let outcome = try await updated.synchronize(with: grown, makeName: Planner.names("later laptop"))
        #expect(outcome.conflicts.map(\.id) == [RecordID("Memo", 1)])
        #expect(outcome.conflicts.first?.versions.remote?["text"] == "b")
    }

    /// The phone has counted the same key as the laptop, whose note the service has lost.
    @Test func anEditedRecordThatARestoredServiceHasLostIsNotMixedWithAnother() async throws {
        for device in [phone, laptop] { #expect(try await device.sync(with: service).isSynced) }
        let backup = try await InMemoryAdapter.copy(of: server)
        try await add("call mum", to: laptop)
        #expect(try await laptop.sync(with: service).isSynced)
        let restored = SyncService(backup, account: "ada", makeName: Planner.names("later epoch"))
        try await restored.beginEpoch()
        try await add("buy milk", to: phone)
        #expect(try await phone.sync(with: restored).isSynced)
        try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), ["isDone": true]) }
        let conflicts = try await laptop.sync(with: restored).conflicts
        #expect(conflicts.map(\.id) == [RecordID("Note", 1)])
        let conflict = try #require(conflicts.first)
        #expect(conflict.isOpen && conflict.fields == ["text", "isDone"])
        #expect(conflict.versions.local?["text"] == "call mum" && conflict.versions.local?["isDone"] == true)
        #expect(conflict.versions.remote?["text"] == "buy milk" && conflict.versions.remote?["isDone"] == false)
        #expect(try await texts(laptop.store) == ["call mum"])
        #expect(try await texts(backup) == ["buy milk"])
    }

    /// The service has the first of two edits, and the laptop learns that from the pages alone.
    @Test func anEditWhosePushIsForgottenIsNoConflict() async throws {
        try await add("a", to: laptop)
        #expect(try await laptop.sync(with: service).isSynced)
        try await edit(1, "b", on: laptop)
        var remote = ScriptedRemote(service)
        remote.losesAnswers = true
        #expect(try await laptop.sync(with: remote).failure == .later())
        try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), ["isDone": true]) }
        try await service.beginEpoch()
        let outcome = try await laptop.sync(with: service)
        #expect(outcome.isSynced && outcome.conflicts.isEmpty)
        #expect(try await texts(server) == ["b"])
        #expect(try await server.read { try $0.record(RecordID("Note", 1))?["isDone"] } == true)
    }

    /// The laptop has done the note, which leaves the phone's scope.
    @Test func aRecordThatIsKeptAlthoughItLeavesTheScopeGetsNoOtherKey() async throws {
        let scopes = [SyncScope("all"), SyncScope("open", where: ["Note": Field("isDone") == false])]
        let service = SyncService(server, account: "ada", scopes: scopes, makeName: Planner.names("epoch"))
        try await add("a", to: laptop)
        try await laptop.edit { changes, schema in
            try changes.put(Record("Line", in: schema, ["text": "b", "note": 1]))
        }
        #expect(try await laptop.sync(with: service, scope: "all").isSynced)
        #expect(try await phone.sync(with: service, scope: "open").isSynced)
        try await edit(1, "c", on: phone)
        try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), ["isDone": true]) }
        #expect(try await laptop.sync(with: service, scope: "all").isSynced)
        let outcome = try await phone.sync(with: service, SyncPolicies(.localWins), scope: "open")
        #expect(outcome.refused.map(\.id) == [RecordID("Note", 1)])
        for store: any PersistenceAdapter in [server, phone.store] {
            #expect(try await store.read { try $0.related(RecordID("Note", 1), "lines") }.count == 1)
        }
        #expect(try await texts(server) == ["a"])
    }

    /// The first device that keeps the note sends it again.
    @Test func aRecordThatTwoDevicesKeepAgainstADeletionIsNotDoubled() async throws {
        let tablet = try Device("tablet", InMemoryAdapter(schema: Self.schema()))
        try await add("a", to: laptop)
        for device in [laptop, phone, tablet] { #expect(try await device.sync(with: service).isSynced) }
        try await laptop.edit { changes, _ in changes.delete(RecordID("Note", 1)) }
        #expect(try await laptop.sync(with: service).isSynced)
        try await edit(1, "b", on: phone)
        try await edit(1, "c", on: tablet)
        var remote = ScriptedRemote(service)
        remote.answer = { _ in throw RemoteError.later() }
        #expect(try await tablet.sync(with: remote, SyncPolicies(.localWins)).failure == .later())
        #expect(try await phone.sync(with: service, SyncPolicies(.localWins)).isSynced)
        let conflicts = try await tablet.sync(with: service).conflicts
        #expect(conflicts.map(\.id) == [RecordID("Note", 1)])
        #expect(conflicts.first?.versions.remote?["text"] == "b")
        #expect(try await texts(server) == ["b"])
        #expect(try await texts(tablet.store) == ["c"])
    }

    /// The service has the note, and the phone learns that from the pages alone.
    @Test func aNewRecordWhosePushIsForgottenIsNotDoubled() async throws {
        #expect(try await phone.sync(with: service).isSynced)
        try await add("a", to: phone)
        var remote = ScriptedRemote(service)
        remote.losesAnswers = true
        #expect(try await phone.sync(with: remote).failure == .later())
        try await edit(1, "b", on: phone)
        try await service.beginEpoch()
        #expect(try await phone.sync(with: service, SyncPolicies(.localWins)).isSynced)
        #expect(try await texts(server) == ["b"])
        #expect(try await texts(phone.store) == ["b"])
        #expect(try await listed(phone.store).isEmpty)
    }

    /// The phone's app does not know the colors of notes.
    @Test func aRecordThatGetsAnotherKeyKeepsItsUnknownAttributes() async throws {
        let schema = try Self.schema(hasColors: true)
        let stores = [InMemoryAdapter(schema: schema), InMemoryAdapter(schema: schema)]
        var services: [SyncService] = []
        for (account, store) in zip(["ada", "eve"], stores) {
            let service = SyncService(store, account: account, makeName: Planner.names("epoch of \(account)"))
            let device = try Device(account, InMemoryAdapter(schema: schema))
            try await device.edit { changes, schema in
                let values: [String: Value] = ["text": .string(account), "color": .string("color of \(account)")]
                try changes.put(Record("Note", in: schema, values))
            }
            #expect(try await device.sync(with: service).isSynced)
            services.append(service)
        }
        #expect(try await phone.sync(with: services[0]).isSynced)
        let outcome = try await phone.store.synchronize(
            with: services[1], choose: { _ in .merge }, makeName: Planner.names("later phone"))
        #expect(outcome.isSynced && outcome.conflicts.isEmpty)
        let notes = try await stores[1].read { try $0.records(Query("Note", sort: [Query.SortKey("text")])) }
        #expect(notes.map { $0["color"] } == ["color of ada", "color of eve"])
    }

    /// The first page seems to have another fingerprint, and the laptop edits a note before the comparison.
    @Test func aRecordThatChangesBeforeAComparisonOfOneHistoryIsNoConflict() async throws {
        try await add("a", "b", to: laptop)
        for device in [laptop, phone] { #expect(try await device.sync(with: service).isSynced) }
        try await edit(2, "c", on: laptop)
        #expect(try await laptop.sync(with: service).isSynced)
        let (laptop, service) = (laptop, service)
        let remote = HookedPages(
            base: service,
            after: { page, number in
                if number != 1 { return }
                page.fingerprint?.low &+= 1
                try await laptop.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "d"]) }
                try await laptop.sync(with: service)
            })
        let outcome = try await phone.sync(with: remote)
        #expect(outcome.isSynced && outcome.conflicts.isEmpty && outcome.pulledCount == 3)
        #expect(try await texts(phone.store) == ["c", "d"])
    }
}
