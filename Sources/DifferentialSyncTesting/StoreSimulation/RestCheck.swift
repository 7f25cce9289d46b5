import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Checks what must be true of a state in which everything has come to rest.
    package mutating func checkRest() {
        for fault in RestCheck(of: self).faults { report.addFault(fault.rule, fault.text) }
    }
}

/// The check of a world at rest.
///
/// | rule | what breaks it |
/// |---|---|
/// | agreement | a device knows another version of a record than its service has |
/// | pending | a local change is neither sent nor listed as refused, waiting or in conflict |
/// | undecided | a conflict is open, although the policies have left none open |
/// | lost edit | a value that a user has set is nowhere, and no decision has replaced it |
/// | zombie | a record that a user has deleted is back, and nothing has needed it |
private struct RestCheck {
    private let world: SimulatedWorld

    /// The rules that the world breaks.
    private(set) var faults: [SimulationFault] = []

    /// Checks all rules, and collects the faults.
    init(of world: SimulatedWorld) {
        self.world = world
        do {
            let served = try world.service.disk.content.read { try $0.synchronizedRecords() }
            var listed: [RecordID: Set<Record?>] = [:]
            for device in world.devices.indices {
                let served = try records(servedTo: device)
                let outcome = world.devices[device].outcome
                let state = try world.devices[device].disk.content.read { try SimulatedRest(of: $0, outcome) }
                checkAgreement(of: device, state, with: served)
                for (id, record) in state.changed { listed[id, default: []].insert(record) }
                checkOutcome(of: device)
            }
            checkEdits(served: served, listed: listed)
            checkDeletions(served: served, listed: listed)
        } catch {
            addFault(.error, "the stores cannot be read: \(error)")
        }
    }

    /// Adds a fault, which does not end the check.
    private mutating func addFault(_ rule: SimulationFault.Rule, _ text: String) {
        faults.append(SimulationFault(rule: rule, text: text))
    }

    /// Returns the records that a device must know in the end.
    private func records(servedTo device: Int) throws -> [RecordID: Record] {
        let content = world.servedContent(of: device)
        let records = try content.read { try $0.synchronizedRecords() }
        guard let scope = world.devices[device].scope else { return records }
        let ids = try world.environment.scopes[scope].records(of: content)
        return records.filter { ids.contains($0.key) }
    }

    /// Compares what a device knows of the service with the service.
    private mutating func checkAgreement(of device: Int, _ state: SimulatedRest, with served: [RecordID: Record]) {
        let (schema, servedSchema) = (world.devices[device].disk.content.schema, world.servedContent(of: device).schema)
        let scope = world.devices[device].scope.map { world.environment.scopes[$0] }
        func isShared(_ id: RecordID) -> Bool {
            servedSchema[id.entity].map { scope?.includes($0, in: servedSchema) ?? true } ?? false
        }
        for (id, record) in served where state.known[id] != record {
            guard let shape = schema[id.entity], shape == record.shape, !state.unreadable.contains(id) else { continue }
            addFault(
                .disagreement,
                "device \(device) knows \(StoreDump.text(state.known[id])), and the service has \(StoreDump.text(record))"
            )
        }
        for (id, record) in state.known where served[id] == nil && isShared(id) {
            addFault(.disagreement, "device \(device) has \(StoreDump.text(record)), and the service does not")
        }
        for id in state.unlisted.filter(isShared).sorted(by: { "\($0)" < "\($1)" }) {
            addFault(.pending, "device \(device) has not sent \(id), and does not list it")
        }
        if state.isInFlight { addFault(.pending, "device \(device) has a push in flight") }
    }

    /// Checks that the last cycle of a device was complete, that its policies have decided all conflicts, and that its
    /// fingerprint was that of the service.
    private mutating func checkOutcome(of device: Int) {
        guard let outcome = world.devices[device].outcome else {
            return addFault(.pending, "device \(device) has not finished a cycle")
        }
        if let failure = outcome.failure { addFault(.pending, "the last cycle of device \(device) fails: \(failure)") }
        if world.report.events[.openConflict] == nil, let open = outcome.conflicts.first(where: \.isOpen) {
            addFault(.undecided, "device \(device) has an open conflict of \(open.id)")
        }
        if outcome.isVerified == false {
            addFault(.disagreement, "the fingerprint of device \(device) is not the service's")
        }
    }

    /// Looks for each edit that no other edit or decision has replaced.
    ///
    /// It is found if the service has the value, or if a device lists the record as one that cannot be sent.
    private mutating func checkEdits(served: [RecordID: Record], listed: [RecordID: Set<Record?>]) {
        for edit in world.ledger.edits {
            let places = [served[edit.id]] + Array(listed[edit.id] ?? [])
            let isFound = places.contains { record in
                guard let record else { return false }
                return edit.slot.map { record[$0].isVersion(of: edit.value) } ?? true
            }
            if isFound || endsUnseen(edit.id) { continue }
            let place = edit.slot.map { "\(edit.id).\($0) = \(edit.value)" } ?? "\(edit.id)"
            addFault(.lostEdit, "\(place) of device \(edit.device) is nowhere")
        }
    }

