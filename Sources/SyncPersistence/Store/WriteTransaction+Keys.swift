public import DifferentialSync

extension WriteTransaction {
    /// Gives a record another primary key, with all that names it: references, links with their places, and what is
    /// noted of it.
    ///
    /// An app uses it for a record that was made offline, once the server has said what its key is:
    ///
    /// ```swift
    /// try await store.write { transaction in
    ///     try transaction.changeKey(of: RecordID("User", -1), to: 7, origin: .remote)
    /// }
    /// ```
    ///
    /// A key that the remote has given, as the origin says, changes nothing of what is to be sent: the journal holds what
    /// it held, under the new key. A key that was given here, with the origin `.local`, is a local change: a record that the
    /// remote knows was deleted under the old key and inserted under the new one, and records that name it were changed.
    /// One that the remote does not know is new under the new key.
    ///
    /// No delete rule is followed. A commit lists the record as deleted and inserted.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - key: The new key; of several parts, an array.
    ///   - origin: Who has given the key.
    ///   - policy: How the record is merged with one that has the key already, field by field: the record as the local
    ///     version, the other one as that of the remote. Without a policy that is an error.
    /// - Returns: The record with its new key.
    /// - Throws: ``PersistenceError`` if there is no such record, if the key is not one of its entity, or if another record
    ///   has the key and there is no policy; what the policy throws. Nothing of the transaction is stored then.
    /// - Complexity: O(number of records and links that name the record + number of changed records in the journal)
    @discardableResult
    public func changeKey(
        of id: RecordID, to key: Value, origin: ChangeSet.Origin = .local, merging policy: ConflictPolicy<Record>? = nil
    ) throws -> Record {
        try changeKey(of: id, to: key, origin: origin, merging: policy, since: nil)
    }

    /// Gives a record another primary key.
    ///
    /// - Parameter base: What both sides had in common of the record and one that has the key already, if that is known.
    @discardableResult
    package func changeKey(
        of id: RecordID, to key: Value, origin: ChangeSet.Origin, merging policy: ConflictPolicy<Record>?,
        since base: Record?
    ) throws -> Record {
        try changing {
            guard let former = try record(id) else {
                throw PersistenceError(.missingRecord, "there is no such record: its key cannot change", id: id)
            }
            if former.key == key { return former }
            if try keepsElements(former.shape.root) {
                throw PersistenceError(
                    .wrongType, "it is an element of a collection: remove the element and insert it with its new key",
                    id: id)
            }
            let parts = former.shape.keySlots.count
            if parts > 1 {
                guard case .array(let values) = key, values.count == parts else {
                    throw PersistenceError(.wrongType, "its key has \(parts) parts: give an array of them", id: id)
                }
            }
            // What waits of the remote's changes so far speaks of the old key.
            if hasArrivals { try settleIncoming() }
            let renaming = Renaming(shape: former.shape, former: former.key, new: key, schema: schema)
            var new = renaming.renamed(former)
            try check(new)
            if former.shape.hasImplicitKey { new = try adoptingKey(new) }
            if let present = try record(RecordID(former.shape.root, key)) {
                new = try merge(new, with: present, policy, since: base.map(renaming.renamed))
            }
            linkPositions.removeAll()
            if origin == .local {
                try rename(former, to: new, by: renaming)
            } else {
                try relabel(former, as: new, by: renaming, origin)
            }
            try renamePendingLinks(renaming)
            return try record(new.id) ?? new
        }
    }

    /// The record that is made of one with a new key and of the one that has the key already.
    private func merge(
        _ new: Record, with present: Record, _ policy: ConflictPolicy<Record>?, since base: Record?
    ) throws -> Record {
        guard let policy, present.shape == new.shape else {
            let remedy = policy == nil ? "or give a policy that merges them" : "as they are of different entities"
            throw PersistenceError(
                .mismatch, "another record has the key \(new.key): delete one of them first, \(remedy)",
                id: present.id)
        }
        // Nothing of either is lost: what is left open or is to be deleted is as here.
        let keeping = ConflictPolicy<Record> { conflict in
            switch try policy.resolve(conflict) {
            case .open, .delete: .local
            case .base where conflict.base == nil: .local
            case let resolution: resolution
            }
        }
        let fields = Record.mergeFields(of: new.shape, in: schema)
        let merge = try ThreeWayMerge(
            local: Diff([Change(from: base, to: new)].compactMap { $0 }),
            remote: Diff([Change(from: base, to: present)].compactMap { $0 }), primaryKey: { $0.key },
            policy: .mergingFields(fields, otherwise: keeping))
        return merge.decisions.first?.merged ?? present
    }
}

extension WriteTransaction {
    /// The records that name one, each once.
    private func records(naming renaming: Renaming) throws -> [Record] {
        var seen: Set<RecordID> = []
        var found: [Record] = []
        for naming in renaming.namings {
            let slot = naming.shape.slots[naming.slot].name
            let query = Query(naming.shape.name, where: .comparison(path: slot, .equal, renaming.former))
            for record in try records(query) where seen.insert(RecordID(record.shape.root, record.key)).inserted {
                if record.shape.root != renaming.shape.root || record.key != renaming.former { found.append(record) }
            }
        }
        return found
    }

    /// Gives a record its new key as a change that was made here.
    private func rename(_ former: Record, to new: Record, by renaming: Renaming) throws {
        let naming = try records(naming: renaming)
        try store(new, origin: .local)
        for record in naming {
            let renamed = renaming.renamed(record)
            let isThere = try renamed.key != record.key && self.record(RecordID(record.entity, renamed.key)) != nil
            if !isThere { try store(renamed, origin: .local, isConsequence: true) }
            if renamed.key != record.key { try takeAway(record, origin: .local) }
        }
        try takeAway(former, origin: .local)
    }

