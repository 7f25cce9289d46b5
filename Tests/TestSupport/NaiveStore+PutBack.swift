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
            guard let victim = row(displacement.victim), victim[displacement.slot] == displacement.after,
                let slot = victim.shape.slot(named: displacement.slot)
            else { continue }
            let isMissing = victim.values[slot].isNull && !victim.shape.slots[slot].isOptional
            if !isMissing && !displacement.isProtected { continue }
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
    /// Remote changes that displaced a reference of the record are undone before.
    /// Returns the records whose references may now be missing; nil if the remote has not changed the record.
    mutating func putBack(_ id: RecordID) throws -> [RecordID]? {
        guard incoming.arrivals.contains(id), let displaced = row(id) else { return nil }
        var targets: [RecordID] = []
        for taken in incoming.openDisplacements.reversed() where taken.victim == id {
            if displaced[taken.slot] == taken.after { targets += try putBack(taken.cause) ?? [] }
        }
        guard incoming.arrivals.contains(id), let present = row(id) else { return targets }
        incoming.arrivals.remove(id)
        incoming.putBack.append(id)
        let known = isDirty(id) ? state.open[id] ?? state.shadow[id] : present
        let start = IncomingState.Noted(
            row: before.rows[id.entity]?.first { $0.key == id.key }, shadow: before.shadow[id], open: before.open[id])
        let earlier = incoming.earlier[id] ?? start
        var (old, base) = (earlier.row, earlier.shadow)
        if let old { bringBackTargets(of: old) }
        for (slot, value) in zip(old?.shape.slots ?? [], old?.values ?? []) where !value.isNull {
            guard case .reference(let destination, _, true) = slot.content, row(RecordID(destination, value)) == nil
            else { continue }
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
            let other = holder(of: before, in: slot, besides: victim),
            let more = try putBack(rootID(other.id))
        {
            targets += more
        }
        guard let victim = row(displacement.victim), victim[slot] == displacement.after,
            holder(of: before, in: slot, besides: victim) == nil
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

    /// Returns another record with a one-to-one reference to a key; nil if there is none.
    private func holder(of key: Value, in slot: String, besides record: Record) -> Record? {
        for relationship in record.shape.relationships where !key.isNull {
            guard case .reference(slot, true, _) = relationship.storage else { continue }
            return all(relationship.declaredBy) { $0[slot] == key && $0.key != record.key }.first
        }
        return nil
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
            if row(RecordID(destination, value)) != nil, holder(of: value, in: slot.name, besides: old) == nil {
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
