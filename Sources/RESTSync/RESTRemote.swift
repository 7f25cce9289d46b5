public import EntitySync
public import StoreSync
public import SyncPersistence

/// A REST API as the remote of a store.
///
/// ```swift
/// let remote = RESTRemote(mirror, account: "ada") { mirror in
///     try await mirror.sync(try await api.get("/todos"), into: "ToDo")
/// } send: { change in
///     try await api.send(change)
/// }
/// let outcome = try await store.synchronize(with: remote)
/// ```
///
/// The **mirror** is a second store with the same schema. It has the records that the server is known to have. One
/// closure brings the server's records into the mirror, and another one sends a change to the server. A `SyncService`
/// over the mirror compares, finds conflicts and answers the store.
///
/// Each device has a mirror of its own, which only one remote uses at a time, and which the app does not change.
/// <doc:SynchronizingWithARESTAPI> describes both closures.
public struct RESTRemote: Remote {
    /// A change is refused after this number of attempts to which the server has not returned an object.
    private static let maximumAttempts = 3

    /// The number of conflicts of a new record after which they are not taken for conflicts with an earlier attempt.
    private static let maximumConflicts = 2

    private let mirror: any PersistenceAdapter
    private let service: SyncService
    private let export: RESTExport
    private let options: SyncOptions
    private let fetch: @Sendable (any PersistenceAdapter) async throws -> Void
    private let send: @Sendable (RESTChange) async throws -> RESTAnswer

    /// Creates a remote.
    ///
    /// - Parameters:
    ///   - mirror: A store with the schema of the synchronized one; empty at first.
    ///   - account: The account at the server, to which the synchronized store is bound.
    ///   - export: The form of the objects that are sent.
    ///   - options: The options for the objects in the server's answers. The origin is always the remote.
    ///   - links: The many-to-many relationships whose links are sent with the record that has the relationship, such as
    ///     `ToDo.tags`. All other links are sent with the record at their source, an end that the schema chooses.
    ///   - fetch: Syncs the server's records into the mirror, with the functions of `EntitySync`. If it throws, the
    ///     cycle ends and the next one continues.
    ///   - send: Sends a change to the server. It throws if the server's answer is unknown; the change is then sent
    ///     again before anything else. `RemoteError.incompatible(_:)` refuses the change, and the others are sent.
    public init(
        _ mirror: any PersistenceAdapter, account: String, export: ExportOptions = ExportOptions(relationships: .ids),
        options: SyncOptions = SyncOptions(), links: [String] = [],
        fetch: @escaping @Sendable (_ mirror: any PersistenceAdapter) async throws -> Void,
        send: @escaping @Sendable (_ change: RESTChange) async throws -> RESTAnswer
    ) {
        (self.mirror, self.fetch, self.send) = (mirror, fetch, send)
        self.export = RESTExport(options: export, links: links, schema: mirror.schema)
        var options = options
        options.origin = .remote
        self.options = options
        service = Self.service(over: mirror, account, .acceptAll)
    }

    /// Each push has one change, so that an answer of the server is stored before the next change is sent.
    private static func service(
        over mirror: any PersistenceAdapter, _ account: String, _ review: Review
    ) -> SyncService {
        var service = SyncService(mirror, account: account, limits: SyncLimits(pushRecords: 1), review: review)
        // A change whose answer is unknown is sent again before the handshake, also after an update of the app.
        service.checksSchema = false
        return service
    }
}

extension RESTRemote {
    /// Fetches the server's records and introduces a device.
    ///
    /// A change whose answer is unknown is sent before that. One of another account is not: it waits in the mirror until
    /// that account comes back, or until this one sends a change.
    ///
    /// An update of the app may have changed the attributes of the entity. A device that still has the change then sends it in
    /// its new form after the handshake, and the next handshake fetches.
    public func handshake(_ request: HandshakeRequest) async throws -> HandshakeResponse {
        let isLeft = try await finishPending { $0.isNamed(request.lastPush, of: request.device) }
        // A fetch would bring the record that the change may have made as another one.
        if !isLeft { try await fetch(mirror) }
        var response = try await service.handshake(request)
        response.lastPush?.mayHaveEditsOfOthers = true
        return response
    }

