import StoreSync
import SyncPersistence

/// The deletions that have no effect because the service, or the relay, was restored from an older copy.
///
/// In its new epoch nothing is deleted that only lacks a counterpart: the devices send again what it lacks.
extension SimulatedWorld {
    /// Returns the records whose deletion on a device is not sent to the restored service, or is undone there.
    ///
    /// If the service has lost a record, there is nothing to delete, and another device sends the record again. If it
    /// has a record again, a page of before that is under way still brings the former deletion, which the device takes
    /// for its own.
    func undoneDeletions(on device: Int) -> Set<RecordID> {
        let schema = service.content.schema
        return ledger.undone.filter { id in
            if !service.content.has(id) { return isElsewhere(id, than: device) }
            // The relay has taken the deletion over from the service, or has sent it there, before that was restored.
            if devices[device].isBehindRelay, !devices[Self.relay].content.has(id) { return true }
            return network.messages.contains { $0.device == device && $0.states(id, isPresent: false, schema) }
        }
    }

    /// Forgives the deletions that a restored service or relay has forgotten, although other devices have the records.
    mutating func forgiveForgotten(isRelayed: Bool) {
        guard isRelayed ? isRelayRestored : isServiceRestored else { return }
        let content = isRelayed ? devices[Self.relay].content : service.content
        let forgotten = ledger.deletions.filter { !content.has($0.key) && isElsewhere($0.key, than: $0.value) }
        ledger.forgive(edits: { _ in false }, deletions: { id, _ in forgotten[id] != nil })
    }

    /// Whether another device has a record, or receives it by a page that is under way.
    func isElsewhere(_ id: RecordID, than device: Int) -> Bool {
        let schema = service.content.schema
        return devices.indices.contains { $0 != device && devices[$0].content.has(id) }
            || network.messages.contains { $0.device != device && $0.states(id, isPresent: true, schema) }
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
