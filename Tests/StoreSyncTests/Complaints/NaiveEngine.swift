import DifferentialSyncTesting
import StoreSync
import SyncPersistence

/// Two devices and a server, which an engine synchronizes: a naive one or this library.
protocol ComplaintWorld {
    init(_ server: ComplaintServer) throws

    /// Makes local changes at once.
    ///
    /// - Parameter time: The true time; the clock of a device may show another one.
    mutating func edit(_ device: Int, at time: Int, puts: [Record], deletes: [RecordID]) async throws

    /// Synchronizes a device with a server, and ignores errors.
    mutating func sync(_ device: Int, with account: Int, losesAnswer: Bool) async

    /// Returns the record of a device.
    func record(_ id: RecordID, on device: Int) async throws -> Record?

    /// Returns the record of a server.
    func record(_ id: RecordID, at account: Int) async throws -> Record?

    /// Returns how many projects a server has.
    func projectCount(at account: Int) async throws -> Int

    /// How many changes the devices have sent.
    var sentCount: Int { get }
}

/// What a server is like.
struct ComplaintServer {
    /// How many changes it accepts at once.
    var pushLimit = 100

    /// The title of the tasks that it refuses; nil for none.
    var refusedTitle: Value?

    /// Whether it gives new records keys of its own.
    var givesKeys = false
}

extension ComplaintWorld {
    mutating func put(_ device: Int, at time: Int = 0, _ records: Record...) async throws {
        try await edit(device, at: time, puts: records, deletes: [])
    }

    mutating func delete(_ device: Int, _ id: RecordID) async throws {
        try await edit(device, at: 0, puts: [], deletes: [id])
    }

    mutating func sync(_ devices: Int...) async {
        for device in devices { await sync(device, with: 0, losesAnswer: false) }
    }
}

/// An engine with what users complain about: it sends whole records, the last writer wins by the clock of its device,
/// a push is refused as a whole, deletions leave no trace, a repeated insertion is another record, and what a device
/// receives is a change that it sends.
struct NaiveWorld: ComplaintWorld {
    private struct Row {
        var record: Record
        var time: Int
    }

    private struct NaiveDevice {
        var rows: [RecordID: Row] = [:]
        /// The keys of the changed records, in the order of the changes.
        var changed: [RecordID] = []
        var acknowledged: Set<RecordID> = []
    }

    private var devices = [NaiveDevice(), NaiveDevice()]
    private var servers: [[RecordID: Row]] = [[:], [:]]
    private let server: ComplaintServer
    private(set) var sentCount = 0

    /// How far the clock of each device is ahead.
    private let clockErrors = [0, -1_000]

    init(_ server: ComplaintServer) { self.server = server }

    mutating func edit(_ device: Int, at time: Int, puts: [Record], deletes: [RecordID]) {
        for record in puts {
            devices[device].rows[record.id] = Row(record: record, time: time + clockErrors[device])
            devices[device].changed.append(record.id)
        }
        for id in deletes {
            devices[device].rows[id] = nil
            // The server does not have it yet, as far as the device knows.
            if devices[device].acknowledged.contains(id) {
                devices[device].changed.append(id)
            } else {
                devices[device].changed.removeAll { $0 == id }
            }
        }
    }

    mutating func sync(_ number: Int, with account: Int, losesAnswer: Bool) {
        var device = devices[number]
        var server = servers[account]
        var isRefused = device.changed.count > self.server.pushLimit
        sentCount += device.changed.count
        for id in device.changed {
            guard let row = device.rows[id] else {
                server[id] = nil
                continue
            }
            let project = row.record.shape.slot(named: "project").map { row.record.values[$0] } ?? .null
            if !project.isNull && server[RecordID("Project", project)] == nil { isRefused = true }
            if let refused = self.server.refusedTitle, row.record["title"] == refused { isRefused = true }
            if self.server.givesKeys, !device.acknowledged.contains(id) {
                var renamed = row
                renamed.record["id"] = .integer(Int64(100 + server.count))
                server[renamed.record.id] = renamed
                device.rows[id] = nil
            } else if server[id].map({ $0.time <= row.time }) ?? true {
                server[id] = row
            }
        }
        if isRefused { return }
        servers[account] = server
        if losesAnswer { return }
        device.acknowledged.formUnion(device.changed)
        device.changed = []
        for (id, row) in server where device.rows[id].map({ $0.time <= row.time }) ?? true {
            if device.rows[id]?.record != row.record { device.changed.append(id) }
            device.rows[id] = row
            device.acknowledged.insert(id)
        }
        devices[number] = device
    }

    func record(_ id: RecordID, on device: Int) -> Record? { devices[device].rows[id]?.record }

    func record(_ id: RecordID, at account: Int) -> Record? { servers[account][id]?.record }

    func projectCount(at account: Int) -> Int { servers[account].keys.count { $0.entity == "Project" } }
}

/// This library: two devices, and a service for each of two accounts.
struct LibraryWorld: ComplaintWorld {
    private let devices: [Device]
    private let stores: [InMemoryAdapter]
    private let services: [SyncService]
    private let sent = Locked(0)

    init(_ server: ComplaintServer) throws {
        devices = [try Device("phone"), try Device("laptop")]
        stores = [InMemoryAdapter(schema: try Planner.schema()), InMemoryAdapter(schema: try Planner.schema())]
        let review = Review { change, store in
            guard let new = change.new else { return .accept }
            if let title = server.refusedTitle, new.entity == "Task", new["title"] == title {
                return .refuse(code: "title", reason: "the title is refused")
            }
            if server.givesKeys, change.old == nil {
                return .amend(key: .integer(100 + Int64(try store.count(Query("Project")))))
            }
            return .accept
        }
        services = zip(stores, ["ada", "bob"]).map { store, account in
            SyncService(
                store, account: account, limits: SyncLimits(pushRecords: min(server.pushLimit, 500)), review: review,
                makeName: Planner.names("epoch of \(account)"))
        }
    }

    func edit(_ device: Int, at time: Int, puts: [Record], deletes: [RecordID]) async throws {
        try await devices[device].edit { changes, _ in
            for record in puts { changes.put(record) }
            for id in deletes { changes.delete(id) }
        }
    }

    func sync(_ device: Int, with account: Int, losesAnswer: Bool) async {
        var remote = ScriptedRemote(services[account])
        remote.losesAnswers = losesAnswer
        remote.onPush = { [sent] push in sent.withLock { $0 += push.mutations.count } }
        _ = try? await devices[device].sync(with: remote)
    }

    func record(_ id: RecordID, on device: Int) async throws -> Record? {
        try await devices[device].record(id.entity, id.key)
    }

    func record(_ id: RecordID, at account: Int) async throws -> Record? {
        try await stores[account].read { try $0.record(id) }
    }
    func projectCount(at account: Int) async throws -> Int {
        try await stores[account].read { try $0.count(Query("Project")) }
    }

    var sentCount: Int { sent.current }
}
