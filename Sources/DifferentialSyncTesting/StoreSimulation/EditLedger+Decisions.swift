import SyncPersistence

extension EditLedger {
    /// Adds what has followed from the decisions of a device's policies in a step.
    ///
    /// A decision may delete a record, and others with it by delete rules. It may also keep a deleted record, and
    /// bring back others that it needs. So does a rule or a local change that does not allow a decided deletion. These
    /// consequences are excused, so that they count neither as lost edits nor as zombies.
    ///
    /// - Parameters:
    ///   - decisions: The decisions.
    ///   - device: The device.
    ///   - before: What the device had stored before the step.
    ///   - after: What it has stored after the step.
    ///   - served: What the service of the device has stored.
    mutating func addConsequences(
        of decisions: [DecidedConflict], on device: Int, from before: InMemoryContent, to after: InMemoryContent,
        served: InMemoryContent
    ) throws {
        let kept = decisions.filter { $0.result?.record != nil || !before.has($0.id) && after.has($0.id) }.map(\.id)
        if !kept.isEmpty { addReturned(with: kept, on: device, from: before, to: after) }
        let deleted = decisions.filter { $0.result.map { $0.record == nil } ?? false }.map(\.id)
        if !deleted.isEmpty { try addDependents(of: deleted, from: [before, served], to: after) }
    }

    /// Adds the deleted records that have come back because those that were kept need them.
    ///
    /// They are no zombies, also if the kept record is deleted later, or refers to others then.
    private mutating func addReturned(
        with kept: [RecordID], on device: Int, from before: InMemoryContent, to after: InMemoryContent
    ) {
        var returned: Set<RecordID> = []
        var open = kept.flatMap { after.record($0)?.targets(in: after.schema) ?? [] }
        while let id = open.popLast() {
            guard !before.has(id), let record = after.record(id), returned.insert(id).inserted else { continue }
            open += record.targets(in: after.schema)
        }
        addReturned(returned, on: device)
    }

    /// Adds the records that have disappeared together with the records to which they referred.
    ///
    /// The service may have sent them in this step, or other targets of theirs.
    private mutating func addDependents(
        of deleted: [RecordID], from former: [InMemoryContent], to after: InMemoryContent
    ) throws {
        var targets: [RecordID: Set<RecordID>] = [:]
        for content in former {
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
        addDeleted(dependents)
    }
}
