import DifferentialSync

extension WriteTransaction {
    /// Makes changes in their order.
    ///
    /// - Throws: ``PersistenceError`` for a change that the schema does not allow, or whose expected state differs, and
    ///   while records are being passed to a body. If a change fails, nothing of the transaction is stored, even if its
    ///   body continues.
    /// - Complexity: O(number of changes and of their consequences), each with a lookup
    public func apply(_ changes: ChangeSet) throws {
        try changing { try applyAll(changes) }
    }

    /// Makes changes that a user has decided on.
    ///
    /// Changes that the schema does not allow are errors.
    ///
    /// - Throws: As ``apply(_:)``; at the end of the transaction also for a change of the remote that would wait.
    func applyDecided(_ changes: ChangeSet) throws {
        isDecided = true
        defer { isDecided = false }
        try apply(changes)
    }

    private func applyAll(_ changes: ChangeSet) throws {
        expectedCount = changes.operations.count
        // Many small change sets let the capacity grow by a factor, as appending does.
        let count = touched.count + expectedCount
        if count > touched.capacity { touched.reserveCapacity(max(count, 2 * touched.capacity)) }
        try changes.operations.withUnsafeBufferPointer { operations in
            for position in operations.indices {
                // Most change sets are like this, and need no further check.
                if case .put(let record) = operations[position] {
                    try putChecked(record, origin: changes.origin)
                } else {
                    try apply(operations[position], origin: changes.origin)
                }
            }
        }
    }

    private func apply(_ operation: ChangeSet.Operation, origin: ChangeSet.Origin) throws {
        switch operation {
        case .put(let record): try putChecked(record, origin: origin)
        case .update(let id, let values): try update(id, values, origin: origin)
        case .delete(let id): try deleteChecked(id, origin: origin)
        case .exact(let change): try apply(change, origin: origin)
        case .link(let id, let relationship, let key, let place):
            try link(id, relationship, to: key, at: place, origin: origin)
        case .unlink(let id, let relationship, let key): try unlink(id, relationship, from: key, origin: origin)
        case .setLinks(let id, let relationship, let keys): try setLinks(id, relationship, to: keys, origin: origin)
        case .setShadow(let entry): if try !noteShadowOfDeletion(entry) { try setShadow(entry) }
        case .setMetadata(let name, let value):
            guard !name.hasPrefix("sync.") else {
                throw PersistenceError(
                    .unknownName, "the name '\(name)' is the library's own: choose one without 'sync.'")
            }
            if try note(value, as: name) { metadataNames.append(name) }
            if name.hasPrefix(CycleMetadata.prefix) { synchronizedShapes = [:] }
        case .keepTombstones(let isKept): try keepTombstones(isKept)
        case .forgetTombstones(let sequence): try forgetTombstones(through: sequence)
        }
    }

    private func putChecked(_ record: Record, origin: ChangeSet.Origin) throws {
        if record.shape === latestShape && !record.shape.hasImplicitKey {
            try check(record)
            return try store(record, origin: origin)
        }
        var record = record
        try adopt(&record)
        if record.shape.hasImplicitKey { try countUp(&record) }
        try check(record)
        try store(record, origin: origin)
    }

    private func update(_ id: RecordID, _ values: [String: Value], origin: ChangeSet.Origin) throws {
        try checkIsOpen(shape(id.entity))
        // If the remote has the record but its version is unknown, the local one is the best guess.
        guard let old = try known(id, to: origin) ?? record(id) else {
            throw PersistenceError(
                .missingRecord, "there is no such record to update: store it whole with 'put'", id: id)
        }
        var record = old
        for (name, value) in values {
            guard let slot = record.shape.slot(named: name) else { throw unknownName(name, in: record.shape) }
            if record.shape.keySlots.contains(slot), record.values[slot] != value {
                throw PersistenceError(
                    .wrongType, "a change set does not change a primary key: use 'changeKey(of:to:)' of a transaction",
                    id: id, property: name)
            }
            record.values[slot] = value
        }
        try check(record)
        try store(record, origin: origin)
    }

