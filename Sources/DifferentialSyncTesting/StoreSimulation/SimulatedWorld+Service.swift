import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Returns the service's answer to a request; nil if its store has failed, so that there is none.
    mutating func answer(
        _ request: SimulatedMessage.Request, in message: SimulatedMessage
    ) async -> SimulatedMessage.Answer? {
        if service.throttledCount > 0 {
            service.throttledCount -= 1
            return .failed(.throttled(after: 1))
        }
        if message.isElsewhere { return answerElsewhere(request, of: message.device) }
        let epoch = history(of: service.content)
        let answer = await answerByService(request)
        let later = history(of: service.content)
        if epoch.name == later.name, epoch.sequence > later.sequence {
            addFault(.goesBack, "the service's sequence \(epoch.sequence) is followed by \(later.sequence)")
        }
        if case .pull(let request) = request, case .pull(let page)? = answer, page.cursor.epoch == request.cursor.epoch,
            page.cursor.sequence < request.cursor.sequence
        {
            addFault(.goesBack, "a page after \(request.cursor.sequence) ends at \(page.cursor.sequence)")
        }
        return answer
    }

    private mutating func answerByService(_ request: SimulatedMessage.Request) async -> SimulatedMessage.Answer? {
        environment.store.content = service.content
        environment.store.failure = service.failure
        environment.setNames("service/", count: service.nameCount)
        environment.setRefuses(service.refuses)
        defer {
            service.content = environment.store.content
            service.failure = environment.store.failure
            service.nameCount = environment.nameCount
        }
        do {
            switch request {
            case .handshake(let request): return .handshake(try await environment.remote.handshake(request))
            case .pull(let request): return .pull(try await environment.remote.pull(request))
            case .push(let request): return .push(try await environment.remote.push(request))
            }
        } catch let error as RemoteError {
            return .failed(error)
        } catch is SimulatedFailure {
            return nil
        } catch {
            addFault(.error, "the service throws \(error)")
            return .failed(.later())
        }
    }

    /// Returns the answer of another account, in which nothing must be pulled or pushed.
    private mutating func answerElsewhere(
        _ request: SimulatedMessage.Request, of device: Int
    ) -> SimulatedMessage.Answer {
        guard case .handshake = request else {
            addFault(.leak, "device \(device) sends \(request) to another account")
            return .failed(.unauthorized)
        }
        return .handshake(HandshakeResponse(account: "another account", epoch: "another epoch", sequence: 1))
    }

    private func history(of content: InMemoryContent) -> (name: String?, sequence: Int64) {
        content.read { transaction in
            (try? transaction.metadata(Self.epochName), (try? transaction.historySequence) ?? 0)
        }
    }

    /// The metadata with the epoch of a service.
    static let epochName = "sync.service.epoch"
}

extension SimulatedWorld {
    /// Makes a step that changes stores as a whole.
    mutating func applyToStores(_ operation: SimulationOperation) async {
        switch operation {
        case .backUp(let device):
            let content = devices[self.device(device)].content
            devices[self.device(device)].backup = content
            ledger.addCopied(content.newRecords)
        case .restore(let device): restore(self.device(device))
        case .clone(let device):
            guard devices.count < 5 else { return }
            let (origin, copy) = (self.device(device), devices.count)
            log("device \(origin) is cloned as device \(copy)")
            let clone = devices[origin].clone
            devices.append(clone)
            ledger.addForgetting()
            ledger.addCopied(clone.content.newRecords)
        case .backUpService: service.backup = service.content
        case .restoreService: await restoreService()
        case .prune: changeService { try $0.apply(ChangeSet.forgettingHistory(through: $0.historySequence)) }
        case .grow(let device):
            crash(self.device(device))
            devices[self.device(device)].content = grown(devices[self.device(device)].content)
        case .growService: service.content = grown(service.content)
        default: await applyToLists(operation)
        }
    }

    private mutating func changeService(_ body: (WriteTransaction) throws -> Void) {
        do {
            _ = try service.content.write { try body($0) }
        } catch {
            addFault(.error, "the service's store throws \(error)")
        }
    }

    private mutating func grown(_ content: InMemoryContent) -> InMemoryContent {
        var content = content
        do {
            try content.add(simulator.growth)
        } catch {
            addFault(.error, "the schema does not grow: \(error)")
        }
        return content
    }

    private mutating func restore(_ device: Int) {
        guard let backup = devices[device].backup else { return }
        log("device \(device) is restored")
        ledger.addForgetting()
        crash(device)
        devices[device].content = backup
        devices[device].lastPush = [:]
        let (copies, served) = (devices.map(\.content), service.content)
        ledger.forgive { edit in
            edit.device == device && !edit.isIn(served) && !copies.contains { edit.isIn($0) }
        } deletions: { id, deleter in
            deleter == device && served.has(id)
        }
    }

    private mutating func restoreService() async {
        guard let backup = service.backup else { return }
        let lost = service.content
        log("the service is restored")
        ledger.addForgetting()
        environment.store.content = backup
        environment.store.failure = nil
        environment.setNames("service/", count: service.nameCount)
        do {
            try await simulator.beginEpoch(environment.service)
        } catch {
            addFault(.error, "no epoch begins: \(error)")
        }
        service.content = environment.store.content
        service.nameCount = environment.nameCount
        let (copies, served) = (devices.map(\.content), service.content)
        ledger.forgive { edit in
            // The answer to a push that the service no longer knows may be under way.
            !edit.isIn(served) && (edit.isIn(lost) || !copies.contains { edit.isIn($0) && $0.hasChanged(edit.id) })
        } deletions: { id, _ in
            served.has(id) && (!lost.has(id) || !copies.contains { !$0.has(id) && $0.hasChanged(id) })
        }
    }
}

extension EditLedger.Edit {
    /// Whether a store has the value.
    func isIn(_ content: InMemoryContent) -> Bool {
        guard let record = content.record(id) else { return false }
        return slot.map { record[$0].isVersion(of: value) } ?? true
    }
}

extension InMemoryContent {
    /// Returns a record; nil if there is none, or if the schema does not have the entity.
    func record(_ id: RecordID) -> Record? { read { try? $0.record(id) } }

    /// Whether a device's store belongs to an account.
    var hasAccount: Bool { read { (try? $0.metadata("sync.store.account")) != nil } }

    /// Whether there is a record.
    func has(_ id: RecordID) -> Bool { record(id) != nil }

    /// The records that were inserted since the shadow.
    fileprivate var newRecords: [RecordID] {
        read { transaction in
            schema.synchronizedRoots.flatMap { shape in
                let entries = (try? transaction.journal(of: shape.name)) ?? []
                return entries.compactMap { $0.base == nil ? RecordID(shape.name, $0.id.key) : nil }
            }
        }
    }

    /// Whether a push has no answer yet.
    var isInFlight: Bool { read { ((try? $0.count(Query("sync.inFlight"))) ?? 0) > 0 } }

    /// Whether a record has changed since the shadow.
    func hasChanged(_ id: RecordID) -> Bool { read { (try? $0.journalEntry(id)) != nil } }
}

extension ChangeSet {
    fileprivate static func forgettingHistory(through sequence: Int64) -> ChangeSet {
        var changes = ChangeSet()
        changes.forgetHistory(through: sequence)
        return changes
    }
}
