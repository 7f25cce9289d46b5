import StoreSync
import SyncPersistence

/// The copies of records in a state of a simulation: those in stores, and those in pages on their way.
///
/// They decide whether an edit or a deletion can still reach the service.
struct SimulatedCopies {
    /// The devices by their numbers.
    let devices: [SimulatedDevice]
    /// What the service has stored.
    let served: InMemoryContent
    /// The messages on their way.
    let messages: [SimulatedMessage]

    /// Whether another device has a record, or receives it by a page that is under way.
    func isElsewhere(_ id: RecordID, than device: Int) -> Bool {
        devices.indices.contains { $0 != device && devices[$0].disk.content.has(id) }
            || messages.contains { $0.device != device && $0.states(id, isPresent: true, served.schema) }
    }

    /// Whether another device has inserted a record since its shadow.
    func isNewElsewhere(_ id: RecordID, than device: Int) -> Bool {
        devices.indices.contains { $0 != device && devices[$0].disk.content.hasInserted(id) }
    }

    /// Whether a device still has the value of an edit.
    ///
    /// - Parameter isUnsent: Whether it must be a local change, which the device sends again.
    func hasEdit(_ edit: EditLedger.Edit, isUnsent: Bool = false) -> Bool {
        devices.contains { edit.isIn($0.disk.content) && (!isUnsent || $0.disk.content.hasChanged(edit.id)) }
    }

    /// Whether the deletion of a record on a device is not sent to the restored service, or is undone there.
    ///
    /// The record is one that the service has lost, or has again, since it was restored.
    ///
    /// If the service has lost a record, there is nothing to delete, and another device sends the record again. If it
    /// has a record again, a page of before that is under way still brings the former deletion, which the device takes
    /// for its own.
    func isDeletionUndone(of id: RecordID, on device: Int) -> Bool {
        if !served.has(id) { return isElsewhere(id, than: device) }
        // The relay, the first device, has taken the deletion over from the service, or has sent it there, before that
        // was restored.
        if devices[device].isBehindRelay, !devices[0].disk.content.has(id) { return true }
        return messages.contains { $0.device == device && $0.states(id, isPresent: false, served.schema) }
    }
}

extension SimulatedMessage {
    /// Whether the message is a page with a record, or with its deletion.
    fileprivate func states(_ id: RecordID, isPresent: Bool, _ schema: Schema) -> Bool {
        guard case .answer(.pull(let page)) = body else { return false }
        return page.entries.contains { entry in
            guard entry.id.rooted(in: schema) == id else { return false }
            if case .present = entry.state { return isPresent }
            return !isPresent
        }
    }
}
