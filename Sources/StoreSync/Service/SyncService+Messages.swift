public import SyncPersistence

extension SyncService {
    /// Introduces a device.
    ///
    /// The first handshake of a store lets it keep a history from then on. If a device knows later changes of the epoch
    /// than the store has, the store was restored from a backup. Then another epoch begins, as by ``beginEpoch()``. The
    /// service trusts the device's position: a faulty device can begin an epoch with each handshake.
    ///
    /// A device whose position is of another history is not counted: it introduces itself with a position in this one,
    /// under another identifier.
    ///
    /// - Throws: ``RemoteError/incompatible(_:)`` for a device without a common version, with a faulty identifier, or beyond
    ///   the limit of devices; ``RemoteError/unauthorized`` for a scope that the service does not have; `PersistenceError`.
    public func handshake(
        _ request: HandshakeRequest, in transaction: WriteTransaction
    ) throws -> HandshakeResponse {
        guard request.versions.contains(StoreProtocol.version) else {
            throw RemoteError.incompatible("the service speaks version \(StoreProtocol.version) of the protocol only")
        }
        if request.device.isEmpty || request.device.utf8.count > DeviceRow.longestName {
            throw RemoteError.incompatible("the identifier of a device has 1 to \(DeviceRow.longestName) bytes")
        }
        try transaction.prefetchMetadata([ServiceEpoch.name, DeviceRow.countName, DeviceRow.name(of: request.device)])
        let scope = try scopes.view(of: request.scope, in: transaction.schema)
        var epoch = try ServiceEpoch.current(in: transaction) ?? ServiceEpoch.begin(makeName(), in: transaction)
        let known = try DeviceRow(of: request.device, in: transaction)
        let sequence = try transaction.historySequence
        let isRestored = try ServiceEpoch.takeRestoration(restoration, in: transaction)
        if isRestored || request.isAhead(of: sequence, known, epoch) {
            // The other devices cannot notice a restored store once its numbers have passed theirs.
            epoch = try ServiceEpoch.begin(makeName(), in: transaction)
        }
        let history = DeviceRow.history(epoch, request.scope)
        let former = known.flatMap { $0.epoch == epoch ? $0 : nil }
        if let cursor = request.cursor, cursor.epoch != history {
            // The device takes another identifier for the history, and introduces itself with it.
            if former != nil { try supersedeDevice(request.device, in: transaction) }
        } else {
            if former?.isRemoved ?? true { try DeviceRow.countAnother(in: epoch, limit: deviceLimit, transaction) }
            let row = DeviceRow(
                epoch: epoch, scope: request.scope,
                start: former.flatMap { $0.scope == request.scope ? $0.start : nil }
                    ?? (request.cursor?.sequence ?? 0 > 0 ? 0 : sequence),
                lacking: scope.slotNames.keys.filter { request.entities[$0] == nil }.sorted(), push: former?.push,
                entities: scope.digest)
            try row.store(for: request.device, in: transaction)
        }
        return HandshakeResponse(
            account: account, epoch: history, limits: limits, sequence: sequence,
            horizon: try transaction.historyHorizon, lastPush: former?.push, entities: scope.slotNames)
    }

    /// Returns a page of what others have changed.
    ///
    /// - Throws: ``RemoteError/handshakeNeeded(_:)`` for an unknown device, and for a position of another history or
    ///   before the horizon; ``RemoteError/unauthorized`` if the device's scope no longer exists; `PersistenceError`.
    /// - Complexity: O(size of the page + number of the device's own changes in between)
    public func pull(_ request: PullRequest, in transaction: ReadTransaction) throws -> PullResponse {
        let session = try ServiceSession(of: request.device, scopes, checksSchema: checksSchema, in: transaction)
        try request.cursor.check(epoch: session.row.history, sequence: session.sequence)
        if request.needsDeletions(before: session.horizon) { try request.cursor.check(horizon: session.horizon) }
        return try PullPage.response(to: request, of: session, limits, in: transaction)
    }

