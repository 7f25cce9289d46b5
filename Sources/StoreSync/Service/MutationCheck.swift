import SyncPersistence

/// Checks the mutations of a push one by one, before any of them is made: names, types, conflicts, scope and review.
struct MutationCheck {
    private let context: PushContext
    /// The positions of the mutations that have named a record first, by the records as they were sent.
    private(set) var named: [RecordID: Int] = [:]
    /// The keys that the review has given to new records, by the records as they were sent.
    private(set) var keys: [RecordID: Value] = [:]
    private var size = 0
    private var count = 0
    /// About how many bytes the present records of the mutations have.
    private(set) var readSize = 0
    /// The entity of the last mutation, and its shape.
    private var latest: (entity: String, shape: Shape)?
    /// The slots of the last mutation's values, which consecutive mutations often share.
    private var layout: MutationLayout?

    /// An outcome, thrown to end the check of one mutation.
    private struct Stop: Error {
        let outcome: PushResponse.Outcome
    }

    /// Creates the check.
    ///
    /// - Parameter count: The number of mutations.
    init(_ context: PushContext, count: Int) {
        self.context = context
        named.reserveCapacity(min(count, context.limits.pushRecords))
    }

    /// The bytes of present records after which the other mutations wait for the next push.
    ///
    /// Without it, a push of many small changes could read far more bytes than it contains, because the records are
    /// large.
    var readLimit: Int { 8 * context.limits.pushBytes }

    /// Whether the other mutations wait for the next push, because this one has reached a limit of bytes.
    var isFull: Bool { size >= context.limits.pushBytes || readSize >= readLimit }

    /// Decides on the next mutation.
    mutating func check(_ change: inout PushedChange) throws {
        defer { if let old = change.old { readSize += old.values.reduce(0) { $0 + $1.messageSize } } }
        do {
            try decide(on: &change)
        } catch let stop as Stop {
            change.outcome = stop.outcome
        }
    }

    private mutating func decide(on change: inout PushedChange) throws {
        let mutation = change.mutation
        count += 1
        if count > context.limits.pushRecords || isFull { throw Stop(outcome: .later(after: 0)) }
        let shape = try shape(of: mutation)
        change.id = RecordID(shape.root, mutation.id.key)
        let known = named.updateValue(count - 1, forKey: change.id)
        if let known {
            named[change.id] = known
            throw Stop(outcome: .duplicate)
        }
        switch mutation.change {
        case .delete: try checkDeletion(&change)
        case .insert(let values), .update(let values): try checkRecord(&change, shape, values)
        }
    }

    /// Returns the shape of a mutation whose key fits.
    private mutating func shape(of mutation: Mutation) throws -> Shape {
        let key = mutation.id.key
        let shape = try shape(named: mutation.id.entity)
        if !shape.admitsKey(key) {
            throw Stop(outcome: .refused(.wrongType, "the key is not one of the entity"))
        }
        if !context.scope.includes(root: shape.root) { throw Stop(outcome: .unauthorized) }
        return shape
    }

    private mutating func shape(named entity: String) throws -> Shape {
        if let latest, latest.entity == entity { return latest.shape }
        guard let shape = context.schema[entity], shape.role == nil || shape.role == .links else {
            throw Stop(outcome: .refused(.unknownName, "the service has no entity of this name"))
        }
        try context.transaction.open(shape)
        latest = (entity, shape)
        return shape
    }

    /// Decides on a deletion, apart from its consequences, which ``DeletionCheck`` examines.
    private func checkDeletion(_ change: inout PushedChange) throws {
        // Others have deleted the record too, so the deletion is accepted.
        guard let old = try context.transaction.record(change.id) else { return }
        change.old = old
        if !context.scope.contains(old) { throw Stop(outcome: .unauthorized) }
        if try context.isChangedByOthers(change.id) { throw Stop(outcome: .conflict) }
        if let outcome = context.verdict(on: change.mutation, old, nil).outcome { throw Stop(outcome: outcome) }
    }

    /// Decides on a new or changed record, apart from its references, which ``ReferenceCheck`` examines.
    private mutating func checkRecord(_ change: inout PushedChange, _ shape: Shape, _ values: ValueObject) throws {
        let key = change.mutation.id.key
        // A link may refer to a record that was given another key.
        if shape.role == .links { change.id = rewritten(try record(shape, key, from: nil, ValueObject())).rootID }
        let old = try context.transaction.record(change.id)
        // Refused changes count as read too.
        change.old = old
        if let old, !context.scope.contains(old) { throw Stop(outcome: .unauthorized) }
        var known: Record?
        if case .update = change.mutation.change {
            guard let old, old.entity == shape.name else {
                if try context.isChangedByOthers(change.id) { throw Stop(outcome: .conflict) }
                throw Stop(outcome: .refused(.missingRecord, "the entity has no such record to update: insert it"))
            }
            known = old
        }
        // In one statement, the call would copy this value.
        let stated = try record(shape, key, from: known, values)
        let sent = rewritten(stated)
        try countSize(of: change.mutation)
        (change.sent, change.new) = (sent, sent)
        if old == sent { return }
        if try context.isChangedByOthers(change.id) { throw Stop(outcome: .conflict) }
        let verdict = context.verdict(on: change.mutation, old, sent)
        if let outcome = verdict.outcome { throw Stop(outcome: outcome) }
        if case .amend(let values, let key) = verdict { try amend(&change, sent, values, key) }
        // A device may move a record out of its scope.
        if let new = change.new, old == nil, !context.scope.contains(new) { throw Stop(outcome: .unauthorized) }
    }

