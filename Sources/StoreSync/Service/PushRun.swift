import SyncPersistence

/// One push in the transaction that makes it.
///
/// All mutations are checked before the first is made, so that an invalid one does not abort the transaction of the
/// others. New and changed records are stored first, then records are deleted.
struct PushRun {
    private let context: PushContext
    private let stopped: StoppedMutations
    private var changes: [PushedChange] = []
    /// The position of the mutation that decides on a record, by the record under its final key.
    private var positions: [RecordID: Int] = [:]

    /// Creates the run.
    ///
    /// - Parameter stopped: The mutations that are not made, because the store has refused them before.
    init(_ context: PushContext, _ stopped: StoppedMutations) { (self.context, self.stopped) = (context, stopped) }

    /// Makes the changes of a push, and returns the outcome of each mutation.
    ///
    /// - Parameter origin: Whether the store is itself a device that sends the changes on.
    mutating func run(_ mutations: [Mutation], origin: ChangeSet.Origin) throws -> [PushResponse.Outcome] {
        try check(mutations)
        try context.transaction.prefetch {
            var lookups = ChangeSet()
            for change in changes where change.isEffective { if let new = change.new { lookups.put(new) } }
            return lookups
        }
        var references = ReferenceCheck(context, positions)
        try references.run(on: &changes)
        var puts: [(record: Record, isNew: Bool)] = []
        puts.reserveCapacity(changes.count)
        // Changes are used by their index, because copying one takes longer than most of these steps.
        for position in changes.indices where changes[position].isEffective {
            guard let new = changes[position].new else { continue }
            // The insertion of a new record does not see that it takes an exclusive reference from another one.
            puts.append((new, isNew: changes[position].old == nil && !new.shape.hasExclusiveReferences))
        }
        if !puts.isEmpty { try context.transaction.putDecided(puts, origin: origin) }
        var deletions = DeletionCheck(context, positions)
        try deletions.run(on: &changes)
        var deletes = ChangeSet(origin: origin)
        for position in changes.indices where changes[position].isDeletion && changes[position].isEffective {
            deletes.delete(changes[position].id)
        }
        if !deletes.isEmpty { try context.transaction.applyDecided(deletes, areConsequencesAgreed: true) }
        return try finish()
    }

    /// Reads the present records of some mutations together.
    private func prefetch(_ mutations: ArraySlice<Mutation>) throws {
        try context.transaction.prefetch {
            var lookups = ChangeSet()
            for mutation in mutations where context.schema.admitsKey(of: mutation.id) { lookups.delete(mutation.id) }
            return lookups
        }
    }

    /// Checks the mutations one by one, and then gives new records the keys of the review.
    ///
    /// The present records are read in parts, because a record that is not needed costs as much as one that is.
    private mutating func check(_ mutations: [Mutation]) throws {
        var check = MutationCheck(context, count: mutations.count)
        changes = mutations.map(PushedChange.init)
        var ahead = ReadAhead(limit: check.readLimit)
        var unread = 0
        for position in changes.indices {
            if position == unread && !check.isFull {
                if position > 0 { ahead.plan(after: position, of: check.readSize) }
                unread += ahead.count
                try prefetch(mutations.prefix(context.limits.pushRecords).dropFirst(position).prefix(ahead.count))
            }
            try check.check(&changes[position])
            if changes[position].isAccepted, let outcome = stopped.outcome(at: position),
                changes[position].isEffective
            {
                changes[position].outcome = outcome
            }
        }
        if check.keys.isEmpty {
            positions = check.named
            for position in changes.indices where !changes[position].isAccepted {
                if positions[changes[position].id] == nil { positions[changes[position].id] = position }
            }
            return
        }
        for position in changes.indices {
            // A record may refer to a later one of the push, which the review has given another key.
            if changes[position].isAccepted { try rewrite(&changes[position], check) }
            if positions[changes[position].id] == nil {
                positions[changes[position].id] = position
            } else if changes[position].isAccepted {
                changes[position].outcome = .duplicate
            }
        }
    }

