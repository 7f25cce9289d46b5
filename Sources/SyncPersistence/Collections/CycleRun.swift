import DifferentialSync

/// One step of a cycle, within one transaction.
struct CycleRun<Element: Equatable & Sendable, Key: Hashable & Sendable> {
    /// The state machine of a collection whose elements are records.
    typealias KeyedCycle = SyncCycle<Record, Value>

    /// The coding, the account and the limits of the cycle.
    let settings: CycleSettings<Element, Key>
    /// The transaction that makes the step, and stores the state with it.
    let transaction: WriteTransaction
    /// Receives the progress, and stops the cycle on request.
    let monitor: CycleMonitor
    /// The shape of the entity's records.
    private let shape: Shape

    /// The state machine, by the keys of the records.
    private(set) var cycle: KeyedCycle

    /// The stored state, with the changes of this step.
    private(set) var state: CycleState

    /// The keys of records with local changes that cannot be pushed, because no element can be read from them.
    private(set) var unreadable: Set<Value>

    /// The entity whose records the collection has.
    private var entity: String { settings.coding.entity }

    /// The deleted unsent links that no outcome lists yet.
    private var deletedLinks: [RecordID] { state.deletedLinks + transaction.deletions.deletedLinks }

    /// Begins a step of a cycle with the stored state of its collection.
    ///
    /// - Parameter cycle: The state machine before the step; nil before the first.
    init(
        _ settings: CycleSettings<Element, Key>, _ cycle: KeyedCycle?, unreadable: Set<Value>, turn: Int?,
        monitor: CycleMonitor, in transaction: WriteTransaction
    ) throws {
        self.settings = settings
        self.transaction = transaction
        self.monitor = monitor
        self.unreadable = unreadable
        shape = try transaction.shape(settings.coding.entity)
        state = try CycleState(of: settings.coding.entity, in: transaction)
        try state.requireTurn(turn)
        if let cycle {
            self.cycle = cycle
        } else {
            self.cycle = settings.cycle()
        }
        self.cycle.unreadableKeys = Set(state.unreadable)
    }
}

extension CycleRun {
    /// Begins the cycle.
    ///
    /// - Parameter hasPulled: Whether anything was pulled since the collection was opened.
    mutating func begin(hasPulled: Bool) throws -> DurableCycle<Element, Key>.Step {
        try settings.coding.requireRecordsAlone(in: transaction)
        try transaction.requireCycles(of: entity)
        try inheritAccount()
        if state.version != nil {
            // Another type than before may read more of what was pulled already.
            var survey = try survey()
            for key in settings.coding.looksAtElements ? try transaction.outgoingKeys(of: entity) : [] {
                let id = RecordID(entity, key)
                if let record = try transaction.record(id) ?? transaction.shadow(id) { survey.look(at: record) }
            }
            // Another one may read elements that could not be read.
            let mayReadMore = !state.unreadable.isEmpty && !hasPulled && (survey.isChanged || state.isRetryDue)
            // An element that still waits for another entity would be left out again.
            var unread = CollectionWindow(of: entity, in: transaction)
            let mayTakeMore = try state.leftOut.contains { try unread.load($0).otherToSendFirst == nil }
            cycle.pullsEverything = survey.isUpdated || mayReadMore || mayTakeMore
        }
        var window = CollectionWindow(of: entity, in: transaction)
        let push = try pendingPush(in: &window)
        if push == nil, state.version != nil {
            if let unresolved = try transaction.unresolvedKeys(of: entity).first {
                try window.load(unresolved)
            } else {
                try loadOutgoing(in: &window)
            }
        }
        do {
            return try take(window, push) { cycle, client in try cycle.begin(&client) }
        } catch let error as CycleError where error.code == .otherAccount {
            throw CycleError.otherAccount("'\(entity)' belongs to another account than the remote", oneEach: "store")
        }
    }

