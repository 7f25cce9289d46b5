import StoreSync
import SyncPersistence

extension EditLedger {
    /// Forgives the deletions that a page has kept a device from sending, because the records are outside its scope, and
    /// which the device reports.
    ///
    /// A change of scope is no such reason: what was deleted before is sent first.
    ///
    /// - Parameters:
    ///   - page: The page that the device has received.
    ///   - device: The number of the device.
    ///   - reported: The records that the device reports as outside its scope.
    ///   - isNewScope: Whether the device had another scope before.
    ///   - schema: The schema of the service.
    mutating func forgiveDeletions(
        outsideScopeOf page: PullResponse, on device: Int, reported: some Sequence<RecordID>, isNewScope: Bool,
        _ schema: Schema
    ) {
        let left = Set(page.entries.filter { $0.state == .outOfScope }.map { $0.id.rooted(in: schema) })
        forgive(edits: { _ in false }) { id, deleter in
            deleter == device && reported.contains(id) && (left.contains(id) || !isNewScope)
        }
    }

    /// Adds the links whose deletion a device has received.
    mutating func addReceivedDeletions(of page: PullResponse, on device: Int, _ schema: Schema) {
        for entry in page.entries where entry.state == .deleted {
            addReceivedDeletion(of: entry.id.rooted(in: schema), on: device)
        }
    }
}
