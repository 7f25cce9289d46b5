import DifferentialSync

/// Local changes that an app has sent by code of its own, and that the remote has accepted.
extension WriteTransaction {
    /// Notes that the remote holds what was sent of a record; what was changed since then stays a local change.
    ///
    /// Values of which the remote has said something else meanwhile stay as it has said.
    ///
    /// - Parameters:
    ///   - id: The record, or a link.
    ///   - base: What the remote held when it was sent; nil for nothing.
    ///   - sent: What was sent; nil for a deletion.
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

    /// What the remote holds, which was known to hold one version and has accepted another.
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

    /// An image of a record as it is once a record has another key.
    package func renamed(_ record: Record, _ id: RecordID, to key: Value) throws -> Record {
        try Renaming(shape: shape(id.entity), former: id.key, new: key, schema: schema).renamed(record)
    }
}
