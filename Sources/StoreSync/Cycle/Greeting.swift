import DifferentialSync
import SyncPersistence

/// The conclusions of a device from the response to its handshake.
///
/// The response can show that the history of the remote does not continue what the device knows. Then the device pulls
/// and compares everything:
///
/// | the response has | the cause | records that only the store has |
/// |---|---|---|
/// | another account | the user has signed in to it | are sent |
/// | another epoch, or a smaller number | the service was restored from a backup | are sent |
/// | an unknown last push | the store was copied, and both copies are used | are deleted |
/// | outcomes of other records than the last push | an update of the app has dropped some of them | are deleted |
/// | a later horizon | the device was away for too long | are deleted |
///
/// A record with a local change is kept in each case. For a new account, history or horizon, the app may choose otherwise:
/// see ``RemoteMismatch/Choice``.
struct Greeting {
    private let response: HandshakeResponse
    private let transaction: WriteTransaction

    /// The response to the push under way, if the service has answered it before; nil otherwise.
    private(set) var answered: PushResponse?

    /// The scope that was asked for.
    private let scope: String?

    private let choose: (RemoteMismatch) throws -> RemoteMismatch.Choice
    private let makeName: () -> String

    init(
        _ response: HandshakeResponse, scope: String?, in transaction: WriteTransaction,
        _ choose: @escaping (RemoteMismatch) throws -> RemoteMismatch.Choice, _ makeName: @escaping () -> String
    ) {
        (self.response, self.scope, self.transaction) = (response, scope, transaction)
        (self.choose, self.makeName) = (choose, makeName)
    }

    /// Changes the state of the device by the response.
    ///
    /// - Throws: ``KeptApartError`` if that was chosen for a mismatch, and the errors of the choice.
    mutating func apply(to state: inout DeviceState) throws {
        defer { if state.comparison == nil { state.regained = [:] } }
        try takeAccount(&state)
        try takeSchema(&state)
        let formerScope = state.scope
        state.scope = scope
        let left = state.cursor.map { _ in DeviceState.FormerScope(name: formerScope) }
        defer { takeFormerScope(left, &state) }
        guard let cursor = state.cursor else {
            let isEmpty = try transaction.schema.synchronizedShapes.allSatisfy {
                try !$0.isRoot || transaction.isEmpty($0)
            }
            return try compare(&state, isEmpty ? .meansNothing : .isSentAgain)
        }
        if cursor.epoch != response.epoch || cursor.sequence > response.sequence {
            // The history does not continue. In the same scope, the remote has lost the records that it lacks.
            if scope != formerScope {
                try beginAnew(&state)
                return try compare(&state, .isDeletion)
            }
            return try beginHistory(&state)
        }
        switch pastOfPushes(state) {
        case .common: break
        case .answered:
            guard let stored = response.lastPush,
                try transaction.recordsInFlight().count == stored.outcomes.count
            else {
                // Which outcome is whose is unknown, so the local versions are compared with what the service has made.
                try beginAnew(&state)
                return try compare(&state, .isDeletion)
            }
            answered = stored
        case .forgotten: return try beginHistory(&state)
        case .copied:
            // Another copy of this store has pushed, and has deleted known records that the remote lacks.
            try beginAnew(&state)
            return try compare(&state, .isDeletion)
        }
        if cursor.sequence < response.horizon,
            state.comparison.map({ $0.deletionsAfter < response.horizon }) ?? true
        {
            // The choice is made once, at the beginning of a comparison.
            if state.comparison == nil, try drops(.horizon, &state) {
                answered = nil
                return try compare(&state, .meansNothing)
            }
            if state.base != nil, answered == nil {
                try giveUpPush(&state)
            }
            // Both ends had the records that an unfinished comparison has found.
            if state.comparison?.absence == .isSentAgain { return try compare(&state, .isSentAgain, continues: true) }
            return try compare(&state, .isDeletion)
        }
        let names = slotsOfBoth
        // A slot that an end drops and later has again counts as new, so that its values are pulled.
        state.entities = Dictionary(
            uniqueKeysWithValues: state.entities.compactMap { name, slots in
                names[name].map { present in (name, slots.filter(present.contains)) }
            })
        if names.contains(where: { !Set($1).isSubset(of: state.entities[$0] ?? []) }) {
            // An unfinished comparison begins again, because its pages were stored without the new slots.
            let absence = state.comparison?.absence ?? .meansNothing
            let known = state.comparison?.deletionsAfter ?? cursor.sequence
            try compare(&state, absence, deletionsAfter: known, continues: absence == .isSentAgain)
        } else if try state.comparison == nil && UnreadableRecords(in: transaction).lackVersions {
            try compare(&state, .meansNothing, deletionsAfter: cursor.sequence)
        }
    }

