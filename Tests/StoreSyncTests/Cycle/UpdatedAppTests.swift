import DifferentialSync
import DifferentialSyncTesting
import SQLitePersistence
import StoreSync
import TestSupport
import Testing

/// Devices whose apps are updated, with another schema, while something is pending.
@Suite struct UpdatedAppTests {
    private let folder = TemporaryFolder()

    private static func schema(
        _ entity: String = "Note", from old: String? = nil, hasColor: Bool = false, hasDrafts: Bool = false
    ) throws -> Schema {
        try Schema(
            [
                Entity(entity, renamedFrom: old) {
                    Attribute("id", .integer, isPrimaryKey: true)
                    Attribute("text", .string)
                    if hasColor { Attribute("color", .string) }
                },
                hasDrafts ? Entity("Draft") { Attribute("id", .integer, isPrimaryKey: true) } : nil,
            ].compactMap { $0 })
    }

    private func service(
        _ store: some PersistenceAdapter, scopes: [SyncScope] = [], refusing key: Value? = nil
    ) -> SyncService {
        SyncService(
            store, account: "ada", limits: SyncLimits(pageRecords: 2), scopes: scopes,
            review: Review { change, _ in
                change.mutation.id.key == key ? .refuse(code: "not now", reason: "a reason") : .accept
            })
    }

    private func add(_ keys: ClosedRange<Int64>, to device: Device, _ values: [String: Value] = [:]) async throws {
        try await device.edit { changes, schema in
            for key in keys {
                try changes.put(Record("Note", in: schema, values.merging(["id": .integer(key)]) { $1 }))
            }
        }
    }

    @Test(arguments: [false, true]) func aRefusedRecordOfARenamedEntityIsSentAgain(isFile: Bool) async throws {
        let path = folder.file()
        let server = InMemoryAdapter(schema: try Self.schema())
        let old: any PersistenceAdapter =
            if isFile {
                try await SQLiteAdapter.open(at: path, schema: Self.schema())
            } else {
                InMemoryAdapter(schema: try Self.schema())
            }
        let phone = try Device("phone", old)
        try await add(1...2, to: phone)
        #expect(try await phone.sync(with: service(server, refusing: 2)).refused.map(\.id) == [RecordID("Note", 2)])
        let renamed = try Self.schema("Memo", from: "Note")
        let updated: any PersistenceAdapter
        if isFile {
            await old.close()
            updated = try await SQLiteAdapter.open(at: path, schema: renamed)
        } else {
            updated = try await InMemoryAdapter.copy(of: old, schema: renamed)
        }
        #expect(try await updated.refusedRecords.map(\.id) == [RecordID("Memo", 2)])
        let grown = try await InMemoryAdapter.copy(of: server, schema: renamed)
        #expect(try await updated.synchronize(with: service(grown)).isSynced)
        #expect(try await updated.refusedRecords.isEmpty)
        #expect(try await grown.read { try $0.keys(of: "Memo") } == [1, 2])
    }

    @Test func theRefusalOfARecordOfADroppedEntityIsForgotten() async throws {
        let server = InMemoryAdapter(schema: try Self.schema(hasDrafts: true))
        let phone = try Device("phone", InMemoryAdapter(schema: Self.schema(hasDrafts: true)))
        try await add(1...1, to: phone)
        try await phone.edit { changes, schema in try changes.put(Record("Draft", in: schema, ["id": 7])) }
        #expect(try await phone.sync(with: service(server, refusing: 7)).refused.count == 1)
        let updated = try await InMemoryAdapter.copy(
            of: phone.store, schema: Self.schema(), migration: [.dropEntity("Draft", losingUnsentChanges: true)])
        #expect(try await updated.refusedRecords.isEmpty)
        #expect(try await updated.synchronize(with: service(server)).isSynced)
    }

