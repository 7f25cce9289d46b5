public import SyncPersistence

/// How far the synchronization of a store is, and what it waits for.
///
/// Each changed record is in one part only: it is in flight, pending, refused, in conflict or waiting.
public struct StoreSyncState: Hashable, Sendable {
    /// The identifier of the device; nil before the first cycle, and for a service.
    public let device: String?

    /// The account to which the store belongs; nil before the first cycle.
    public let account: String?

    /// The name of the synchronized part of the account's records; nil for all of them.
    public let scope: String?

    /// The position up to which the changes of others are known; nil before the first page.
    public let cursor: SyncCursor?

    /// The number of the last push; 0 before the first.
    public let pushNumber: Int64

    /// Whether a comparison of all records with those of the remote has begun and is not complete.
    public let isComparing: Bool

    /// The records of the last push while it has no response, in their order.
    public let inFlight: [RecordID]

    /// How many local changes the remote does not have yet, by entity; entities without one are missing.
    ///
    /// Changes that are not ready, and those of entities or attributes that the remote lacks, are counted too.
    public let pendingCounts: [String: Int]

    /// The conflicts that no policy has resolved, in a stable order.
    public let openConflicts: [StoreConflict]

    /// The local changes that the remote has refused for good, in a stable order.
    public let refused: [RefusedRecord]

    /// The records of the remote that wait for others which are missing, in a stable order.
    ///
    /// The list also has records that the remote has deleted, or that have left the scope. They wait as long as other
    /// records of the remote refer to them, or as long as changes of records that refer to them wait or conflict.
    public let waiting: [RecordID]

    /// The records of the remote that the schema does not allow, in a stable order.
    ///
    /// Local changes of them are not sent, and are in no other part.
    public let unreadable: [UnreadableRecord]

    /// Whether nothing is left to send, to resolve or to wait for, as far as this end knows.
    public var isSettled: Bool {
        inFlight.isEmpty && pendingCounts.isEmpty && openConflicts.isEmpty && refused.isEmpty && waiting.isEmpty
            && unreadable.isEmpty && !isComparing
    }
}

extension PersistenceAdapter {
    /// How far the synchronization of the store is, and what it waits for.
    ///
    /// ```swift
    /// let state = try await store.syncState
    /// print("\(state.pendingCounts.values.reduce(0, +)) changes to send, \(state.openConflicts.count) to resolve")
    /// ```
    ///
    /// It only reads, so a store that is open for reading has it too.
    ///
    /// - Throws: `PersistenceError` if the store cannot be read.
    /// - Complexity: O(*d*) for *d* changed records
    public var syncState: StoreSyncState {
        get async throws { try await read { try $0.syncState } }
    }
}

extension ReadTransaction {
    /// How far the synchronization of the store is, and what it waits for.
    ///
    /// - Throws: `PersistenceError` if the store cannot be read.
    /// - Complexity: O(*d*) for *d* changed records
    public var syncState: StoreSyncState {
        get throws {
            let device = try DeviceState(in: self)
            let shapes = SyncedShapes(schema, remote: nil)
            let inFlight = try recordsInFlight()
            let unchanged = try inFlight.filter { try $0.isUnchanged || sentVersion(of: $0) == record($0.id) }
            let (pendingCounts, refused) = try localChanges(shapes, inFlight: Set(unchanged.map(\.id)))
            return StoreSyncState(
                device: device?.device, account: try storeAccount(), scope: device?.scope, cursor: device?.cursor,
                pushNumber: device?.lastPush?.number ?? 0, isComparing: device?.comparison != nil,
                inFlight: inFlight.map(\.id), pendingCounts: pendingCounts,
                openConflicts: try openConflicts(shapes), refused: refused, waiting: try parkedRecords(shapes),
                unreadable: try UnreadableRecords.all(in: self))
        }
    }

    /// Counts the local changes that are to be sent by entity, and collects the refused ones.
    ///
    /// - Parameters:
    ///   - shapes: The entities that are synchronized.
    ///   - inFlight: The records whose present versions were sent.
    private func localChanges(
        _ shapes: SyncedShapes, inFlight: Set<RecordID>
    ) throws -> ([String: Int], [RefusedRecord]) {
        let unreadable = try Set(UnreadableRecords.all(in: self).map(\.id))
        var counts: [String: Int] = [:]
        var refused: [RefusedRecord] = []
        for root in shapes.roots {
            try journalEntries(of: root).forEachChange { entry, record in
                let id = entry.rootID(root)
                if entry.isUnresolved || record == entry.base || unreadable.contains(id) { return true }
                if let refusal = try Quarantine.refusal(of: id, record, in: self) {
                    refused.append(refusal)
                } else if !inFlight.contains(id) {
                    counts[entry.id.entity, default: 0] += 1
                }
                return true
            }
        }
        return (counts, refused.sorted { RecordID.areInIncreasingOrder($0.id, $1.id) })
    }
}
