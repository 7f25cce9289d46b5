import SyncPersistence

/// Slots of related records on which an observed value depends.
struct SlotDependencies: Sendable {
    /// The names of the slots, by the name of the entity.
    private var slots: [String: Set<String>] = [:]

    /// Whether there are none.
    var isEmpty: Bool { slots.isEmpty }

    /// Adds the slots of other records through which a path leads.
    mutating func insert(_ path: BoundPath) {
        for (number, step) in path.steps.enumerated() {
            var names: Set<String> = step.isInverse ? [step.slot.name] : []
            if number + 1 < path.steps.count {
                let next = path.steps[number + 1]
                if !next.isInverse { names.insert(next.slot.name) }
            } else if case .slot(let slot) = path.end {
                names.insert(slot.name)
            }
            slots[step.destination.name, default: []].formUnion(names)
        }
    }

    /// Adds the slots of other records that store a relationship.
    mutating func insert(_ relationship: ShapeRelationship) {
        switch relationship.storage {
        case .reference: break
        case .inverse(let slot, let position):
            slots[relationship.definition.destination, default: []].formUnion([slot, position ?? slot])
        case .links(let shape, let end): slots[shape, default: []].formUnion([end.near, end.far, end.position])
        }
    }

    /// Whether a commit changes one of the slots, or inserts or deletes a record that has one.
    ///
    /// - Complexity: O(number of changes)
    func areChanged(by commit: Commit) -> Bool {
        if isEmpty { return false }
        return commit.changes.contains { change in
            slots.contains { entity, names in
                guard [change.old, change.new].contains(where: { $0?.shape.inherits(entity) == true }) else {
                    return false
                }
                guard change.old != nil, change.new != nil else { return true }
                return change.changedNames.contains(where: names.contains)
            }
        }
    }
}
