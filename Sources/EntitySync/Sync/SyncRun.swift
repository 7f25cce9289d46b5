import SyncPersistence

/// One sync, within one transaction.
///
/// A sync compares the lists of a payload with the stored records, and has the objects processed that are new or have
/// changed. Connections to later objects are made at the end, and so are deletions.
final class SyncRun {
    /// The transaction that makes all changes of the sync, or none.
    let transaction: any PayloadStore
    /// The entity, scope and options of the call.
    let request: SyncRequest
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
    var outcome = SyncOutcome()

    /// Creates a sync within a transaction; it reads and writes nothing yet.
    init(_ request: SyncRequest, in transaction: any PayloadStore, _ cancellation: Cancellation) {
        (self.request, self.transaction, self.cancellation) = (request, transaction, cancellation)
        reports = SyncReports(isStrict: request.options.isStrict, limit: request.options.reportLimit)
        processor = ObjectProcessor(request, in: transaction, reports, cancellation)
        reader = PayloadReader(processor.mapper, request.options, cancellation)
    }

    /// The maps of all entities.
    var mapping: Mapping { processor.mapping }
    /// Reads keys and attributes of objects.
    var mapper: ObjectMapper { processor.mapper }
    /// The stored records and the drafts.
    var records: SyncRecords { processor.records }
    /// The origin of the changes.
    var origin: ChangeSet.Origin { processor.origin }

    /// Returns the results, besides the changes of the transaction.
    func result() -> SyncOutcome {
        var outcome = outcome
        (outcome.reports, outcome.parts) = (reports.content, processor.objectParts.ids)
        return outcome
    }
}
