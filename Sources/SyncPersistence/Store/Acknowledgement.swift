import DifferentialSync

/// The acceptance of a record that an app has sent with its own code.
struct Acknowledgement {
    /// The record, or a link.
    let id: RecordID

    /// The remote's version when the record was sent; nil if there was none.
    let base: Record?

    /// The sent version; nil for a deletion.
    let sent: Record?

    /// Makes the sent version the shadow.
    ///
    /// Later changes remain local changes, and values that the remote has changed meanwhile keep the remote's.
    func apply(to transaction: WriteTransaction) throws {
        let shape = try transaction.shape(id.entity)
        let (log, entries) = (transaction.log, transaction.entries)
        let (key, state) = (DigestedKey(id.key), try log.hierarchy(of: shape))
        let entry = try entries.entry(for: key, in: state)
        let present = try log.record(key, of: shape, in: state)
        guard let sent else {
            if entry == nil && present == nil { return }
            return try entries.put(JournalEntry(id: id, base: nil))
        }
        let known = if let entry { entry.base } else { present }
        guard known != nil || base == nil else { return }
        let merged = try merge(known, sent, in: transaction.schema)
        try entries.put(
            JournalEntry(
                id: id, base: merged, isUnresolved: entry.map { $0.isUnresolved && $0.remote != merged } ?? false,
                remote: entry?.remote))
    }

    /// Returns the remote's version after it has accepted the sent one.
    private func merge(_ known: Record?, _ sent: Record, in schema: Schema) throws -> Record? {
        guard let known else { return sent }
        if known == base { return sent }
        guard known.shape == sent.shape, base.map({ $0.shape == sent.shape }) ?? true else { return known }
        let fields = Record.mergeFields(of: sent.shape, in: schema)
        let merge = try ThreeWayMerge(
            local: Diff([Change(from: base, to: known)].compactMap { $0 }),
            remote: Diff([Change(from: base, to: sent)].compactMap { $0 }), primaryKey: { $0.key },
            policy: .mergingFields(fields, otherwise: .localWins))
        return merge.decisions.first?.merged ?? known
    }
}
