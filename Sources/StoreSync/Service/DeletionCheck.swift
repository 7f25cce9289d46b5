import SyncPersistence

/// Checks the deletions of a push, after its other changes were stored.
///
/// A delete rule can delete or change other records. Each of these is checked as a change of the device. Another writer
/// must not have changed it, and the review must accept it. If it is deleted, it must be in the device's scope. For
/// example, a device deletes a folder whose rule deletes its notes, and another device has changed a note. Then the
/// deletion of the folder is a conflict.
struct DeletionCheck {
    private let context: PushContext
    /// The positions of the mutations by record.
    private let positions: [RecordID: Int]
    private var dependencies = PushDependencies()

    /// The deletions by the records that they delete.
    private var deleted: [RecordID: Int] = [:]

    /// Records that prevent a deletion, unless they are deleted as well.
    private var required: [(position: Int, record: Record, refusal: PushResponse.Outcome)] = []

    /// Creates the check.
    ///
    /// - Parameter positions: The positions of the mutations by record.
    init(_ context: PushContext, _ positions: [RecordID: Int]) { (self.context, self.positions) = (context, positions) }

    /// Gives an outcome to each deletion that must not be made.
    ///
    /// - Complexity: O(number of records that the delete rules reach)
    mutating func run(on changes: inout [PushedChange]) throws {
        let pending = changes.indices.filter { changes[$0].isEffective && changes[$0].isDeletion }
        for position in pending { deleted[changes[position].id] = position }
        for position in pending { try follow(position, in: &changes) }
        for (position, record, refusal) in required where changes[position].isAccepted {
            let id = record.rootID
            if let other = deleted[id] ?? positions[id].flatMap({ changes[$0].isAccepted ? nil : $0 }) {
                dependencies.add(position, needs: other, in: &changes)
            } else {
                changes[position].outcome = try isChangedByOthers(id, changes) ? .conflict : refusal
            }
        }
        dependencies.settle(&changes)
    }

    /// Follows the delete rules of a deletion.
    private mutating func follow(_ position: Int, in changes: inout [PushedChange]) throws {
        guard let first = try context.transaction.record(changes[position].id) else { return }
        var pending = [first]
        var seen: Set<RecordID> = [first.rootID]
        while let record = pending.popLast() {
            let effects = try effects(of: record)
            for other in effects.deleted where seen.insert(other.rootID).inserted {
                if try reach(other, becoming: nil, position, in: &changes) { pending.append(other) }
                if !changes[position].isAccepted { return }
            }
            for (other, slot) in effects.cleared {
                if other.isMandatory(slot) {
                    let reason = "another record must refer to it: delete that first"
                    required.append((position, other, .refused(.missingValue, reason)))
                } else {
                    var cleared = other
                    cleared[slot] = .null
                    _ = try reach(other, becoming: cleared, position, in: &changes)
                }
                if !changes[position].isAccepted { return }
            }
            for other in effects.denying {
                let reason =
                    "it cannot be deleted as long as it is connected with others: separate or delete them first"
                required.append((position, other, .refused(.deletionDenied, reason)))
            }
        }
    }

    /// Checks a consequence of a deletion for another record.
    ///
    /// - Returns: Whether the record's own delete rules must be followed.
    private mutating func reach(
        _ record: Record, becoming new: Record?, _ position: Int, in changes: inout [PushedChange]
    ) throws -> Bool {
        let id = record.rootID
        if let other = positions[id], changes[other].isDeletion || !changes[other].isAccepted {
            // That mutation has a check of its own, whose outcome holds for this deletion too.
            dependencies.add(position, needs: other, in: &changes)
            return false
        }
        if try isChangedByOthers(id, changes) {
            changes[position].outcome = .conflict
        } else if new == nil, record.shape.role != .links, !context.scope.contains(record) {
            changes[position].outcome = .unauthorized
        } else {
            let verdict = context.verdict(on: changes[position].mutation, record, new, isConsequence: true)
            changes[position].outcome = verdict.outcome
        }
        if new == nil && deleted[id] == nil { deleted[id] = position }
        return new == nil
    }

    /// Whether another writer has changed a record after the base of the push, and the push itself does not.
    private func isChangedByOthers(_ id: RecordID, _ changes: [PushedChange]) throws -> Bool {
        if let position = positions[id], changes[position].isEffective { return false }
        return try context.isChangedByOthers(id)
    }

    /// The consequences of a record's deletion.
    private struct Effects {
        /// Records that are deleted as well, by the rule `cascade` or as links.
        var deleted: [Record] = []
        /// Records whose reference in a slot becomes null, by the rule `nullify`.
        var cleared: [(Record, slot: String)] = []
        /// Records that deny the deletion as long as they are connected, by the rule `deny`.
        var denying: [Record] = []
    }

    /// Returns the consequences of deleting one record, without those of its consequences.
    private func effects(of record: Record) throws -> Effects {
        var effects = Effects()
        let transaction = context.transaction
        for relationship in record.shape.relationships {
            func targets() throws -> [Record] {
                try transaction.relatedRecords(record.id, relationship.definition.name)
            }
            switch (relationship.definition.deleteRule, relationship.storage) {
            case (.cascade, _): effects.deleted += try targets()
            case (.deny, _): effects.denying += try targets()
            case (.nullify, .inverse(let slot, _)), (.nullify, .reference(let slot, _, true)):
                effects.cleared += try targets().filter { $0[slot] == record.key }.map { ($0, slot) }
            case (.nullify, _), (.noAction, _): break
            }
        }
        for incoming in record.shape.incoming {
            let query = Query(incoming.shape, where: .comparison(path: incoming.slot, .equal, record.key))
            for other in try transaction.records(query) {
                if other.shape.role == .links {
                    effects.deleted.append(other)
                } else {
                    effects.cleared.append((other, incoming.slot))
                }
            }
        }
        return effects
    }
}
