import SyncPersistence

extension SyncRun {
    /// Counts that change if an object causes a report, or work for the end of the sync.
    struct Progress: Equatable {
        /// How many reports there are.
        let reports: Int
        /// How many connections wait for later objects.
        let deferred: Int
        /// How many changes wait in the journal.
        let heldBack: Int
        /// How many children their owners no longer list.
        let removedChildren: Int
        /// How many objects concern a record with a local change.
        let edits: Int
        /// How many deletions the payload has stated.
        let deletions: Int
    }

    /// The current counts.
    var progress: Progress {
        Progress(
            reports: reports.count, deferred: processor.settlement.deferredCount, heldBack: transaction.heldBack.count,
            removedChildren: processor.settlement.removedChildren.count, edits: processor.edits.count,
            deletions: processor.deletions.count)
    }

    /// Makes the changes that must wait until all objects have been processed: connections, deletions and merges.
    ///
    /// - Parameter lists: The unlisted records of each list, which are deleted.
    func finish(deleting lists: [(ids: [RecordID], map: EntityMap)]) throws {
        outcome.pendingCount = try processor.settlement.settle(cancellation)
        try records.reportDrafts(in: reports)
        let (removedChildren, deletions) = (processor.settlement.removedChildren.all, processor.deletions)
        let count = lists.reduce(0) { $0 + $1.ids.count }
        if !removedChildren.isEmpty || count > 0 || !deletions.isEmpty {
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
        try deleter.forgetLinksOfDeleted()
        reports.sort { reader.layout.sorted($0) }
        try cancellation.check()
    }

    /// Merges local changes with the payload.
    private func mergeEdits() throws {
        let merged = try processor.edits.merge(isRequired: deleter.hasKept) { try deleter.delete($0) }
        guard let merged else { return }
        outcome.clashes = merged.map(SyncClash.init)
        try deleter.reconnectKeptChildren()
        try processor.edits.mergeOrders()
        // Reverts changes that must wait while the merged records can still be read.
        try transaction.settleIncoming()
        outcome.heldBack = try deleter.keptRecords(unresolved: merged.filter(\.isOpen).map(\.id))
    }
}
