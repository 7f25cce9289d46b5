import SyncPersistence

/// What is known of a payload's objects from the last time: followed while the sync writes, and kept for the next one.
extension SyncRun {
    /// Follows what the sync writes, so that it is known which objects have something else to say of it.
    func follow(_ lists: [SyncedList]) {
        guard lists.contains(where: { $0.work.notes != nil }) else { return }
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
    func isWritten(_ position: Int, _ work: Work) -> Bool {
        if written.isEmpty { return false }
        guard let notes = work.notes, let note = work.noted[position] else { return true }
        return notes.speaks(note, work.roots[position].token, ofAnyIn: written)
    }

    /// Takes what skipped objects speak of for mentioned.
    func mention(_ work: Work) {
        guard let notes = work.notes else { return }
        for (note, order) in zip(work.noted, work.skipped) where order > 0 {
            if let note { mentioned += notes.coverage(of: note) }
        }
    }

    /// Keeps notes of the objects for the next time.
    func note(_ work: Work) throws {
        guard let notes = work.notes else { return }
        try notes.updateUnknownKeys(of: &outcome, hasSkipped: work.skipped.contains { $0 > 0 })
        let wasComplete = notes.isComplete
        let sequence = try transaction.expectedSequence()
        if !written.isEmpty { removeNotes(of: work, from: notes) }
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
        if request.parent == nil, !work.keepsOrder {
            let roots = work.roots
            try notes.setOrder(
                roots.indices.lazy.map { position in
                    PayloadOrder.Item(
                        token: roots[position].token, length: roots[position].element.length,
                        keyOffset: roots[position].element.keyOffset)
                })
        }
        try notes.save()
        // What one list does not have to mark, another one may.
        if try !wasComplete || !transaction.isOnlyPayloadFamily(request.entity) {
            transaction.payloadMarks = written.all
        } else if transaction.payloadMarks == nil {
            transaction.payloadMarks = []
        }
    }

    /// Takes away the notes of what an object has changed that came later than their own.
    private func removeNotes(of work: Work, from notes: PayloadNotes) {
        let changes = notes.lastNumbers(in: written)
        if changes.isEmpty { return }
        var orders = TokenTable()
        for (token, order) in zip(work.tokens, work.skipped) where order > 0 && changes[token] != nil {
            // Of two that have one token, it is not known which the note is of.
            orders[token] = orders[token] == nil ? order : 0
        }
        changes.forEach { token, last in
            if last > orders[token] ?? 0 { notes.remove(token) }
        }
    }
}
