import SyncPersistence

/// Stores the effects of an upload that the server has accepted.
struct AcceptedUpload {
    /// The change as it was sent.
    private let upload: Upload
    /// The sync that stores the effects.
    private let run: SyncRun
    /// Stores the objects of the answer.
    private var objects: ObjectSync { ObjectSync(of: upload.id.entity, in: run) }
    private var transaction: any PayloadStore { run.transaction }
    private var mapping: Mapping { run.mapping }

    /// Creates the acceptance of an upload within a sync.
    init(_ upload: Upload, in run: SyncRun) { (self.upload, self.run) = (upload, run) }

    /// Records that the remote has what was sent, and merges its answer.
    ///
    /// - Returns: The record; nil if it was deleted locally.
    func accept(_ answer: Value) throws -> Record? {
        try objects.requireRecords()
        let map = try mapping.map(of: upload.id.entity)
        guard let sent = upload.record else {
            try transaction.acknowledge(upload.id, base: upload.base, sent: nil)
            try acknowledgeLinks(under: upload.id.key)
            if let base = upload.base { try run.records.forgetRemovedLinks(of: base) }
            return try transaction.record(RecordID(map.shape.root, upload.id.key))
        }
        let answer = try run.reader.answer(answer, of: map)
        let key = try newKey(in: answer, map) ?? upload.id.key
        let id = RecordID(map.shape.root, key)
        if upload.base == nil, try transaction.record(id) == nil, try transaction.record(upload.id) == nil,
            try isBelowFormerKey(sent, map)
        {
            return nil
        }
        if key != upload.id.key {
            if let former = try transaction.record(upload.id) {
                try transaction.changeKey(
                    of: upload.id, to: key, origin: .remote, merging: run.options.conflictPolicy, since: sent)
                try transaction.renameChildren(
                    of: former, to: key, mapping, .remote, merging: run.options.conflictPolicy)
            } else if try transaction.record(id) == nil {
                try acknowledgeDeleted(under: key)
                return nil
            }
        }
        func renamed(_ record: Record) throws -> Record { try transaction.renamed(record, upload.id, to: key) }
        try transaction.acknowledge(id, base: upload.base.map(renamed), sent: renamed(sent))
        try acknowledgeLinks(under: key)
        var sources = try objects.objects(answer.included)
        if let object = answer.object, try transaction.record(id) != nil {
            sources.insert(
                PayloadObject(
                    object: object, map: map, key: try objects.identifyingKey(of: object, key, map, at: answer.place),
                    storedKey: key, place: answer.place, isNested: false), at: 0)
        }
        return sources.isEmpty ? try transaction.record(id) : try objects.process(sources, map, key)
    }

    /// Returns the key of the record in an answer if it is a new one.
    private func newKey(in answer: SingleObject, _ map: EntityMap) throws -> Value? {
        guard map.isKeyPrimary, let object = answer.object,
            case .key(let key) = try run.mapper.key(of: object, map, over: upload.record, at: answer.place)
        else { return nil }
        return key == upload.id.key ? .none : .some(key)
    }

    /// Records that the remote has an inserted record under a key, so that its local deletion is uploaded.
    private func acknowledgeDeleted(under key: Value) throws {
        guard let sent = upload.record, upload.base == nil else { return }
        try transaction.acknowledge(
            RecordID(upload.id.entity, key), base: nil, sent: transaction.renamed(sent, upload.id, to: key))
    }

    /// Records that the remote has the links that were sent with the record.
    private func acknowledgeLinks(under key: Value) throws {
        for link in upload.links {
            let base = try link.base.map { try transaction.renamed($0, upload.id, to: key) }
            let present = try link.present.map { try transaction.renamed($0, upload.id, to: key) }
            guard let id = (present ?? base)?.id else { continue }
            if let present, try namesFormerKey(present) { continue }
            try transaction.acknowledge(id, base: base, sent: present)
        }
    }

    /// Whether a sent record contains the former key of its parent in its own key.
    ///
    /// The server cannot store the record under the former key, so it is uploaded again under the new one. A record
    /// whose parent was deleted locally is deleted with it.
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

    /// Whether a sent link contains the former key of a record.
    private func namesFormerKey(_ link: Record) throws -> Bool {
        try link.shape.slots.indices.contains { position in
            guard case .reference(let destination, _, _) = link.shape.slots[position].content else { return false }
            return try isUnknown(link.values[position], of: destination)
        }
    }

    /// Whether a record neither exists locally nor has a journal entry.
    private func isUnknown(_ key: Value, of entity: String) throws -> Bool {
        if key.isNull { return false }
        let id = RecordID(try transaction.shape(entity).root, key)
        return try transaction.record(id) == nil && transaction.journalEntry(id) == nil
    }
}
