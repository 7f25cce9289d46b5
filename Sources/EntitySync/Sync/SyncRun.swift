import SyncPersistence

/// One sync, within one transaction.
///
/// A sync compares the lists of a payload with the stored records, and has the objects processed that are new or have
/// changed. Connections to later objects are made at the end, and so are deletions.
final class SyncRun {
    /// The transaction that makes all changes of the sync, or none.
    let transaction: any PayloadStore
    /// The options of the call.
    let options: SyncOptions
    /// The reader of lists and objects.
    let reader: PayloadReader
    /// Receives everything that cannot be stored as the payload states it.
    let reports: SyncReports
    /// Ends the sync when its task is cancelled.
    let cancellation: Cancellation

    /// Stores the records of the objects.
    let processor: ObjectProcessor
    /// Deletes what the payload no longer lists.
    private(set) lazy var deleter = RecordDeleter(
        of: records, processor.objectParts, processor.edits, processor.pendingLinks, reports)

    /// The results so far, except for the changes, the reports and the parts.
    private var outcome = SyncRunOutcome()

    /// Creates a sync within a transaction; it reads and writes nothing yet.
    init(_ options: SyncOptions, in transaction: any PayloadStore, _ cancellation: Cancellation) {
        (self.options, self.transaction, self.cancellation) = (options, transaction, cancellation)
        reports = SyncReports(isStrict: options.isStrict, limit: options.reportLimit)
        processor = ObjectProcessor(options, in: transaction, reports, cancellation)
        reader = PayloadReader(processor.mapper, options, cancellation)
    }

    /// The maps of all entities.
    var mapping: Mapping { processor.mapping }
    /// Reads keys and attributes of objects.
    var mapper: ObjectMapper { processor.mapper }
    /// The stored records and the drafts.
    var records: SyncRecords { processor.records }
    /// Whose changes the transaction stores, as the options specify.
    var origin: ChangeSet.Origin { processor.origin }

    /// Returns the results, besides the changes of the transaction.
    func result() -> SyncRunOutcome {
        var outcome = outcome
        (outcome.reports, outcome.parts) = (reports.content, processor.objectParts.ids)
        return outcome
    }
}

extension SyncRun {
    /// Reports the progress of a phase.
    func reportProgress(_ phase: SyncPhase, _ completed: Int, of total: Int) {
        options.progress?(SyncProgress(phase: phase, completed: completed, total: total))
    }

    /// Runs `body`, and stores its duration as that of a phase.
    func measure(_ phase: SyncPhase, _ body: () throws -> Void) throws {
        func timed(_ clock: some Clock<Duration>) throws -> Duration { try clock.measure { try body() } }
        outcome.durations[phase] = try timed(options.clock)
    }

    /// Adds a list that deletes nothing because it cannot be read completely.
    func addIncomplete(_ list: SyncedList) { outcome.incompleteLists.insert(list.map.shape.name) }

    /// Adds the records that existed before the sync and that the objects of a list identify.
    func addOwnRecords(of list: SyncedList) { outcome.own.append(SyncRunOutcome.OwnRecords(list)) }
}

extension SyncRun {
    /// A number that changes if an object causes a report, or work for the end of the sync.
    ///
    /// It is a sum, because while objects are processed, no part of it decreases.
    var unfinishedCount: Int {
        let settlement = processor.settlement
        return reports.count + settlement.deferredCount + settlement.withDeletedCount
            + settlement.removedChildren.count + transaction.heldBack.count + processor.edits.count
            + processor.deletions.count + records.draftChangeCount
    }

    /// Makes the changes that must wait until all objects have been processed: connections, deletions and merges.
    ///
    /// - Parameter lists: The unlisted records of each list, which are deleted.
    func finish(deleting lists: [(ids: [RecordID], map: EntityMap)]) throws {
        outcome.pendingCount = try processor.settlement.settle(cancellation)
        try records.reportDrafts(in: reports)
        let (removedChildren, deletions) = (processor.settlement.removedChildren.all, processor.deletions)
        let count = lists.reduce(0) { $0 + $1.ids.count }
        let parts = processor.objectParts.ofDeletedOwners
        if !removedChildren.isEmpty || count > 0 || !deletions.isEmpty || !parts.isEmpty {
            deleter.specified = Set(processor.footprint.specified)
        }
        for child in removedChildren { try deleter.delete(child) }
        var done = 0
        for (ids, map) in lists {
            for id in ids where !deleter.isSpecified(map, id.key) {
                try cancellation.check()
                if done > 0, done % 1_000 == 0 { reportProgress(.finishing, done, of: count) }
                try deleter.delete(id)
                done += 1
            }
        }
        try deleter.delete(deletions, cancellation)
        try mergeEdits()
        for (part, owner) in parts { try deleter.deleteWithoutOwner(part, of: owner) }
        try processor.objectParts.removeDeleted()
        try deleter.forgetLinksOfDeleted()
        reports.sort { reader.layout.sorted($0) }
        try cancellation.check()
    }

    /// Merges local changes with the payload.
    private func mergeEdits() throws {
        let merged = try processor.edits.merge(isRequired: deleter.hasKept) { try deleter.delete($0) }
        guard let merged else {
            // A record that must wait is reverted before the payload is remembered, so that it is tried again.
            if transaction.hasDisplacements { try transaction.settleIncoming() }
            return
        }
        outcome.clashes = merged.map(SyncClash.init)
        try deleter.reconnectKeptChildren()
        outcome.pendingCount += try processor.settlement.connectRestored()
        try processor.edits.mergeOrders()
        // Reverts changes that must wait while the merged records can still be read.
        try transaction.settleIncoming()
        let unresolved = try merged.filter(\.isOpen).map(\.id) + processor.edits.waiting().map(\.id)
        outcome.heldBack = try deleter.keptRecords(unresolved: unresolved)
    }
}

extension SyncRunOutcome.OwnRecords {
    /// Creates the list of records that existed before the sync and that the objects of a list identify.
    fileprivate init(_ list: SyncedList) {
        (entity, root) = (list.map.shape.name, list.map.shape.root)
        let comparison = list.comparison
        digests = comparison.objects.indices.lazy.filter { comparison.steps[$0] != .insert }
            .map { comparison.objects[$0].digest }
    }
}
