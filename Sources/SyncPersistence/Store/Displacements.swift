/// A reference that one record has lost or gained because another was stored.
struct Displacement {
    /// The record that was stored.
    let cause: RecordID
    /// The other record, under the name of its hierarchy's root.
    let victim: RecordID
    /// The slot of the reference in the other record.
    let slot: String
    /// The reference before.
    let before: Value
    /// The reference after.
    let after: Value
    /// The reference in the shadow.
    let shadow: Value
    /// Whether the reference must be restored: it is a local change, or a change of the remote for the record waits.
    let isProtected: Bool
    /// The number of earlier displacements.
    let index: Int

    /// Whether the other record still has the changed reference, and must not keep it.
    func mustBeUndone(in record: Record) -> Bool {
        guard record[slot] == after, let position = record.shape.slot(named: slot) else { return false }
        return isProtected || after.isNull && !record.shape.slots[position].isOptional
    }

    /// Whether the relationship is its own inverse: then a deletion clears both references.
    func isSymmetric(in shape: Shape) -> Bool {
        shape.relationships.contains { if case .reference(slot, true, true) = $0.storage { true } else { false } }
    }
}

/// The changes of other records that storing records of the remote has made, in order.
struct Displacements {
    /// All displacements.
    private var all: [Displacement] = []

    /// The positions of the displacements by the record that causes them.
    private var positionsByCause: [RecordID: [Int]] = [:]
    /// The positions of the displacements, by the changed record.
    private var positionsByVictim: [RecordID: [Int]] = [:]

    /// For each record that the remote itself has changed, the number of earlier displacements, whose effects are
    /// decided.
    private var decided: [RecordID: Int] = [:]

    /// For each record whose shadow a change has stated, the number of earlier displacements.
    private var statedShadows: [RecordID: Int] = [:]
}

extension Displacements {
    /// Whether there are none.
    var isEmpty: Bool { all.isEmpty }

    /// The number of all displacements.
    var count: Int { all.count }

    /// The displacements that no later change of the remote has decided.
    var open: [Displacement] { all.filter(isOpen) }

    /// Returns the open displacements that a record has caused.
    func caused(by id: RecordID) -> [Displacement] { openOnes(at: positionsByCause[id]) }

    /// Returns the open displacements of a record's references.
    func ofReferences(in id: RecordID) -> [Displacement] { openOnes(at: positionsByVictim[id]) }

    /// Whether displacements have taken a protected reference from a record.
    ///
    /// - Parameter start: The number of displacements that are not examined.
    func haveTaken(_ slot: String, from victim: RecordID, since start: Int) -> Bool {
        all[start...].contains { $0.victim == victim && $0.slot == slot && $0.isProtected }
    }

    /// Whether a change has stated the shadow of a record after a displacement of its reference.
    func isShadowStated(after displacement: Displacement) -> Bool {
        displacement.index < statedShadows[displacement.victim, default: 0]
    }

    /// Returns the open displacements at some positions.
    private func openOnes(at positions: [Int]?) -> [Displacement] {
        positions?.map { all[$0] }.filter(isOpen) ?? []
    }

    /// Whether no later change of the remote has decided about a displacement.
    private func isOpen(_ displacement: Displacement) -> Bool {
        displacement.index >= decided[displacement.victim, default: 0]
    }
}

extension Displacements {
    /// Adds a displacement, whose index is ``count``.
    mutating func append(_ displacement: Displacement) {
        positionsByCause[displacement.cause, default: []].append(all.count)
        positionsByVictim[displacement.victim, default: []].append(all.count)
        all.append(displacement)
    }

    /// Records that the remote itself has changed a record.
    mutating func setIsDecided(_ id: RecordID) {
        if !all.isEmpty { decided[id] = all.count }
    }

    /// Records that a change set states the shadow of a record.
    mutating func setHasStatedShadow(_ id: RecordID) {
        if !all.isEmpty { statedShadows[id] = all.count }
    }
}