    /// The stored answer has an outcome of the draft as well.
    @Test func anUpdateThatDropsARecordOfAPushDoesNotStopTheDevice() async throws {
        let server = InMemoryAdapter(schema: try Self.schema(hasDrafts: true))
        let phone = try Device("phone", InMemoryAdapter(schema: Self.schema(hasDrafts: true)))
        try await add(1...2, to: phone, ["text": "milk"])
        try await phone.edit { changes, schema in try changes.put(Record("Draft", in: schema, ["id": 7])) }
        var remote = ScriptedRemote(service(server))
        remote.losesAnswers = true
        #expect(try await phone.sync(with: remote).failure == .later())
        try await phone.edit { changes, _ in changes.delete(RecordID("Draft", 7)) }
        let updated = try await InMemoryAdapter.copy(
            of: phone.store, schema: Self.schema(), migration: [.dropEntity("Draft")])
        let outcome = try await updated.synchronize(with: service(server))
        #expect(outcome.isSynced && outcome.conflicts.isEmpty)
        for store in [server, updated] {
            #expect(try await store.read { try $0.count(Query("Note", where: Field("text") == "milk")) } == 2)
        }
    }

    @Test func anUnsentDeletionOfARenamedEntityCanBeDismissed() async throws {
        let server = InMemoryAdapter(schema: try Self.schema())
        let scopes = [SyncScope("all"), SyncScope("milk", where: ["Note": Field("text") == "milk"])]
        let (phone, laptop) = (
            try Device("phone", InMemoryAdapter(schema: Self.schema())),
            try Device("laptop", InMemoryAdapter(schema: Self.schema()))
        )
        try await add(1...1, to: phone, ["text": "milk"])
        for device in [phone, laptop] { try await device.sync(with: service(server, scopes: scopes), scope: "milk") }
        let tablet = try Device("tablet", InMemoryAdapter(schema: Self.schema()))
        try await tablet.sync(with: service(server, scopes: scopes), scope: "all")
        try await tablet.edit { changes, _ in changes.update(RecordID("Note", 1), ["text": "eggs"]) }
        try await tablet.sync(with: service(server, scopes: scopes), scope: "all")
        try await phone.edit { changes, _ in changes.delete(RecordID("Note", 1)) }
        try await phone.sync(with: service(server, scopes: scopes), scope: "milk")
        let updated = try await InMemoryAdapter.copy(of: phone.store, schema: Self.schema("Memo", from: "Note"))
        let listed = try await updated.read { try $0.inbox.unsentDeletions }
        #expect(listed == [RecordID("Memo", 1)])
        try await updated.dismissUnsentDeletions(of: listed)
        #expect(try await updated.read { try $0.inbox.unsentDeletions } == [])
    }

    /// The remotes whose pages have no fingerprint, which would show the difference.
    enum Place: CaseIterable { case objects, scope }

    @Test(arguments: Place.allCases)
    func anUpdateDuringTheFirstDownloadBringsTheValuesOfANewAttribute(place: Place) async throws {
        let schema = try Self.schema(hasColor: true)
        let scope = place == .scope ? "all" : nil
        let objects = ObjectRemote(InMemoryObjects(), account: "ada", limits: SyncLimits(pageRecords: 2))
        let service = service(InMemoryAdapter(schema: schema), scopes: [SyncScope("all")])
        let laptop = try Device("laptop", InMemoryAdapter(schema: schema))
        let phone = try Device("phone", InMemoryAdapter(schema: Self.schema()))
        func sync(_ device: Device, pages: Int = .max) async throws -> StoreSync.StoreOutcome {
            switch place {
            case .objects: try await device.sync(with: EndingRemote(objects, pages: pages), scope: scope)
            case .scope: try await device.sync(with: EndingRemote(service, pages: pages), scope: scope)
            }
        }
        try await add(1...5, to: laptop, ["color": "red"])
        #expect(try await sync(laptop).isSynced)
        #expect(try await sync(phone, pages: 1).failure != nil)
        #expect(try await phone.store.read { try $0.count(Query("Note")) } == 2)
        let updated = try Device("phone", await InMemoryAdapter.copy(of: phone.store, schema: schema))
        #expect(try await sync(updated).isSynced)
        #expect(try await updated.store.read { try $0.count(Query("Note", where: Field("color") == "red")) } == 5)
        #expect(try await sync(updated).trace.pulledCount == 0)
    }
}

/// A remote that does not answer after a number of pages.
private struct EndingRemote<Base: Remote>: ForwardingRemote {
    let base: Base
    private let pages: Locked<Int>

    init(_ base: Base, pages: Int) { (self.base, self.pages) = (base, Locked(pages)) }

    func pull(_ request: PullRequest) async throws -> PullResponse {
        let isLeft = pages.withLock { count in
            count -= 1
            return count >= 0
        }
        if !isLeft { throw RemoteError.later() }
        return try await base.pull(request)
    }
}
