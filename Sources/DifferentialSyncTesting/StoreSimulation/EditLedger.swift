import DifferentialSync
import SyncPersistence

/// What users have changed in a simulation, as far as it must be found at its end.
///
/// Each edit of an attribute has a value that no other edit has. It must be found in the service, or at a device that
/// lists it. Exceptions are a value that a user has replaced or deleted after seeing it, and one that a policy has
/// decided against.
///
/// For example, the user of device 0 sets a title to "1 of 0". At rest, the service must have that title, or a device
/// must list the record as refused or in conflict. If the user of device 1 receives the title and sets "2 of 1", only
/// the latter must be found.
struct EditLedger: Hashable, Sendable {
    /// An edit of an attribute; without an attribute, the existence of a record.
    struct Edit: Hashable, Sendable {
        /// The device on which the user has made the edit.
        let device: Int
        /// The record, under the name of its hierarchy's root.
        let id: RecordID
        /// The attribute; nil for the existence of the record.
        let slot: String?
        /// The value that the user has set; null for the existence of the record.
        let value: Value
    }

    /// The edits that must be found.
    private(set) var edits: [Edit] = []

    /// The devices whose users have deleted records that must not come back.
    private(set) var deletions: [RecordID: Int] = [:]

    /// The devices whose users have deleted a link.
    private var linkDeleters: [RecordID: Set<Int>] = [:]

    /// The devices that have received the last deletion of a link.
    private var linkDeletionReceivers: [RecordID: Set<Int>] = [:]

    /// The records about which a policy or a user has decided.
    private(set) var decided: Set<RecordID> = []

    /// The records that were kept although they were deleted elsewhere.
    ///
    /// Such a record is new for the service, with the values that one device knows. Another device that has kept it too
    /// has no base to compare with.
    private var revived: Set<RecordID> = []

    /// The records that a copy of a store has as new ones.
    ///
    /// One of both stores may send such a record, while the user of the other one deletes it before its first cycle.
    /// The other store then has nothing to send.
    private var copied: Set<RecordID> = []

    /// The records that the service has lost, or has again, because it was restored from an older copy.
    private var undone: Set<RecordID> = []

    /// The values that users have replaced after seeing them, with the values that followed; nil for deletions.
    private var successors: [Replaced: Set<Value?>] = [:]

    /// How often users have deleted a record, or decisions of policies.
    private var deletionCounts: [RecordID: Int] = [:]

    /// Whether a store was replaced by a copy, so that a device may have forgotten what it has seen.
    private var hasForgotten = false

    /// A value that a user has seen and replaced.
    private struct Replaced: Hashable, Sendable {
        let id: RecordID
        let slot: String
        let value: Value
    }
}