    /// Whether a record has left the scope of the device that has deleted it, by the edit of another one.
    ///
    /// A device that has taken another scope has sent its deletions before, except those in an open conflict.
    private func hasLeft(_ id: RecordID, _ device: Int) -> Bool {
        guard let scope = world.devices[device].scope,
            !world.devices[device].hasChangedScope || world.devices[device].openDeletions.contains(id)
        else { return false }
        return (try? world.environment.scopes[scope].records(of: world.servedContent(of: device)).contains(id)) == false
    }

    /// Whether a device may have ended a link without having seen it: by a deletion in a scope without the link.
    private func endsUnseen(_ id: RecordID) -> Bool {
        let schema = world.service.disk.content.schema
        guard let shape = schema[id.entity], shape.role == .links else { return false }
        let scopes = world.environment.scopes
        return world.devices.contains { device in
            device.hasChangedScope && scopes.contains { !$0.includes(shape, in: schema) }
                || device.scope.map { !scopes[$0].includes(shape, in: schema) } ?? false
        }
    }

    /// Looks for records that were deleted by a user and exist at the service.
    ///
    /// A record is excused if a policy has decided to keep it, or if an excused record refers to it.
    private mutating func checkDeletions(served: [RecordID: Record], listed: [RecordID: Set<Record?>]) {
        let schema = world.service.disk.content.schema
        // A record that another one needs comes back with it.
        var excused = world.ledger.decided
        var open = Array(excused) + listed.keys
        while let id = open.popLast() {
            let versions = [served[id]] + Array(listed[id] ?? [])
            for record in versions.compactMap({ $0 }) {
                for target in record.targets(in: schema) where excused.insert(target).inserted {
                    open.append(target)
                }
            }
        }
        for (id, device) in world.ledger.deletions.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            guard let record = served[id] else { continue }
            // So does a link of it.
            let targets = record.shape.role == .links ? record.targets(in: schema) : []
            if !excused.isDisjoint(with: targets) { continue }
            if excused.contains(id) || listed[id] != nil || hasLeft(id, device) { continue }
            addFault(.zombie, "\(id), which device \(device) has deleted, is back")
        }
    }
}

/// What a store knows of its remote, and what it lists.
private struct SimulatedRest {
    /// The records that the service has as far as the device knows.
    var known: [RecordID: Record]
    /// The records with a journal entry, as they are here; nil for a deleted one.
    var changed: [RecordID: Record?] = [:]
    /// The changed records that no list has.
    var unlisted: Set<RecordID> = []
    /// The records of the remote that the store cannot hold.
    var unreadable: Set<RecordID>
    /// Whether a push has no answer, although the world is at rest.
    var isInFlight: Bool

    /// Reads what a store knows; the outcome of its last cycle has the lists.
    init(of transaction: ReadTransaction, _ outcome: StoreOutcome?) throws {
        known = try transaction.synchronizedRecords()
        isInFlight = try transaction.count(Query("sync.inFlight")) > 0
        var listed = Set(outcome?.refused.map(\.id) ?? [])
        // What depends on a listed record waits with it.
        if !listed.isEmpty || outcome?.waiting.isEmpty == false
            || outcome?.conflicts.contains(where: \.isOpen) == true
        {
            listed.formUnion(outcome?.pending ?? [])
        }
        unreadable = Set(outcome?.unreadable.map(\.id) ?? [])
        for shape in transaction.schema.synchronizedRoots {
            for entry in try transaction.journal(of: shape.name) {
                let id = RecordID(shape.name, entry.id.key)
                changed[id] = .some(known[id])
                if !entry.isUnresolved && !listed.contains(id) && entry.base != known[id] { unlisted.insert(id) }
                known[id] = entry.isUnresolved ? entry.remote : entry.base
            }
        }
    }
}

extension Schema {
    /// The hierarchies whose records are synchronized.
    var synchronizedRoots: [Shape] { roots.filter(\.isSynchronized) }
}

extension ReadTransaction {
    /// Returns all records and links by the names of their roots.
    func synchronizedRecords() throws -> [RecordID: Record] {
        var records: [RecordID: Record] = [:]
        for shape in schema.synchronizedRoots {
            try forEach(Query(shape.name)) { record in
                records[RecordID(shape.name, record.key)] = record
                return true
            }
        }
        return records
    }
}

extension Record {
    /// The records to which the record refers.
    func targets(in schema: Schema) -> [RecordID] {
        shape.slots.indices.compactMap { position in
            guard case .reference(let entity, _, _) = shape.slots[position].content, !values[position].isNull,
                let root = schema[entity]?.root
            else { return nil }
            return RecordID(root, values[position])
        }
    }
}

extension StoreDump {
    /// The record in a fault, or `nothing`.
    fileprivate static func text(_ record: Record?) -> String { record.map { text($0) } ?? "nothing" }
}
