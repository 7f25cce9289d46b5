import DifferentialSync

/// Local changes that an app has sent by its own code, and that the remote has accepted.
extension WriteTransaction {
    /// Records that the remote has accepted the sent version of a record.
    ///
    /// Later changes remain local changes.
    ///
    /// Values that the remote has changed meanwhile keep the remote's.
    ///
    /// - Parameters:
    ///   - id: The record, or a link.
    ///   - base: The remote's version when it was sent; nil if there was none.
    ///   - sent: The sent version; nil for a deletion.
    package func acknowledge(_ id: RecordID, base: Record?, sent: Record?) throws {
        try changing {
            let shape = try shape(id.entity)
            let (key, state) = (DigestedKey(id.key), try hierarchy(of: shape))
            let entry = try entry(for: key, in: state)
            let present = try record(key, of: shape, in: state)
            guard let sent else {
                if entry == nil && present == nil { return }
                return try note(JournalEntry(id: id, base: nil))
            }
            let known = if let entry { entry.base } else { present }
            guard known != nil || base == nil else { return }
            let merged = try merge(known, sent, since: base)
            try note(
                JournalEntry(
                    id: id, base: merged, isUnsettled: entry.map { $0.isUnsettled && $0.remote != merged } ?? false,
                    remote: entry?.remote))
        }
    }

    /// Returns the version of the remote, whose known version was one and which has accepted another.
    private func merge(_ known: Record?, _ sent: Record, since base: Record?) throws -> Record? {
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

    /// Returns an image of a record with its other key.
    package func renamed(_ record: Record, _ id: RecordID, to key: Value) throws -> Record {
        try Renaming(shape: shape(id.entity), former: id.key, new: key, schema: schema).renamed(record)
    }
}
