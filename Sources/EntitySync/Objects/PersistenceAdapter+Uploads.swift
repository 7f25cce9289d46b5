public import SyncPersistence

extension PersistenceAdapter {
    /// The local changes of an entity's records that are to be sent, sorted by key.
    ///
    /// ```swift
    /// let uploads = try await store.uploads(of: "User", with: ["tags"])
    /// ```
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - relationships: The relationships kept in links, as those between many and many are, whose changed links are sent
    ///     with the records.
    /// - Throws: `PersistenceError` if there is no such entity or relationship, or if the store cannot be read.
    /// - Complexity: O(*d* log *d*) for *d* changed records and links
    public func uploads(of entity: String, with relationships: [String] = []) async throws -> [Upload] {
        try await read { try $0.uploads(of: entity, with: relationships) }
    }

    /// Notes that the server has accepted a local change, and takes over what it has answered.
    ///
    /// ```swift
    /// try await store.accept(upload, answer: ["id": 7, "updated_at": "2026-05-01T12:00:00Z"])
    /// ```
    ///
    /// What was sent is no longer a local change; what was changed since then still is. An answer is merged as a payload
    /// is: it may state values that the server has computed, and a new key of a record that was made offline. The key
    /// changes with all that names the record. If a payload has already brought a record with that key, both become one.
    ///
    /// | Answer | Effect |
    /// | --- | --- |
    /// | null, `{}` | The server has accepted what was sent, and says nothing more. |
    /// | `{"id": 7}` | The record gets the key 7. |
    /// | an object with any property of the entity | The record takes over what it states; other members are unknown keys. |
    /// | an object without any, such as `{"data": {…}}` or `{"error": "…"}` | An error: nothing is accepted. |
    ///
    /// If the format is ``SyncFormat/jsonAPI``, an object is a document: its `data` is the resource, and resources in
    /// `included` are stored as well. A document of `meta`, `links` and `jsonapi` alone says nothing more. Any other one,
    /// such as one with `errors`, is an error.
    ///
    /// A call that comes twice, or after a payload that said the same, changes nothing more.
    ///
    /// - Parameters:
    ///   - upload: What was sent.
    ///   - answer: What the server answered with; null for nothing. That to a deletion is not looked at.
    ///   - options: How the answer is synced. The origin is the remote in any case.
    /// - Returns: The record, which is nil if it was deleted here, and what has changed.
    /// - Throws: ``SyncError`` if the answer is of none of these forms; otherwise as
    ///   ``sync(_:into:filter:parent:operations:options:)-8mfr``.
    /// - Complexity: A lookup for each record that the answer speaks of; where the key changes, O(number of records that name
    ///   the record + number of changed records)
    @discardableResult
    public func accept(
        _ upload: Upload, answer: Value = .null, options: SyncOptions = SyncOptions()
    ) async throws -> (record: Record?, result: SyncResult) {
        try answer.requireSyncableDepth()
        var options = options
        options.origin = .remote
        let (commit, outcome, record) = try await object(SyncRequest(upload.id.entity, nil, nil, .all, options)) {
            try $0.accept(upload, answer)
        }
        return (record, SyncResult(commit, outcome))
    }
}