    /// Makes a collection without an account belong to that of other collections of the store, if they have another one
    /// than the remote.
    private mutating func inheritAccount() throws {
        guard let foreign = try state.foreignAccount(than: settings.account, in: transaction) else { return }
        if settings.onAccountChange == .refuse {
            let place =
                foreign.entity == entity ? "they were made for" : "'\(foreign.entity)' of the same store belongs to"
            throw CycleError.otherAccount(
                "'\(entity)' has records that were never sent, and \(place) another account than the remote",
                oneEach: "store")
        }
        var changes = ChangeSet(origin: .agreed)
        try state.set(state.version, foreign.account, in: &changes)
        state.takeTurn(&changes)
        try transaction.apply(changes)
    }

    /// Accepts the remote's status of the push in doubt, or of the refused push.
    mutating func confirmed(_ status: PushStatus<Element>) throws -> DurableCycle<Element, Key>.Step {
        var window = CollectionWindow(of: entity, in: transaction)
        let push = try pendingPush(in: &window)
        let keyed: PushStatus<Record>
        switch status {
        case .applied(let version, let amended):
            keyed = .applied(version, amended: try records(of: amended, push, in: &window))
        case .notApplied:
            // It is sent again as it was, or not at all: not by another type, which may have other members to send.
            let isReadable = push?.changes.changes.allSatisfy { (try? element($0)) != nil } ?? true
            keyed = isReadable && !cycle.pullsEverything ? .notApplied : .unknown
        case .unknown: keyed = .unknown
        }
        var survey = try survey()
        push?.changes.changes.forEach { if let record = $0.new { survey.look(at: record) } }
        return try take(window, push, survey) { cycle, client in try cycle.confirmed(keyed, &client) }
    }

    /// Takes in what was pulled.
    ///
    /// - Parameters:
    ///   - arriving: What was pulled.
    ///   - hasPulled: Whether anything was pulled before since the collection was opened.
    mutating func pulled(
        _ arriving: ArrivingPull<Element, Key>, hasPulled: Bool
    ) throws -> DurableCycle<Element, Key>.Step {
        var window = CollectionWindow(of: entity, in: transaction)
        let isOther = state.account != nil && state.account != settings.account
        var survey = try survey()
        let agreement: ArrivingPull<Element, Key>.Agreement =
            isOther ? .otherAccount : state.version == nil ? .none : .version
        let pull = try arriving.records(in: &window, agreement, transaction, &survey)
        try loadOutgoing(in: &window)
        if isOther { try window.requireOwnShadows() }
        if agreement == .version, case .everything(let remote, _, _) = pull, let known = survey.known,
            let adopt = settings.coding.adopt
        {
            window.adopt(remote, knowing: known.members, adopt)
        }
        if !hasPulled { state.countOpening() }
        let push = try pendingPush(in: &window)
        return try take(window, push, survey, hasEverything: arriving.isEverything) { cycle, client in
            try cycle.pulled(pull, &client)
        }
    }

    /// Takes in the answer to the push.
    mutating func pushed(_ answer: PushAnswer<Element>) throws -> DurableCycle<Element, Key>.Step {
        var window = CollectionWindow(of: entity, in: transaction)
        let push = try pendingPush(in: &window)
        guard case .accepted(let version, let amended) = answer else {
            return try take(window, push) { cycle, client in try cycle.pushed(.refused, &client) }
        }
        let keyed = PushAnswer.accepted(version, amended: try records(of: amended, push, in: &window))
        try loadUpcoming(in: &window)
        var survey = try survey()
        push?.changes.changes.forEach { if let record = $0.new { survey.look(at: record) } }
        return try take(window, push, survey) { cycle, client in try cycle.pushed(keyed, &client) }
    }
}

extension CycleRun {
    /// What is known of the members that the type reads.
    private func survey() throws -> MemberSurvey {
        try MemberSurvey(settings.coding.members, state.members, of: entity, in: transaction)
    }

    /// The push that was sent, after its records were taken into the window: what was saved of them, or else what is
    /// there.
    private func pendingPush(in window: inout CollectionWindow) throws -> Push<Record>? {
        guard let sent = state.push else { return nil }
        var changes: [Change<Record>] = []
        for record in try transaction.sentRecords(of: entity) {
            let row = try window.load(record.key)
            try window.requireOwnShadow(row)
            if let change = Change(from: row.base, to: record.image.map(\.record) ?? row.record) {
                changes.append(change)
            }
        }
        return Diff(changes).map { Push(id: sent.id, changes: $0, expected: sent.expected) }
    }