    /// Returns a record with the values of a mutation.
    ///
    /// - Parameter known: The record that the mutation updates; nil for a new one.
    private mutating func record(
        _ shape: Shape, _ key: Value, from known: Record?, _ values: ValueObject
    ) throws -> Record {
        let layout = try layout(of: values, in: shape)
        var slots = known?.values ?? layout.defaults
        for (position, part) in zip(shape.keySlots, shape.parts(ofKey: key)) { slots[position] = part }
        for (position, value) in zip(layout.positions, values.values) {
            if shape.keySlots.contains(position), value != slots[position] {
                throw Stop(outcome: .refused(.wrongType, "'\(shape.slots[position].name)' differs from the key"))
            }
            slots[position] = value
        }
        let record = Record(shape, slots: slots)
        if let error = context.transaction.problem(of: record) { throw Stop(outcome: .refused(error)) }
        return record
    }

    /// Returns the slots of a mutation's values, which often are those of the mutation before.
    private mutating func layout(of values: ValueObject, in shape: Shape) throws -> MutationLayout {
        if let layout, layout.shape === shape, layout.values.hasNames(of: values) { return layout }
        let positions = values.names.compactMap { shape.slot(named: $0) }
        guard positions.count == values.names.count else {
            throw Stop(outcome: .refused(.unknownName, "the service's entity has no such attribute or reference"))
        }
        let layout = MutationLayout(shape, values, positions)
        self.layout = layout
        return layout
    }

    /// Adds the size of a mutation to that of the push.
    private mutating func countSize(of mutation: Mutation) throws {
        let added = mutation.messageSize
        let limit = context.limits.bytes
        if added > limit {
            throw Stop(
                outcome: .refused(
                    code: "limit", reason: "the record has \(added) bytes, and the service accepts up to \(limit)"))
        }
        // As a page, a push has at least one record.
        if size > 0 && size + added > context.limits.pushBytes {
            size = context.limits.pushBytes
            throw Stop(outcome: .later(after: 0))
        }
        size += added
    }
}

extension MutationCheck {
    /// Changes a record by the values and the key of an amendment.
    private mutating func amend(
        _ change: inout PushedChange, _ sent: Record, _ values: [String: Value], _ key: Value?
    ) throws {
        func fault(_ reason: String) -> Stop { Stop(outcome: .refused(code: "amendment", reason: reason)) }
        var new = sent
        for (name, value) in values {
            guard let position = new.shape.slot(named: name), !new.shape.keySlots.contains(position) else {
                throw fault("the review amends '\(name)', which is not an attribute or a reference")
            }
            new[name] = value
        }
        if let key, key != change.id.key {
            let id = RecordID(change.id.entity, key)
            guard change.old == nil, sent.shape.role == nil else {
                throw fault("the review gives another key to a record that is not new")
            }
            guard sent.shape.admitsKey(key) else {
                throw fault("the review gives a key to the record that is not one of the entity")
            }
            guard try context.transaction.record(id) == nil, named[id] == nil else {
                throw fault("the review gives a key to the record that another record has")
            }
            named[id] = count - 1
            keys[change.id] = key
            new = try context.transaction.renamed(new, new.id, to: key)
            change.sent = try context.transaction.renamed(sent, sent.id, to: key)
            (change.id, change.key) = (id, key)
        }
        if let error = context.transaction.problem(of: new) { throw Stop(outcome: .refused(error)) }
        change.new = new
    }

    /// Returns a record with the keys that the review has given to the records to which it refers.
    func rewritten(_ record: Record) -> Record {
        if keys.isEmpty { return record }
        var values = record.values
        for (position, slot) in record.shape.slots.enumerated() {
            guard case .reference(let entity, _, _) = slot.content, !values[position].isNull,
                let root = context.schema[entity]?.root, let key = keys[RecordID(root, values[position])]
            else { continue }
            values[position] = key
        }
        return Record(record.shape, slots: values)
    }
}

/// The slots of the values that consecutive mutations have.
private struct MutationLayout {
    let shape: Shape
    let values: ValueObject
    let positions: [Int]
    let defaults: [Value]

    init(_ shape: Shape, _ values: ValueObject, _ positions: [Int]) {
        (self.shape, self.values, self.positions) = (shape, values, positions)
        defaults = shape.slots.map(\.defaultValue)
    }
}

extension Schema {
    /// Whether an entity or a relationship can have a record with a key.
    func admitsKey(of id: RecordID) -> Bool {
        guard let shape = self[id.entity], shape.role == nil || shape.role == .links else { return false }
        return shape.admitsKey(id.key)
    }
}

extension Shape {
    /// Whether a value can be the key of a record.
    fileprivate func admitsKey(_ key: Value) -> Bool {
        if keySlots.count > 1 {
            guard case .array(let parts) = key, parts.count == keySlots.count else { return false }
        }
        return zip(keySlots, parts(ofKey: key)).allSatisfy { !$1.isNull && slots[$0].admits($1) }
    }

    /// Returns the parts of a key, in the order of their slots.
    fileprivate func parts(ofKey key: Value) -> [Value] {
        if keySlots.count > 1, case .array(let parts) = key { parts } else { [key] }
    }
}
