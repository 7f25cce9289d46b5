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
            RecordToken.forEach(from: old, to: new) { footprint.writeUnlessNew($0) }
        }
        // A payload is compared with the journal's image of a record that was changed here.
        transaction.onEntry = { [unowned self] in footprint.write($0) }
    }

    /// Whether the sync has written something that an unchanged object specifies.
    func isWritten(_ position: Int, _ work: Work) -> Bool {
        if footprint.isUnwritten { return false }
        return work.coverage(of: position).map { footprint.isWritten($0) } ?? true
    }

    /// Adds what skipped objects specify to what the payload specifies.
    func mention(_ work: Work) {
        for (position, order) in work.skipped.enumerated() where order > 0 {
            if let coverage = work.coverage(of: position) { footprint.specify(coverage) }
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
            transaction.payloadMarks = footprint.allWritten
        } else if transaction.payloadMarks == nil {
            transaction.payloadMarks = []
        }
    }

    /// The entries of a list's objects; nil if they are as they were.
    private func entries(of work: Work, _ memory: PayloadMemory) -> PayloadEntries? {
        var entries = PayloadEntries()
        var isSame = work.isRepeated && work.learned.isEmpty
        if isSame, footprint.isUnwritten { return nil }
        entries.reserve(work.roots.count, wordCount: memory.entries.wordCount)
        let learned = work.learned.sorted { $0.root < $1.root }
        var next = 0
        for (position, root) in work.roots.enumerated() {
            if work.skipped[position] > 0, let coverage = work.coverage(of: position) {
                if footprint.isWritten(coverage, after: work.skipped[position]) {
                    isSame = false
                } else {
                    entries.append(Int(root.entry), of: memory.entries)
                }
            } else if next < learned.count, learned[next].root == position {
                let coverage = footprint.specified[learned[next].coverage]
                next += 1
                if footprint.isWritten(coverage, after: learned[next - 1].order) { continue }
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
