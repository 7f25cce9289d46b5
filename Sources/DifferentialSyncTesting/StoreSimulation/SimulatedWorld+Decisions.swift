import DifferentialSync
import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Adds the decisions of a device's policies in a step.
    mutating func add(_ decisions: [DecidedConflict], of device: Int, before: InMemoryContent) {
        for decision in decisions { add(decision, of: "device \(device)") }
        let deleted = decisions.filter { $0.result.map { $0.record == nil } ?? false }.map(\.id)
        if !deleted.isEmpty { removeDependents(of: deleted, on: device, from: before) }
    }

    /// Adds a decision about a conflict.
    mutating func add(_ decision: DecidedConflict, of author: String) {
        log("\(author) \(decision)")
        count(decision.result == nil ? .openConflict : .decision)
        // Behind a relay, a value may have been replaced before the service amends it.
        if !hasRelay, let slot = ledger.falseConflict(in: decision) {
            addFault(.falseConflict, "\(decision.id).\(slot): one value has replaced the other")
        }
        ledger.add(decision)
    }

    /// Removes the edits of records that have disappeared together with the records to which they referred.
    private mutating func removeDependents(of deleted: [RecordID], on device: Int, from before: InMemoryContent) {
        let after = devices[device].content
        do {
            // The service may have sent them in this step, or other targets of theirs.
            var targets: [RecordID: Set<RecordID>] = [:]
            for content in [before, servedContent(of: device)] {
                for (id, record) in try content.read({ try $0.synchronizedRecords() }) where !after.has(id) {
                    targets[id, default: []].formUnion(record.targets(in: content.schema))
                }
            }
            var dependents = Set(deleted)
            var isGrowing = true
            while isGrowing {
                isGrowing = false
                for (id, targets) in targets where !dependents.contains(id) && !dependents.isDisjoint(with: targets) {
                    dependents.insert(id)
                    isGrowing = true
                }
            }
            ledger.removeEdits(of: dependents)
        } catch {
            addFault(.error, "the store cannot be read: \(error)")
        }
    }
}