    /// Makes a device's changes and stores the response, or returns the stored response to the same push.
    ///
    /// The transaction must not have changed other records before.
    ///
    /// - Throws: ``RemoteError/handshakeNeeded(_:)`` for an unknown device, for a number that does not follow the
    ///   device's last one, and for a base of another history or before the horizon; ``RemoteError/incompatible(_:)``
    ///   for many more mutations than the limit; ``RemoteError/unauthorized`` if the device's scope no longer exists;
    ///   `PersistenceError` for a change that passes all checks and that the store refuses all the same, or if the store
    ///   fails.
    /// - Complexity: O(number of mutations and of the records that their delete rules reach)
    public func push(_ request: PushRequest, in transaction: WriteTransaction) throws -> PushResponse {
        try push(request, in: transaction, without: StoppedMutations(of: request))
    }

    func push(
        _ request: PushRequest, in transaction: WriteTransaction, without stopped: StoppedMutations
    ) throws -> PushResponse {
        let session = try ServiceSession(of: request.device, scopes, checksSchema: checksSchema, in: transaction)
        var row = session.row
        if let answered = row.push, answered.name.number == request.name.number {
            if answered.name == request.name { return answered }
            throw RemoteError.handshakeNeeded("the service has answered another push with the number")
        }
        let last = row.push?.name.number ?? 0
        guard request.name.number > last, request.name.number - 1 == last else {
            throw RemoteError.handshakeNeeded("the device's last push known to the service has the number \(last)")
        }
        try request.base.check(epoch: row.history, sequence: session.sequence)
        try request.base.check(horizon: session.horizon)
        try checkSize(of: request)
        let context = try PushContext(request, of: session, limits, review, in: transaction)
        var run = PushRun(context, stopped)
        // A store that is itself a device sends the changes on.
        let origin: ChangeSet.Origin = try transaction.storeAccount() == nil ? .agreed : .local
        var response = PushResponse(name: request.name, outcomes: try run.run(request.mutations, origin: origin))
        // The changes of a relay may have consequences at the end of the transaction.
        if origin == .agreed, session.sequence == max(request.base.sequence, row.push?.knownSequence ?? 0) {
            response.knownSequence = try transaction.historySequence(by: request.device)
        }
        row.push = response
        try row.store(for: request.device, in: transaction)
        try forgetOldDeletions(before: request.base, in: transaction)
        return response
    }

    /// Forgets the oldest deletions beyond the limit, and removes some of their tombstones.
    ///
    /// - Parameter base: The position of the device, whose next push has the same base.
    private func forgetOldDeletions(before base: SyncCursor, in transaction: WriteTransaction) throws {
        guard let historyLimit else { return }
        let step: Int64 = 10_000
        let target = min(try transaction.historySequence - Int64(historyLimit), base.sequence)
        // Each move may let a comparison in progress begin again. So a backlog is one move.
        if try target - transaction.historyHorizon >= step { try transaction.moveHistoryHorizon(to: target) }
        try transaction.removeForgottenTombstones(among: step)
    }

    /// Refuses a push whose outcomes alone are too many.
    private func checkSize(of request: PushRequest) throws(RemoteError) {
        if request.name.name.utf8.count > DeviceRow.longestName {
            throw .incompatible("the name of a push has at most \(DeviceRow.longestName) bytes")
        }
        let most = min(10 * limits.pushRecords, StoreProtocol.maximumRecords)
        if request.mutations.count > most {
            throw .incompatible(
                "a push has at most \(limits.pushRecords) mutations, and this one has \(request.mutations.count)")
        }
    }
}

extension HandshakeRequest {
    /// Whether the device has received changes or answers of this epoch that the service no longer has.
    ///
    /// - Parameters:
    ///   - sequence: The number of the service's last change.
    ///   - known: What the service knows of the device.
    ///   - epoch: The epoch of the service.
    fileprivate func isAhead(of sequence: Int64, _ known: DeviceRow?, _ epoch: String) -> Bool {
        guard let cursor, cursor.isOf(epoch) else { return false }
        let (pushed, answered) = (lastPush?.number ?? 0, known?.push?.name.number ?? 0)
        // The last push may be under way.
        return cursor.sequence > sequence || pushed > answered && pushed - 1 > answered
    }
}
