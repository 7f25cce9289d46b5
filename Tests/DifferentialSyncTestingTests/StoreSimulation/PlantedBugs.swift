import DifferentialSync
import DifferentialSyncTesting
import StoreSync
import SyncPersistence

/// The bugs that a simulation must find, each as a change around the real service or a device's storage.
enum PlantedBug: String, CaseIterable {
    /// The service applies a repeated push again, and does not tell its answer.
    case noStoredAnswer
    /// All changes of a push have one number, so that a page may end between them.
    case oneSequenceForAPush
    /// The service does not compare with what a device knows.
    case baseIgnored
    /// A device does not keep the sent image of a record that is edited while it is in flight.
    case imageOfFlightNotKept
    /// The service forgets deletions, and does not say so.
    case tombstonesPrunedEarly
    /// The service sends records outside of a device's scope.
    case scopeLeak
    /// A device sends the changes of one account to another one.
    case accountLeak
    /// A device stores the position after a page, and not the page.
    case pageWithoutCursor
    /// The service deletes what a delete rule reaches without a look at it.
    case cascadeWithoutCheck
    /// The service answers before it has stored.
    case acknowledgementBeforeCommit

    /// Returns a simulator with the bug.
    func planted(in simulator: StoreSimulator) -> StoreSimulator {
        var simulator = simulator
        switch self {
        case .imageOfFlightNotKept: simulator.deviceStorage = { ForgetfulStorage($0) }
        case .accountLeak: simulator.deviceStorage = { UnboundStorage($0) }
        case .scopeLeak:
            simulator.makeRemote = { $0.makeSyncService { $0.map { SyncScope($0.name) } } }
        default:
            simulator.makeRemote = { FaultyService(bug: self, service: $0.makeSyncService(), store: $0.store) }
        }
        return simulator
    }
}

/// A service with a bug.
private struct FaultyService: Remote {
    let bug: PlantedBug
    let service: SyncService
    let store: any PersistenceAdapter

    func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        var response = try await service.handshake(request)
        if bug == .noStoredAnswer { response.lastPush = nil }
        if bug == .tombstonesPrunedEarly { try await forgetTombstones() }
        return response
    }

    func pull(_ request: PullRequest) async throws -> PullResponse {
        var page = try await service.pull(request)
        switch bug {
        case .oneSequenceForAPush:
            let end = try await store.read { try $0.metadata("ends") } ?? ""
            let ends = end.split(separator: " ").compactMap { Int64($0) }
            if let next = ends.first(where: { $0 >= page.cursor.sequence }) {
                page.cursor = SyncCursor(epoch: page.cursor.epoch, sequence: next)
                page.hasMore = page.hasMore && ends.last != next
            }
        case .pageWithoutCursor:
            if page.hasMore { page.entries = [] }
        default: break
        }
        return page
    }

    func push(_ request: PushRequest) async throws -> PushResponse {
        var request = request
        switch bug {
        case .noStoredAnswer: try await forgetAnswer(of: request)
        case .baseIgnored: try await raiseBase(of: &request)
        case .cascadeWithoutCheck:
            let deletes = request.mutations.contains { $0.change == .delete }
            if deletes { try await raiseBase(of: &request) }
        case .acknowledgementBeforeCommit: return try await answerBeforeCommit(request)
        default: break
        }
        let response = try await service.push(request)
        if bug == .oneSequenceForAPush {
            try await store.write { transaction in
                var changes = ChangeSet()
                changes.setMetadata(
                    "ends", "\(try transaction.metadata("ends") ?? "") \(try transaction.historySequence)")
                try transaction.apply(changes)
            }
        }
        return response
    }

    /// The device seems to know all changes.
    private func raiseBase(of request: inout PushRequest) async throws {
        let sequence = try await store.read { try $0.historySequence }
        request.base = SyncCursor(epoch: request.base.epoch, sequence: max(sequence, request.base.sequence))
    }

    /// The service seems to have answered the push before this one.
    private func forgetAnswer(of request: PushRequest) async throws {
        let name = "sync.service.device.\(request.device)"
        let (before, now) = ("\"number\":\(request.name.number - 1)", "\"number\":\(request.name.number)")
        try await store.write { transaction in
            guard let row = try transaction.metadata(name), row.contains("\"\(request.name.name)\"") else { return }
            try transaction.setLibraryMetadata(row.replacing(now, with: before), for: name)
        }
    }

    private func forgetTombstones() async throws {
        try await store.write { transaction in
            for entry in try transaction.history(after: 0, limit: .max) where try transaction.record(entry.id) == nil {
                let key: Value = [.string(entry.id.entity), .string(entry.id.key.taggedJSON)]
                _ = try transaction.storage.remove(key, in: transaction.shape("sync.history"))
            }
        }
    }

    private func answerBeforeCommit(_ request: PushRequest) async throws -> PushResponse {
        let answer = Locked<PushResponse?>(nil)
        do {
            return try await store.write { transaction in
                let response = try service.push(request, in: transaction)
                answer.exchange(with: response)
                return response
            }.result
        } catch let failure as SimulatedFailure {
            if let answer = answer.current { return answer }
            throw failure
        }
    }
}

/// A device's storage that does not store the images of records in flight.
private final class ForgetfulStorage: ForwardingStorage {
    override func put(_ record: Record) throws -> Record? {
        if record.entity == "sync.inFlight", !record["image"].isNull { return record }
        return try super.put(record)
    }
}

/// A device's storage that does not know its account.
private final class UnboundStorage: ForwardingStorage {
    override func record(_ key: Value, in hierarchy: Shape) throws -> Record? {
        key == "sync.store.account" ? nil : try super.record(key, in: hierarchy)
    }
}
