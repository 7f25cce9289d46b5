/// The records that must exist at the end of a transaction, because others refer to them.
struct RequiredTargets {
    /// A record, and the slots that refer to it: nearly always one.
    private struct Target {
        let shape: Shape
        let key: DigestedKey
        let first: Slot
        var others: Set<Slot> = []

        var id: RecordID { RecordID(shape.name, key.key) }

        /// All slots, in a stable order.
        var slots: [Slot] { [first] + others.sorted { ($0.declaredBy, $0.name) < ($1.declaredBy, $1.name) } }
    }

    private var targets: [Target] = []
    private var positions = PositionTable()

    /// The positions of the targets that were not found when ``missing(in:)`` last looked, and of later ones.
    private var unverified: [Int] = []

    /// The number of removals when ``missing(in:)`` last looked.
    private var verifiedRemovals = 0

    /// Adds a record that a slot refers to.
    ///
    /// - Parameters:
    ///   - key: The key of the record.
    ///   - shape: The shape of the entity that the slot names.
    ///   - slot: The slot.
    mutating func add(_ key: DigestedKey, of shape: Shape, for slot: Slot) {
        let known = positions.find(key.digest, orInsert: targets.count) {
            targets[$0].shape === shape && targets[$0].key.key == key.key
        }
        guard let known else {
            unverified.append(targets.count)
            return targets.append(Target(shape: shape, key: key, first: slot))
        }
        let first = targets[known].first
        if first.name == slot.name && first.declaredBy == slot.declaredBy { return }
        targets[known].others.insert(slot)
    }

    /// Returns the missing records, in a stable order.
    ///
    /// - Complexity: O(number of targets), each with a lookup; without a removal since the last call, only those that are
    ///   new or were missing
    mutating func missing(in log: ChangeLog) throws -> [RecordID] {
        if verifiedRemovals != log.removalCount { unverified = Array(targets.indices) }
        verifiedRemovals = log.removalCount
        unverified = try unverified.filter { try !log.contains(targets[$0].key, of: targets[$0].shape) }
        return unverified.map { targets[$0].id }.sorted { left, right in
            left.entity == right.entity
                ? Value.areInIncreasingOrder(left.key, right.key) : left.entity < right.entity
        }
    }

    /// Returns the slots that refer to a record.
    func slots(referringTo target: RecordID, of shape: Shape) -> [Slot] {
        let key = DigestedKey(target.key)
        let position = positions.find(key.digest) {
            targets[$0].shape === shape && targets[$0].key.key == key.key
        }
        return position.map { targets[$0].slots } ?? []
    }
}
