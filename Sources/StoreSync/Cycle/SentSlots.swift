import SyncPersistence

/// The slots of an entity that the remote has, as pushes send them.
struct SentSlots {
    /// The entity.
    let shape: Shape

    /// Whether the remote has all slots.
    let isComplete: Bool

    private let positions: [Int]
    /// Their names, which the changes of all whole records share.
    private let names: [String]
    private let haveNullDefaults: [Bool]

    init(of shape: Shape, _ shapes: SyncedShapes) {
        self.shape = shape
        positions = shape.slots.indices.filter { shapes.remoteHas(shape.slots[$0], of: shape) }
        names = positions.map { shape.slots[$0].name }
        haveNullDefaults = positions.map { shape.slots[$0].defaultValue.isNull }
        isComplete = positions.count == shape.slots.count
    }

    /// Returns the values of a record that differ from those of a former version, or from null for a new record.
    func values(of record: Record, since former: Record?) -> ValueObject {
        var isWhole = true
        var names: [String] = []
        var values: [Value] = []
        values.reserveCapacity(positions.count)
        for (index, position) in positions.enumerated() {
            let value = record.values[position]
            let isSent = former.map { $0.values[position] != value } ?? !(value.isNull && haveNullDefaults[index])
            if isSent {
                values.append(value)
                if !isWhole { names.append(self.names[index]) }
            } else if isWhole {
                isWhole = false
                names = Array(self.names[..<index])
            }
        }
        return ValueObject(distinct: isWhole ? self.names : names, values)
    }
}

extension Mutation {
    /// Creates the change of a record from the shadow's version to a local one.
    ///
    /// - Parameters:
    ///   - id: The record.
    ///   - base: The shadow's version; nil for a new record.
    ///   - record: The local version.
    ///   - slots: The slots of its entity.
    init(_ id: RecordID, from base: Record?, to record: Record, _ slots: SentSlots) {
        let former = base?.shape == record.shape ? base : nil
        let content = slots.values(of: record, since: former)
        self.init(RecordID(record.entity, id.key), former == nil ? .insert(content) : .update(content))
    }
}
