import DifferentialSync
import SyncPersistence

/// The storing of a push's outcomes, in one transaction.
///
/// | outcome | effect on the record |
/// |---|---|
/// | accepted | the sent version becomes the shadow |
/// | conflict, blocked | it stays a local change; the cycle pulls, then sends it again |
/// | refused, unauthorized | its version is added to the ``Quarantine``, unless another key may help |
/// | later | it stays a local change for a later cycle; after 0 seconds, for the next push |
struct PushAnswers {
    /// How many changes were accepted.
    private(set) var acceptedCount = 0

    /// Whether the remote has accepted all changes of the push.
    private(set) var areAllAccepted = false

    /// The records whose changes are not sent again in this cycle, because the remote wants them later.
    private(set) var postponed: [RecordID] = []

    /// The records whose changes are not sent again in this cycle, because they need changes that were not accepted.
    private(set) var blocked: [RecordID] = []

    /// The records that others have changed, and those that need such a record with a counted key.
    private(set) var conflicting: [RecordID] = []

    /// Whether the remote has changes that this store does not know.
    private(set) var mustPull = false

    /// After how many seconds the remote wants postponed changes again; nil if it does not say.
    private(set) var retryAfter: Int?

    /// The conflicts of edits since the push with values that its changes have not set, such as edits of others.
    private(set) var conflicts: [StoreConflict] = []

    private let transaction: WriteTransaction
    private let shapes: SyncedShapes
    private let policy: ConflictPolicy<Record>
    private var quarantine: Quarantine

    /// The identifier of the device.
    private let device: String

    /// Whether the remote may have records outside the device's scope, whose counted keys the device does not know.
    private let isScoped: Bool

    init(_ turn: CycleTurn, _ policy: ConflictPolicy<Record>, isScoped: Bool) throws {
        (transaction, shapes, device) = (turn.transaction, turn.shapes, turn.state.device)
        (self.policy, self.isScoped) = (policy, isScoped)
        quarantine = try Quarantine(in: transaction)
    }

    /// Makes the accepted versions the shadow, and ends the push.
    ///
    /// An edit that was made after a record was sent stays a local change.
    ///
    /// - Throws: ``RemoteError/incompatible(_:)`` if there is not one outcome for each mutation.
    mutating func apply(_ response: PushResponse) throws {
        let sent = try transaction.recordsInFlight()
        guard sent.count == response.outcomes.count else {
            throw RemoteError.incompatible(
                "the response has \(response.outcomes.count) outcomes for \(sent.count) changes")
        }
        try transaction.removeInFlight()
        try acknowledgeUnchanged(sent, response.outcomes)
        var withoutRoom: [RecordID] = []
        var amendments: [(record: Record, key: Value?)] = []
        var sentNames: [RecordID: Set<String>] = [:]
        var renamed: [RecordID] = []
        // The next push has these again, and the changes that need them.
        var sentWithOtherKeys: Set<RecordID> = []
        // After a pull, these may have other keys, and the changes that need them are sent with them.
        var inConflict: Set<RecordID> = []
        for (sent, outcome) in zip(sent, response.outcomes) {
            if sent.isUnchanged && outcome == .accepted() { continue }
            let (id, version) = (sent.id, try transaction.sentVersion(of: sent))
            switch outcome {
            case .accepted(let amended, let key):
                if amended != nil, let version, let base = try transaction.journalEntry(id)?.base {
                    sentNames[version.rootID] = Set(version.changedNames(since: base))
                }
                try transaction.acknowledge(RecordID(version?.entity ?? id.entity, id.key), sent: version)
                acceptedCount += 1
                if var version, amended != nil || key != nil {
                    if let amended { version.set(amended) }
                    amendments.append((version, key))
                }
            case .conflict:
                if transaction.schema[id.entity]?.hasImplicitKey == true { inConflict.insert(id) }
                conflicting.append(id)
                mustPull = true
            case .blocked(let other) where inConflict.contains(other):
                inConflict.insert(id)
                conflicting.append(id)
                mustPull = true
            case .refused(let code, let reason):
                try quarantine.add(RefusedRecord(id: id, code: code, reason: reason), refused(version, of: id))
            case .unauthorized where try mayNeedOtherKey(id):
                renamed.append(id)
                sentWithOtherKeys.insert(id)
            case .unauthorized:
                let reason = "the account may not make this change"
                try quarantine.add(
                    RefusedRecord(id: id, code: "unauthorized", reason: reason), refused(version, of: id))
            case .later(0): withoutRoom.append(id)
            case .later(let seconds):
                postponed.append(id)
                retryAfter = [retryAfter, seconds].compactMap { $0 }.max()
            case .blocked(let other) where sentWithOtherKeys.contains(other): sentWithOtherKeys.insert(id)
            case .blocked:
                blocked.append(id)
                mustPull = true
            }
        }
        areAllAccepted = acceptedCount == sent.count
        // There is room for these in the next push, which does not have the others again.
        if withoutRoom.count == sent.count { postponed += withoutRoom }
        try giveOtherKeys(to: renamed)
        try amend(amendments, response.mayHaveEditsOfOthers ? sentNames : [:])
    }

