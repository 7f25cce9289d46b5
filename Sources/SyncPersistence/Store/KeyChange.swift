import DifferentialSync

/// The change of a record's primary key, with everything that refers to the record.
struct KeyChange {
    /// The transaction that changes the key.
    private let transaction: WriteTransaction
    /// The touched records.
    private let log: ChangeLog
    /// The journal, whose entries of the record get the new key.
    private let entries: TransactionJournal
    /// The record with its former key.
    private let former: Record
    /// The change of the key, which also applies to references.
    private let renaming: Renaming
    /// The side that has assigned the key.
    private let origin: ChangeSet.Origin

    /// Begins to change the key of a record.
    init(of former: Record, to key: Value, origin: ChangeSet.Origin, in transaction: WriteTransaction) {
        self.transaction = transaction
        (log, entries) = (transaction.log, transaction.entries)
        self.former = former
        self.origin = origin
        renaming = Renaming(shape: former.shape, former: former.key, new: key, schema: transaction.schema)
    }

    /// Checks that the record can have the new key, and returns whether that is another one.
    private func check(_ id: RecordID) throws -> Bool {
        try transaction.checks.checkIsOpen(former.shape)
        guard former.shape.role == nil else {
            throw PersistenceError(
                .wrongType, "it is a link: remove the link and add one between the other records", id: id)
        }
        if former.key == renaming.new { return false }
        if try transaction.keepsElements(former.shape.root) {
            throw PersistenceError(
                .wrongType, "it is an element of a collection: remove the element and insert it with its new key",
                id: id)
        }
        let parts = former.shape.keySlots.count
        if parts > 1 {
            guard case .array(let values) = renaming.new, values.count == parts else {
                throw PersistenceError(.wrongType, "its key has \(parts) parts: give an array of them", id: id)
            }
        }
        return true
    }

    /// Makes the change, unless the record has the key already, and returns the record with its new key.
    ///
    /// - Parameters:
    ///   - id: The record, as an error names it.
    ///   - policy: Merges the record with one that has the key already; without a policy that is an error.
    ///   - base: The last common version of both, if it is known.
    /// - Throws: ``PersistenceError`` if the record cannot have the new key; the errors of the policy.
    func make(for id: RecordID, merging policy: ConflictPolicy<Record>?, since base: Record?) throws -> Record {
        if try !check(id) { return former }
        // Waiting changes of the remote refer to the old key.
        if log.hasIncomingChanges { try transaction.waiting.settle() }
        var new = renaming.renamed(former)
        try transaction.checks.check(new)
        if former.shape.hasImplicitKey { new = try transaction.adoptingKey(new) }
        if let present = try transaction.record(RecordID(former.shape.root, renaming.new)) {
            new = try merge(new, with: present, policy, since: base.map(renaming.renamed))
        }
        log.linkPositions.removeAll()
        if origin == .local { try renameLocally(to: new) } else { try renameEverywhere(to: new) }
        try PendingLinkRenaming(renaming, in: transaction).run()
        return try transaction.record(new.id) ?? new
    }

    /// Returns the record that is made of one with a new key and of the one that has the key already.
    private func merge(
        _ new: Record, with present: Record, _ policy: ConflictPolicy<Record>?, since base: Record?
    ) throws -> Record {
        guard let policy, present.shape == new.shape else {
            let remedy = policy == nil ? "or give a policy that merges them" : "as they are of different entities"
            throw PersistenceError(
                .mismatch, "another record has the key \(new.key): delete one of them first, \(remedy)",
                id: present.id)
        }
        // No value is lost. An unresolved field keeps the local value, as does a record that the policy deletes.
        let keeping = ConflictPolicy<Record> { conflict in
            switch try policy.resolve(conflict) {
            case .open, .delete: .local
            case .base where conflict.base == nil: .local
            case let resolution: resolution
            }
        }
        var remote = present
        if let base, base.shape == present.shape {
            // Null may be a value that no payload has stated. The remote then has the one that was sent.
            for slot in remote.values.indices where remote.values[slot].isNull {
                remote.values[slot] = base.values[slot]
            }
        }
        let fields = Record.mergeFields(of: new.shape, in: transaction.schema)
        let merge = try ThreeWayMerge(
            local: Diff([Change(from: base, to: new)].compactMap { $0 }),
            remote: Diff([Change(from: base, to: remote)].compactMap { $0 }), primaryKey: { $0.key },
            policy: .mergingFields(fields, otherwise: keeping))
        return merge.decisions.first?.merged ?? remote
    }

