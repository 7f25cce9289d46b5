import SyncPersistence

/// Checks the references of a push's new and changed records, before any of them is stored.
///
/// A change that refers to a missing record is blocked, and the device sends it again later. If only one record may
/// refer to a target, the new reference is taken from the record that has it.
struct ReferenceCheck {
    private let context: PushContext
    private let positions: [RecordID: Int]
    private var dependencies = PushDependencies()
    /// Whether records are stored, for those that were looked up so far.
    private var existence: [RecordID: Bool] = [:]
    /// The last target: consecutive records often refer to the same one.
    private var latestTarget: (id: RecordID, position: Int?)?

    /// The records of the push that refer to a record by a slot that only one record may have.
    private var claims: [Claim: Int] = [:]

    /// A one-to-one reference to a record.
    private struct Claim: Hashable {
        let entity: String
        let slot: String
        let target: Value
    }

    /// Creates the check.
    ///
    /// - Parameter positions: The positions of the mutations by record.
    init(_ context: PushContext, _ positions: [RecordID: Int]) { (self.context, self.positions) = (context, positions) }

    /// Stops the mutations whose references are not possible.
    mutating func run(on changes: inout [PushedChange]) throws {
        for position in changes.indices {
            guard changes[position].isEffective, let new = changes[position].new else { continue }
            try checkTargets(of: new, at: position, in: &changes)
            if changes[position].isAccepted { try checkReferrers(to: new, at: position, in: &changes) }
            if changes[position].isAccepted { try checkDisplaced(by: new, at: position, in: &changes) }
        }
        dependencies.settle(&changes)
    }

    /// Requires that the targets of changed references exist, or are inserted by the push.
    private mutating func checkTargets(of new: Record, at position: Int, in changes: inout [PushedChange]) throws {
        let old = changes[position].old.flatMap { $0.shape == new.shape ? $0 : nil }
        for (place, entity) in new.shape.enforcedReferences {
            guard let root = context.schema[entity]?.root else { continue }
            let key = new.values[place]
            if key.isNull || key == old?.values[place] { continue }
            let id = RecordID(root, key)
            let other = self.position(of: id)
            let planned = other.flatMap { changes[$0].isEffective ? changes[$0].new?.shape : nil }
            let isPlanned = planned?.inherits(entity) == true
            if let other, isOtherRecord(changes[other], entity) {
                changes[position].outcome = changes[other].blocking
                return
            }
            // Whether the target is stored is known from the check of its own change.
            let isNew = isPlanned && other.map { changes[$0].old == nil } ?? false
            if try (planned == nil || isPlanned) && !isNew && exists(RecordID(entity, key)) { continue }
            if let other, isPlanned {
                dependencies.add(position, needs: other, in: &changes)
            } else {
                changes[position].outcome = other.map { changes[$0].blocking } ?? .blocked(by: id)
                return
            }
        }
    }

    /// Whether a stored record with the key of a target is another one, because the push has inserted the target in vain.
    ///
    /// Each device counts the keys of an entity without a primary key by itself.
    private func isOtherRecord(_ target: PushedChange, _ entity: String) -> Bool {
        guard !target.isAccepted, case .insert = target.mutation.change else { return false }
        return context.schema[entity]?.hasImplicitKey == true
    }

    private mutating func position(of target: RecordID) -> Int? {
        if let latestTarget, latestTarget.id == target { return latestTarget.position }
        let position = positions[target]
        latestTarget = (target, position)
        return position
    }

    /// Whether a record is stored; one outside the scope does not exist for the device.
    private mutating func exists(_ id: RecordID) throws -> Bool {
        if let exists = existence[id] { return exists }
        let exists =
            try context.scope.isWhole
            ? context.transaction.contains(id) : context.transaction.record(id).map(context.scope.contains) ?? false
        existence[id] = exists
        return exists
    }

