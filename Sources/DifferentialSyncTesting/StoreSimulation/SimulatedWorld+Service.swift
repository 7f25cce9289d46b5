import StoreSync
import SyncPersistence

extension SimulatedWorld {
    /// Returns the service's answer to a request; nil if its store has failed, so that there is none.
    ///
    /// It checks that the history never goes back within an epoch: neither the number of the last change, nor the
    /// position after a page.
    mutating func answer(
        _ request: SimulatedMessage.Request, in message: SimulatedMessage
    ) async -> SimulatedMessage.Answer? {
        if service.throttledCount > 0 {
            service.throttledCount -= 1
            return .failed(.throttled(after: 1))
        }
        if message.isElsewhere { return answerElsewhere(request, of: message.device) }
        // A relay belongs to an account before it has devices of its own.
        let isRelayed = devices[message.device].isBehindRelay
        if isRelayed && !devices[Self.relay].content.hasAccount { return .failed(.later()) }
        let epoch = history(of: servedContent(isRelayed))
        let answer = await answer(request, isRelayed: isRelayed)
        let later = history(of: servedContent(isRelayed))
        if epoch.name == later.name, epoch.sequence > later.sequence {
            report.addFault(.goesBack, "the service's sequence \(epoch.sequence) is followed by \(later.sequence)")
        }
        if case .pull(let request) = request, case .pull(let page)? = answer, page.cursor.epoch == request.cursor.epoch,
            page.cursor.sequence < request.cursor.sequence
        {
            report.addFault(.goesBack, "a page after \(request.cursor.sequence) ends at \(page.cursor.sequence)")
        }
        return answer
    }

    /// The position of the relay among the devices.
    static let relay = 0

    /// What the service or the relay has stored.
    ///
    /// A relay is a device of the service, and the service of the devices behind it.
    private func servedContent(_ isRelayed: Bool) -> InMemoryContent {
        isRelayed ? devices[Self.relay].content : service.content
    }

    /// What the service of a device has stored.
    func servedContent(of device: Int) -> InMemoryContent { servedContent(devices[device].isBehindRelay) }

    /// Lets the service or the relay answer a request over its store.
    ///
    /// A failure of the store leaves the device without an answer, as a crash of the server would. Its file is opened
    /// again.
    private mutating func answer(
        _ request: SimulatedMessage.Request, isRelayed: Bool
    ) async -> SimulatedMessage.Answer? {
        do {
            return try await withServer(isRelayed) { server in
                switch request {
                case .handshake(let request): .handshake(try await server.remote.handshake(request))
                case .pull(let request): .pull(try await server.remote.pull(request))
                case .push(let request): .push(try await server.remote.push(request))
                }
            }
        } catch let error as RemoteError {
            return .failed(error)
        } catch is SimulatedFailure {
            report.count(.serviceStoreFailure)
            if isRelayed { await reopenFile(of: Self.relay) } else { await reopenServiceFile() }
            return nil
        } catch {
            report.addFault(.error, "the service throws \(error)")
            return .failed(.later())
        }
    }

    /// Returns the answer of another account, in which nothing must be pulled or pushed.
    private mutating func answerElsewhere(
        _ request: SimulatedMessage.Request, of device: Int
    ) -> SimulatedMessage.Answer {
        guard case .handshake = request else {
            report.addFault(.leak, "device \(device) sends \(request) to another account")
            return .failed(.unauthorized)
        }
        return .handshake(HandshakeResponse(account: "another account", epoch: "another epoch", sequence: 1))
    }

