extension WriteTransaction {
    /// The number of changes whose lookups are made together.
    package static let lookupCount = 5_000

    /// Returns what changes look up: their records, journal entries, rows of the history and targets.
    ///
    /// - Complexity: O(number of changes)
    func lookups(of operations: some Collection<ChangeSet.Operation>) throws -> [KeyLookup] {
        var keys: [String: [Value]] = [:]
        var roots: [Shape] = []
        var targets: [String: Set<Value>] = [:]
        for operation in operations {
            let record: Record?
            let id: RecordID
            switch operation {
            case .put(let new): (record, id) = (new, RecordID(new.entity, new.key))
            case .update(let known, _), .delete(let known): (record, id) = (nil, known)
            case .exact(let change):
                guard let element = change.new ?? change.old else { continue }
                (record, id) = (change.new, element.id)
            default: continue
            }
            guard let root = schema[id.entity].flatMap({ schema[$0.root] }), !id.key.isNull else { continue }
            if keys[root.name] == nil { roots.append(root) }
            keys[root.name, default: []].append(id.key)
            if let record { addTargets(of: record, to: &targets) }
        }
        for (root, more) in targets {
            guard let shape = schema[root] else { continue }
            let known = Set(keys[root] ?? [])
            if known.isEmpty { roots.append(shape) }
            keys[root, default: []] += more.filter { !known.contains($0) }
        }
        return try roots.flatMap { try lookups(of: keys[$0.name] ?? [], in: $0) }
    }

    /// Notices whether there are records of a hierarchy, so that no lookups follow if there are none.
    package func open(_ shape: Shape) throws { _ = try log.hierarchy(of: shape) }

    /// Adds the keys of the records to which a record refers, by the roots of their hierarchies.
    private func addTargets(of record: Record, to targets: inout [String: Set<Value>]) {
        for slot in record.shape.slots.indices {
            guard case .reference(let destination, _, _) = record.shape.slots[slot].content,
                !record.values[slot].isNull, let root = schema[destination]?.root
            else { continue }
            targets[root, default: []].insert(record.values[slot])
        }
    }

    /// Returns the lookups of changed records of a hierarchy.
    func lookups(of keys: [Value], in root: Shape) throws -> [KeyLookup] {
        let state = try log.hierarchy(of: root)
        var lookups: [KeyLookup] = []
        if !state.wasEmpty { lookups.append(KeyLookup(keys, in: root)) }
        if !state.journal.wasEmpty, let journal = schema.journal(of: root) {
            lookups.append(KeyLookup(keys, in: journal))
        }
        if try keepsHistory, let shape = schema[Shape.historyName] {
            let rows = keys.map { Value.array(HistoryEntry.rowKey(of: RecordID(root.name, $0))) }
            lookups.append(KeyLookup(rows, in: shape))
        }
        return lookups
    }
}
