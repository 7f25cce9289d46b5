/// The lookups of changes: of their records, journal entries, rows of the history and targets.
///
/// A store behind a network makes those of thousands of changes together.
struct ChangeLookups {
    /// The transaction that makes the changes.
    private let transaction: WriteTransaction
    /// The keys of the changed records and of their targets, by the roots of their hierarchies.
    private var keys: [String: [Value]] = [:]
    /// These roots, in the order of the changes.
    private var roots: [Shape] = []

    /// Finds the keys that changes look up.
    ///
    /// - Complexity: O(number of changes)
    init(of operations: some Collection<ChangeSet.Operation>, in transaction: WriteTransaction) {
        self.transaction = transaction
        var targets: [String: Set<Value>] = [:]
        for operation in operations { add(operation, &targets) }
        for (root, more) in targets {
            guard let shape = transaction.schema[root] else { continue }
            let known = Set(keys[root] ?? [])
            if known.isEmpty { roots.append(shape) }
            keys[root, default: []] += more.filter { !known.contains($0) }
        }
    }

    /// Adds the key of a changed record, and those of the records to which it refers.
    private mutating func add(_ operation: ChangeSet.Operation, _ targets: inout [String: Set<Value>]) {
        let record: Record?
        let id: RecordID
        switch operation {
        case .put(let new): (record, id) = (new, RecordID(new.entity, new.key))
        case .update(let known, _), .delete(let known): (record, id) = (nil, known)
        case .exact(let change):
            guard let element = change.new ?? change.old else { return }
            (record, id) = (change.new, element.id)
        default: return
        }
        guard let shape = transaction.schema[id.entity], let root = transaction.schema[shape.root], !id.key.isNull
        else { return }
        if keys[root.name] == nil { roots.append(root) }
        keys[root.name, default: []].append(id.key)
        guard let record else { return }
        for slot in record.shape.slots.indices {
            guard case .reference(let destination, _, _) = record.shape.slots[slot].content,
                !record.values[slot].isNull, let root = transaction.schema[destination]?.root
            else { continue }
            targets[root, default: []].insert(record.values[slot])
        }
    }

    /// Returns the lookups of all changes.
    ///
    /// - Complexity: O(number of changes)
    func all() throws -> [KeyLookup] {
        try roots.flatMap { try transaction.lookups(of: keys[$0.name] ?? [], in: $0) }
    }
}
