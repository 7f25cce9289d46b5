import DifferentialSyncTesting
import SyncPersistence

// MARK: putting back

extension NaiveStore {
    /// Undoes remote changes that displaced a local change or a mandatory reference.
    ///
    /// If the record that displaced it was deleted since, only the reference is restored.
    /// Returns whether there were any.
    mutating func putBackDisplacing() throws -> Bool {
        var hasPutBack = false
        for displacement in incoming.openDisplacements {
            guard let victim = row(displacement.victim), displacement.mustBeUndone(in: victim) else { continue }
            let isSymmetric = victim.shape.relationships.contains {
                if case .reference(displacement.slot, true, true) = $0.storage { true } else { false }
            }
            if try putBack(displacement.cause) != nil {
                hasPutBack = true
            } else if row(displacement.cause) == nil, !isSymmetric {
                var targets: [RecordID] = []
                let count = incoming.putBack.count
                if try putBack(displacement, &targets) || incoming.putBack.count != count { hasPutBack = true }
            }
        }
        return hasPutBack
    }

    /// Undoes the remote change of a record, and the displacements that it caused.
    ///
    /// Remote changes that displaced a reference of the record are undone before, and those of records that now have a
    /// one-to-one target to which the record returns.
    /// Returns the records whose references may now be missing; nil if the remote has not changed the record.
    mutating func putBack(_ id: RecordID) throws -> [RecordID]? {
        guard incoming.arrivals.contains(id), let displaced = row(id) else { return nil }
        var targets: [RecordID] = []
        for taken in incoming.openDisplacements.reversed() where taken.victim == id {
            if displaced[taken.slot] == taken.after { targets += try putBack(taken.cause) ?? [] }
        }
        guard incoming.arrivals.contains(id), row(id) != nil else { return targets }
        let start = IncomingState.Noted(
            row: before.rows[id.entity]?.first { $0.key == id.key }, shadow: before.shadow[id], open: before.open[id])
        let earlier = incoming.earlier[id] ?? start
        while let other = arrival(holdingTargetOf: earlier.row) {
            incoming.undone.insert(other)
            targets += try putBack(other) ?? []
            incoming.undone.remove(other)
        }
        guard incoming.arrivals.contains(id), let present = row(id) else { return targets }
        incoming.arrivals.remove(id)
        incoming.putBack.append(id)
        let known = isDirty(id) ? state.open[id] ?? state.shadow[id] : present
        var (old, base) = (earlier.row, earlier.shadow)
        if let old { bringBackTargets(of: old) }
        for (slot, value) in zip(old?.shape.slots ?? [], old?.values ?? []) where !value.isNull {
            guard case .reference(let destination, _, true) = slot.content else { continue }
            let isTaken = earlier.row.map { self.isTaken(value, in: slot.name, from: $0) } ?? false
            if row(RecordID(destination, value)) != nil && !isTaken { continue }
            if !slot.isOptional {
                if !earlier.isDirty { (old, base) = (nil, nil) }
                break
            }
            old?[slot.name] = .null
            if let shadow = base, shadow[slot.name] == value { base?[slot.name] = .null }
        }
        let place = state.rows[id.entity]?.firstIndex { $0.key == id.key } ?? 0
        if let old {
            state.rows[id.entity]?[place] = old
        } else {
            state.rows[id.entity]?.remove(at: place)
        }
        let entity = (old ?? base ?? known)?.entity ?? id.entity
        keepBack(RecordID(entity, id.key), base: base, remote: known)
        for shape in schema.shapes + schema.internalShapes {
            for slot in shape.slots {
                guard case .reference(let destination, _, true) = slot.content, present.shape.inherits(destination),
                    old?.shape.inherits(destination) != true
                else { continue }
                named.insert(id.key)
                targets.append(RecordID(destination, id.key))
            }
        }
        for displacement in incoming.openDisplacements.reversed() where displacement.cause == id {
            _ = try putBack(displacement, &targets)
        }
        return targets
    }

