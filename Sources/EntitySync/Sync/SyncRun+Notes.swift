import SyncPersistence

/// What is known of a payload's objects from the last time: followed while the sync writes, and kept for the next one.
extension SyncRun {
    /// Follows what the sync writes, so that it is known which objects have something else to say of it.
    func follow(_ work: Work) {
        guard work.notes != nil else { return }
        transaction.onTouch = { [unowned self] old, new in
            RecordToken.forEach(from: old, to: new) { token in
                // A later one counts.
                if !newMemberships.contains(token) { written[token] = order }
            }
        }
        // What comes is compared with what the journal holds of a record, where that was changed here.
        transaction.onEntry = { [unowned self] token in written[token] = order }
    }

    /// Whether the sync has written something that an object speaks of which has not changed itself.
    func isWritten(_ token: UInt64, _ work: Work) throws -> Bool {
        if written.isEmpty { return false }
        guard let notes = work.notes, let note = try notes.current(token) else { return true }
        return notes.coverage(of: note).contains { written[$0] != nil }
    }

    /// Takes what skipped objects speak of for mentioned.
    func mention(_ work: Work) throws {
        guard let notes = work.notes else { return }
        for (root, order) in zip(work.roots, work.skipped) where order > 0 {
            if let note = try notes.current(root.token) { mentioned += notes.coverage(of: note) }
        }
    }

    /// Keeps notes of the objects for the next time.
    func note(_ work: Work) throws {
        guard let notes = work.notes else { return }
        let wasComplete = notes.isComplete
        let sequence = try transaction.expectedSequence()
        if !written.isEmpty {
            var orders = TokenTable()
            for (root, order) in zip(work.roots, work.skipped) where order > 0 {
                // Of two that have one token, it is not known which the note is of.
                orders[root.token] = orders[root.token] == nil ? order : 0
            }
            notes.removeAll { token, coverage in
                guard let last = coverage.lazy.compactMap({ self.written[$0] }).max() else { return false }
                return last > orders[token] ?? 0
            }
        }
        notes.reserve(work.learned.count)
        for (root, order, coverage) in work.learned {
            let root = work.roots[root]
            let tokens = mentioned[coverage]
            if request.operations != .all || !written.isEmpty && tokens.contains(where: { written[$0] ?? -1 > order }) {
                notes.remove(root.token)
            } else {
                try notes.set(root.token, root.element.digest, coverage: tokens, in: sequence)
            }
        }
        if !work.learned.isEmpty { try transaction.keepMarks(of: request.entity) }
        try notes.save()
        transaction.payloadMarks =
            try wasComplete && transaction.isOnlyPayloadFamily(request.entity) ? [] : written.all
    }
}