    /// Takes a record away that is there under another key.
    private func takeAway(_ record: Record, origin: ChangeSet.Origin) throws {
        let (key, state) = (DigestedKey(record.key), try hierarchy(of: record.shape))
        guard let old = try storage.remove(key.key, in: record.shape) else { return }
        if origin == .local {
            try saveSent(old, key.key, in: state)
            try journal(key, of: state, old: old, new: nil)
        }
        touch(key, of: state, old: old, new: nil, origin: origin, isConsequence: true)
        let wasThere = position(of: key, in: state).map { touched[$0].old != nil } ?? true
        try tombstones.put(RecordID(record.shape.root, key.key), wasThere: wasThere, in: self)
    }

    /// Gives a record its new key as what the remote knows as well: whatever is noted is noted under that key.
    private func relabel(
        _ former: Record, as new: Record, by renaming: Renaming, _ origin: ChangeSet.Origin
    ) throws {
        let naming = try records(naming: renaming)
        let entries = try entries(naming: renaming)
        let isMerged = try record(RecordID(new.shape.root, new.key)) != nil
        if isMerged { try keepShadow(of: new.id) }
        try place(new, origin)
        for record in naming {
            let renamed = renaming.renamed(record)
            if renamed.key == record.key {
                try place(renamed, origin)
                continue
            }
            if try self.record(renamed.id) == nil { try place(renamed, origin) } else { try keepShadow(of: renamed.id) }
            try takeAway(record, origin: origin)
        }
        try takeAway(former, origin: origin)
        for entry in entries {
            let state = try hierarchy(of: shape(entry.id.entity))
            var renamed = JournalEntry(
                id: renaming.renamed(entry.id), base: entry.base.map(renaming.renamed), isUnsettled: entry.isUnsettled,
                remote: entry.remote.map(renaming.renamed))
            if renamed.id.key != entry.id.key {
                try settle(DigestedKey(entry.id.key), of: state)
                // What is noted of the one that has the key already is what the remote holds.
                if let known = try self.entry(for: DigestedKey(renamed.id.key), in: state) { renamed = known }
            }
            try note(renamed)
        }
        if isMerged {
            let state = try hierarchy(of: new.shape)
            if let entry = try entry(for: DigestedKey(new.key), in: state) { try note(entry) }
            for record in [new] + naming.map(renaming.renamed) where record.shape.hasReferences {
                guard let present = try self.record(record.id) else { continue }
                try followReferences(from: nil, to: present, in: hierarchy(of: present.shape), origin: .remote)
            }
        }
        try relabelSent(by: renaming)
    }

    /// Notes what the remote holds of a record of which the journal holds nothing, before another takes its place.
    private func keepShadow(of id: RecordID) throws {
        let (key, state) = (DigestedKey(id.key), try hierarchy(of: shape(id.entity)))
        guard try entry(for: key, in: state) == nil, let present = try record(id) else { return }
        try makeEntry(present, key, of: present.shape, in: state)
        touchEntry(key, of: state, record: present)
    }

    /// Stores a record, while the journal stays as it is.
    private func place(_ record: Record, _ origin: ChangeSet.Origin) throws {
        let (key, state) = (DigestedKey(record.key), try hierarchy(of: record.shape))
        let old = try storage.put(record)
        if old == record { return }
        touch(key, of: state, old: old, new: record, origin: origin, isConsequence: true)
        if old == nil { try tombstones.remove(RecordID(record.shape.root, key.key), from: self) }
    }

    /// The entries of the journal that are about a record, or have images that name it.
    private func entries(naming renaming: Renaming) throws -> [JournalEntry] {
        var roots: [String] = [renaming.shape.root]
        for naming in renaming.namings where !roots.contains(naming.shape.root) { roots.append(naming.shape.root) }
        return try roots.flatMap { root in
            guard try mayHaveEntries(of: shape(root)) else { return [JournalEntry]() }
            return try journal(of: root).filter { entry in
                let images = [entry.base, entry.remote].compactMap { $0 }
                return renaming.renamed(entry.id) != entry.id || images.contains { renaming.renamed($0) != $0 }
            }
        }
    }

    /// Gives what was sent and not answered the new key.
    ///
    /// - Complexity: O(number of records in flight that were changed since)
    private func relabelSent(by renaming: Renaming) throws {
        if hasInFlight == false { return }
        for record in try records(Query(SentRecord.shapeName)) {
            let sent = try SentRecord(record, schema: schema)
            var renamed = record
            let key = renaming.renamed(RecordID(sent.entity, sent.key)).key
            if key != sent.key { renamed["key"] = .string(Tombstone.text(of: key)) }
            if let image = sent.image?.record {
                renamed["image"] = .string(SentRecord.Image(record: renaming.renamed(image)).text)
            }
            if renamed == record { continue }
            if renamed.key != record.key { _ = try storage.remove(record.key, in: record.shape) }
            _ = try storage.put(renamed)
            hasNotes = true
        }
    }
}

extension Renaming {
    /// The id of a record or link as it is once the record has its new key.
    func renamed(_ id: RecordID) -> RecordID {
        guard let named = schema[id.entity] else { return id }
        if named.root == shape.root { return id.key == former ? RecordID(id.entity, new) : id }
        guard named.role == .links, case .array(let parts) = id.key, parts.count == named.keySlots.count else {
            return id
        }
        let keys = zip(named.keySlots, parts).map { slot, part in
            part == former && names(named, at: slot) ? new : part
        }
        return RecordID(id.entity, .array(keys))
    }
}
