import DifferentialSync
import SyncPersistence

/// A page of a remote, as a store takes it: in one transaction, merged with local changes.
struct PagePull {
    private let transaction: WriteTransaction
    private let policy: ConflictPolicy<Record>

    /// The marks of the records in the pages of a comparison; nil for a pull of changes.
    private let seen: SeenRecords?

    /// The values without a slot here; nil if the remote has none.
    private var kept: KeptAttributes?

    /// The conflicts with local changes.
    private(set) var conflicts: [StoreConflict] = []

    /// The records that have left the scope.
    private(set) var left: [RecordID] = []

    init(
        in transaction: WriteTransaction, _ policy: ConflictPolicy<Record>, seen: SeenRecords?, kept: KeptAttributes?
    ) {
        (self.transaction, self.policy, self.seen, self.kept) = (transaction, policy, seen, kept)
    }

    /// Stores the entries of a page.
    mutating func apply(_ entries: [PullResponse.Entry]) throws {
        var unreadable = UnreadableRecords(in: transaction)
        transaction.beginMergingEdits()
        for entry in entries {
            guard let shape = transaction.schema[entry.id.entity], shape.role == nil || shape.role == .links else {
                continue
            }
            let id = RecordID(shape.root, entry.id.key)
            switch entry.state {
            case .present(let values):
                try seen?.add(id, of: shape)
                try kept?.keep(values, of: id, shape)
                let record = Record(shape, named: values)
                if let reason = transaction.reasonAgainst(record, id: entry.id) {
                    try unreadable.add(UnreadableRecord(id: id, reason: reason))
                } else {
                    try unreadable.remove(id)
                    try transaction.put(record, origin: .remote)
                }
            case .deleted:
                try unreadable.remove(id)
                try transaction.delete(id, origin: .remote)
            case .outOfScope:
                try unreadable.remove(id)
                if try transaction.record(id) != nil { left.append(id) }
                try transaction.delete(id, origin: .remote)
            }
        }
        try merge()
        guard let kept else { return }
        // A policy may have kept a record that the remote has deleted.
        for entry in entries {
            if case .present = entry.state { continue }
            guard let shape = transaction.schema[entry.id.entity] else { continue }
            let id = RecordID(shape.root, entry.id.key)
            if try transaction.record(id) == nil { try kept.remove(id) }
        }
    }

    /// Deletes records that a comparison has not found.
    mutating func delete(_ ids: [RecordID]) throws {
        transaction.beginMergingEdits()
        for id in ids { try transaction.delete(id, origin: .remote) }
        try merge()
    }

    /// Merges the remote's versions with local changes, field by field.
    private mutating func merge() throws {
        var seen: Set<RecordID> = []
        let ids = try transaction.heldBack.map { RecordID(try transaction.shape($0.entity).root, $0.key) }
            .filter { seen.insert($0).inserted }
        let merged = try transaction.mergeEdits(ids, stated: [:], policy: policy) {
            try transaction.delete($0, origin: .remote)
        }
        conflicts += merged.map(StoreConflict.init)
        try transaction.settleIncoming()
    }
}

extension Record {
    /// Creates a record from values by name; a value that is not there is the default.
    init(_ shape: Shape, named values: ValueObject) {
        // Most pages have all values in the order of the slots.
        let isInOrder =
            values.names.count == shape.slots.count && zip(values.names, shape.slots).allSatisfy { $0 == $1.name }
        self.init(shape, slots: isInOrder ? values.values : shape.slots.map { values[$0.name] ?? $0.defaultValue })
    }
}

extension WriteTransaction {
    /// Returns why a record of the remote cannot be stored; nil if it can.
    fileprivate func reasonAgainst(_ record: Record, id: RecordID) -> String? {
        if record.shape.isAbstract { return "no record is of the abstract entity '\(record.entity)' itself" }
        if record.key != id.key { return "its values have the key \(record.key)" }
        return problem(of: record).map { "\($0)" }
    }
}

extension StoreConflict {
    init(_ edit: MergedEdit) {
        self.init(id: edit.id, versions: edit.conflict, fields: edit.fields, isOpen: edit.isOpen)
    }
}