    /// Whether a record is new, and may have the counted key of a record outside the device's scope.
    ///
    /// A record that the remote has had may itself be outside the scope now.
    ///
    /// The remote does not say which of its refusals are about keys. So a record gets another key once. If the remote
    /// refuses it with that key too, it is refused for good.
    private func mayNeedOtherKey(_ id: RecordID) throws -> Bool {
        guard isScoped, let shape = transaction.schema[id.entity], shape.hasImplicitKey,
            let entry = try transaction.journalEntry(id), entry.base == nil, !entry.isUnresolved,
            try transaction.record(id) != nil
        else { return false }
        return try CountedRecords.mark(of: id, in: transaction) == nil
    }

    /// Gives other keys to new records whose insertion was not authorized.
    private func giveOtherKeys(to ids: [RecordID]) throws {
        for id in ids {
            guard let record = try transaction.record(id) else { continue }
            let renamed = try transaction.giveOtherKey(to: record, device: device)
            try CountedRecords.add(renamed.rootID, .renamed, in: transaction)
        }
    }

    /// Returns the version to remember as refused: the present one or the sent one.
    ///
    /// The push may have omitted values for which the remote has no slot, and references to records that the remote
    /// does not have. If it omitted nothing else, the present version is refused. Otherwise it would look like an edit
    /// made since, and would be sent and refused in each cycle.
    private func refused(_ sent: Record?, of id: RecordID) throws -> Record? {
        guard let sent, let present = try transaction.record(id), present.shape == sent.shape else { return sent }
        var version = shapes.withRemoteSlots(present, since: try transaction.journalEntry(id)?.base)
        for (slot, target) in version.references(in: transaction.schema) where sent.values[slot].isNull {
            if let entry = try transaction.journalEntry(target), entry.known == nil { version.values[slot] = .null }
        }
        return version == sent ? present : sent
    }

    /// Makes records the shadow that were accepted as they were sent, and that have not changed since.
    private mutating func acknowledgeUnchanged(_ sent: [RecordInFlight], _ outcomes: [PushResponse.Outcome]) throws {
        var keys: [Value] = []
        for position in sent.indices {
            if sent[position].isUnchanged && outcomes[position] == .accepted() { keys.append(sent[position].id.key) }
            let entity = sent[position].id.entity
            if keys.isEmpty || position + 1 < sent.count && sent[position + 1].id.entity == entity { continue }
            try transaction.acknowledgePresent(keys, of: entity)
            acceptedCount += keys.count
            keys = []
        }
    }

    /// Whether an edit or deletion since a push meets a value that the push has not set.
    private static func isAboutOthers(_ conflict: Conflict<Record>, _ sentNames: [RecordID: Set<String>]) -> Bool {
        guard let base = conflict.base, let remote = conflict.remote, let sent = sentNames[remote.rootID] else {
            return false
        }
        let others = remote.changedNames(since: base).filter { !sent.contains($0) }
        guard let local = conflict.local else { return !others.isEmpty }
        let edited = local.changedNames(since: base)
        return others.contains { edited.contains($0) && remote[$0] != local[$0] }
    }