    /// Takes the first of all changes to be pushed into the window.
    private func loadOutgoing(in window: inout CollectionWindow) throws {
        let keys = try transaction.outgoingKeys(of: entity).filter { !unreadable.contains($0) }
        try window.loadOutgoing(keys, upTo: settings.limit, areAll: true)
    }

    /// Takes what comes next in this round into the window, or if nothing does, the first of all changes.
    private func loadUpcoming(in window: inout CollectionWindow) throws {
        let upcoming = cycle.upcomingKeys
        if upcoming.isEmpty { return try loadOutgoing(in: &window) }
        try window.loadOutgoing(upcoming, upTo: settings.limit, areAll: false)
    }

    /// Elements as the remote has amended them, as records over those that were sent.
    private func records(
        of amended: [Element], _ push: Push<Record>?, in window: inout CollectionWindow
    ) throws -> [Record] {
        if amended.isEmpty { return [] }
        var sent: [Value: Record] = [:]
        for change in push?.changes.changes ?? [] { sent[change.element.key] = change.new }
        return try amended.map { element in
            let key = try settings.coding.keyValue(of: element)
            let row = try window.load(key)
            try window.requireOwnShadow(row)
            return try settings.coding.record(of: element, over: sent[key] ?? row.base, shape: shape)
        }
    }

    /// Returns the rows of a window as a collection, after it has removed those that this collection may not send yet.
    private func collection(
        of window: inout CollectionWindow, _ push: Push<Record>?
    ) throws -> JournaledCollection<Record, Value> {
        window.removeWaiting()
        return try window.collection(state, push: push)
    }

    /// A change as elements.
    private func element(_ change: Change<Record>) throws -> Change<Element>? {
        Change(from: try change.old.map(settings.coding.element), to: try change.new.map(settings.coding.element))
    }
}

extension CycleRun {
    /// Reports an event to the state machine, and stores what follows.
    ///
    /// - Parameters:
    ///   - window: What the step is about.
    ///   - push: The push in doubt.
    ///   - survey: What was found out of the members of the elements that agree now; nil if none do.
    ///   - hasEverything: Whether all elements of the remote were pulled.
    ///   - event: The event.
    private mutating func take(
        _ window: CollectionWindow, _ push: Push<Record>?, _ survey: MemberSurvey? = nil, hasEverything: Bool = false,
        _ event: (inout KeyedCycle, inout JournaledCollection<Record, Value>) throws -> KeyedCycle.Step
    ) throws -> DurableCycle<Element, Key>.Step {
        var (window, before) = (window, cycle)
        var client = try collection(of: &window, push)
        var step = try event(&cycle, &client)
        if case .finished(let outcome) = step, outcome.isSynced {
            // The end is the end only if nothing is left outside of the window.
            let count = window.count
            try loadOutgoing(in: &window)
            if window.count > count {
                client = try collection(of: &window, push)
                step = try event(&before, &client)
                cycle = before
            }
        }
        let isForgotten = state.push != nil && client.pendingPush?.id != state.push?.id
        if isForgotten { try transaction.removeInFlight(of: entity) }
        let records = try window.changes(to: client, shape: shape)
        transaction.synchronized.addCycle(of: entity)
        try monitor.apply(records, in: transaction)
        // What the schema does not allow yet is kept back now, before more is decided.
        if !records.isEmpty { try transaction.settleIncoming() }
        var changes = ChangeSet(origin: .agreed)
        if isForgotten { try state.set(push: nil, in: &changes) }
        try state.leaveAccount(for: client.account, &changes, in: transaction)
        try state.set(client.version, client.account, in: &changes)
        if case .finished(let outcome) = step, outcome.isSynced, transaction.log.hasConsequences {
            // Local consequences of the remote's changes are pushed too.
            var window = CollectionWindow(of: entity, in: transaction)
            try loadOutgoing(in: &window)
            if window.count > 0 {
                try state.set(client.pushNames, in: &changes)
                client = try collection(of: &window, nil)
                step = cycle.resumed(&client)
            }
        }
        let next = try handedOut(step, &client, &changes)
        try state.set(client.pushNames, in: &changes)
        var isFinished = false
        if case .finished = next { isFinished = true }
        try state.set(deletedLinks: isFinished ? [] : deletedLinks, in: &changes)
        if !records.isEmpty || !changes.isEmpty { state.takeTurn(&changes) }
        if let survey, hasEverything || !cycle.pullsEverything {
            state.set(members: try survey.agreed(hasEverything: hasEverything), in: &changes)
        }
        try state.set(unreadable: cycle.unreadableKeys, in: &changes)
        let leftOut = window.leftOut.union(hasEverything ? [] : state.leftOut)
        try state.set(leftOut: leftOut.intersection(cycle.unreadableKeys), in: &changes)
        try transaction.apply(changes)
        return next
    }

