import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Replaces a device's store by its last copy.
    ///
    /// Edits that only the lost store had are forgiven. Deletions that only the copy does not know may be undone.
    mutating func restore(_ device: Int) async {
        guard let backup = devices[device].disk.backup else { return }
        report.log("device \(device) is restored")
        report.count(.restoredDevice)
        ledger.addForgetting()
        let new = Set(backup.newRecords)
        ledger.addCopied(new)
        crash(device)
        let lost = devices[device].disk.content
        devices[device].lastPush = [:]
        await changeFiles { try await $0.devices[device].disk.restore() }
        if hasRelay && device == Self.relay { return await beginEpoch(isRelayed: true, instead: lost) }
        let (copies, served) = (devices.map(\.disk.content), service.disk.content)
        ledger.forgive { edit in
            edit.device == device && !edit.isIn(served) && !copies.contains { edit.isIn($0) }
        } deletions: { id, deleter in
            // The copy sends its new records again, even if another device has deleted them since.
            deleter == device && served.has(id) || new.contains(id)
        }
    }

    /// Replaces the service's store by its last copy, and begins another epoch, as its operator must.
    mutating func restoreService() async {
        guard service.disk.backup != nil else { return }
        report.log("the service is restored")
        report.count(.restoredService)
        ledger.addForgetting()
        let lost = service.disk.content
        await changeFiles { try await $0.service.disk.restore() }
        await beginEpoch(isRelayed: false, instead: lost)
    }

    /// Begins an epoch of the service or the relay, and forgives what its copy does not have.
    ///
    /// An edit is only forgiven if no device can send it again: one that a device still has as a local change must
    /// arrive.
    private mutating func beginEpoch(isRelayed: Bool, instead lost: InMemoryContent) async {
        let begin = simulator.beginEpoch
        self[servedByRelay: isRelayed].failure = nil
        do {
            try await withServer(isRelayed) { try await begin($0.service) }
        } catch {
            report.addFault(.error, "no epoch begins: \(error)")
        }
        let (copies, served) = (devices.map(\.disk.content), service.disk.content)
        if !isRelayed {
            let former = (try? lost.read { try $0.synchronizedRecords() }) ?? [:]
            let present = (try? served.read { try $0.synchronizedRecords() }) ?? [:]
            ledger.addUndone(Set(former.keys).symmetricDifference(present.keys))
        }
        // A device may have a record that the service does not have, and send it again.
        let revived = ledger.deletions.filter { lost.has($0.key) || isElsewhere($0.key, than: $0.value) }
        ledger.forgive { edit in
            // The answer to a push that the service no longer knows may be under way.
            !edit.isIn(served) && (edit.isIn(lost) || !copies.contains { edit.isIn($0) && $0.hasChanged(edit.id) })
        } deletions: { id, _ in
            if !served.has(id) { return revived[id] != nil }
            return !lost.has(id) || !copies.contains { !$0.has(id) && $0.hasChanged(id) }
        }
    }
}

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
        let schema = service.disk.content.schema
        return ledger.undone.filter { id in
            if !service.disk.content.has(id) { return isElsewhere(id, than: device) }
            // The relay has taken the deletion over from the service, or has sent it there, before that was restored.
            if devices[device].isBehindRelay, !devices[Self.relay].disk.content.has(id) { return true }
            return network.messages.contains { $0.device == device && $0.states(id, isPresent: false, schema) }
        }
    }

    /// Forgives the deletions that a restored service or relay has forgotten, although other devices have the records.
    mutating func forgiveForgotten(isRelayed: Bool) {
        let disk = self[servedByRelay: isRelayed]
        guard disk.isRestored else { return }
        let forgotten = ledger.deletions.filter { !disk.content.has($0.key) && isElsewhere($0.key, than: $0.value) }
        ledger.forgive(edits: { _ in false }, deletions: { id, _ in forgotten[id] != nil })
    }

    /// Whether another device has a record, or receives it by a page that is under way.
    func isElsewhere(_ id: RecordID, than device: Int) -> Bool {
        let schema = service.disk.content.schema
        return devices.indices.contains { $0 != device && devices[$0].disk.content.has(id) }
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