    /// Stores what the service has made of accepted records.
    ///
    /// A field that was edited since keeps the edit, which is sent later, and a record that was deleted since stays
    /// deleted. If the change has not set the field, the value may be an edit of another device, and the policy decides.
    ///
    /// - Parameter sentNames: The fields that each change has set; nil for new records, which have set all, and if no
    ///   value is an edit of another device.
    private mutating func amend(
        _ amendments: [(record: Record, key: Value?)], _ sentNames: [RecordID: Set<String>]
    ) throws {
        if amendments.isEmpty { return }
        transaction.beginMergingEdits()
        var ids: [RecordID] = []
        var unreadable = try UnreadableRecords(in: transaction)
        for (record, _) in amendments {
            if let problem = transaction.problem(of: record) {
                try unreadable.add(record, of: record.rootID, "\(problem)")
            } else {
                try transaction.put(record, origin: .remote)
                ids.append(record.rootID)
            }
        }
        let merged = try transaction.mergeEdits(
            ids, stated: [:],
            policy: ConflictPolicy { [policy] conflict in
                Self.isAboutOthers(conflict, sentNames) ? try policy.resolve(conflict) : .local
            }
        ) { try transaction.delete($0, origin: .remote) }
        conflicts += merged.filter { Self.isAboutOthers($0.conflict, sentNames) }.map(StoreConflict.init)
        try transaction.settleIncoming()
        for case (let record, let key?) in amendments where key != record.key {
            if try !transaction.canHave(key, record) {
                let reason = "the service gave it the key \(key), which it cannot have here"
                try unreadable.add(record.withKey(key) ?? record, of: record.rootID, reason)
                continue
            }
            guard let local = try transaction.record(record.rootID) else {
                try transaction.moveDeletion(of: record, to: key)
                continue
            }
            if try transaction.hasOtherEdits(than: local, since: record, under: key) {
                let reason = "the service gave it the key of another record that was edited too: make both alike"
                try transaction.putEntry(JournalEntry(id: local.id, base: nil))
                try quarantine.add(RefusedRecord(id: record.rootID, code: "merge", reason: reason), local)
                continue
            }
            _ = try transaction.changeKey(
                of: record.rootID, to: key, origin: .remote, merging: .localWins, since: record)
        }
    }
}

extension UnreadableRecords {
    /// Adds what the service has made of a sent record.
    fileprivate mutating func add(_ record: Record, of id: RecordID, _ reason: String) throws {
        let values = ValueObject(distinct: record.shape.slots.map(\.name), record.values)
        try add(UnreadableRecord(id: id, reason: reason), record.entity, values)
    }
}

extension WriteTransaction {
    /// Whether the schema allows a record to have another key, which no record of another entity has.
    fileprivate func canHave(_ key: Value, _ record: Record) throws -> Bool {
        guard let renamed = record.withKey(key), problem(of: renamed) == nil, renamed.key == key else { return false }
        let present = try self.record(RecordID(record.shape.root, key))
        return present == nil || present?.shape == record.shape
    }
}

extension WriteTransaction {
    /// Replaces the deletion of a record by one with the key that the service has given to the record.
    fileprivate func moveDeletion(of record: Record, to key: Value) throws {
        guard try journalEntry(record.rootID)?.isUnresolved == false, let renamed = record.withKey(key),
            try self.record(renamed.rootID) == nil, try journalEntry(renamed.rootID) == nil
        else { return }
        try changeKey(ofDeleted: record, to: key)
    }

    /// Whether a field was edited both in a record since it was sent and, to another value, in the record with a key.
    fileprivate func hasOtherEdits(than local: Record, since sent: Record, under key: Value) throws -> Bool {
        let id = RecordID(local.shape.root, key)
        guard let other = try record(id), other.shape == local.shape, sent.shape == local.shape,
            let entry = try journalEntry(id)
        else { return false }
        let base =
            entry.base.flatMap { $0.shape == local.shape ? $0.values : nil } ?? local.shape.slots.map(\.defaultValue)
        return local.shape.slots.indices.contains { slot in
            !local.shape.keySlots.contains(slot) && local.values[slot] != sent.values[slot]
                && other.values[slot] != base[slot] && other.values[slot] != local.values[slot]
        }
    }
}

extension Record {
    /// Returns the record with another key; nil if the key has another number of parts.
    fileprivate func withKey(_ key: Value) -> Record? {
        var parts = [key]
        if shape.keySlots.count > 1 {
            guard case .array(let values) = key, values.count == shape.keySlots.count else { return nil }
            parts = values
        }
        var renamed = self
        for (slot, part) in zip(shape.keySlots, parts) { renamed.values[slot] = part }
        return renamed
    }

    /// Sets the values of slots by name; unknown names are ignored, and the key is not changed.
    fileprivate mutating func set(_ values: ValueObject) {
        for (name, value) in zip(values.names, values.values) {
            guard let slot = shape.slot(named: name), !shape.keySlots.contains(slot) else { continue }
            self.values[slot] = value
        }
    }
}