    /// Returns a page of what the mirror has received from the server.
    public func pull(_ request: PullRequest) async throws -> PullResponse { try await service.pull(request) }

    /// Sends a change to the server, and makes it in the mirror once the server has accepted it.
    ///
    /// - Throws: The error of `send` if the server's answer is unknown. The device then sends the push again.
    public func push(_ request: PushRequest) async throws -> PushResponse {
        if let pending = try await mirror.read({ try PendingPush(in: $0) }),
            !pending.isNamed(request.name, of: request.device)
        {
            _ = try await finishPending { $0.request.device == request.device }
        }
        var response = try await perform(request)
        // The server may have merged the change with those of other clients.
        response.mayHaveEditsOfOthers = true
        return response
    }

    /// Returns the end of the history after each commit to the mirror.
    public func notifications() -> AsyncStream<SyncCursor?> { service.notifications() }

    /// Sends the change again whose answer is unknown, unless it is one of another account.
    ///
    /// An update of the app may have changed the entity since. Then a device that still has the change sends it itself,
    /// in its new form. If no device has it, it is sent in its old form. If the mirror's schema does not admit that
    /// form, it is not sent, and the next change replaces it.
    ///
    /// - Parameter isOfDevice: Whether the change is one of the present device, which has its new form.
    /// - Returns: Whether the device sends the change itself.
    private func finishPending(_ isOfDevice: (PendingPush) -> Bool) async throws -> Bool {
        guard let pending = try await mirror.read({ try PendingPush(in: $0) }), pending.belongs(to: service.account)
        else { return false }
        if !pending.fits(mirror.schema) {
            if isOfDevice(pending) { return true }
            if !pending.isAdmitted(by: mirror.schema) { return false }
        }
        do {
            _ = try await perform(pending.request)
        } catch RemoteError.handshakeNeeded {
            // The mirror has begun another history, in which the device compares everything.
            _ = try await mirror.write { try PendingPush.remove(in: $0) }
        }
        return false
    }
}

extension RESTRemote {
    /// Sends the change of a push if the mirror would accept it, and stores the outcome.
    private func perform(_ request: PushRequest) async throws -> PushResponse {
        let rehearsal: Rehearsal
        do {
            rehearsal = try await rehearse(request, nil)
        } catch let error as PersistenceError where error.isAboutChanges {
            // The mirror or the export cannot have the change, so it is never sent.
            let refusal = Review.Verdict.refuse(code: error.code.description, reason: error.description)
            let refusing = Self.service(over: mirror, service.account, Review { _, _ in refusal })
            let response = try await refusing.push(request)
            _ = try await mirror.write { try PendingPush.remove(in: $0) }
            return response
        }
        if rehearsal.isReordering {
            let reason = "only its place in an order has changed, and the remote sends no places"
            return try await store(request, by: .refuse(code: "order", reason: reason))
        }
        guard let sent = rehearsal.change else { return try await store(request, as: rehearsal) }
        let attempt = try await mirror.write { try PendingPush.begin(request, of: service.account, in: $0) }.result
        switch try await answer(to: sent.change(request.name.name, attempt)) {
        case .accepted(let object):
            do {
                return try await accept(request, sent, object)
            } catch RemoteError.incompatible(let reason) where attempt >= Self.maximumAttempts {
                return try await store(request, by: .refuse(code: "answer", reason: reason))
            }
        case .deleted where sent.link != nil && sent.kind == .deletion: return try await store(request, by: .accept)
        case .deleted where sent.kind != .insertion && sent.link == nil:
            try await mirror.delete(sent.record.entity, sent.record.key, origin: .remote)
            return try await store(request, by: .later())
        case .conflict, .deleted:
            // If the fetch brings another version, or the deletion of a record that this one needs, the mirror reports a
            // conflict.
            // The server may be making the new record of an earlier attempt, and must not get it under another name.
            if attempt > 1, sent.kind == .insertion, sent.link == nil {
                let count = try await mirror.write { try PendingPush.countConflict(in: $0) }.result
                if count <= Self.maximumConflicts { throw RemoteError.later() }
            }
            try await fetch(mirror)
            return try await store(request, by: .later())
        case .refused(let code, let reason): return try await store(request, by: .refuse(code: code, reason: reason))
        case .unauthorized: return try await store(request, by: .unauthorized)
        case .later(let seconds):
            // The server may have stored the new record at an earlier attempt, and must not get it under another name.
            if attempt > 1, sent.kind == .insertion, sent.link == nil { throw RemoteError.later(after: seconds) }
            return try await store(request, by: .later(after: seconds))
        }
    }