    private func apply(_ change: Change<Record>, origin: ChangeSet.Origin) throws {
        guard let element = change.new ?? change.old else { return }
        let id = element.id
        let present = try known(id, to: origin)
        if present == change.new { return change.new == nil ? () : try putChecked(element, origin: origin) }
        guard present == change.old else {
            let expected = change.old == nil ? "it was to be new, and there is one" : "it is not as it was expected"
            throw PersistenceError(
                .mismatch, "\(expected): read it again, and make the change on what is there now", id: id)
        }
        if let new = change.new {
            try putChecked(new, origin: origin)
        } else {
            try deleteChecked(id, origin: origin)
        }
    }

    private func deleteChecked(_ id: RecordID, origin: ChangeSet.Origin) throws {
        let shape = try shape(id.entity)
        try checkIsOpen(shape)
        guard let record = try record(id) else {
            if origin == .remote { return try meetDeletion(of: id) }
            return origin == .agreed ? try settle(DigestedKey(id.key), of: hierarchy(of: shape)) : ()
        }
        if !incoming.deletions.isEmpty { try supersedeDeletion(RecordID(shape.root, id.key), origin: origin) }
        if origin == .local { return try remove(record, origin: origin) }
        if origin == .remote, try hasLocalChange(in: record) { return try holdBackDeletion(of: record.id) }
        try removeIncoming(record, origin: origin)
    }

    private func keepTombstones(_ isKept: Bool) throws {
        if try tombstones.areKept(in: self) == isKept { return }
        try tombstones.keep(isKept, in: self)
        // The deletions of earlier commits are unknown.
        try note(isKept ? "\(nextSequence() - 1)" : nil, as: ReadTransaction.tombstoneHorizonName)
        for change in isKept ? touched : [] where change.new == nil {
            if let old = change.old {
                try tombstones.put(RecordID(old.shape.root, old.key), wasThere: true, in: self)
            }
        }
    }

    private func forgetTombstones(through sequence: Int64) throws {
        guard try tombstones.areKept(in: self) else { return }
        let limit = min(sequence, try nextSequence() - 1)
        try tombstones.removeAll(through: limit, from: self)
        let horizon = try number(ReadTransaction.tombstoneHorizonName) ?? 0
        try note("\(max(horizon, limit))", as: ReadTransaction.tombstoneHorizonName)
    }
}

extension WriteTransaction {
    /// Inserts or replaces a record, as a change set of it alone would.
    package func put(_ record: Record, origin: ChangeSet.Origin) throws {
        try changing { try putChecked(record, origin: origin) }
    }

    /// Deletes a record if it exists, as a change set of it alone would.
    package func delete(_ id: RecordID, origin: ChangeSet.Origin) throws {
        try changing { try deleteChecked(id, origin: origin) }
    }

    /// Returns the record with the key that a counting store will give it, if it has none.
    package func adoptingKey(_ record: Record) throws -> Record {
        try changing {
            var record = record
            try adopt(&record)
            if record.shape.hasImplicitKey { try countUp(&record) }
            return record
        }
    }
}

extension WriteTransaction {
    /// Sets metadata under a name, or removes it for nil; returns whether that changes anything.
    @discardableResult
    func note(_ value: String?, as name: String) throws -> Bool {
        let hasChanged = try noteAside(value, as: name)
        if hasChanged { hasNotes = true }
        return hasChanged
    }

    /// Sets metadata under a name without counting it as a change of the store; returns whether that changes anything.
    @discardableResult
    func noteAside(_ value: String?, as name: String) throws -> Bool {
        let shape = try shape("sync.metadata")
        guard let value else { return try storage.remove(.string(name), in: shape) != nil }
        let record = Record(shape, slots: [.string(name), .string(value)])
        return try storage.put(record) != record
    }
}