extension EditLedger {
    /// Adds the changes of a user's transactions, whose old values the user has seen.
    ///
    /// A deletion may not concern a record with the same key on another device. Such a record was never sent from this
    /// device, or is a new one on the other device. It may also be one that a restored service has lost or has again.
    ///
    /// - Parameters:
    ///   - commits: The changes.
    ///   - device: The device.
    ///   - copies: The stores with the changes.
    ///   - isRestoring: Whether the new values are those of earlier edits.
    mutating func add(_ commits: [Commit], on device: Int, in copies: SimulatedCopies, isRestoring: Bool = false) {
        let content = copies.devices[device].disk.content
        for change in commits.flatMap(\.changes) {
            guard let id = change.userID else { continue }
            guard let new = change.new else {
                // Two devices have made one record, and the push of this one is under way: if the service already has
                // the other one, then it has never had this one.
                let isSecond =
                    !content.hasChanged(id)
                    && edits.contains { $0.id == id && $0.slot == nil && $0.device != device }
                edits.removeAll { edit in
                    edit.id == id && edit.slot.map { change.old?[$0].isVersion(of: edit.value) ?? false } ?? true
                }
                let isUndone = undone.contains(id) && copies.isDeletionUndone(of: id, on: device)
                if !copied.contains(id), !isSecond, !isUndone, !copies.isNewElsewhere(id, than: device),
                    content.sendsDeletion(of: id)
                {
                    deletions[id] = device
                }
                if let old = change.old {
                    addSuccessor(nil, of: old, id)
                    if old.shape.role == .links {
                        linkDeleters[id, default: []].insert(device)
                        linkDeletionReceivers[id] = []
                    }
                }
                deletionCounts[id, default: 0] += 1
                continue
            }
            // Links with the same ends are one link: a device that has deleted it has deleted that of another one too.
            let isDeletedElsewhere =
                linkDeleters[id].map { !$0.subtracting([device]).isEmpty } ?? false
                && linkDeletionReceivers[id]?.contains(device) != true
            deletions[id] = nil
            if change.old == nil && !isRestoring && !isDeletedElsewhere {
                edits.append(Edit(device: device, id: id, slot: nil, value: .null))
            }
            if let old = change.old { addSuccessor(new, of: old, id) }
            for slot in new.shape.trackedSlots where change.old?[slot] != new[slot] {
                if let old = change.old {
                    edits.removeAll { $0.id == id && $0.slot == slot && old[slot].isVersion(of: $0.value) }
                }
                if !new[slot].isNull && !isRestoring {
                    edits.append(Edit(device: device, id: id, slot: slot, value: new[slot]))
                }
            }
        }
    }

    /// Records which values of a record have followed others.
    private mutating func addSuccessor(_ new: Record?, of old: Record, _ id: RecordID) {
        for slot in old.shape.trackedSlots where new?[slot] != old[slot] && !old[slot].isNull {
            let replaced = Replaced(id: id, slot: slot, value: old[slot].unmarked)
            successors[replaced, default: []].insert(new?[slot].unmarked)
        }
    }

    /// Whether a value has replaced another one, or one that has replaced that one.
    ///
    /// Of several deletions, it is not known which one a store has.
    private func hasReplaced(_ value: Value, by later: Value?, _ slot: String, of id: RecordID) -> Bool {
        if later == nil && deletionCounts[id] != 1 { return false }
        var open = [value.unmarked]
        var seen = Set(open)
        while let next = open.popLast() {
            let following = successors[Replaced(id: id, slot: slot, value: next)] ?? []
            if following.contains(later?.unmarked) { return true }
            for case let value? in following where seen.insert(value).inserted { open.append(value) }
        }
        return false
    }

    /// Returns a field of which one side's value has replaced the other's, although both are reported as a conflict;
    /// nil if there is none.
    func falseConflict(in decision: DecidedConflict) -> String? {
        if hasForgotten || revived.contains(decision.id) { return nil }
        let (base, local, remote) = (decision.conflict.base, decision.conflict.local, decision.conflict.remote)
        guard let shape = (local ?? remote)?.shape else { return nil }
        return shape.trackedSlots.first { slot in
            let (here, there) = (local?[slot], remote?[slot])
            // A value that a user has put back in place of its amendment is another one.
            let known = base?[slot].unmarked
            if here?.unmarked == known || there?.unmarked == known || here == there { return false }
            return here.map { hasReplaced($0, by: there, slot, of: decision.id) } ?? false
                || there.map { hasReplaced($0, by: here, slot, of: decision.id) } ?? false
        }
    }

    /// Adds that a store is a copy of an earlier state, or of another device.
    mutating func addForgetting() { hasForgotten = true }

    /// Adds the records that a copy of a store has as new ones.
    mutating func addCopied(_ ids: some Sequence<RecordID>) { copied.formUnion(ids) }