    /// Sends a change to the server.
    private func answer(to change: RESTChange) async throws -> RESTAnswer {
        do {
            return try await send(change)
        } catch RemoteError.incompatible(let reason) {
            // The server would give each further attempt the same answer.
            return .refused(code: "incompatible", reason: reason)
        }
    }

    /// Makes an accepted change in the mirror, with what the server has made of it.
    private func accept(
        _ request: PushRequest, _ sent: Rehearsal.Change, _ object: Value
    ) async throws -> PushResponse {
        if sent.isRecordDeletion || object.isNull { return try await store(request, by: .accept) }
        let rehearsal: Rehearsal
        do {
            rehearsal = try await rehearse(request, object)
        } catch let error as PersistenceError where error.isAboutChanges {
            let reason = "the server has stored the change, and its answer cannot be stored here: \(error)"
            return try await store(request, by: .refuse(code: "answer", reason: reason))
        } catch let error as SyncError {
            throw RemoteError.incompatible("the answer of the server is not an object: \(error)")
        }
        let amended = rehearsal.amended
        let verdict: Review.Verdict = sent.link == nil ? .amend(amended?.values ?? [:], key: amended?.key) : .accept
        return try await store(request, by: verdict, object: object, of: amended?.id ?? sent.record)
    }

    /// Stores the outcome of a change that the server does not receive.
    private func store(_ request: PushRequest, as rehearsal: Rehearsal) async throws -> PushResponse {
        try await mirror.write { transaction in
            let response = try service.push(request, in: transaction)
            if response != rehearsal.response { throw RemoteError.later() }
            try PendingPush.remove(in: transaction)
            return response
        }.result
    }

    /// Stores the outcome of a change by the verdict of the server.
    ///
    /// - Parameters:
    ///   - object: The server's answer; null for none.
    ///   - id: The record of the answer.
    private func store(
        _ request: PushRequest, by verdict: Review.Verdict, object: Value = .null, of id: RecordID? = nil
    ) async throws -> PushResponse {
        let service = Self.service(over: mirror, service.account, Review { _, _ in verdict })
        return try await mirror.write { [options] transaction in
            let response = try service.push(request, in: transaction)
            if let id, !object.isNull, let before = try transaction.record(id),
                let after = try transaction.update(id, with: object, options: options), after != before
            {
                // The device pulls what the outcome does not have.
                try transaction.setHistoryWriter("", of: [after.rootID])
            }
            try PendingPush.remove(in: transaction)
            return response
        }.result
    }

    /// Finds out what the mirror makes of a push, and rolls that back.
    ///
    /// - Parameter object: The server's answer; nil before it is known.
    private func rehearse(_ request: PushRequest, _ object: Value?) async throws -> Rehearsal {
        do {
            _ = try await mirror.write { [service, export, options] transaction in
                let rehearsal = try Rehearsal(request, service, export, in: transaction) { record in
                    try object.flatMap { try transaction.update(record, with: $0, options: options) }
                }
                throw RolledBack(rehearsal: rehearsal)
            }
        } catch let end as RolledBack {
            return end.rehearsal
        }
        throw RemoteError.later()
    }

    /// Ends the transaction of a rehearsal.
    private struct RolledBack: Error {
        let rehearsal: Rehearsal
    }
}