    /// Lets a body work with the service or the relay, whose stored state is put in before and taken out afterwards.
    ///
    /// The server objects are shared by all states of an exploration, so they keep nothing of a state themselves.
    private mutating func withServer<Result>(
        _ isRelayed: Bool, _ body: (SimulatedServer) async throws -> Result
    ) async rethrows -> Result {
        let server = isRelayed ? environment.relay : environment.service
        if isRelayed {
            let relay = devices[Self.relay]
            server.store.set(relay.content, relay.file?.store, relay.failure)
        } else {
            server.store.set(service.content, service.file?.store, service.failure)
        }
        environment.setNames(isRelayed ? "relay/" : "service/", count: service.nameCount)
        environment.setRefuses(service.refuses)
        defer {
            let state = server.store.current
            if isRelayed {
                (devices[Self.relay].content, devices[Self.relay].failure) = (state.content, state.failure)
            } else {
                (service.content, service.failure) = (state.content, state.failure)
            }
            service.nameCount = environment.nameCount
        }
        return try await body(server)
    }

    /// Returns the epoch and the number of the last change in a store.
    private func history(of content: InMemoryContent) -> (name: String?, sequence: Int64) {
        content.read { transaction in
            (try? transaction.metadata(Self.epochName), (try? transaction.historySequence) ?? 0)
        }
    }

    /// The metadata with the epoch of a service.
    static let epochName = "sync.service.epoch"
}

extension SimulatedWorld {
    /// Makes a step that copies, restores, prunes or extends a store.
    mutating func applyToStores(_ operation: SimulationOperation) async {
        switch operation {
        case .backUp(let device):
            let content = devices[self.device(device)].content
            devices[self.device(device)].backup = content
            await changeFiles { [device = self.device(device)] in try await $0.devices[device].file?.backUp() }
        case .restore(let device): await restore(self.device(device))
        case .clone(let device): await clone(self.device(device))
        case .backUpService:
            service.backup = service.content
            await changeFiles { try await $0.service.file?.backUp() }
        case .restoreService: await restoreService()
        case .prune(let number):
            let isRelayed = hasRelay && !number.isMultiple(of: 2)
            await change(isRelayed) { store in
                try await store.write { try $0.apply(.forgettingHistory(through: $0.historySequence)) }
            }
            forgiveForgotten(isRelayed: isRelayed)
        case .grow(let device):
            let device = self.device(device)
            crash(device)
            let (schema, growth) = (devices[device].content.schema, simulator.growth)
            await changeFiles { world in
                _ = try await world.devices[device].withStore { try await $0.add(growth) }
            }
            if devices[device].content.schema != schema { report.count(.schemaChange) }
        case .growService:
            let schema = service.content.schema
            let growth = simulator.growth
            await change(false) { try await $0.add(growth) }
            if service.content.schema != schema { report.count(.schemaChange) }
        default: await applyToLists(operation)
        }
    }

    /// Changes the store of the service or the relay.
    private mutating func change(_ isRelayed: Bool, _ body: (SimulatedStore) async throws -> Void) async {
        do {
            try await withServer(isRelayed) { server in
                let state = server.store.current
                server.store.set(state.content, state.file, nil)
                try await body(server.store)
                server.store.set(server.store.current.content, state.file, state.failure)
            }
        } catch {
            report.addFault(.error, "the store of a service throws \(error)")
        }
    }

    /// Adds a device with a copy of another device's store, as after moving to a new phone.
    ///
    /// Both have the same identifier at first, which the service notices by the second push.
    private mutating func clone(_ origin: Int) async {
        guard devices.count < 5 else { return }
        let copy = devices.count
        report.log("device \(origin) is cloned as device \(copy)")
        report.count(.clonedDevice)
        var clone = devices[origin].clone
        do {
            clone.file = try await devices[origin].file?.clone(name: "\(copy + 1)")
        } catch {
            report.addFault(.error, "a store in a file cannot be copied: \(error)")
        }
        devices.append(clone)
        ledger.addForgetting()
        ledger.addCopied(clone.content.newRecords)
    }

