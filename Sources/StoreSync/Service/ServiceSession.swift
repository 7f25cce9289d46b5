import SyncPersistence

/// What a service knows of a device at a pull or a push, after the checks that both share.
struct ServiceSession {
    /// What is stored of the device.
    let row: DeviceRow

    /// The scope that the device has named in its handshake; the whole schema for a service without scopes.
    let scope: ScopeView

    /// The number of the last change.
    let sequence: Int64

    /// The number up to which tombstones were removed.
    let horizon: Int64

    /// Reads the state of a service for a device.
    ///
    /// - Parameter checksSchema: Whether the schema must be that of the device's handshake.
    /// - Throws: ``RemoteError/handshakeNeeded(_:)`` for a device that is unknown in this epoch or was removed, and if the
    ///   schema has changed since its handshake; ``RemoteError/unauthorized`` if its scope no longer exists;
    ///   `PersistenceError`.
    init(
        of device: String, _ scopes: ServiceScopes, checksSchema: Bool, in transaction: ReadTransaction
    ) throws {
        try transaction.prefetchMetadata([ServiceEpoch.name, DeviceRow.name(of: device)])
        guard let epoch = try ServiceEpoch.current(in: transaction) else {
            throw RemoteError.handshakeNeeded("the service has no history yet")
        }
        guard let row = try DeviceRow(of: device, in: transaction), row.epoch == epoch, !row.isRemoved else {
            throw RemoteError.handshakeNeeded("the service does not know the device in this epoch")
        }
        self.row = row
        scope = try scopes.view(of: row.scope, in: transaction.schema)
        if checksSchema, let entities = row.entities, entities != scope.digest {
            throw RemoteError.handshakeNeeded("the service has other entities or attributes than at the handshake")
        }
        sequence = try transaction.historySequence
        horizon = try transaction.historyHorizon
    }
}

/// The epoch of a service's history.
enum ServiceEpoch {
    /// The name of the metadata.
    static let name = "sync.service.epoch"

    /// Returns the name of the epoch; nil before the first handshake, and if the store keeps no history.
    static func current(in transaction: ReadTransaction) throws -> String? {
        guard let epoch = try transaction.metadata(name), try transaction.keepsHistory else { return nil }
        return epoch
    }

    /// Begins an epoch without devices, from which on the store keeps a history, and returns its name.
    @discardableResult
    static func begin(_ epoch: String, in transaction: WriteTransaction) throws -> String {
        var changes = ChangeSet()
        changes.keepHistory(true)
        try transaction.apply(changes)
        try transaction.setLibraryMetadata(epoch, for: name)
        try DeviceRow.removeAll(in: transaction)
        try DeviceRow.setCount(0, of: epoch, in: transaction)
        return epoch
    }

    /// The name of the metadata with the name of the last restore.
    private static let restorationName = "sync.service.restoration"

    /// Whether the name of the last restore of the store is another one than that of the last handshake.
    static func isAnother(_ restoration: String?, in transaction: ReadTransaction) throws -> Bool {
        guard let restoration else { return false }
        return try transaction.metadata(restorationName) != restoration
    }

    /// Remembers the name of the last restore of the store; returns whether it is another one than before.
    static func takeRestoration(_ restoration: String?, in transaction: WriteTransaction) throws -> Bool {
        guard try isAnother(restoration, in: transaction) else { return false }
        try transaction.setLibraryMetadata(restoration, for: restorationName)
        return true
    }
}

/// The scopes of a service by name; none for a service that sends all records.
struct ServiceScopes {
    private let scopes: [String: SyncScope]

    init(_ scopes: [SyncScope]) {
        self.scopes = Dictionary(scopes.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns the view of a scope.
    ///
    /// - Throws: ``RemoteError/unauthorized`` for an unknown scope, and for none if the service has some;
    ///   `PersistenceError` for a faulty scope.
    func view(of name: String?, in schema: Schema) throws -> ScopeView {
        if name == nil && scopes.isEmpty { return try ScopeView(nil, in: schema) }
        guard let scope = name.flatMap({ scopes[$0] }) else { throw RemoteError.unauthorized }
        return try ScopeView(scope, in: schema)
    }
}