    /// Gives a record back a reference that a remote change has displaced; returns whether it can have it again.
    ///
    /// A remote change that has given the target to another record since is undone before. If the remote has deleted
    /// the target of a local change, the deletion waits.
    private mutating func putBack(
        _ displacement: IncomingState.Displacement, _ targets: inout [RecordID]
    ) throws -> Bool {
        let (slot, before) = (displacement.slot, displacement.before)
        while let victim = row(displacement.victim), victim[slot] == displacement.after,
            let other = arrivals(holding: before, in: slot, besides: victim).first, let more = try putBack(other)
        {
            targets += more
        }
        guard let victim = row(displacement.victim), victim[slot] == displacement.after,
            holders(of: before, in: slot, besides: victim).isEmpty
        else { return false }
        if !before.isNull, let place = victim.shape.slot(named: slot),
            case .reference(let destination, _, true) = victim.shape.slots[place].content
        {
            let target = RecordID(destination, before)
            if row(target) == nil, displacement.isProtected, let deleted = bringBack(target) {
                bringBackTargets(of: deleted)
            }
            if row(target) == nil { return false }
        }
        guard let place = state.rows[displacement.victim.entity]?.firstIndex(where: { $0.key == victim.key }) else {
            return false
        }
        state.rows[displacement.victim.entity]?[place][slot] = before
        let isStated = displacement.index < incoming.statedShadows[displacement.victim] ?? 0
        if !isStated, state.shadow[displacement.victim]?.shape.slot(named: slot) != nil {
            state.shadow[displacement.victim]?[slot] = displacement.shadow
        }
        incoming.touched.insert(displacement.victim)
        return true
    }

    /// Returns a record from the remote that has a one-to-one target of another version of a record, and is not being
    /// undone; nil if there is none.
    private func arrival(holdingTargetOf record: Record?) -> RecordID? {
        guard let record else { return nil }
        for relationship in record.shape.relationships {
            guard case .reference(let slot, true, _) = relationship.storage else { continue }
            let others = arrivals(holding: record[slot], in: slot, besides: record)
            if let other = others.first(where: { !incoming.undone.contains($0) }) { return other }
        }
        return nil
    }

    /// Returns the other records from the remote with a one-to-one reference to a key.
    private func arrivals(holding key: Value, in slot: String, besides record: Record) -> [RecordID] {
        holders(of: key, in: slot, besides: record).map { rootID($0.id) }.filter { incoming.arrivals.contains($0) }
    }

    /// Returns the other records with a one-to-one reference to a key.
    private func holders(of key: Value, in slot: String, besides record: Record) -> [Record] {
        for relationship in record.shape.relationships where !key.isNull {
            guard case .reference(slot, true, _) = relationship.storage else { continue }
            return all(relationship.declaredBy) { $0[slot] == key && $0.key != record.key }
        }
        return []
    }

    /// Whether another record keeps its one-to-one reference to a target of a record that is put back.
    ///
    /// Records from the remote are put back next, and count only if the reference is symmetric.
    private func isTaken(_ key: Value, in slot: String, from record: Record) -> Bool {
        let isSymmetric = record.shape.relationships.contains {
            if case .reference(slot, true, true) = $0.storage { true } else { false }
        }
        return holders(of: key, in: slot, besides: record).contains {
            isSymmetric || !incoming.arrivals.contains(rootID($0.id))
        }
    }

    /// Restores records that the remote has deleted, to which a record must refer.
    private mutating func bringBackTargets(of record: Record) {
        var pending = [record]
        while let next = pending.popLast() {
            for (slot, value) in zip(next.shape.slots, next.values) where !slot.isOptional {
                guard case .reference(let destination, _, true) = slot.content else { continue }
                if let deleted = bringBack(RecordID(destination, value)) { pending.append(deleted) }
            }
        }
    }

    /// Restores a record that the remote has deleted in this commit, without references that it cannot have now.
    ///
    /// Returns the record before the commit; nil if the remote has not deleted it.
    private mutating func bringBack(_ id: RecordID) -> Record? {
        let root = rootID(id)
        guard incoming.arrivals.contains(root), row(root) == nil,
            let old = before.rows[root.entity]?.first(where: { $0.key == id.key })
        else { return nil }
        var (record, base) = (old, before.shadow[root])
        for (slot, value) in zip(old.shape.slots, old.values) where slot.isOptional && !value.isNull {
            guard case .reference(let destination, _, true) = slot.content else { continue }
            if row(RecordID(destination, value)) != nil, holders(of: value, in: slot.name, besides: old).isEmpty {
                continue
            }
            record[slot.name] = .null
            if let shadow = base, shadow[slot.name] == value { base?[slot.name] = .null }
        }
        state.rows[root.entity]?.append(record)
        incoming.touched.insert(root)
        incoming.arrivals.remove(root)
        keepBack(record.id, base: base, remote: nil)
        return old
    }
}
