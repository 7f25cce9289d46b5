import SyncPersistence

/// What is remembered of complete payloads.
extension SyncRun {
    /// Whether a list is compared with the remembered one, and remembered: it has all objects of its entity, and how
    /// they become records depends on nothing else.
    func isComplete(_ scope: SyncScope) -> Bool {
        request.options.usesPayloadMemory && request.operations == .all && scope.deletes && scope.parent == nil
            && origin != .agreed && request.options.transformers.values.allSatisfy { $0.pureVersion != nil }
    }

    /// Records what the sync writes, which unchanged objects may specify otherwise.
    func follow(_ lists: [SyncedList]) {
        guard lists.contains(where: { $0.work.memory != nil }) else { return }
        transaction.onTouch = { [unowned self] old, new in
            RecordToken.forEach(from: old, to: new) { token in
                // A later one counts.
                if !newMemberships.contains(token) { written[token] = order }
            }
        }
        // A payload is compared with the journal's image of a record that was changed here.
        transaction.onEntry = { [unowned self] token in written[token] = order }
    }

    /// Whether the sync has written something that an unchanged object specifies.
    func isWritten(_ position: Int, _ work: Work) -> Bool {
        if written.isEmpty { return false }
        return work.coverage(of: position)?.contains { written[$0] != nil } ?? true
    }

    /// Adds what skipped objects specify to what the payload specifies.
    func mention(_ work: Work) {
        for (position, order) in work.skipped.enumerated() where order > 0 {
            if let coverage = work.coverage(of: position) { mentioned += coverage }
        }
    }

    /// Remembers the objects of a list.
    func remember(_ work: Work) throws {
        guard let memory = work.memory else { return }
        try memory.updateUnknownKeys(of: &outcome, hasSkipped: work.skipped.contains { $0 > 0 })
        if let entries = entries(of: work, memory) {
            try memory.store(entries)
            try transaction.keepMarks(of: request.entity)
        }
        // The memory knows what this sync has written; those of other entities do not.
        if try !transaction.isOnlyPayloadFamily(request.entity) {
            transaction.payloadMarks = written.all
        } else if transaction.payloadMarks == nil {
            transaction.payloadMarks = []
        }
    }

    /// The entries of a list's objects; nil if they are as they were.
    private func entries(of work: Work, _ memory: PayloadMemory) -> PayloadEntries? {
        var entries = PayloadEntries()
        var isSame = work.isRepeated && work.learned.isEmpty
        if isSame, written.isEmpty { return nil }
        entries.reserve(work.roots.count)
        let learned = work.learned.sorted { $0.root < $1.root }
        var next = 0
        /// Whether something was written after an object had been taken.
        func isOutdated(_ coverage: ArraySlice<UInt64>, since order: Int) -> Bool {
            !written.isEmpty && coverage.contains { written[$0] ?? -1 > order }
        }
        for (position, root) in work.roots.enumerated() {
            if work.skipped[position] > 0, let coverage = work.coverage(of: position) {
                if isOutdated(coverage, since: work.skipped[position]) {
                    isSame = false
                } else {
                    entries.append(Int(root.entry), of: memory.entries)
                }
            } else if next < learned.count, learned[next].root == position {
                let coverage = mentioned[learned[next].coverage]
                next += 1
                if isOutdated(coverage, since: learned[next - 1].order) { continue }
                entries.append(
                    token: root.token, digest: root.element.digest, length: root.element.length,
                    keyOffset: Int(root.element.keyOffset), coverage: coverage)
            }
        }
        return isSame ? nil : entries
    }
}

extension SyncRun.Work {
    /// What an object specifies whose entry is current; nil if it has none.
    fileprivate func coverage(of position: Int) -> ArraySlice<UInt64>? {
        guard let memory, roots[position].entry >= 0 else { return nil }
        return memory.entries.coverage(of: Int(roots[position].entry))
    }
}
