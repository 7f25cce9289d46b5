import DifferentialSync
import DifferentialSyncTesting
import SyncPersistence
import Testing

/// Remotes that hold the records of each entity and the links of each relationship, and know no rules.
final class RelatedRemotes {
    let schema: Schema
    private(set) var records: [String: SimulatedRemoteServer<Record, Value>] = [:]
    private(set) var links: [String: SimulatedRemoteServer<RecordLink, RecordLink.ID>] = [:]
    private var pushCount = 0

    /// - Parameter links: The to-many relationships with links, as `Task.tags`.
    init(_ schema: Schema, links names: [String] = []) {
        self.schema = schema
        for shape in schema.shapes where shape.isRoot { records[shape.name] = SimulatedRemoteServer(primaryKey: \.key) }
        for name in names { links[name] = SimulatedRemoteServer(primaryKey: \.id) }
    }

    /// All names under which something can be synchronized.
    var names: [String] { records.keys.sorted() + links.keys.sorted() }

    func device(_ kind: StoreKind) async throws -> RelatedDevice {
        RelatedDevice(store: try await kind.store(schema), remotes: self)
    }

    func nextPushID() -> String {
        pushCount += 1
        return "push \(pushCount)"
    }
}

/// A store, and what apps do with it.
struct RelatedDevice {
    let store: any PersistenceAdapter
    let remotes: RelatedRemotes
    /// What keeps account of all edits, if anything does.
    var ledger: EditLedger?

    /// Synchronizes entities, and relationships with links by names as `Task.tags`, in this order.
    func sync(_ names: String..., settling side: Side? = nil) async throws { try await sync(names, settling: side) }

    /// Which side of a conflict wins.
    enum Side { case local, remote }

    func sync(_ names: [String], settling side: Side? = nil) async throws {
        for name in names {
            if let server = remotes.records[name] {
                try await sync(store.recordCollection(of: name), server, side)
            } else if let server = remotes.links[name] {
                let parts = name.split(separator: ".").map(String.init)
                try await sync(store.linkCollection(of: parts[0], relationship: parts[1]), server, side)
            }
        }
    }

    private func sync<Element, Key>(
        _ collection: PersistentCollection<Element, Key>, _ server: SimulatedRemoteServer<Element, Key>, _ side: Side?
    ) async throws {
        let ledger = ledger
        let policy = ConflictPolicy<Element> { conflict in
            if let side, let loser = side == .local ? conflict.remote : conflict.local {
                ledger?.noteLoser(loser, of: collection.entity)
            }
            return switch side {
            case nil: .open
            case .local: .local
            case .remote: .remote
            }
        }
        try await collection.synchronize(with: server, pushID: remotes.nextPushID(), policy: policy)
    }

    @discardableResult
    func change(_ build: (inout ChangeSet) -> Void) async throws -> Commit {
        var changes = ChangeSet()
        build(&changes)
        let commit = try await store.commit(changes)
        ledger?.note(commit)
        return commit
    }

    /// Decides what waits in an entity, all in the same way.
    func resolveWaiting(_ entity: String, _ side: Side) async throws {
        let collection = try await store.recordCollection(of: entity)
        for waiting in try await collection.waiting {
            guard let key = (waiting.local ?? waiting.remote)?.key else { continue }
            var commits = store.commits().makeAsyncIterator()
            do {
                try await collection.resolve(key, with: side == .local ? .local : .remote, of: waiting)
            } catch is ConflictError {
                // An earlier one has taken it along.
                continue
            } catch let error as PersistenceError
                where error.code == .danglingReference || error.code == .deletionDenied
            {
                continue
            }
            if side == .local, let loser = waiting.remote { ledger?.noteLoser(loser, of: entity) }
            if let commit = await commits.next() { ledger?.note(commit) }
        }
    }

    func put(_ entity: String, _ rows: [String: Value]...) async throws {
        try await change { changes in
            for row in rows { changes.put(Record(store.schema[entity]!, row)) }
        }
    }

    func update(_ entity: String, _ key: Value, _ values: [String: Value]) async throws {
        try await change { $0.update(RecordID(entity, key), values) }
    }

    func delete(_ entity: String, _ keys: Value...) async throws {
        try await change { changes in for key in keys { changes.delete(RecordID(entity, key)) } }
    }

    func value(_ entity: String, _ key: Value, _ name: String) async throws -> Value? {
        try await store.read { try $0.record(RecordID(entity, key))?[name] }
    }

    func keys(_ entity: String) async throws -> [Value] {
        try await store.read { try $0.keys(of: entity).sorted(by: Value.areInIncreasingOrder) }
    }

    func related(_ entity: String, _ key: Value, _ relationship: String) async throws -> [Value] {
        try await store.read { try $0.related(RecordID(entity, key), relationship) }
    }

    /// The keys of the records with conflicts that are open: both sides have changed them.
    func conflicts(_ entity: String) async throws -> [Value] {
        try await entries(entity).filter { $0.entry.isUnresolved && $0.record != $0.entry.base }.map(\.entry.id.key)
    }

    /// The keys of the records whose remote change waits.
    func waiting(_ entity: String) async throws -> [Value] {
        try await entries(entity).filter { $0.entry.isUnresolved && $0.record == $0.entry.base }.map(\.entry.id.key)
    }

    /// What the journal holds, and the records that it is about.
    func entries(_ entity: String) async throws -> [(entry: JournalEntry, record: Record?)] {
        try await store.read { transaction in
            try transaction.journal(of: entity).map { ($0, try transaction.record(RecordID(entity, $0.id.key))) }
        }
    }
}

/// Expects that devices hold the same records and links, and have nothing to send.
func expectAgreement(
    _ devices: [RelatedDevice], _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    for root in devices[0].store.schema.roots where root.role == nil || root.role == .links {
        let first = try await Set(devices[0].store.read { try $0.records(Query(root.name)) })
        for device in devices {
            let records = try await Set(device.store.read { try $0.records(Query(root.name)) })
            #expect(
                records == first, "\(root.name): \(String(describing: comment))", sourceLocation: sourceLocation)
            let journal = try await device.store.read { try $0.journal(of: root.name) }
            #expect(journal.isEmpty, "\(root.name): \(String(describing: comment))", sourceLocation: sourceLocation)
        }
    }
}
