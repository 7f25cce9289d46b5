/// The entries of a journal by the records that they name: the entry's own record, those that its images refer to, and
/// those at the ends of a link.
///
/// It may have entries that no longer name a record.
struct NamedEntries {
    private var roots: Set<String> = []
    private var entries: [RecordID: [RecordID]] = [:]

    /// Begins to keep the entries of a hierarchy; returns whether they must be added.
    mutating func begin(_ root: String) -> Bool { roots.insert(root).inserted }

    /// Adds an entry, unless its hierarchy is not kept.
    mutating func add(_ entry: JournalEntry, in schema: Schema) {
        if roots.isEmpty { return }
        guard let shape = schema[entry.id.entity], roots.contains(shape.root) else { return }
        let id = RecordID(shape.root, entry.id.key)
        var named: Set<RecordID> = [id]
        for image in [entry.base, entry.remote].compactMap({ $0 }) {
            for slot in image.shape.slots.indices {
                named.formUnion(Self.target(image.values[slot], of: image.shape.slots[slot], in: schema))
            }
        }
        if case .array(let parts) = id.key, parts.count == shape.keySlots.count {
            for (slot, part) in zip(shape.keySlots, parts) {
                named.formUnion(Self.target(part, of: shape.slots[slot], in: schema))
            }
        }
        for other in named where entries[other]?.last != id { entries[other, default: []].append(id) }
    }

    /// Returns the records with entries that name a record, each once, in a stable order.
    func entries(naming id: RecordID) -> [RecordID] {
        Set(entries[id] ?? []).sorted(by: RecordID.areInIncreasingOrder)
    }

    private static func target(_ key: Value, of slot: Slot, in schema: Schema) -> [RecordID] {
        guard case .reference(let entity, _, _) = slot.content, !key.isNull, let root = schema[entity]?.root else {
            return []
        }
        return [RecordID(root, key)]
    }
}
