package import SyncPersistence

/// The records that a processor is processing or has postponed or refused, with the versions that it has received.
///
/// It is not stored: after a restart all matching records are processed again.
package struct WorkTracker: Sendable {
    /// Why a matching record is not processed now.
    package enum Reason: Hashable, Sendable {
        /// It is being processed.
        case inProgress
        /// It was postponed.
        case postponed
        /// It was postponed for a time that the processor has specified, which an edit does not shorten.
        case delayed
        /// The processor will not process this version.
        case refused
    }

    /// The version that was processed, and why it is not processed again.
    private var entries: [RecordID: (version: Record, reason: Reason)] = [:]

    /// Creates a tracker without records.
    package init() {}

    /// The number of tracked records.
    package var count: Int { entries.count }

    /// Returns the number of records that are tracked for a reason.
    package func count(of reason: Reason) -> Int { entries.values.count { $0.reason == reason } }

    /// Returns those of some records that are to be processed now, in their order, and tracks them as in progress.
    ///
    /// A record that is in progress or delayed is left out, even if it was edited since. A postponed or refused one is
    /// left out until it was edited.
    package mutating func take(_ records: [Record], limit: Int = .max) -> [Record] {
        var taken: [Record] = []
        for record in records where taken.count < limit {
            if let entry = entries[record.id],
                [.inProgress, .delayed].contains(entry.reason) || entry.version == record
            {
                continue
            }
            entries[record.id] = (record, .inProgress)
            taken.append(record)
        }
        return taken
    }

    /// Ends the processing of a record: it is processed again as soon as it matches, or not yet for a reason.
    package mutating func finish(_ record: Record, _ reason: Reason? = nil) {
        entries[record.id] = reason.map { (record, $0) }
    }

    /// Forgets records that are in progress, because their processing has ended without outcomes; and postponed ones.
    package mutating func release(postponed: Bool) {
        entries = entries.filter {
            $0.value.reason == .refused || !postponed && [.postponed, .delayed].contains($0.value.reason)
        }
    }

    /// Forgets records that are not among all the matching ones.
    package mutating func keep(only matching: [Record]) {
        let ids = Set(matching.map(\.id))
        entries = entries.filter { ids.contains($0.key) }
    }
}
