package import SyncPersistence

extension InMemoryContent {
    /// Returns a record; nil if there is none, or if the schema does not have the entity.
    func record(_ id: RecordID) -> Record? { read { try? $0.record(id) } }

    /// Whether a device's store belongs to an account.
    var hasAccount: Bool { read { (try? $0.metadata("sync.store.account")) != nil } }

    /// The epoch of a service's store, and the number of its last change.
    var historyEnd: (epoch: String?, sequence: Int64) {
        read { transaction in
            (try? transaction.metadata("sync.service.epoch"), (try? transaction.historySequence) ?? 0)
        }
    }

    /// Whether there is a record.
    func has(_ id: RecordID) -> Bool { record(id) != nil }

    /// The records that were inserted since the shadow.
    var newRecords: [RecordID] {
        read { transaction in
            schema.synchronizedRoots.flatMap { shape in
                let entries = (try? transaction.journal(of: shape.name)) ?? []
                return entries.compactMap { $0.base == nil ? RecordID(shape.name, $0.id.key) : nil }
            }
        }
    }

    /// Whether a push has no answer yet.
    var isInFlight: Bool { read { ((try? $0.count(Query("sync.inFlight"))) ?? 0) > 0 } }

    /// Whether the deletion of a record is sent: the remote has the record, or may have it by a push in flight.
    ///
    /// In an open conflict of two new records, the one here was never sent.
    func sendsDeletion(of id: RecordID) -> Bool {
        read { transaction in
            guard let entry = try? transaction.journalEntry(id) else { return isInFlight }
            return entry.base != nil
        }
    }

    /// Whether a record was inserted since the shadow.
    func hasInserted(_ id: RecordID) -> Bool {
        read { transaction in
            guard let entry = try? transaction.journalEntry(id), entry.base == nil else { return false }
            return (try? transaction.record(id)) != nil
        }
    }

    /// Whether a record has changed since the shadow.
    func hasChanged(_ id: RecordID) -> Bool { read { (try? $0.journalEntry(id)) != nil } }
}

extension InMemoryContent {
    /// Returns a digest of all records, in any order, without the number of commits.
    ///
    /// Without metadata, two stores with the same records have the same digest, whatever their pushes were called.
    package func digest(isWithoutMetadata: Bool) -> Int {
        var sum = 0
        do {
            try forEachRecord { record in
                if record.shape.role == .metadata, isWithoutMetadata || record.key == "sync.sequence" { return }
                var hasher = Hasher()
                hasher.combine(record.shape.name)
                for value in record.values { hasher.combine(value) }
                sum &+= hasher.finalize()
            }
        } catch {
            preconditionFailure("records in memory can be read: \(error)")
        }
        return sum
    }
}