    /// The step as the caller gets it, after a push was stored.
    private mutating func handedOut(
        _ step: KeyedCycle.Step, _ client: inout JournaledCollection<Record, Value>, _ changes: inout ChangeSet
    ) throws -> DurableCycle<Element, Key>.Step {
        var step = step
        while true {
            switch step {
            case .confirm(let pushID): return .confirm(pushID: pushID)
            case .pull(let version): return .pull(since: version)
            case .finished(let outcome):
                return .finished(
                    try transaction.outcome(
                        outcome, settings.coding, unreadable: unreadable.union(cycle.unreadableKeys),
                        deletedLinks: deletedLinks))
            case .push(let push):
                let isSentAgain = state.push?.id == push.id
                if let sent = try readable(push) {
                    if !isSentAgain {
                        try transaction.keepInFlight(
                            try sent.changes.changes.map { try settings.coding.keyValue(of: $0.element) }, of: entity)
                        try state.set(
                            push: CycleState.SentPush(id: push.id, expected: push.expected), in: &changes)
                    }
                    return .push(sent)
                }
                var window = CollectionWindow(of: entity, in: transaction)
                try loadUpcoming(in: &window)
                client = try collection(of: &window, nil)
                step = cycle.skipped(&client)
            }
        }
    }

    /// What can be sent of a push: the changes whose elements can be read, and that the store has made as they are; nil
    /// for nothing.
    private mutating func readable(_ push: Push<Record>) throws -> Push<Element>? {
        var changes: [Change<Element>] = []
        for change in push.changes.changes {
            if transaction.log.hasConsequences {
                // The store may have kept back what was pulled, or changed records that are connected with it.
                var window = CollectionWindow(of: entity, in: transaction)
                let stored = try window.load(change.element.key).outgoingChange
                if stored?.old != change.old || stored?.new != change.new { continue }
            }
            if let element = try? element(change) {
                changes.append(element)
            } else {
                unreadable.insert(change.element.key)
            }
        }
        return Diff(changes).map { Push(id: push.id, changes: $0, expected: push.expected) }
    }
}

extension ReadTransaction {
    /// Requires that a collection may have cycles of its own.
    ///
    /// - Throws: `CycleError` if the store is synchronized as a whole.
    func requireCycles(of entity: String) throws {
        try requireOwnCycles(of: entity, "a collection of it has no cycle of its own")
    }

    /// Requires that the conflicts of a collection are those of its own cycles.
    ///
    /// - Throws: `CycleError` if the store is synchronized as a whole.
    func requireConflicts(of entity: String) throws {
        try requireOwnCycles(
            of: entity, "resolve a member of the store's 'openConflicts' by 'resolve(_:with:)' of the collection")
    }

    private func requireOwnCycles(of entity: String, _ remedy: String) throws {
        if try storeAccount() == nil { return }
        throw CycleError(.wholeStore, "the store of '\(entity)' is synchronized as a whole: \(remedy)")
    }
}