    /// Replaces a device's store by its last copy.
    ///
    /// Edits that only the lost store had are forgiven. Deletions that only the copy does not know may be undone.
    private mutating func restore(_ device: Int) async {
        guard let backup = devices[device].backup else { return }
        report.log("device \(device) is restored")
        report.count(.restoredDevice)
        ledger.addForgetting()
        let new = Set(backup.newRecords)
        ledger.addCopied(new)
        crash(device)
        let lost = devices[device].content
        devices[device].content = backup
        devices[device].lastPush = [:]
        await changeFiles { try await $0.devices[device].file?.restore(backup.schema) }
        if hasRelay && device == Self.relay { return await beginEpoch(isRelayed: true, instead: lost) }
        let (copies, served) = (devices.map(\.content), service.content)
        ledger.forgive { edit in
            edit.device == device && !edit.isIn(served) && !copies.contains { edit.isIn($0) }
        } deletions: { id, deleter in
            // The copy sends its new records again, even if another device has deleted them since.
            deleter == device && served.has(id) || new.contains(id)
        }
    }

    /// Replaces the service's store by its last copy, and begins another epoch, as its operator must.
    private mutating func restoreService() async {
        guard let backup = service.backup else { return }
        report.log("the service is restored")
        report.count(.restoredService)
        ledger.addForgetting()
        let lost = service.content
        service.content = backup
        await changeFiles { try await $0.service.file?.restore(backup.schema) }
        await beginEpoch(isRelayed: false, instead: lost)
    }

    /// Opens the service's store again, as after the end of its program, if it is in a file.
    private mutating func reopenServiceFile() async {
        guard service.file != nil else { return }
        report.count(.reopenedFile)
        await changeFiles { try await $0.service.file?.reopen() }
    }

    /// Begins an epoch of the service or the relay, and forgives what its copy does not have.
    ///
    /// An edit is only forgiven if no device can send it again: one that a device still has as a local change must
    /// arrive.
    private mutating func beginEpoch(isRelayed: Bool, instead lost: InMemoryContent) async {
        let begin = simulator.beginEpoch
        do {
            try await withServer(isRelayed) { server in
                let state = server.store.current
                server.store.set(state.content, state.file, nil)
                try await begin(server.service)
            }
        } catch {
            report.addFault(.error, "no epoch begins: \(error)")
        }
        let (copies, served) = (devices.map(\.content), service.content)
        if isRelayed {
            isRelayRestored = true
        } else {
            isServiceRestored = true
            let former = (try? lost.read { try $0.synchronizedRecords() }) ?? [:]
            let present = (try? served.read { try $0.synchronizedRecords() }) ?? [:]
            ledger.addUndone(Set(former.keys).symmetricDifference(present.keys))
        }
        // A device may have a record that the service does not have, and send it again.
        let revived = ledger.deletions.filter { lost.has($0.key) || isElsewhere($0.key, than: $0.value) }
        ledger.forgive { edit in
            // The answer to a push that the service no longer knows may be under way.
            !edit.isIn(served) && (edit.isIn(lost) || !copies.contains { edit.isIn($0) && $0.hasChanged(edit.id) })
        } deletions: { id, _ in
            if !served.has(id) { return revived[id] != nil }
            return !lost.has(id) || !copies.contains { !$0.has(id) && $0.hasChanged(id) }
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

    /// Whether the deletion of a record is sent: the remote has the record, or may have it by a push in flight.
    ///
    /// In an open conflict of two new records, the one here was never sent.
    func sendsDeletion(of id: RecordID) -> Bool {
        read { transaction in
            guard let entry = try? transaction.journalEntry(id) else { return isInFlight }
            return entry.base != nil
        }
    }

    /// Whether a record was inserted since the shadow.
    func hasInserted(_ id: RecordID) -> Bool {
        read { transaction in
            guard let entry = try? transaction.journalEntry(id), entry.base == nil else { return false }
            return (try? transaction.record(id)) != nil
        }
    }

    /// Whether a record has changed since the shadow.
    func hasChanged(_ id: RecordID) -> Bool { read { (try? $0.journalEntry(id)) != nil } }
}

extension ChangeSet {
    /// Returns a change set that removes tombstones up to a number.
    fileprivate static func forgettingHistory(through sequence: Int64) -> ChangeSet {
        var changes = ChangeSet()
        changes.forgetHistory(through: sequence)
        return changes
    }
}
