import SyncPersistence

/// The entities of a store that both ends have, in the order in which their records can be stored.
struct SyncedShapes {
    /// The hierarchies of records and links: those that others refer to come first.
    let roots: [Shape]

    private let schema: Schema

    /// The slots that the remote has, by entity; nil for a remote that stores records of any schema.
    private let remoteSlots: [String: Set<String>]?

    /// The roots of the hierarchies that the remote has; nil for a remote that stores records of any schema.
    private let knownRoots: Set<String>?

    /// Whether the remote lacks an entity of a hierarchy that it has.
    let hasPartialHierarchies: Bool

    /// Creates the entities of a schema.
    ///
    /// - Parameters:
    ///   - schema: The schema of the store.
    ///   - remote: The names of the slots that the remote has, by entity; nil for any.
    init(_ schema: Schema, remote: [String: [String]]?) {
        self.schema = schema
        remoteSlots = remote?.mapValues { Set($0) }
        let known = remote.map { remote in
            Set(schema.synchronizedShapes.filter { remote[$0.name] != nil }.map(\.root))
        }
        knownRoots = known
        hasPartialHierarchies = schema.synchronizedShapes.contains { shape in
            guard let remote, known?.contains(shape.root) == true else { return false }
            return !shape.isAbstract && remote[shape.name] == nil
        }
        roots = schema.referenceOrder.roots.filter { known?.contains($0.name) ?? true }
    }

    /// The roots of the hierarchies whose records refer to records of the same hierarchy.
    var selfReferring: Set<String> { schema.referenceOrder.selfReferring }

    /// Returns the names of the slots of each entity, as a handshake states them.
    static func slotNames(of schema: Schema) -> [String: [String]] {
        Dictionary(
            uniqueKeysWithValues: schema.synchronizedShapes.filter { !$0.isAbstract }.map {
                ($0.name, $0.slots.map(\.name))
            })
    }

    /// The roots of the hierarchies that the remote lacks.
    var missing: [String] {
        let known = Set(roots.map(\.name))
        return schema.synchronizedShapes.filter { $0.isRoot && !known.contains($0.name) }.map(\.name)
    }

    /// The entities whose records the remote cannot have, in alphabetical order.
    ///
    /// An entity without records of its own is not one of them.
    var missingEntities: [String] {
        guard let remoteSlots else { return [] }
        return schema.shapes.filter { !$0.isAbstract && remoteSlots[$0.name] == nil }.map(\.name).sorted()
    }

    /// The names of the slots that the remote lacks, by entity: all of them for an entity that it lacks.
    var missingSlots: [String: [String]] {
        guard let remoteSlots else { return [:] }
        var missing: [String: [String]] = [:]
        for (name, slots) in Self.slotNames(of: schema) {
            let names = slots.filter { remoteSlots[name]?.contains($0) != true }
            if !names.isEmpty || remoteSlots[name] == nil { missing[name] = names }
        }
        return missing
    }

    /// The names of the slots that both ends have, by entity.
    var slotsOfBoth: [String: [String]] {
        let names = Self.slotNames(of: schema)
        guard let remoteSlots else { return names }
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name, slots in
                remoteSlots[name].map { remote in (name, slots.filter(remote.contains)) }
            })
    }

    /// Whether the remote has the hierarchy with a root.
    func includes(root: String) -> Bool { knownRoots?.contains(root) ?? true }

    /// Whether the remote can have records of an entity.
    func includes(_ shape: Shape) -> Bool { remoteSlots.map { $0[shape.name] != nil } ?? true }

    /// Whether the remote may have slots that the schema lacks.
    var remoteHasMore: Bool {
        guard let remoteSlots else { return true }
        return schema.synchronizedShapes.contains { shape in
            remoteSlots[shape.name]?.contains { shape.slot(named: $0) == nil } ?? false
        }
    }

    /// Whether the remote has a slot of an entity.
    func remoteHas(_ slot: Slot, of shape: Shape) -> Bool { remoteHas(slot.name, of: shape) }

    func remoteHas(_ name: String, of shape: Shape) -> Bool { remoteSlots?[shape.name]?.contains(name) ?? true }

    /// Returns a record without the local changes of slots that the remote lacks, so that these stay local changes.
    func withRemoteSlots(_ record: Record, since base: Record?) -> Record {
        if remoteSlots == nil { return record }
        let former = base?.shape == record.shape ? base : nil
        var version = record
        for (position, slot) in record.shape.slots.enumerated() where !remoteHas(slot, of: record.shape) {
            version.values[position] = former?.values[position] ?? slot.defaultValue
        }
        return version
    }
}

extension Record {
    /// The enforced references of the record: the positions of their slots, and the records that they refer to.
    func references(in schema: Schema) -> [(slot: Int, target: RecordID)] {
        shape.enforcedReferences.compactMap { position, name in
            guard !values[position].isNull, let destination = schema[name] else { return nil }
            return (position, RecordID(destination.root, values[position]))
        }
    }
}