    /// Checks the records that refer to a record whose entity changes to one to which they cannot refer.
    private mutating func checkReferrers(to new: Record, at position: Int, in changes: inout [PushedChange]) throws {
        guard let old = changes[position].old, old.shape != new.shape else { return }
        for shape in context.schema.shapes + context.schema.internalShapes {
            for slot in shape.slots where slot.declaredBy == shape.name {
                guard case .reference(let entity, _, true) = slot.content, old.shape.inherits(entity),
                    !new.shape.inherits(entity)
                else { continue }
                let query = Query(shape.name, where: .comparison(path: slot.name, .equal, new.key))
                for referrer in try context.transaction.records(query) {
                    let id = referrer.rootID
                    if let other = positions[id], changes[other].new?[slot.name] != new.key {
                        dependencies.add(position, needs: other, in: &changes)
                    } else if try context.isChangedByOthers(id) {
                        changes[position].outcome = .conflict
                    } else {
                        let reason = "another record refers to it, which cannot refer to a record of this entity"
                        changes[position].outcome = .refused(.danglingReference, reason)
                    }
                    if !changes[position].isAccepted { return }
                }
            }
        }
    }

    /// Checks the other records whose one-to-one references change because a record is stored.
    ///
    /// For example, a desk belongs to one person. Storing person 2 with desk 7 takes the desk from person 1. That is a
    /// change of person 1, which others may have changed and which the review may refuse.
    private mutating func checkDisplaced(by new: Record, at position: Int, in changes: inout [PushedChange]) throws {
        if !new.shape.hasExclusiveReferences { return }
        for relationship in new.shape.relationships {
            guard case .reference(let slot, true, _) = relationship.storage, !new[slot].isNull else { continue }
            let claim = Claim(entity: relationship.declaredBy, slot: slot, target: new[slot])
            if let other = claims[claim], new.isMandatory(slot), changes[other].isAccepted {
                changes[position].outcome = .refused(.missingValue, Self.takenReason)
                return
            }
            claims[claim] = position
        }
        for (victim, slot, value, isEnded) in try displaced(by: new, instead: changes[position].old) {
            let id = victim.rootID
            if let other = positions[id], !changes[other].isAccepted || changes[other].new?[slot] != victim[slot] {
                dependencies.add(position, needs: other, in: &changes)
            } else if let other = positions[id], changes[other].isEffective, !victim.isMandatory(slot) {
                // The outcome of that mutation tells the device.
                continue
            } else if try context.isChangedByOthers(id) {
                changes[position].outcome = .conflict
            } else if !isEnded, !context.scope.isWhole, !context.scope.contains(victim) {
                changes[position].outcome = .unauthorized
            } else if value.isNull, victim.isMandatory(slot) {
                changes[position].outcome = .refused(.missingValue, Self.takenReason)
            } else {
                var changed = victim
                changed[slot] = value
                changes[position].outcome =
                    context.verdict(on: changes[position].mutation, victim, changed, isConsequence: true).outcome
            }
            if !changes[position].isAccepted { return }
        }
    }

    private static let takenReason = "the change takes a reference from another record that must have one"

    /// The change of another record's one-to-one reference.
    ///
    /// `isEnded` is whether the stored record itself no longer refers to the other one, so that nothing is taken.
    private typealias Displacement = (record: Record, slot: String, value: Value, isEnded: Bool)

    /// Returns the records whose one-to-one references change when a record is stored, with the new references.
    private func displaced(by new: Record, instead old: Record?) throws -> [Displacement] {
        var displaced: [Displacement] = []
        for relationship in new.shape.relationships {
            guard case .reference(let slot, true, let isSymmetric) = relationship.storage else { continue }
            let (before, now) = (old?[slot] ?? .null, new[slot])
            if before == now { continue }
            let destination = relationship.definition.destination
            if isSymmetric, !before.isNull,
                let partner = try context.transaction.record(RecordID(destination, before)), partner[slot] == new.key
            {
                displaced.append((record: partner, slot: slot, value: .null, isEnded: true))
            }
            if now.isNull { continue }
            let query = Query(relationship.declaredBy, where: .comparison(path: slot, .equal, now))
            for other in try context.transaction.records(query) where other.key != new.key {
                displaced.append((record: other, slot: slot, value: .null, isEnded: false))
            }
            if isSymmetric, let partner = try context.transaction.record(RecordID(destination, now)),
                partner[slot] != new.key
            {
                displaced.append((record: partner, slot: slot, value: new.key, isEnded: false))
            }
        }
        return displaced
    }
}

extension Record {
    /// Whether the value of a slot may not be null.
    func isMandatory(_ slot: String) -> Bool { shape.slot(named: slot).map { !shape.slots[$0].isOptional } ?? false }
}