    private func rewrite(_ change: inout PushedChange, _ check: MutationCheck) throws {
        guard let sent = change.sent, let new = change.new else { return }
        change.sent = check.rewritten(sent)
        let rewritten = check.rewritten(new)
        change.new = rewritten
        if rewritten.key == new.key { return }
        change.id = rewritten.rootID
        if try context.transaction.record(change.id) != nil { change.outcome = .duplicate }
    }

    /// Returns the outcomes, and stores the device as the writer of each record whose final version it knows.
    ///
    /// A pull of the device omits these records.
    private func finish() throws -> [PushResponse.Outcome] {
        var written: [RecordID] = []
        var outcomes: [PushResponse.Outcome] = []
        outcomes.reserveCapacity(changes.count)
        for position in changes.indices {
            if let outcome = changes[position].outcome {
                outcomes.append(outcome)
                continue
            }
            let final = try context.transaction.record(changes[position].id)
            if changes[position].new != nil && changes[position].old == nil && final == nil {
                outcomes.append(.refused(.danglingReference, "a deletion in the same push deletes the new record"))
                continue
            }
            // A pull sends records that another deletion has deleted as well, and records that have left the scope.
            let isKnown =
                if let final {
                    changes[position].sent != nil && context.scope.contains(final)
                } else {
                    changes[position].isDeletion
                }
            if isKnown && final != changes[position].old { written.append(changes[position].id) }
            let amended = amendments(of: changes[position].sent, in: final)
            outcomes.append(.accepted(amended: amended, key: changes[position].key))
        }
        try context.transaction.setHistoryWriter(context.device, of: written)
        return outcomes
    }

    /// Returns the values of a stored record that differ from what the device has; nil if there are none.
    private func amendments(of sent: Record?, in final: Record?) -> ValueObject? {
        guard let sent, let final, final.entity == sent.entity, final != sent else { return nil }
        let changed = final.shape.slots.indices.filter {
            !final.shape.keySlots.contains($0) && final.values[$0] != sent.values[$0]
        }
        if changed.isEmpty { return nil }
        return ValueObject(distinct: changed.map { final.shape.slots[$0].name }, changed.map { final.values[$0] })
    }
}

/// The mutations of a push that passed all checks, and that the store has refused all the same.
struct StoppedMutations {
    private var outcomes: [Int: PushResponse.Outcome] = [:]

    /// The number of mutations from the first on that are tried; the others wait for the next push.
    private var count: Int
    /// How often the push was tried.
    private var attempts = 0

    /// The number of times that a push is tried again without one mutation.
    ///
    /// After that, each further try has half of the mutations.
    private static let mostAttempts = 8

    init(of request: PushRequest) { count = request.mutations.count }

    /// Returns the outcome of a mutation that is not tried; nil for others.
    func outcome(at position: Int) -> PushResponse.Outcome? {
        position < count ? outcomes[position] : .later(after: 0)
    }

    /// Stops the mutation that an error concerns, or half of them if that is unknown.
    ///
    /// - Returns: Whether the push can be tried again; false if the error does not concern a change.
    mutating func add(_ error: PersistenceError, of request: PushRequest, in schema: Schema) -> Bool {
        let rest = request.mutations.indices.prefix(count).filter { outcomes[$0] == nil }
        guard error.isAboutChanges, let last = rest.last else { return false }
        attempts += 1
        let id = error.id?.rooted(in: schema)
        if rest.count == 1 {
            outcomes[last] = .refused(error)
        } else if attempts <= Self.mostAttempts,
            let position = rest.first(where: { request.mutations[$0].id.rooted(in: schema) == id })
        {
            outcomes[position] = .refused(error)
        } else {
            count = rest[rest.count / 2]
        }
        return true
    }
}

extension PersistenceError {
    /// Whether the error may be that of a change, instead of the store's.
    package var isAboutChanges: Bool {
        let others: [Code] = [
            .locked, .full, .readOnly, .ioFailure, .movedFile, .closed, .unreadable, .schemaChange,
            .cannotConnect, .connectionLost, .unknownOutcome, .notPermitted, .serverFailure,
        ]
        return !others.contains(code)
    }
}

extension PushResponse.Outcome {
    /// Refuses a second change of one record in a push.
    static let duplicate = PushResponse.Outcome.refused(
        code: "duplicate", reason: "the push has two changes of the record: send one")
}