    /// Returns the records that refer to the record, each once.
    private func referringRecords() throws -> [Record] {
        var seen: Set<RecordID> = []
        var found: [Record] = []
        for naming in renaming.namings {
            let slot = naming.shape.slots[naming.slot].name
            let query = Query(naming.shape.name, where: .comparison(path: slot, .equal, renaming.former))
            for record in try transaction.records(query) where seen.insert(record.rootID).inserted {
                if record.shape.root != renaming.shape.root || record.key != renaming.former { found.append(record) }
            }
        }
        return found
    }
}

extension KeyChange {
    /// Changes the key as a local change.
    private func renameLocally(to new: Record) throws {
        let referring = try referringRecords()
        try transaction.store(new, origin: .local)
        for record in referring {
            let renamed = renaming.renamed(record)
            let exists = try renamed.key != record.key && transaction.record(renamed.id) != nil
            if !exists { try transaction.store(renamed, origin: .local, isConsequence: true) }
            if renamed.key != record.key { try remove(record) }
        }
        try remove(former)
    }

    /// Changes the key as the remote knows it as well: the journal has the same entries under the new key.
    private func renameEverywhere(to new: Record) throws {
        let referring = try referringRecords()
        let affected = try entries.entries(naming: renaming)
        let isMerged = try transaction.record(new.rootID) != nil
        if isMerged { try entries.keepShadow(of: new.id) }
        try put(new)
        for record in referring {
            let renamed = renaming.renamed(record)
            if renamed.key == record.key {
                try put(renamed)
                continue
            }
            if try transaction.record(renamed.id) == nil {
                try put(renamed)
            } else {
                try entries.keepShadow(of: renamed.id)
            }
            try remove(record)
        }
        try remove(former)
        for entry in affected { try rename(entry) }
        if isMerged {
            if let entry = try entries.entry(of: new) { try entries.put(entry) }
            for record in [new] + referring.map(renaming.renamed) where record.shape.hasReferences {
                guard let present = try transaction.record(record.id) else { continue }
                let state = try log.hierarchy(of: present.shape)
                try transaction.rules.follow(from: nil, to: present, in: state, origin: .remote)
            }
        }
        try transaction.inFlight.rename(by: renaming)
    }

    /// Changes the key of a record that was deleted here, as the remote knows it: only the journal has entries of it, and
    /// of others that referred to it.
    func renameDeletion() throws {
        if log.hasIncomingChanges { try transaction.waiting.settle() }
        for entry in try entries.entries(naming: renaming) { try rename(entry) }
        try transaction.inFlight.rename(by: renaming)
    }

    /// Gives a journal entry the new key, also in the images that it keeps.
    private func rename(_ entry: JournalEntry) throws {
        let state = try log.hierarchy(of: transaction.shape(entry.id.entity))
        var renamed = JournalEntry(
            id: renaming.renamed(entry.id), base: entry.base.map(renaming.renamed), isUnresolved: entry.isUnresolved,
            remote: entry.remote.map(renaming.renamed))
        if renamed.id.key != entry.id.key {
            try entries.resolve(DigestedKey(entry.id.key), of: state)
            // The entry of a record that has the key already is what the remote holds.
            if let known = try entries.entry(for: DigestedKey(renamed.id.key), in: state) { renamed = known }
        }
        try entries.put(renamed)
        entries.rename(entry.id, to: renamed.id, in: state)
    }

    /// Removes a record that exists under another key, without following delete rules.
    private func remove(_ record: Record) throws {
        let (key, state) = (DigestedKey(record.key), try log.hierarchy(of: record.shape))
        guard let old = try transaction.storage.remove(key.key, in: record.shape) else { return }
        if origin == .local {
            try transaction.inFlight.save(old, key.key, of: state.root)
            try entries.recordEdit(key, of: state, old: old, new: nil)
        }
        log.touch(key, of: state, old: old, new: nil, origin: origin, isConsequence: true)
    }

    /// Stores a record without changing the journal.
    private func put(_ record: Record) throws {
        let (key, state) = (DigestedKey(record.key), try log.hierarchy(of: record.shape))
        let old = try transaction.storage.put(record)
        if old == record { return }
        log.touch(key, of: state, old: old, new: record, origin: origin, isConsequence: true)
    }
}

extension ReadTransaction {
    /// Returns an image of a record after the key of another one has changed.
    package func renamed(_ record: Record, _ id: RecordID, to key: Value) throws -> Record {
        try Renaming(shape: shape(id.entity), former: id.key, new: key, schema: schema).renamed(record)
    }
}
