import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Checks that a page for a device has no record outside its scope.
    ///
    /// It also counts the records that leave the scope of the device, and those that return to it. A page of a device
    /// without a scope is not checked.
    mutating func checkScope(of page: PullResponse, for device: Int) {
        guard let scope = environment.scope(of: page) else { return }
        do {
            let (allowed, schema) = (try scope.records(of: service.disk.content), service.disk.content.schema)
            for entry in page.entries {
                let id = entry.id.rooted(in: schema)
                if case .present = entry.state, !allowed.contains(id) {
                    report.addFault(.leak, "device \(device) receives \(id), which is outside its scope")
                }
                if let event = devices[device].follow(id, entry.state) { report.count(event) }
            }
        } catch {
            report.addFault(.error, "the service's store cannot be read: \(error)")
        }
    }

    /// Adds what a page specifies for the deletions of a device that has received it.
    ///
    /// A device need not send a deletion outside its scope, and it may insert a link again after its deletion.
    mutating func addDeletions(of page: PullResponse, on device: Int) {
        let schema = service.disk.content.schema
        if let scope = environment.scope(of: page) {
            let reported = (devices[device].cycle?.outcome ?? devices[device].outcome)?.left ?? []
            let isNewScope =
                devices[device].hasChangedScope && scope == devices[device].scope.map { environment.scopes[$0] }
            ledger.forgiveDeletions(
                outsideScopeOf: page, on: device, reported: reported, isNewScope: isNewScope, schema)
        }
        ledger.addReceivedDeletions(of: page, on: device, schema)
    }
}