extension WriteTransaction {
    /// Requires that records of a shape may be changed: those of the user, and links.
    private func checkIsOpen(_ shape: Shape) throws {
        switch shape.role {
        case nil, .links: return
        case .journal, .metadata, .tombstones, .payloads, .inFlight:
            throw PersistenceError(
                .unknownName,
                "'\(shape.name)' is the library's own: use 'setShadow', 'setMetadata' or 'forgetTombstones'")
        }
    }

    /// Requires that a record has the schema's current shape of its name.
    func adopt(_ record: inout Record) throws {
        if record.shape === latestShape { return }
        if record.shape === previousShape { return swap(&latestShape, &previousShape) }
        let shape = try shape(record.entity)
        try checkIsOpen(shape)
        (latestShape, previousShape) = (shape, latestShape)
        if shape === record.shape { return }
        guard shape.slots == record.shape.slots else {
            throw PersistenceError(
                .wrongType, "the record is of another schema, in which its entity has other properties", id: record.id)
        }
        record = Record(shape, slots: record.values)
    }

    /// Checks the values of a record.
    func check(_ record: Record) throws {
        let shape = record.shape
        if shape.isAbstract {
            throw PersistenceError(
                .wrongType, "'\(shape.name)' is abstract: store a record of an entity that inherits it", id: record.id)
        }
        if let position = shape.firstInvalidSlot(record.values) { throw invalid(position, of: record) }
    }

    /// Returns the error for an invalid value.
    func invalid(_ position: Int, of record: Record) -> PersistenceError {
        let slot = record.shape.slots[position]
        let value = record.values[position]
        if value.isNull {
            return PersistenceError(
                .missingValue, "it is mandatory, and has no value: give it one", id: record.id, property: slot.name)
        }
        let expected = slot.columnTypes.map(\.rawValue).joined(separator: ", ")
        return PersistenceError(
            .wrongType, "it holds \(expected), and the value is \(value.typeName)", id: record.id, property: slot.name)
    }

    private func unknownName(_ name: String, in shape: Shape) -> PersistenceError {
        if shape.relationship(named: name) != nil {
            return PersistenceError(
                .unknownName, "'\(shape.name).\(name)' is not kept in the record: use 'link', 'unlink' or 'setLinks'",
                property: name)
        }
        let names = shape.slots.filter { !$0.isInternal }.map(\.name)
        return PersistenceError(
            .unknownName, "'\(shape.name)' has no '\(name)': it has \(names.joined(separator: ", "))", property: name)
    }

    /// Gives a record the next key of a counting store, if it has none.
    private func countUp(_ record: inout Record) throws {
        let state = try hierarchy(of: record.shape)
        let last =
            try state.lastKey ?? number(WriteTransaction.lastKeyName(of: state.root.name)) ?? 0
        state.lastKey = last
        let slot = record.shape.keySlots[0]
        if case .integer(let key) = record.values[slot] {
            if key > last { (state.lastKey, state.hasNewLastKey) = (key, true) }
        } else if record.values[slot].isNull {
            let (next, isTooLarge) = last.addingReportingOverflow(1)
            if isTooLarge {
                throw PersistenceError(.wrongType, "the store has counted all keys: give the record one of its own")
            }
            record.values[slot] = .integer(next)
            (state.lastKey, state.hasNewLastKey) = (next, true)
        }
    }
}

extension Value {
    /// The kind of a value, for an error that does not show the value.
    var typeName: String {
        if isDeeper() { return "nested more than \(Value.maximumJSONDepth) deep" }
        return switch self {
        case .null: "null"
        case .bool: "bool"
        case .integer: "integer"
        case .double(let number): number.isNaN ? "not a number" : "double"
        case .decimal: "decimal"
        case .string: "string"
        case .bytes: "bytes"
        case .date: "date"
        case .uuid: "uuid"
        case .url: "url"
        case .array: "array"
        case .object: "object"
        }
    }
}
