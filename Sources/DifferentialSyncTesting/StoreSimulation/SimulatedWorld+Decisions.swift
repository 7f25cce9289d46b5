import DifferentialSync
import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Adds the decisions of a device's policies in a step to the ledger of edits.
    ///
    /// A decision may delete a record, and others with it by delete rules. It may also keep a deleted record, and
    /// bring back others that it needs. These consequences are excused as well, so that they count neither as lost
    /// edits nor as zombies.
    mutating func add(_ decisions: [DecidedConflict], of device: Int, before: InMemoryContent) {
        for decision in decisions { add(decision, of: "device \(device)") }
        let deleted = decisions.filter { $0.result.map { $0.record == nil } ?? false }.map(\.id)
        if !deleted.isEmpty { addDependents(of: deleted, on: device, from: before) }
        let kept = decisions.filter { $0.result?.record != nil }.map(\.id)
        if !kept.isEmpty { addReturned(with: kept, on: device, since: before) }
        for decision in decisions where decision.conflict.local == nil && decision.result == nil {
            devices[device].openDeletions.insert(decision.id)
        }
    }

    /// Adds a decision about a conflict, which excuses the edit that has lost.
    ///
    /// It checks that the conflict is one: if one version was made from the other, there is nothing to decide.
    mutating func add(_ decision: DecidedConflict, of author: String) {
        report.log("\(author) \(decision)")
        report.count(decision.result == nil ? .openConflict : .decision)
        // Behind a relay, a value may have been replaced before the service amends it.
        if !hasRelay, let slot = ledger.falseConflict(in: decision) {
            report.addFault(.falseConflict, "\(decision.id).\(slot): one value has replaced the other")
        }
        ledger.add(decision)
    }

    /// Adds the deleted records that have come back because those that were kept need them.
    ///
    /// They are no zombies, also if the kept record is deleted later, or refers to others then.
    private mutating func addReturned(with kept: [RecordID], on device: Int, since before: InMemoryContent) {
        let after = devices[device].disk.content
        var returned: Set<RecordID> = []
        var open = kept.flatMap { after.record($0)?.targets(in: after.schema) ?? [] }
        while let id = open.popLast() {
            guard !before.has(id), let record = after.record(id), returned.insert(id).inserted else { continue }
            open += record.targets(in: after.schema)
        }
        ledger.addReturned(returned, to: device)
    }

    /// Adds the records that have disappeared together with the records to which they referred.
    private mutating func addDependents(of deleted: [RecordID], on device: Int, from before: InMemoryContent) {
        let after = devices[device].disk.content
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
            ledger.addDeleted(dependents)
        } catch {
            report.addFault(.error, "the store cannot be read: \(error)")
        }
    }
}