    /// Adds a policy's or a user's decision.
    mutating func add(_ decision: DecidedConflict) {
        guard let result = decision.result else { return }
        let (id, conflict) = (decision.id, decision.conflict)
        decided.insert(id)
        if conflict.local == nil || conflict.remote == nil { revived.insert(id) }
        guard let kept = result.record else {
            edits.removeAll { $0.id == id }
            return
        }
        deletions[id] = nil
        edits.removeAll { edit in
            guard edit.id == id, let slot = edit.slot, !kept[slot].isVersion(of: edit.value) else { return false }
            guard let local = conflict.local, let remote = conflict.remote else { return true }
            return local[slot] != remote[slot] && conflict.base?[slot] != local[slot]
                && conflict.base?[slot] != remote[slot]
        }
    }

    /// Adds the records that were deleted with another one, on which was decided.
    mutating func addDeleted(_ deleted: Set<RecordID>) {
        edits.removeAll { deleted.contains($0.id) }
        for id in deleted { deletionCounts[id, default: 0] += 1 }
    }

    /// Adds the records that a user of a device had deleted, and that have come back with another one, which was kept.
    mutating func addReturned(_ ids: Set<RecordID>, on device: Int) {
        for id in ids where deletions[id] == device { deletions[id] = nil }
    }

    /// Adds that a device has received the deletion of a record.
    mutating func addReceivedDeletion(of id: RecordID, on device: Int) {
        linkDeletionReceivers[id]?.insert(device)
    }

    /// Adds the records that the service has lost, or has again, because it was restored from an older copy.
    mutating func addUndone(_ ids: Set<RecordID>) { undone.formUnion(ids) }

    /// Removes the edits and the deletions that a restored copy has undone.
    mutating func forgive(edits isLostEdit: (Edit) -> Bool, deletions isLostDeletion: (RecordID, Int) -> Bool) {
        edits.removeAll(where: isLostEdit)
        deletions = deletions.filter { !isLostDeletion($0.key, $0.value) }
    }
}

extension EditLedger.Edit {
    /// Whether a store has the value.
    func isIn(_ content: InMemoryContent) -> Bool {
        guard let record = content.record(id) else { return false }
        return slot.map { record[$0].isVersion(of: value) } ?? true
    }
}

/// A conflict that a policy or a user has decided, or left open.
struct DecidedConflict: Sendable {
    /// The result of a decision.
    struct Result: Sendable {
        /// The record whose clashing fields are kept; nil if the record is deleted.
        let record: Record?
    }

    let id: RecordID
    /// The versions between which was chosen.
    let conflict: Conflict<Record>
    /// What was decided; nil if the conflict was left open.
    let result: Result?

    /// Creates the decision of a conflict; nil for a conflict without any version.
    init?(_ conflict: Conflict<Record>, _ resolution: Resolution<Record>) {
        guard let record = conflict.local ?? conflict.remote ?? conflict.base else { return nil }
        id = record.rootID
        self.conflict = conflict
        result =
            switch resolution {
            case .local: Result(record: conflict.local)
            case .remote: Result(record: conflict.remote)
            case .base: Result(record: conflict.base)
            case .delete: Result(record: nil)
            case .merged(let record): Result(record: record)
            case .open: nil
            }
    }
}

extension DecidedConflict: CustomStringConvertible {
    /// The decision in a line of a trace.
    var description: String {
        guard let result else { return "leaves \(id) open" }
        return "decides on \(id): \(result.record.map(StoreDump.text) ?? "it is deleted")"
    }
}

extension Shape {
    /// The names of the attributes whose edits a simulation follows: those that have a value for each number.
    var trackedSlots: [String] {
        slots.indices.compactMap { position in
            guard !keySlots.contains(position), !slots[position].isInternal,
                case .attribute(let type) = slots[position].content
            else { return nil }
            return [.string, .integer, .double].contains(type) ? slots[position].name : nil
        }
    }

    /// Whether the records are a user's, or links between them.
    var isSynchronized: Bool { role == nil || role == .links }
}

extension Commit.RecordChange {
    /// The root and the key of a user's record or link; nil for the library's own records.
    fileprivate var userID: RecordID? {
        guard let record = new ?? old, record.shape.isSynchronized else { return nil }
        return record.rootID
    }
}