extension SyncRun {
    /// Notes that the remote holds what was sent, and takes over what it has answered.
    fileprivate func accept(_ upload: Upload, _ answer: Value) throws -> Record? {
        try requireRecords()
        let map = try mapping.map(of: upload.id.entity)
        guard let sent = upload.record else {
            try transaction.acknowledge(upload.id, base: upload.base, sent: nil)
            try acknowledgeLinks(of: upload, under: upload.id.key)
            if let base = upload.base { try forgetLinks(of: base) }
            return try transaction.record(RecordID(map.shape.root, upload.id.key))
        }
        let answer = try self.answer(answer, of: map)
        let key = try newKey(in: answer, map, of: upload) ?? upload.id.key
        let id = RecordID(map.shape.root, key)
        if upload.base == nil, try transaction.record(id) == nil, try transaction.record(upload.id) == nil,
            try isBelowFormerKey(sent, map)
        {
            return nil
        }
        if key != upload.id.key {
            if let former = try transaction.record(upload.id) {
                try transaction.changeKey(
                    of: upload.id, to: key, origin: .remote, merging: request.options.conflictPolicy, since: sent)
                try renameChildren(of: former, to: key, merging: request.options.conflictPolicy)
            } else if try transaction.record(id) == nil {
                return try deleteAccepted(upload, under: key)
            }
        }
        func renamed(_ record: Record) throws -> Record { try transaction.renamed(record, upload.id, to: key) }
        try transaction.acknowledge(id, base: upload.base.map(renamed), sent: renamed(sent))
        try acknowledgeLinks(of: upload, under: key)
        var fillings = answer.included
        if let object = answer.object, try transaction.record(id) != nil {
            fillings.insert(
                Filling(object: object, map: map, key: key, storedKey: key, place: answer.place, isNested: false),
                at: 0)
        }
        return fillings.isEmpty ? try transaction.record(id) : try settle(fillings, map, key)
    }

    /// The key that an answer gives a record, if it is another.
    private func newKey(in answer: Answer, _ map: EntityMap, of upload: Upload) throws -> Value? {
        guard map.isKeyPrimary, let object = answer.object,
            case .key(let key) = try key(of: object, map, over: upload.record, at: answer.place)
        else { return nil }
        return key == upload.id.key ? .none : .some(key)
    }

    /// A record that was inserted at the remote under another key was deleted here meanwhile, so it is to be deleted there.
    private func deleteAccepted(_ upload: Upload, under key: Value) throws -> Record? {
        guard let sent = upload.record else { return nil }
        let id = RecordID(upload.id.entity, key)
        if upload.base != nil { return nil }
        try transaction.acknowledge(id, base: nil, sent: transaction.renamed(sent, upload.id, to: key))
        return nil
    }

    private func acknowledgeLinks(of upload: Upload, under key: Value) throws {
        for link in upload.links {
            let base = try link.base.map { try transaction.renamed($0, upload.id, to: key) }
            let present = try link.present.map { try transaction.renamed($0, upload.id, to: key) }
            guard let id = (present ?? base)?.id else { continue }
            if let present, try namesFormerKey(present) { continue }
            try transaction.acknowledge(id, base: base, sent: present)
        }
    }

    /// Whether a record that was sent has a part of its key from a parent that has got another key since.
    ///
    /// The server cannot have it under the old one, so it is still to be sent under the new one. A record whose parent was
    /// deleted here meanwhile is deleted with that.
    private func isBelowFormerKey(_ sent: Record, _ map: EntityMap) throws -> Bool {
        try map.sources.sources.contains { attribute, source in
            guard case .parent(let name, _) = source, map.keyParts.contains(attribute),
                let relationship = map.relationships.first(where: { $0.name == name }),
                let inverse = relationship.definition.inverse,
                try mapping.destination(of: relationship).relationships.contains(where: {
                    $0.name == inverse && $0.definition.deleteRule == .cascade
                })
            else { return false }
            return try isUnknown(sent[name], of: relationship.definition.destination)
        }
    }

    /// Whether a link that was sent names a record that has got another key since.
    private func namesFormerKey(_ link: Record) throws -> Bool {
        try link.shape.slots.indices.contains { position in
            guard case .reference(let destination, _, _) = link.shape.slots[position].content else { return false }
            return try isUnknown(link.values[position], of: destination)
        }
    }

    /// Whether there is no such record here, nor any known to the remote.
    private func isUnknown(_ key: Value, of entity: String) throws -> Bool {
        if key.isNull { return false }
        let id = RecordID(try transaction.shape(entity).root, key)
        return try transaction.record(id) == nil && transaction.journalEntry(id) == nil
    }
}
