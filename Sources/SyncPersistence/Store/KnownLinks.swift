/// The related records of a record at the remote, as far as the store knows: those without local changes.
///
/// The journal of each hierarchy is read once, on first use.
package final class KnownLinks {
    /// The transaction in which records and journal are read.
    private let transaction: any PayloadStore
    /// The local changes of each hierarchy that was read so far, by its root.
    private var edits: [String: Edits] = [:]

    /// The local changes of a hierarchy.
    private struct Edits {
        /// The keys of the changed records.
        var keys: Set<Value> = []
        /// The keys of the changed records that refer to a record for the remote, by slot and target.
        var naming: [String: [Value: [Value]]] = [:]
        /// The keys of the changed records that the remote has deleted since, while that is unresolved, by slot and
        /// former target.
        var withdrawn: [String: [Value: [Value]]] = [:]
    }

    /// Creates a cache that has read no journal yet.
    package init(in transaction: any PayloadStore) {
        self.transaction = transaction
    }

    /// Returns the keys of the records that a relationship leads to for the remote, in its order if it has one.
    ///
    /// - Complexity: O(number of keys), and once O(*d*) for *d* changed records of the hierarchy at the other end
    package func related(_ id: RecordID, _ name: String) throws -> [Value] {
        let relationship = try transaction.relationship(name, of: id.entity)
        switch relationship.storage {
        case .reference(let slot, _, _):
            let key = try transaction.known(id, to: .remote)?[slot] ?? .null
            return key.isNull ? [] : [key]
        case .inverse(let slot, let position):
            let shape = try transaction.shape(relationship.definition.destination)
            guard let edits = try edits(of: shape) else { return try transaction.related(id, name) }
            let present = try transaction.relatedRecords(id, name)
            return try known(present, edits, in: shape, slot, id.key, by: position).map(\.key)
        case .links(let name, let end):
            let shape = try transaction.shape(name)
            let present = try transaction.links(name, end, of: id.key)
            guard let edits = try edits(of: shape) else { return present.map { $0[end.far] } }
            let position = shape.slot(named: end.position) == nil ? nil : end.position
            return try known(present, edits, in: shape, end.near, id.key, by: position).map { $0[end.far] }
        }
    }

    /// Returns the records of a shape that refer to a record in a slot for the remote.
    ///
    /// - Complexity: As ``related(_:_:)``
    package func records(of shape: Shape, naming key: Value, in slot: String) throws -> [Record] {
        let present = try transaction.records(Query(shape.name, where: .comparison(path: slot, .equal, key)))
        guard let edits = try edits(of: shape) else { return present }
        return try known(present, edits, in: shape, slot, key, by: nil)
    }

    /// Returns the keys of the changed records of a shape that referred to a record in a slot before the remote deleted
    /// them, while that is unresolved.
    ///
    /// - Complexity: As ``related(_:_:)``
    package func withdrawn(of shape: Shape, naming key: Value, in slot: String) throws -> [Value] {
        try edits(of: shape)?.withdrawn[slot]?[key] ?? []
    }

    /// Returns the records that refer to one for the remote.
    private func known(
        _ present: [Record], _ edits: Edits, in shape: Shape, _ slot: String, _ key: Value, by position: String?
    ) throws -> [Record] {
        var known: [Record] = []
        var hasOthers = false
        var seen: Set<Value> = []
        func append(_ edited: Value) throws {
            hasOthers = true
            guard seen.insert(edited).inserted else { return }
            let record = try transaction.known(RecordID(shape.name, edited), to: .remote)
            if let record, record[slot] == key { known.append(record) }
        }
        for record in present {
            if edits.keys.contains(record.key) { try append(record.key) } else { known.append(record) }
        }
        for edited in edits.naming[slot]?[key] ?? [] { try append(edited) }
        guard hasOthers, let position else { return known }
        known.sort { Value.areInIncreasingOrder($0[position], $1[position]) }
        known.sortSharedPlaces(position)
        return known
    }

    /// Returns the local changes of a shape's hierarchy; nil if there are none.
    private func edits(of shape: Shape) throws -> Edits? {
        guard try transaction.mayHaveEntries(of: shape) else { return nil }
        if let known = edits[shape.root] { return known.keys.isEmpty ? nil : known }
        var found = Edits()
        for entry in try transaction.journal(of: shape.root) {
            found.keys.insert(entry.id.key)
            let isWithdrawn = entry.isUnresolved && entry.remote == nil
            guard let known = isWithdrawn ? entry.base : entry.known else { continue }
            for (position, slot) in known.shape.slots.enumerated() {
                let key = known.values[position]
                guard case .reference = slot.content, !key.isNull else { continue }
                if isWithdrawn {
                    found.withdrawn[slot.name, default: [:]][key, default: []].append(entry.id.key)
                } else {
                    found.naming[slot.name, default: [:]][key, default: []].append(entry.id.key)
                }
            }
        }
        edits[shape.root] = found
        return found.keys.isEmpty ? nil : found
    }
}
