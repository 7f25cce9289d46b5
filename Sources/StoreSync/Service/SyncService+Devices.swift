import SyncPersistence

/// A device that a service knows.
public struct KnownDevice: Hashable, Sendable {
    /// The identifier, which the device itself has as ``StoreSyncState/device``.
    public let identifier: String

    /// The name of the device's scope; nil for all records.
    public let scope: String?

    /// The number of the device's last push; 0 before the first.
    public let pushNumber: Int64
}

extension SyncService {
    /// Returns the devices that have introduced themselves, in the order of their identifiers.
    ///
    /// - Throws: `PersistenceError`.
    /// - Complexity: O(number of devices, with those that were removed)
    public func devices() async throws -> [KnownDevice] {
        try await store.read { transaction in
            guard let epoch = try ServiceEpoch.current(in: transaction) else { return [] }
            return try DeviceRow.all(of: epoch, in: transaction).map { device, row in
                KnownDevice(identifier: device, scope: row.scope, pushNumber: row.push?.name.number ?? 0)
            }.sorted { $0.identifier < $1.identifier }
        }
    }

    /// Removes a device, such as one that was lost: it no longer counts for the limit of devices.
    ///
    /// What the service knows of its pushes stays. If the device comes back, it goes on where it was and counts again.
    /// To keep it away, no longer accept its token.
    ///
    /// ```swift
    /// for device in try await service.devices() where lost.contains(device.identifier) {
    ///     try await service.removeDevice(device.identifier)
    /// }
    /// ```
    ///
    /// - Parameter identifier: The identifier of the device; nothing happens if the service does not know it.
    /// - Throws: `PersistenceError`.
    public func removeDevice(_ identifier: String) async throws {
        _ = try await store.write { try removeDevice(identifier, in: $0) }
    }

    func removeDevice(_ identifier: String, in transaction: WriteTransaction) throws {
        guard var row = try DeviceRow(of: identifier, in: transaction), !row.isRemoved else { return }
        if let epoch = try ServiceEpoch.current(in: transaction), row.epoch == epoch {
            try DeviceRow.setCount(DeviceRow.count(of: epoch, in: transaction) - 1, of: epoch, in: transaction)
        }
        row.isRemoved = true
        try row.store(for: identifier, in: transaction)
    }

    /// Removes a device that takes another identifier for another history.
    ///
    /// Its row is kept for the answer to its last push. There are as many of these rows as the limit of devices; beyond
    /// it, the row of the device that was superseded first is deleted.
    func supersedeDevice(_ identifier: String, in transaction: WriteTransaction) throws {
        guard let row = try DeviceRow(of: identifier, in: transaction), !row.isRemoved else { return }
        try removeDevice(identifier, in: transaction)
        guard let deviceLimit else { return }
        let name = "sync.service.superseded"
        let number = try transaction.metadata(name).flatMap { Int64($0) } ?? 0
        let place = "\(name).\(number % Int64(max(deviceLimit, 1)))"
        if let former = try transaction.metadata(place), !former.utf8.elementsEqual(identifier.utf8),
            let row = try DeviceRow(of: former, in: transaction), row.isRemoved
        {
            try transaction.setLibraryMetadata(nil, for: DeviceRow.name(of: former))
        }
        try transaction.setLibraryMetadata(identifier, for: place)
        try transaction.setLibraryMetadata("\(number + 1)", for: name)
    }
}