    /// Forgets the push under way, which the service has not made and no longer accepts.
    ///
    /// Its records remain local changes, which the next push sends. An edit that was taken back since the push is none,
    /// because the service never had it. A new record that was deleted since becomes a deletion, unless its key was
    /// counted: the service may have another record with that key.
    ///
    /// If the old push arrives late after all, the service has made another push with that number than the device has.
    /// The next handshake shows that, and the device compares everything. No change is lost.
    func giveUpPush(_ state: inout DeviceState) throws {
        state.lastPush = response.lastPush?.name
        state.base = nil
        for sent in try transaction.recordsInFlight() {
            guard try transaction.record(sent.id) == nil, try transaction.journalEntry(sent.id) == nil,
                let version = try transaction.sentVersion(of: sent), !version.shape.hasImplicitKey
            else { continue }
            try transaction.putEntry(JournalEntry(id: version.id, base: version))
        }
        try transaction.removeInFlight()
    }

    /// The result of comparing the last push that the service knows with the last push that the device knows.
    private enum PastOfPushes {
        /// Both know the same pushes, apart from one that is under way and has not arrived.
        case common
        /// The service has made the push under way, whose response was lost.
        case answered
        /// The service does not know pushes that it has answered, because it was restored from a backup.
        case forgotten
        /// Another store has pushed with the device's identifier, as a copy of this store does.
        case copied
    }

    /// Compares the last push of the service with that of the device, by name and number.
    private func pastOfPushes(_ state: DeviceState) -> PastOfPushes {
        let (mine, known) = (state.lastPush, response.lastPush?.name)
        if mine == known { return state.base == nil ? .common : .answered }
        guard let mine else { return .copied }
        let expected = state.base == nil ? mine.number : mine.number - 1
        let number = known?.number ?? 0
        if number < expected { return .forgotten }
        return number == expected && state.base != nil ? .common : .copied
    }

    /// Remembers the scope that the device has left, as long as it compares its records with those of the new one.
    ///
    /// - Parameter left: The scope of the last handshake; nil if the device has had no contact with this account.
    private func takeFormerScope(_ left: DeviceState.FormerScope?, _ state: inout DeviceState) {
        state.former = left.flatMap { state.former ?? $0 }
        let isComparing = state.comparison.map { $0.absence != .meansNothing } ?? false
        if !isComparing || state.former == DeviceState.FormerScope(name: scope) { state.former = nil }
    }

    /// Binds the store to the account of the response.
    private func takeAccount(_ state: inout DeviceState) throws {
        guard let account = try transaction.foreignAccount(than: response.account) else { return }
        if try !drops(.account(store: account, remote: response.account), &state) {
            try beginAnew(&state)
            try transaction.forgetRemoteVersions()
            try transaction.makeCountedRecordsNew()
        }
        try Quarantine.removeAll(in: transaction)
        try UnsentDeletions.removeAll(in: transaction)
        state.cursor = nil
    }

    /// The names of the slots that both ends have, by entity.
    private var slotsOfBoth: [String: [String]] {
        SyncedShapes(transaction.schema, remote: response.entities).slotsOfBoth
    }

    /// Remembers what the schema of the remote lacks, and what it has again.
    private func takeSchema(_ state: inout DeviceState) throws {
        let shapes = SyncedShapes(transaction.schema, remote: response.entities)
        let missing = shapes.missingSlots
        let isKnown = missing.allSatisfy { name, slots in
            state.missing[name].map(Set.init)?.isSuperset(of: slots) ?? false
        }
        if try !isKnown && drops(.schema(missing: missing), &state) {
            state.cursor = nil
            state.regained = [:]
        } else if !state.missing.isEmpty || !state.regained.isEmpty {
            var regained: [String: [String]] = [:]
            for (name, slots) in shapes.slotsOfBoth {
                let lacked = Set((state.missing[name] ?? []) + (state.regained[name] ?? []))
                // Without a key, the remote or the former scope lacked the whole entity, whose values others had edited.
                guard let shape = transaction.schema[name],
                    shape.keySlots.allSatisfy({ !lacked.contains(shape.slots[$0].name) })
                else { continue }
                let present = slots.filter(lacked.contains)
                if !present.isEmpty { regained[name] = present }
            }
            state.regained = regained
        }
        state.missing = missing
    }

    /// Continues with another history of the remote, which has lost the records that it lacks.
    private func beginHistory(_ state: inout DeviceState) throws {
        let isDropped = try drops(.history(epoch: response.epoch), &state)
        // The new history may have what the former one lacked when it refused a change.
        if state.cursor?.epoch != response.epoch { try Quarantine.removeAll(in: transaction) }
        if isDropped { return try compare(&state, .meansNothing) }
        try beginAnew(&state)
        try compare(&state, .isSentAgain)
    }

    /// Drops all records if that is the choice for a mismatch; returns whether it is.
    private func drops(_ mismatch: RemoteMismatch, _ state: inout DeviceState) throws -> Bool {
        switch try choose(mismatch) {
        case .merge: return false
        case .keepApart: throw KeptApartError(mismatch: mismatch)
        case .drop:
            try transaction.deleteEverything()
            try beginAnew(&state)
            return true
        }
    }

