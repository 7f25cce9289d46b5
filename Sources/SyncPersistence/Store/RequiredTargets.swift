/// The records that must exist at the end of a transaction, because others refer to them.
struct RequiredTargets {
    /// A record that must exist, and the numbers of the slots that refer to it, which is one for most records.
    private struct Target {
        /// The shape by which the record is referred to.
        let shape: Shape
        /// The key of the record.
        let key: DigestedKey
        /// The number of the first slot that refers to it.
        let first: Int
        /// The numbers of other slots.
        var others: Set<Int> = []

        /// The record, for errors.
        var id: RecordID { RecordID(shape.name, key.key) }
    }

    /// The distinct slots that refer to records.
    private var slots: [Slot] = []

    /// The records, in the order in which they were first referred to.
    private var targets: [Target] = []
    /// The position of each record, by its key.
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
        let number = number(of: slot)
        guard let known else {
            unverified.append(targets.count)
            return targets.append(Target(shape: shape, key: key, first: number))
        }
        if targets[known].first != number { targets[known].others.insert(number) }
    }

    /// Returns the number of a slot.
    ///
    /// A schema has few slots that refer to records, so they are searched one by one.
    private mutating func number(of slot: Slot) -> Int {
        let known = slots.firstIndex { $0.name == slot.name && $0.declaredBy == slot.declaredBy }
        if known == nil { slots.append(slot) }
        return known ?? slots.count - 1
    }

    /// Returns the missing records, in a stable order.
    ///
    /// - Complexity: O(number of targets), each with a lookup; without a removal since the last call, only those that are
    ///   new or were missing
    mutating func missing(in log: ChangeLog) throws -> [RecordID] {
        if verifiedRemovals != log.removalCount { unverified = Array(targets.indices) }
        verifiedRemovals = log.removalCount
        unverified = try unverified.filter { try !log.contains(targets[$0].key, of: targets[$0].shape) }
        return unverified.map { targets[$0].id }.sorted(by: RecordID.areInIncreasingOrder)
    }

    /// Returns the slots that refer to a record, in a stable order.
    func slots(referringTo target: RecordID, of shape: Shape) -> [Slot] {
        let key = DigestedKey(target.key)
        let position = positions.find(key.digest) {
            targets[$0].shape === shape && targets[$0].key.key == key.key
        }
        guard let target = position.map({ targets[$0] }) else { return [] }
        let others = target.others.map { slots[$0] }
        return [slots[target.first]] + others.sorted { ($0.declaredBy, $0.name) < ($1.declaredBy, $1.name) }
    }
}
