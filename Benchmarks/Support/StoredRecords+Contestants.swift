import SQLitePersistence
package import SyncPersistence

extension StoredRecords {
    /// Commits all records, of which the first of every `step` has changed.
    package func writer(_ origin: ChangeSet.Origin, every step: Int = 1) -> Contestant {
        var changes = ChangeSet(origin: origin)
        let (adapter, expected) = (adapter, (records.count + step - 1) / step)
        return Contestant(
            "SQLiteAdapter", .ours,
            prepare: {
                changes = ChangeSet(origin: origin)
                for record in self.edited(every: step) { changes.put(record) }
                if origin == .local { self.settle() }
            }
        ) {
            let commit = adapter.commitNow(changes)
            precondition(commit.changes.count == expected)
            return commit
        }
    }

    /// Reads all records, one after the other.
    package func reader() -> Contestant {
        let adapter = adapter
        return Contestant("SQLiteAdapter", .ours) {
            unfailing {
                try blocking {
                    try await adapter.read { transaction in
                        var sum = 0
                        try transaction.forEach(Query("Item")) { record in
                            if case .integer(let revision) = record.values[3] { sum &+= Int(revision) }
                            return true
                        }
                        return sum
                    }
                }
            }
        }
    }

    /// Leaves the deletion of a further record in the journal, and nothing else.
    package func deleteOne() {
        settle()
        commit(.agreed) { $0.put(extraRecord) }
        commit(.local) { $0.delete(extraRecord.id) }
    }

    /// Settles it.
    package func forgetDeletion() { commit(.agreed) { $0.delete(extraRecord.id) } }

    private var extraRecord: Record {
        Record(StoredRecords.schema["Item"]!, slots: ["deleted", "payload", "title", 0])
    }

    private func commit(_ origin: ChangeSet.Origin, _ build: (inout ChangeSet) -> Void) {
        var changes = ChangeSet(origin: origin)
        build(&changes)
        adapter.commitNow(changes)
    }

    /// Empties the journal.
    private func settle() {
        let adapter = adapter
        unfailing {
            try blocking {
                _ = try await adapter.write { transaction in
                    var changes = ChangeSet(origin: .agreed)
                    for entry in try transaction.journal(of: "Item") {
                        if let record = try transaction.record(entry.id) { changes.put(record) }
                    }
                    try transaction.apply(changes)
                }
            }
        }
    }
}