    /// Gives the device another identifier, without pushes.
    private func beginAnew(_ state: inout DeviceState) throws {
        state.device = makeName()
        state.lastPush = nil
        try endPush(&state)
    }

    /// Forgets the push under way, which may have arrived; its records remain local changes.
    ///
    /// The remote may have a sent version that was taken back since. Then the difference is a local change: a new record
    /// that was deleted, an edit that was undone, or a deleted record that was put back.
    ///
    /// The remote may also have the new records, perhaps as its review has changed them. The pages must not take their
    /// counted keys for those of other records.
    private func endPush(_ state: inout DeviceState) throws {
        if state.base == nil { return }
        state.base = nil
        for sent in try transaction.recordsInFlight() {
            let entry = try transaction.journalEntry(sent.id)
            if entry?.base == nil, transaction.schema[sent.id.entity]?.hasImplicitKey == true {
                try CountedRecords.add(sent.id, .known, in: transaction)
            }
            if sent.isUnchanged || entry != nil { continue }
            let (version, present) = (try transaction.sentVersion(of: sent), try transaction.record(sent.id))
            guard version != present, let known = version ?? present else { continue }
            try transaction.putEntry(JournalEntry(id: known.id, base: version))
        }
        try transaction.removeInFlight()
    }

    /// Begins to pull everything.
    ///
    /// - Parameters:
    ///   - state: The state of the device.
    ///   - absence: What follows for a record that the remote lacks.
    ///   - known: The number up to which the device knows all deletions; nil if it needs only later ones than now.
    ///   - continues: Whether an unfinished comparison of the same history begins again.
    private func compare(
        _ state: inout DeviceState, _ absence: DeviceState.Comparison.Absence, deletionsAfter known: Int64? = nil,
        continues: Bool = false
    ) throws {
        if continues {
            try SeenRecords(in: transaction).moveToAgreed()
        } else {
            try SeenRecords(in: transaction).removeAll()
            try SeenRecords.agreed(in: transaction).removeAll()
            // The pages list again the unreadable records that the remote still has.
            var unreadable = try UnreadableRecords(in: transaction)
            try unreadable.removeAll()
        }
        state.comparesAfter = nil
        state.entities = slotsOfBoth
        // A record that is sent again must not be one that the remote has deleted.
        let number = absence == .isSentAgain ? response.horizon : known ?? response.sequence
        let isOtherHistory = continues ? state.comparison?.isOtherHistory ?? false : absence == .isSentAgain
        state.comparison = DeviceState.Comparison(
            deletionsAfter: number, absence: absence, isOtherHistory: isOtherHistory)
        state.cursor = SyncCursor(epoch: response.epoch, sequence: 0)
    }
}

extension WriteTransaction {
    /// Whether a hierarchy has neither records nor local changes.
    fileprivate func isEmpty(_ root: Shape) throws -> Bool {
        try records(Query(root.name, limit: 1)).isEmpty && journalEntries(of: root).isEmpty
    }

    /// Removes the remote's versions from unresolved conflicts and waiting records, because they belong to the former
    /// account.
    ///
    /// - Complexity: O(number of unresolved records)
    fileprivate func forgetRemoteVersions() throws {
        for root in SyncedShapes(schema, remote: nil).roots {
            for entry in try journalEntries(of: root).unresolved() {
                try putEntry(JournalEntry(id: entry.id, base: entry.base))
            }
        }
    }

    /// Makes all records with counted keys new ones, because each account counts the keys of its own records.
    ///
    /// Their links become new as well. Otherwise a link of the other account's record with the key would be deleted, once
    /// the local record has another key.
    ///
    /// - Complexity: O(number of records with counted keys and of their links)
    fileprivate func makeCountedRecordsNew() throws {
        try CountedRecords.removeAll(in: self)
        for root in SyncedShapes(schema, remote: nil).roots where root.hasImplicitKey || linksCountedRecords(root) {
            for entry in try journalEntries(of: root).all() { try putEntry(JournalEntry(id: entry.id, base: nil)) }
            for key in try keys(of: root.name) {
                guard let record = try record(RecordID(root.name, key)) else { continue }
                try putEntry(JournalEntry(id: record.id, base: nil))
            }
        }
    }

    /// Whether a shape has the links of records with counted keys, which get other keys with their records.
    private func linksCountedRecords(_ shape: Shape) -> Bool {
        shape.role == .links && shape.enforcedReferences.contains { schema[$0.destination]?.hasImplicitKey == true }
    }

    /// Deletes all records with their local changes, because those of another account take their place.
    fileprivate func deleteEverything() throws {
        try KeptAttributes.removeAll(in: self)
        try CountedRecords.removeAll(in: self)
        try removeInFlight()
        let roots = SyncedShapes(schema, remote: nil).roots
        for root in roots.reversed() {
            for key in try keys(of: root.name) { try delete(RecordID(root.name, key), origin: .agreed) }
        }
        for root in roots {
            for entry in try journalEntries(of: root).all() { try putEntry(JournalEntry(id: entry.id, base: nil)) }
        }
    }
}
